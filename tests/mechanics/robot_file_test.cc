#include "mechfit/mechanics/families/arm/robot_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/arms.h"
#include "tests/support/robots.h"

// Robot descriptions. tests/mujoco has MuJoCo read the same URDF.
namespace mechfit {
namespace {

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

std::string urdf_message(const std::string& text) {
  return message([&] { (void)parse_urdf(text, "robot.urdf"); });
}
std::string table_message(const std::string& text) {
  return message([&] { (void)parse_dh_table(text, "robot.toml"); });
}

TEST(RobotFile, AUrdfGivesTheGeometryAndLinksThatWroteIt) {
  Random random(3);
  for (const ArmKinematics& kinematics : {testing::panda(), testing::tree()}) {
    const Arm arm = testing::random_arm(kinematics, 0, false, random);
    const ArmDescription robot = parse_urdf(testing::urdf_of(arm), "robot.urdf");
    ASSERT_EQ(robot.kinematics.n(), kinematics.n());  // the hand is merged
    for (int i = 0; i < kinematics.n(); ++i) {
      const ArmJoint &found = robot.kinematics.joints[i], &expected = kinematics.joints[i];
      EXPECT_EQ(found.name, expected.name);
      EXPECT_EQ(found.kind, expected.kind);
      EXPECT_EQ(found.parent, expected.parent);
      for (int k = 0; k < 9; ++k) EXPECT_NEAR(found.rotation[k], expected.rotation[k], 1e-12);
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(found.place[k], expected.place[k], 1e-12);
      const double hand = i == kinematics.n() - 1 ? 0.4 : 0;
      EXPECT_NEAR(robot.links[i].mass, arm.link(i).mass + hand, 1e-12);
    }
  }
}

TEST(RobotFile, ValuesWrittenBackAreReadAgainAndTheRestStays) {
  Random random(4);
  const Arm arm = testing::random_arm(testing::panda(), 0, false, random);
  const Arm other = testing::random_arm(testing::panda(), 0, false, random);
  std::vector<IdentifiedJoint> joints;
  for (int i = 0; i < 7; ++i)
    joints.push_back({arm.config().kinematics.joints[i].name, other.link(i), 0.5 + i, 0.25});
  const std::string text = urdf_with_values(testing::urdf_of(arm), "robot.urdf", joints);
  const ArmDescription robot = parse_urdf(text, "robot.urdf");
  for (int i = 0; i < 7; ++i) {
    EXPECT_NEAR(robot.links[i].mass, other.link(i).mass, 1e-8);
    EXPECT_TRUE(robot.links[i].centre.isApprox(other.link(i).centre, 1e-7));
    EXPECT_TRUE(robot.links[i].inertia.isApprox(other.link(i).inertia, 1e-7));
  }
  EXPECT_THAT(text, ::testing::HasSubstr("effort=\"87\""));
  EXPECT_THAT(text, ::testing::HasSubstr("damping=\"6.5\" friction=\"0.25\""));
  joints[0].name = "nobody";
  EXPECT_EQ(message([&] { (void)urdf_with_values(testing::urdf_of(arm), "r.urdf", joints); }),
            "r.urdf: no joint 'nobody' of the model");
}

TEST(RobotFile, ATableOfDenavitHartenbergParametersGivesTheSameGeometry) {
  const std::string text =
      "gravity = [0, 0, -9.81]  # m/s^2\n"
      "[[joint]]\nd = 0.333\n"
      "[[joint]]\nname = \"shoulder\"\nalpha_deg = -90\n"
      "[[joint]] # third\nkind = \"prismatic\"\nd = 0.316\nalpha = 1.5707963267948966\n";
  const ArmDescription robot = parse_dh_table(text, "robot.toml");
  const ArmKinematics expected = testing::panda();
  ASSERT_EQ(robot.kinematics.n(), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(robot.kinematics.joints[i].parent, i - 1);
    for (int k = 0; k < 9; ++k)
      EXPECT_NEAR(robot.kinematics.joints[i].rotation[k], expected.joints[i].rotation[k], 1e-15);
  }
  EXPECT_EQ(robot.kinematics.joints[1].name, "shoulder");
  EXPECT_EQ(robot.kinematics.joints[2].kind, JointKind::prismatic);
  EXPECT_EQ(robot.kinematics.gravity[2], -9.81);
}

TEST(RobotFile, SaysInOneLineWhatIsWrong) {
  EXPECT_EQ(table_message("[[joint]]\na = 0,1\n"), "robot.toml:2: found \",1\" after the value");
  EXPECT_EQ(table_message("[[joint]]\n\nalpha = x\n"),
            "robot.toml:3: alpha: \"x\" is not a number");
  EXPECT_EQ(table_message("[[joint]]\nbeta = 1\n"),
            "robot.toml:2: unknown name 'beta', expected name, kind, a, d, alpha, alpha_deg, theta "
            "or theta_deg, each with one value");
  EXPECT_EQ(table_message("gravity = 9.81\n"), "robot.toml:1: gravity: expected three numbers");
  EXPECT_EQ(table_message("[joints]\n"), "robot.toml:1: table 'joints', expected [[joint]]");
  EXPECT_EQ(table_message("[[joint\n"),
            "robot.toml:1: found \"[[joint\", expected [table] or [[table]]");
  EXPECT_EQ(table_message(""), "robot.toml: no [[joint]]");
  EXPECT_THAT(urdf_message("<robot>\n<link"),
              ::testing::StartsWith("robot.urdf:2: not well-formed XML"));
  EXPECT_EQ(urdf_message("<mujoco/>"), "robot.urdf: a MuJoCo model, expected URDF");
  EXPECT_EQ(urdf_message("<robot>\n<xacro:arm/></robot>"),
            "robot.urdf:2: found <xacro:arm>, expected plain URDF: expand it with xacro first");
  const auto joint = [](const std::string& inside, const std::string& type = "revolute") {
    return "<robot><link name='a'/>\n<link name='b'/>\n<joint name='j' type='" + type +
           "'><parent link='a'/>\n" + inside + "</joint></robot>";
  };
  EXPECT_EQ(urdf_message(joint("")), "robot.urdf:3: joint without <child>");
  EXPECT_EQ(urdf_message(joint("<child link='c'/>")), "robot.urdf:4: link 'c' is not in the file");
  EXPECT_EQ(urdf_message(joint("<child link='b'/><axis xyz='0 1'/>")),
            "robot.urdf:4: xyz: found 2 numbers, expected 3");
  EXPECT_EQ(urdf_message(joint("<child link='b'/><axis xyz='0 one 0'/>")),
            "robot.urdf:4: xyz: \"one\" is not a number");
  EXPECT_EQ(urdf_message(joint("<child link='b'/>", "floating")),
            "robot.urdf:3: joint of type 'floating', expected revolute, continuous, prismatic or "
            "fixed");
  EXPECT_EQ(urdf_message(joint("<child link='a'/>")), "robot.urdf: the joints form a loop");
  EXPECT_EQ(urdf_message(joint("<child link='b'/>", "fixed")), "robot.urdf: no joints that move");
}

std::string mjcf_message(const std::string& text) {
  return message([&] { (void)parse_mjcf(text, "robot.xml"); });
}

// tests/mujoco has MuJoCo read such files too.
TEST(RobotFile, AMujocoModelGivesJointsLinksAndRotors) {
  const ArmDescription robot = parse_mjcf(
      R"(<mujoco><compiler angle="radian"/><option gravity="0 1 -9"/>
<default><joint axis="0 1 0"/><default class="heavy"><joint armature="0.3"/></default></default>
<worldbody><body name="ball"><freejoint/></body>
<body pos="0 0 1"><frame pos="0 0 1">
 <body childclass="heavy" pos="1 0 0"><joint name="a"/><joint name="b" type="slide" axis="1 0 0"/>
  <inertial mass="2" pos="0 0 .1" diaginertia=".02 .02 .01"/>
  <body pos="0 0 .5"><inertial mass="1" pos="0 0 0" diaginertia=".1 .1 .1"/></body>
  <body><joint class="main" name="c"/><joint name="d" axis="0 0 3"/></body>
 </body></frame></body>
</worldbody><equality><joint joint1="d" joint2="c"/></equality></mujoco>)",
      "robot.xml");
  ASSERT_EQ(robot.kinematics.n(), 3);  // d copies c
  EXPECT_EQ(robot.kinematics.gravity[1], 1);
  EXPECT_EQ(robot.kinematics.joints[0].place, (std::array<double, 3>{1, 0, 2}));
  EXPECT_EQ(robot.kinematics.joints[0].axis, (std::array<double, 3>{0, 1, 0}));
  EXPECT_EQ(robot.kinematics.joints[1].kind, JointKind::prismatic);
  EXPECT_EQ(robot.kinematics.joints[2].parent, 1);
  EXPECT_NEAR(robot.links[1].mass, 3, 1e-12);  // with what is fixed to it
  EXPECT_NEAR(robot.links[1].centre[2], 0.7 / 3, 1e-12);
  EXPECT_THAT(robot.rotors, ::testing::ElementsAre(0.3, 0.3, 0));
}

TEST(RobotFile, SaysInOneLineWhatIsWrongInAMujocoModel) {
  const auto body = [](const std::string& inside) {
    return mjcf_message("<mujoco><worldbody><body>\n" + inside + "</body></worldbody></mujoco>");
  };
  EXPECT_EQ(mjcf_message("<mujoco/>"), "robot.xml: no joints that move");
  EXPECT_EQ(body("<joint type='ball'/>"),
            "robot.xml:2: joint of type 'ball', expected hinge or slide");
  EXPECT_EQ(body("<joint axis='0 0 0'/>"), "robot.xml:2: axis of length 0");
  EXPECT_EQ(body("<joint class='x'/>"), "robot.xml:2: no class 'x' in <default>");
  EXPECT_THAT(body("<include file='x'/>"), ::testing::HasSubstr("robot.xml:2: found <include>"));
  EXPECT_THAT(body("<freejoint/><joint/>"), ::testing::HasSubstr("a body that is free"));
}

ArmDescription chain() {
  Random random(8);
  return parse_urdf(testing::urdf_of(testing::random_arm(testing::panda(), 0, false, random)), "r");
}

TEST(MatchJoints, ByNameByOrderOrAsTheUserSays) {
  const ArmDescription robot = chain();
  const MatchedRobot by_order =
      match_joints(robot, {"q1", "q2", "q3", "q4", "q5", "q6", "q7"}, {}, "r");
  EXPECT_EQ(description_text(by_order.robot), description_text(robot));
  ASSERT_EQ(by_order.notes.size(), 1u);
  EXPECT_THAT(by_order.notes[0], ::testing::StartsWith("r: q1 is joint1, q2 is joint2"));
  const MatchedRobot by_name = match_joints(robot, {"joint2", "joint5"}, {}, "r");
  EXPECT_EQ(by_name.robot.kinematics.n(), 2);
  EXPECT_EQ(by_name.notes.size(), 5u);
  const MatchedRobot as_said = match_joints(robot, {"q1", "q2"}, {"joint2", "joint5"}, "r");
  EXPECT_EQ(description_text(as_said.robot), description_text(by_name.robot));
}

TEST(MatchJoints, SaysWhatDoesNotFit) {
  const ArmDescription robot = chain();
  const auto told = [&](const std::vector<std::string>& log,
                        const std::vector<std::string>& names = {}) {
    return message([&] { (void)match_joints(robot, log, names, "r"); });
  };
  EXPECT_EQ(told({"q1"}),
            "r: 7 joints that move (joint1, joint2, joint3, joint4, joint5, joint6, joint7), the "
            "log has 1; say which ones the log's are (option 'robot_joints')");
  EXPECT_EQ(told({"q1", "q2"}, {"joint1"}),
            "r: 1 joints named (option 'robot_joints'), the log has 2");
  EXPECT_THAT(told({"q1"}, {"jont1"}), ::testing::StartsWith("r: no joint 'jont1', expected one"));
  EXPECT_EQ(told({"q1", "q2"}, {"joint1", "joint1"}), "r: joint 'joint1' is named twice");
  EXPECT_EQ(told({"joint3", "joint1"}),
            "r: joint 'joint3' comes before the one that carries it; expected the log's joints "
            "(option 'q') in the order joint1, joint3");
}

// A joint that is held and one that is never moved are the same machine.
TEST(MatchJoints, HeldJointsAreMergedIntoTheLinkBefore) {
  Random random(9);
  const Arm arm = testing::random_arm(testing::tree(), 0, false, random);
  ArmDescription robot{arm.config().kinematics, {}, {}};
  for (int i = 0; i < 4; ++i) robot.links.push_back(arm.link(i));
  const ArmDescription held = with_held_joint(robot, 1);
  ArmConfig config;
  config.kinematics = held.kinematics;
  config.joints.assign(3, JointType::periodic);
  std::vector<double> theta(arm.parameters().begin(), arm.parameters().end());
  for (int i = 0; i < 4; ++i) theta[kLinkNumbers * 4 + i] = 0;  // no rotors
  Arm bare = arm;
  bare.set_parameters(theta);
  const Model full(bare), less(Arm(config, held.links));
  PointDynamics expected(full), found(less);
  std::vector<double> m4(16), m3(9);
  const std::vector<double> q4 = {0.3, 0, -0.7, 1.1}, q3 = {0.3, -0.7, 1.1};
  expected.mass(q4, m4);
  found.mass(q3, m3);
  const int kept[] = {0, 2, 3};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(m3[3 * i + j], m4[4 * kept[i] + kept[j]], 1e-12);
}

}  // namespace
}  // namespace mechfit
