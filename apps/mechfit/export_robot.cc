#include "export_robot.h"

#include <cstdio>

#include "mechfit/base/error.h"
#include "mechfit/files/files.h"
#include "mechfit/files/json_fields.h"
#include "mechfit/mechanics/families/arm/identified.h"
#include "mechfit/mechanics/model_file.h"
#include "terminal.h"

namespace mechfit {

void export_robot(const std::string& model, const std::string& robot, const std::string& output,
                  bool json) {
  const ModelRecord record = load_model(model);
  const Arm* arm = record.model.as<Arm>();
  if (!arm)
    throw InputError(model + ": a model of family " + record.model.family() +
                     ", only an arm's links can be written into a description");
  const std::string text = read_file(robot);
  const IdentifiedArm found =
      identified_arm(*arm, record.covariance, parse_urdf(text, robot), robot);
  write_file_atomically(output, urdf_with_values(text, robot, found.joints));
  if (json) {
    std::vector<std::string> joints;
    for (const IdentifiedJoint& joint : found.joints) joints.push_back(joint.name);
    std::puts(to_text({{"urdf", output}, {"joints", joints}, {"notes", found.notes}}).c_str());
    return;
  }
  for (const std::string& note : found.notes) print_note(note);
  std::printf("Wrote %s: masses, centres, inertias and friction of %d joints.\n",
              printable(output).c_str(), arm->joints());
}

}  // namespace mechfit
