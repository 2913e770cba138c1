#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/arm/arm_description.h"
#include "mechfit/mechanics/families/arm/arm_geometry.h"
#include "mechfit/mechanics/families/arm/robot_file.h"
#include "mechfit/mechanics/families/arm/xml_file.h"

// MuJoCo's models: bodies, joints and inertials, with the defaults of their classes. All else, as
// geoms and actuators, has no part in M and V. A reader of this small part of the format instead of
// MuJoCo itself: nothing to install, and messages name lines.
namespace mechfit {
namespace {

using Eigen::Matrix3d, Eigen::Vector3d;
using tinyxml2::XMLElement;

// Between two joints of one body is nothing; a link has to have a mass [kg] and a size [m].
constexpr double kNoMass = 1e-3, kNoSize = 1e-2;
// Bodies within bodies; files made to break programs have more.
constexpr int kDeepest = 200;

struct Frame {
  Matrix3d R = Matrix3d::Identity();
  Vector3d p = Vector3d::Zero();
  Frame then(const Frame& inner) const { return {R * inner.R, R * inner.p + p}; }
};

class Mjcf : public XmlFile {
 public:
  Mjcf(const std::string& text, const std::string& path) : XmlFile(text, path) {
    for (const XMLElement* e = first(root()); e; e = e->NextSiblingElement()) {
      const std::string kind = e->Name();
      if (kind == "compiler") read_compiler(*e);
      if (kind == "default") read_defaults(*e, "", 0);
      if (kind == "option") gravity_ = numbers(e, "gravity", 3, gravity_);
      if (kind == "include") refuse(*e);
    }
  }

  ArmDescription robot() {
    for (const XMLElement* e = first(root()); e; e = e->NextSiblingElement())
      if (std::string(e->Name()) == "worldbody") children(*e, -1, {}, "", 0);
    if (robot_.kinematics.joints.empty()) throw InputError(path() + ": no joints that move");
    std::copy_n(gravity_.begin(), 3, robot_.kinematics.gravity.begin());
    for (int k = 0; k < robot_.kinematics.n(); ++k)
      if (references_[k] != 0)
        robot_.kinematics = with_sign_and_offset(robot_.kinematics, k, 1, -references_[k]);
    const std::set<std::string> copies = copying_joints();
    for (int k = robot_.kinematics.n() - 1; k >= 0; --k)
      if (copies.contains(robot_.kinematics.joints[k].name))
        robot_ = with_held_joint(std::move(robot_), k);
    check_kinematics(robot_.kinematics, path());
    return robot_;
  }

 private:
  static const XMLElement* first(const XMLElement* e) {
    return e ? e->FirstChildElement() : nullptr;
  }

  [[noreturn]] void refuse(const XMLElement& e) const {
    fail(e, fmt::format("found <{}>, expected one file of plain bodies: MuJoCo saves a model so "
                        "(mj_saveLastXML, or its program 'compile')",
                        e.Name()));
  }

  void read_compiler(const XMLElement& e) {
    const auto is = [&](const char* attribute, const char* value) {
      return e.Attribute(attribute, value) != nullptr;
    };
    if (is("angle", "radian")) degrees_ = false;
    if (is("angle", "degree")) degrees_ = true;
    if (is("coordinate", "global")) fail(e, "coordinate: found global, expected local");
    if (const char* order = e.Attribute("eulerseq")) order_ = order;
    if (order_.size() != 3 || order_.find_first_not_of("xyzXYZ") != std::string::npos)
      fail(e, "eulerseq: found '" + order_ + "', expected three of x, y, z, X, Y, Z");
  }

  // Attributes of joints by class; a class within another has the other's first.
  void read_defaults(const XMLElement& e, const std::string& above, int depth) {
    if (depth > kDeepest) fail(e, "classes too deep");
    const char* name = e.Attribute("class");
    if (depth > 0 && !name) fail(e, "<default> without attribute 'class'");
    const std::string own = name ? name : main_;
    if (depth == 0) main_ = own;
    auto& attributes = joint_defaults_[own];
    if (depth > 0) attributes = joint_defaults_[above];
    for (const XMLElement* c = first(&e); c; c = c->NextSiblingElement())
      if (std::string(c->Name()) == "joint") attributes.push_back(c);
    for (const XMLElement* c = first(&e); c; c = c->NextSiblingElement())
      if (std::string(c->Name()) == "default") read_defaults(*c, own, depth + 1);
  }

