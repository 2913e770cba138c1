#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <set>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/arm/arm_geometry.h"
#include "mechfit/mechanics/families/arm/robot_file.h"
#include "mechfit/mechanics/families/arm/xml_file.h"

// URDF. A file that is written back keeps all that it had.
namespace mechfit {
namespace {

using tinyxml2::XMLElement;

class Urdf : public XmlFile {
 public:
  Urdf(const std::string& text, const std::string& path) : XmlFile(text, path) {
    const XMLElement* robot = root();
    if (robot && std::string(robot->Name()) == "mujoco")
      throw InputError(path + ": a MuJoCo model, expected URDF");
    if (!robot || std::string(robot->Name()) != "robot")
      throw InputError(path + ": the outermost element is not <robot>, expected URDF");
    for (XMLElement* e = root()->FirstChildElement(); e; e = e->NextSiblingElement()) {
      const std::string kind = e->Name();
      if (kind.starts_with("xacro:"))
        fail(*e, "found <" + kind + ">, expected plain URDF: expand it with xacro first");
      if (kind == "link" && !links_.emplace(text_of(*e, "name"), e).second)
        fail(*e, "a second link '" + text_of(*e, "name") + "'");
      if (kind == "joint") joints_.push_back(e);
    }
    if (joints_.empty()) throw InputError(path + ": no joints");
    sort_joints();
  }

  XMLElement* link(const XMLElement& joint, const char* side) const {
    const XMLElement* e = joint.FirstChildElement(side);
    if (!e) fail(joint, std::string("joint without <") + side + ">");
    const auto found = links_.find(text_of(*e, "link"));
    if (found == links_.end()) fail(*e, "link '" + text_of(*e, "link") + "' is not in the file");
    return found->second;
  }

  bool moves(const XMLElement& joint) const {
    const std::string type = text_of(joint, "type");
    if (type == "fixed" || joint.FirstChildElement("mimic")) return false;
    if (type == "revolute" || type == "continuous" || type == "prismatic") return true;
    fail(joint, "joint of type '" + type + "', expected revolute, continuous, prismatic or fixed");
  }

  // A parent before its children.
  const std::vector<XMLElement*>& joints() const { return joints_; }
  int parent_of(const XMLElement& joint) const {
    const auto found = carried_by_.find(link(joint, "parent"));
    return found == carried_by_.end() ? -1 : found->second;
  }
  std::string printed() {
    tinyxml2::XMLPrinter printer;
    document().Print(&printer);
    return printer.CStr();
  }
  XMLElement* fresh(const char* name, XMLElement& under) {
    if (XMLElement* old = under.FirstChildElement(name)) under.DeleteChild(old);
    return under.InsertNewChildElement(name);
  }

 private:
  void sort_joints() {
    std::map<const XMLElement*, const XMLElement*> carrier;
    for (const XMLElement* joint : joints_)
      if (!carrier.emplace(link(*joint, "child"), joint).second)
        fail(*joint,
             "link '" + text_of(*link(*joint, "child"), "name") + "' is the child of two joints");
    std::vector<XMLElement*> sorted;
    std::vector<bool> done(joints_.size(), false);
    while (sorted.size() < joints_.size()) {
      const std::size_t before = sorted.size();
      for (std::size_t k = 0; k < joints_.size(); ++k) {
        const XMLElement* parent = link(*joints_[k], "parent");
        if (done[k] || (carrier.contains(parent) && !carried_by_.contains(parent))) continue;
        done[k] = true;
        carried_by_[link(*joints_[k], "child")] = static_cast<int>(sorted.size());
        sorted.push_back(joints_[k]);
      }
      if (sorted.size() == before) throw InputError(path() + ": the joints form a loop");
    }
    joints_ = std::move(sorted);
  }

