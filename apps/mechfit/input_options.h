#pragma once

#include <optional>

#include "mechfit/log/input_timing.h"

namespace CLI {
class App;
}

namespace mechfit {

// --input-hold, --input-delay and --input-lag of a fit, where `auto` is no value. All must outlive
// the parsing.
void add_input_options(CLI::App& app, std::optional<InputHold>& hold, std::optional<double>& delay,
                       std::optional<double>& lag);

// The same flags for logs whose inputs act otherwise than those that a model was fitted to.
struct InputOverrule {
  std::optional<InputHold> hold;
  std::optional<double> delay, lag;

  // Of the model, with what the flags say instead.
  InputTiming of(InputTiming timing) const;
};
void add_input_options(CLI::App& app, InputOverrule& overrule);

}  // namespace mechfit
