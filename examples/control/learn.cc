#include "examples/control/learn.h"

#include "mechfit/base/error.h"
#include "mechfit/fit/fit.h"

namespace control {

mechfit::Model learn(const mechfit::Log& log, const std::vector<std::string>& driven,
                     const std::string& family) {
  mechfit::ThreadPool pool(1);  // threads are spread over seeds
  mechfit::FitOptions options;
  options.quick = true;
  options.family = family;
  options.input_joints = driven;
  options.input_hold = mechfit::InputHold::held;
  options.input_delay = 0.0;
  mechfit::FitResult result = mechfit::fit(log, std::nullopt, options, pool);
  if (!mechfit::found_model(result.status)) throw mechfit::InputError(explain(result.status));
  return std::move(result.model);
}

}  // namespace control