  // The element that has an attribute of a joint: its own, else its class's; null: neither.
  const XMLElement* with(const XMLElement& joint, const char* attribute,
                         const std::string& child_class) const {
    if (joint.Attribute(attribute)) return &joint;
    const char* own = joint.Attribute("class");
    const std::string name = own ? own : child_class.empty() ? main_ : child_class;
    const auto found = joint_defaults_.find(name);
    if (found == joint_defaults_.end()) {
      if (name != main_) fail(joint, "no class '" + name + "' in <default>");
      return nullptr;
    }
    const XMLElement* last = nullptr;
    for (const XMLElement* e : found->second)
      if (e->Attribute(attribute)) last = e;
    return last;
  }

  double radians(double angle) const { return degrees_ ? angle * kTurn / 360 : angle; }

  Vector3d vector(const XMLElement* e, const char* attribute, const Vector3d& otherwise) const {
    const auto x = numbers(e, attribute, 3, {otherwise[0], otherwise[1], otherwise[2]});
    return {x[0], x[1], x[2]};
  }
  Vector3d direction(const XMLElement& e, const char* attribute, const Vector3d& x) const {
    if (!(x.norm() > 0)) fail(e, std::string(attribute) + " of length 0");
    return x.normalized();
  }

  Matrix3d orientation(const XMLElement& e) const {
    if (e.Attribute("quat")) {
      const auto x = numbers(&e, "quat", 4);
      const Eigen::Quaterniond quat(x[0], x[1], x[2], x[3]);
      if (!(quat.norm() > 0)) fail(e, "quat of length 0");
      return quat.normalized().toRotationMatrix();
    }
    if (e.Attribute("axisangle")) {
      const auto x = numbers(&e, "axisangle", 4);
      return Eigen::AngleAxisd(radians(x[3]), direction(e, "axisangle", {x[0], x[1], x[2]}))
          .toRotationMatrix();
    }
    if (e.Attribute("euler")) {  // small letters: axes that turn along
      const auto x = numbers(&e, "euler", 3);
      Matrix3d R = Matrix3d::Identity();
      for (int k = 0; k < 3; ++k) {
        const char axis = order_[k];
        const Matrix3d turn =
            Eigen::AngleAxisd(radians(x[k]), Vector3d::Unit(std::tolower(axis) - 'x'))
                .toRotationMatrix();
        R = std::islower(axis) ? Matrix3d(R * turn) : Matrix3d(turn * R);
      }
      return R;
    }
    if (e.Attribute("xyaxes")) {
      const auto x = numbers(&e, "xyaxes", 6);
      Matrix3d R;
      R.col(0) = direction(e, "xyaxes", {x[0], x[1], x[2]});
      const Vector3d y(x[3], x[4], x[5]);
      R.col(1) = direction(e, "xyaxes", y - R.col(0) * R.col(0).dot(y));
      R.col(2) = R.col(0).cross(R.col(1));
      return R;
    }
    if (e.Attribute("zaxis"))
      return Eigen::Quaterniond::FromTwoVectors(
                 Vector3d::UnitZ(), direction(e, "zaxis", vector(&e, "zaxis", Vector3d::UnitZ())))
          .toRotationMatrix();
    return Matrix3d::Identity();
  }

  Frame frame(const XMLElement& e) const { return {orientation(e), vector(&e, "pos", {0, 0, 0})}; }

  LinkInertia inertia(const XMLElement& body) const {
    LinkInertia out;
    const XMLElement* e = body.FirstChildElement("inertial");
    if (!e) return out;
    out.mass = numbers(e, "mass", 1)[0];
    if (out.mass < 0) fail(*e, "a mass below 0");
    out.centre = vector(e, "pos", {0, 0, 0});
    Matrix3d I = Matrix3d::Zero();
    if (e->Attribute("fullinertia")) {
      const auto x = numbers(e, "fullinertia", 6);
      I << x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2];
      out.inertia = I;
      return out;
    }
    I.diagonal() = vector(e, "diaginertia", {0, 0, 0});
    const Matrix3d R = orientation(*e);
    out.inertia = R * I * R.transpose();
    return out;
  }

  // What is in a body, or in a <frame>, which stands `at` in the frame of link `parent`.
  void children(const XMLElement& e, int parent, const Frame& at, const std::string& child_class,
                int depth) {
    if (depth > kDeepest) fail(e, "bodies too deep");
    for (const XMLElement* c = first(&e); c; c = c->NextSiblingElement()) {
      const std::string kind = c->Name();
      for (const char* no : {"include", "replicate", "attach", "composite", "flexcomp"})
        if (kind == no) refuse(*c);
      const char* own = c->Attribute("childclass");
      const std::string inner = own ? own : child_class;
      if (kind == "frame") children(*c, parent, at.then(frame(*c)), inner, depth + 1);
      if (kind == "body" && !(parent < 0 && lies_about(*c)))
        add_body(*c, parent, at.then(frame(*c)), inner, depth + 1);
    }
  }

