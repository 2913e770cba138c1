#pragma once

#include <string>

namespace mechfit {

// `at`: "q1,q2" or "q1,q2;v1,v2"; empty is the origin at rest. Prints what the model is and what
// it says there.
void inspect_model(const std::string& path, const std::string& at, bool json);

}  // namespace mechfit