  std::map<std::string, XMLElement*> links_;
  std::vector<XMLElement*> joints_;
  std::map<const XMLElement*, int> carried_by_;  // link -> joint that moves it
};

// Roll, pitch, yaw about fixed axes.
Eigen::Matrix3d rotation(const std::vector<double>& rpy) {
  using Eigen::AngleAxisd, Eigen::Vector3d;
  return (AngleAxisd(rpy[2], Vector3d::UnitZ()) * AngleAxisd(rpy[1], Vector3d::UnitY()) *
          AngleAxisd(rpy[0], Vector3d::UnitX()))
      .toRotationMatrix();
}

ArmJoint read_joint(const Urdf& file, const XMLElement& e) {
  ArmJoint joint;
  joint.name = file.text_of(e, "name");
  joint.kind = file.text_of(e, "type") == "prismatic" ? JointKind::prismatic : JointKind::revolute;
  joint.parent = file.parent_of(e);
  const XMLElement* origin = e.FirstChildElement("origin");
  const auto xyz = file.numbers(origin, "xyz", 3, {0, 0, 0});
  std::copy_n(xyz.begin(), 3, joint.place.begin());
  store(rotation(file.numbers(origin, "rpy", 3, {0, 0, 0})), joint.rotation);
  const XMLElement* axis = e.FirstChildElement("axis");
  const auto direction = file.numbers(axis, "xyz", 3, {1, 0, 0});
  const Eigen::Vector3d z(direction[0], direction[1], direction[2]);
  if (!(z.norm() > 0)) file.fail(*axis, "an axis of length 0");
  store(Eigen::Vector3d(z.normalized()), joint.axis);
  return joint;
}

LinkInertia read_link(const Urdf& file, const XMLElement& e) {
  LinkInertia body;
  const XMLElement* inertial = e.FirstChildElement("inertial");
  if (!inertial) return body;
  const XMLElement* mass = inertial->FirstChildElement("mass");
  const XMLElement* inertia = inertial->FirstChildElement("inertia");
  if (!mass) file.fail(*inertial, "<inertial> without <mass>");
  body.mass = file.numbers(mass, "value", 1)[0];
  if (body.mass < 0) file.fail(*mass, "a mass below 0");
  const XMLElement* origin = inertial->FirstChildElement("origin");
  const auto xyz = file.numbers(origin, "xyz", 3, {0, 0, 0});
  body.centre = {xyz[0], xyz[1], xyz[2]};
  if (!inertia) return body;
  const auto number = [&](const char* name) { return file.numbers(inertia, name, 1)[0]; };
  const double xy = number("ixy"), xz = number("ixz"), yz = number("iyz");
  Eigen::Matrix3d I;
  I << number("ixx"), xy, xz, xy, number("iyy"), yz, xz, yz, number("izz");
  const Eigen::Matrix3d R = rotation(file.numbers(origin, "rpy", 3, {0, 0, 0}));
  body.inertia = R * I * R.transpose();
  return body;
}

void set_vector(XMLElement* e, const char* attribute, const Eigen::Vector3d& x) {
  e->SetAttribute(attribute, fmt::format("{:.9g} {:.9g} {:.9g}", x[0], x[1], x[2]).c_str());
}
void set_number(XMLElement* e, const char* attribute, double x) {
  e->SetAttribute(attribute, fmt::format("{:.9g}", x).c_str());
}

void write_link(Urdf& file, XMLElement& link, const LinkInertia& body) {
  XMLElement* inertial = file.fresh("inertial", link);
  XMLElement* origin = inertial->InsertNewChildElement("origin");
  set_vector(origin, "xyz", body.centre);
  set_vector(origin, "rpy", Eigen::Vector3d::Zero());
  set_number(inertial->InsertNewChildElement("mass"), "value", body.mass);
  XMLElement* inertia = inertial->InsertNewChildElement("inertia");
  const Eigen::Matrix3d& I = body.inertia;
  set_number(inertia, "ixx", I(0, 0));
  set_number(inertia, "ixy", I(0, 1));
  set_number(inertia, "ixz", I(0, 2));
  set_number(inertia, "iyy", I(1, 1));
  set_number(inertia, "iyz", I(1, 2));
  set_number(inertia, "izz", I(2, 2));
}

}  // namespace

ArmDescription parse_urdf(const std::string& text, const std::string& path) {
  const Urdf file(text, path);
  ArmDescription robot;
  for (const XMLElement* joint : file.joints()) {
    robot.kinematics.joints.push_back(read_joint(file, *joint));
    robot.links.push_back(read_link(file, *file.link(*joint, "child")));
  }
  for (int k = robot.kinematics.n() - 1; k >= 0; --k)
    if (!file.moves(*file.joints()[k])) robot = with_held_joint(std::move(robot), k);
  check_kinematics(robot.kinematics, path);
  return robot;
}

std::string urdf_with_values(const std::string& text, const std::string& path,
                             const std::vector<IdentifiedJoint>& joints) {
  Urdf file(text, path);
  std::set<std::string> found;
  for (std::size_t k = 0; k < file.joints().size(); ++k) {
    XMLElement& joint = *file.joints()[k];
    XMLElement& link = *file.link(joint, "child");
    const std::string name = file.text_of(joint, "name");
    const auto own = std::find_if(joints.begin(), joints.end(),
                                  [&](const IdentifiedJoint& other) { return other.name == name; });
    if (own == joints.end()) {
      // What stands on the base keeps its own.
      int carrier = file.parent_of(joint);
      while (carrier >= 0 && !found.contains(file.text_of(*file.joints()[carrier], "name")))
        carrier = file.parent_of(*file.joints()[carrier]);
      if (XMLElement* inertial = link.FirstChildElement("inertial"); inertial && carrier >= 0)
        link.DeleteChild(inertial);
      continue;
    }
    found.insert(name);
    write_link(file, link, own->link);
    XMLElement* dynamics = joint.FirstChildElement("dynamics");
    if (!dynamics) dynamics = joint.InsertNewChildElement("dynamics");
    set_number(dynamics, "damping", own->viscous);
    set_number(dynamics, "friction", own->coulomb);
  }
  for (const IdentifiedJoint& joint : joints)
    if (!found.contains(joint.name))
      throw InputError(path + ": no joint '" + joint.name + "' of the model");
  return file.printed();
}

}  // namespace mechfit
