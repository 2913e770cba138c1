#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "mechfit/integrate/simulate.h"

namespace mechfit {

// What the flags of `simulate` say of contacts.
struct ContactFlags {
  std::vector<std::string> stops;  // JOINT=LOW:HIGH
  ContactSettings settings;        // the others

  bool any() const {
    return !stops.empty() || settings.floor || settings.restitution || settings.friction;
  }
};

void add_contact_options(CLI::App& command, ContactFlags& flags);

// UsageError where a flag cannot be read, InputError where it does not fit the system.
Contacts make_contacts(const ContactFlags& flags, const AnalyticSystem& system);

}  // namespace mechfit