  // A thing of the scene that is free and has no joints: it is no part of the arm.
  static bool lies_about(const XMLElement& body) {
    bool free = body.FirstChildElement("freejoint") != nullptr;
    for (const XMLElement* c = first(&body); c; c = c->NextSiblingElement()) {
      const bool joint = std::string(c->Name()) == "joint";
      free = free || (joint && c->Attribute("type", "free"));
      if (std::string(c->Name()) == "body" || (joint && !c->Attribute("type", "free")))
        return false;
    }
    return free;
  }

  void add_body(const XMLElement& e, int parent, Frame at, const std::string& child_class,
                int depth) {
    if (const XMLElement* free = e.FirstChildElement("freejoint"))
      fail(*free, "a body that is free, expected one that hinges or slides on another");
    Vector3d anchor = Vector3d::Zero();  // of the link's frame in the body's
    int link = parent;
    for (const XMLElement* c = first(&e); c; c = c->NextSiblingElement()) {
      if (std::string(c->Name()) != "joint") continue;
      const XMLElement* place = with(*c, "pos", child_class);
      const Vector3d next = vector(place, "pos", {0, 0, 0});
      at.p += at.R * next;
      link = add_joint(*c, link, at, child_class);
      anchor = next;
      at = {Matrix3d::Identity(), -next};
    }
    const LinkInertia body = inertia(e);
    if (link == parent) {  // fixed
      if (link >= 0) robot_.links[link] = joined(robot_.links[link], moved(body, at.R, at.p));
    } else {
      robot_.links[link] = moved(body, Matrix3d::Identity(), -anchor);
    }
    children(e, link, at, child_class, depth);
  }

  int add_joint(const XMLElement& e, int parent, const Frame& at, const std::string& child_class) {
    ArmJoint joint;
    const XMLElement* typed = with(e, "type", child_class);
    const std::string type = typed ? text_of(*typed, "type") : "hinge";
    if (type != "hinge" && type != "slide")
      fail(e, "joint of type '" + type + "', expected hinge or slide");
    joint.kind = type == "hinge" ? JointKind::revolute : JointKind::prismatic;
    const int index = robot_.kinematics.n();
    const char* name = e.Attribute("name");
    joint.name = name ? name : "joint" + std::to_string(index + 1);
    joint.parent = parent;
    store(at.R, joint.rotation);
    store(at.p, joint.place);
    const XMLElement* axis = with(e, "axis", child_class);
    store(direction(e, "axis", vector(axis, "axis", Vector3d::UnitZ())), joint.axis);
    const XMLElement* rest = with(e, "ref", child_class);
    const double reference = numbers(rest, "ref", 1, {0})[0];
    references_.push_back(joint.kind == JointKind::revolute ? radians(reference) : reference);
    const XMLElement* rotor = with(e, "armature", child_class);
    robot_.rotors.push_back(numbers(rotor, "armature", 1, {0})[0]);
    robot_.kinematics.joints.push_back(std::move(joint));
    LinkInertia none;
    none.mass = kNoMass;
    none.inertia = kNoMass * kNoSize * kNoSize * Matrix3d::Identity();
    robot_.links.push_back(none);
    return index;
  }

  // Joints that an equation ties to another one, or to a place.
  std::set<std::string> copying_joints() {
    std::set<std::string> out;
    for (const XMLElement* e = first(root()); e; e = e->NextSiblingElement())
      for (const XMLElement* c = first(e); c && std::string(e->Name()) == "equality";
           c = c->NextSiblingElement())
        if (std::string(c->Name()) == "joint" && !c->Attribute("active", "false"))
          out.insert(text_of(*c, "joint1"));
    return out;
  }

  bool degrees_ = true;
  std::string order_ = "xyz", main_ = "main";
  std::vector<double> gravity_ = {0, 0, -9.81};
  std::map<std::string, std::vector<const XMLElement*>> joint_defaults_;
  std::vector<double> references_;
  ArmDescription robot_;
};

}  // namespace

ArmDescription parse_mjcf(const std::string& text, const std::string& path) {
  return Mjcf(text, path).robot();
}

bool is_mjcf(const std::string& text) {
  tinyxml2::XMLDocument document;
  return document.Parse(text.data(), text.size()) == tinyxml2::XML_SUCCESS &&
         document.RootElement() && std::string(document.RootElement()->Name()) == "mujoco";
}

}  // namespace mechfit
