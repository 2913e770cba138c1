#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mechfit/integrate/simulate.h"

namespace mechfit {

// What the flags of `simulate` say of contacts.
struct ContactFlags {
  std::vector<std::string> stops;  // JOINT=LOW:HIGH
  std::optional<double> floor, restitution, friction;

  bool any() const { return !stops.empty() || floor || restitution || friction; }
};

void add_contact_options(CLI::App& command, ContactFlags& flags);

// UsageError where they do not fit the system.
Contacts make_contacts(const ContactFlags& flags, const AnalyticSystem& system);

}  // namespace mechfit
