#include "mechfit/mechanics/model_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "mechfit/base/error.h"
#include "mechfit/files/files.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "mechfit/mechanics/families/trig/trig.h"
#include "mechfit/mechanics/model_family.h"
#include "mechfit/version.h"
#include "tests/support/arms.h"
#include "tests/support/scratch_folder.h"

namespace mechfit {
namespace {

Channels channels_for(const Model& model, const std::vector<JointType>& types) {
  Channels channels;
  channels.joint_types = types;
  for (int i = 0; i < model.joints(); ++i) {
    channels.joints.push_back("joint " + std::to_string(i + 1));
    channels.units.push_back(i == 0 ? "rad" : "");
  }
  for (int i = 0; i < model.inputs(); ++i) channels.inputs.push_back("u" + std::to_string(i + 1));
  return channels;
}

SmmConfig small_config() {
  SmmConfig config;
  config.joints = {JointType::periodic, JointType::plain};
  config.hidden = {3, 2};
  config.activations = {Activation::tanh, Activation::identity};
  return config;
}

ModelRecord smm_record(const SmmConfig& config, std::uint64_t seed = 1) {
  Smm smm(config);
  Random random(seed);
  smm.initialise(random);
  Model model(std::move(smm));
  return {model, channels_for(model, config.joints), {{"method", "del"}, {"seed", "17"}}};
}

ModelRecord analytic_record(const std::string& name, int joints) {
  AnalyticSystem system = make_system(name, joints);
  Random random(3);
  std::vector<double> theta(system.parameter_count());
  for (double& x : theta) x = random.uniform(0.5, 2.0);
  system.set_parameters(theta);
  const auto types = system.joint_types();
  Model model(std::move(system));
  return {model, channels_for(model, types), {}};
}

ModelRecord arm_record() {
  Random random(4);
  Arm arm = testing::random_arm(testing::tree(), 2, true, random);
  const auto types = arm.joint_types();
  Model model(std::move(arm));
  return {model, channels_for(model, types), {}};
}

std::vector<ModelRecord> records() {
  std::vector<ModelRecord> out = {arm_record()};
  for (const auto& info : list_systems()) out.push_back(analytic_record(info.name, info.joints));
  out.push_back(analytic_record("chain", 14));
  SmmConfig config = small_config();
  out.push_back(smm_record(config));
  for (const InputMap map : {InputMap::fixed, InputMap::scaled, InputMap::learned}) {
    config.inputs = 1;
    config.input_matrix = {0.5, -1.0 / 3.0};
    config.input_map = map;
    config.scales = {{0.1, -2.0}, {1.0, 0.3}, {5.0, 1e-3}, {1e-4}, 1.0 / 7.0, 0.05};
    config.force_network = map != InputMap::scaled;
    config.friction = map != InputMap::learned;
    out.push_back(smm_record(config, 2));
  }
  config.friction = parse_friction_terms("viscous+offset+stribeck+position", "test");
  config.friction.width = 0.02;
  config.input_map = InputMap::gains;
  config.inputs = 2;
  config.input_matrix = {1, 0, 0, 1};
  config.scales.u = {2, 3};
  out.push_back(smm_record(config, 3));
  config = small_config();
  config.hidden = {};
  config.activations = {};
  out.push_back(smm_record(config));
  config.hidden = {5};
  config.activations = {Activation::softplus};
  config.initialisation = Initialisation::xavier;
  out.push_back(smm_record(config));
  return out;
}

std::string message_of(const std::string& bytes) {
  try {
    (void)parse_model(bytes, "m.safetensors");
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

// The model with something changed and the checksum made right again.
template <class Change>
std::string changed(const ModelRecord& record, Change change) {
  Safetensors file = parse_safetensors(format_model(record), "m");
  change(file);
  file.metadata["checksum"] = checksum(file);
  return format_safetensors(file);
}

std::vector<double>& doubles(Safetensors& file, const std::string& tensor) {
  return std::get<std::vector<double>>(file.tensors.at(tensor).values);
}

TEST(ModelFile, EveryFamilyComesBackBitByBit) {
  const ScratchFolder folder("model-file");
  for (const ModelRecord& record : records()) {
    const std::string path = folder.file("model.safetensors");
    save_model(path, record, true);
    const ModelRecord loaded = load_model(path);
    ASSERT_STREQ(loaded.model.family(), record.model.family());
    const auto expected = record.model.parameters(), found = loaded.model.parameters();
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.begin(), found.end()));
    if (const Smm* smm = record.model.as<Smm>()) {
      EXPECT_EQ(loaded.model.as<Smm>()->config(), smm->config());
    }
    if (const AnalyticSystem* system = record.model.as<AnalyticSystem>()) {
      EXPECT_EQ(loaded.model.as<AnalyticSystem>()->name(), system->name());
    }
    if (const Arm* arm = record.model.as<Arm>()) {
      EXPECT_EQ(kinematics_text(loaded.model.as<Arm>()->config().kinematics),
                kinematics_text(arm->config().kinematics));
    }
    EXPECT_EQ(loaded.channels.joints, record.channels.joints);
    EXPECT_EQ(loaded.channels.joint_types, record.channels.joint_types);
    EXPECT_EQ(loaded.channels.units, record.channels.units);
    EXPECT_EQ(loaded.channels.inputs, record.channels.inputs);
    for (const auto& [key, text] : record.metadata) EXPECT_EQ(loaded.metadata.at(key), text);
    EXPECT_EQ(loaded.metadata.at("mechfit_version"), kVersion);
    EXPECT_EQ(format_model(loaded), read_file(path));
  }
}

TEST(ModelFile, OverwritesOnlyByForce) {
  const ScratchFolder folder("model-force");
  const std::string path = folder.file("m.safetensors");
  save_model(path, smm_record(small_config(), 1), false);
  const std::string first = read_file(path);
  EXPECT_THROW(save_model(path, smm_record(small_config(), 2), false), InputError);
  EXPECT_EQ(read_file(path), first);
  save_model(path, smm_record(small_config(), 2), true);
  EXPECT_NE(read_file(path), first);
}

TEST(ModelFile, TextThatIsNotUtf8IsStoredAsReplacementCharacters) {
  ModelRecord record = smm_record(small_config());
  record.channels.joints[0] = "Gelenk \xE4";
  record.metadata["note"] = "\xFF";
  const ModelRecord loaded = parse_model(format_model(record), "m");
  EXPECT_EQ(loaded.channels.joints[0], "Gelenk \xEF\xBF\xBD");
  EXPECT_EQ(loaded.metadata.at("note"), "\xEF\xBF\xBD");
}

// Members may be of other families and see their joints in another way.
ModelRecord ensemble_record() {
  ModelRecord record = smm_record(small_config());
  record.members = {record.model, smm_record(small_config(), 2).model};
  SmmConfig other = small_config();
  other.joints = {JointType::plain, JointType::plain};
  record.members.push_back(smm_record(other, 3).model);
  record.members.push_back(analytic_record("double-pendulum", 2).model);
  return record;
}

TEST(ModelFile, HoldsAnEnsembleAndACovariance) {
  ModelRecord record = ensemble_record();
  const ModelRecord loaded = parse_model(format_model(record), "m");
  ASSERT_EQ(loaded.members.size(), 4u);
  for (int k = 0; k < 4; ++k) {
    const auto a = record.members[k].parameters(), b = loaded.members[k].parameters();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << k;
  }
  EXPECT_NE(loaded.members[3].as<AnalyticSystem>(), nullptr);
  EXPECT_EQ(format_model(loaded), format_model(record));
  EXPECT_FALSE(loaded.metadata.contains("member.0.config"));

  record = analytic_record("furuta", 2);
  const int p = record.model.parameter_count();
  for (int k = 0; k < p * p; ++k) record.covariance.push_back(k);
  EXPECT_EQ(parse_model(format_model(record), "m").covariance, record.covariance);
  record.members = {analytic_record("pendulum", 1).model};
  EXPECT_THROW(format_model(record), CheckError);
}

TEST(ModelFile, EveryTruncationIsRefused) {
  for (const ModelRecord& record :
       {smm_record(small_config()), analytic_record("furuta", 2), ensemble_record()}) {
    const std::string bytes = format_model(record);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      ASSERT_NE(message_of(bytes.substr(0, size)), "no error") << size;
  }
}

TEST(ModelFile, AnyFlippedByteIsRefusedOrChangesNothing) {
  Random random(5);
  int same = 0;
  for (const ModelRecord& record :
       {smm_record(small_config()), analytic_record("furuta", 2), ensemble_record()}) {
    const std::string bytes = format_model(record);
    for (int i = 0; i < 1000; ++i) {
      std::string flipped = bytes;
      flipped[random.below(bytes.size())] ^= static_cast<char>(1 + random.below(255));
      try {
        const ModelRecord loaded = parse_model(flipped, "m");
        ASSERT_EQ(format_model(loaded), bytes);
        ++same;
      } catch (const InputError& e) {
        ASSERT_EQ(std::string(e.what()).substr(0, 2), "m:");
        ASSERT_EQ(std::string(e.what()).find('\n'), std::string::npos);
      }
    }
  }
  EXPECT_LT(same, 20);  // spaces between JSON's tokens
}

TEST(ModelFile, SaysWhatIsWrong) {
  const ModelRecord smm = smm_record(small_config()), furuta = analytic_record("furuta", 2);
  using F = Safetensors;
  const struct {
    std::string bytes, message;
  } cases[] = {
      {changed(smm, [](F& f) { f.metadata.erase("format"); }),
       "m.safetensors: not a model of mechfit, there is no metadata 'format'"},
      {changed(smm, [](F& f) { f.metadata["format"] = "mechfit model 2"; }),
       "m.safetensors: format \"mechfit model 2\", expected \"mechfit model 1\" (made by another "
       "version of mechfit?)"},
      {changed(smm, [](F& f) { f.metadata["family"] = "magic"; }),
       "m.safetensors: family \"magic\", expected one of analytic, arm, trig, smm, residual"},
      {changed(smm, [](F& f) { f.metadata["config"] = "[1]"; }),
       "m.safetensors: config is not a JSON object"},
      {changed(smm, [](F& f) { f.metadata["config"] = "{}"; }),
       "m.safetensors: config: no 'joint_types'"},
      {changed(smm,
               [](F& f) {
                 auto& config = f.metadata["config"];
                 config.replace(config.find("[3,2]"), 5, "[3,0]");
               }),
       "m.safetensors: config: 'hidden': expected a list of integers from 1 to 1048576"},
      {changed(smm,
               [](F& f) {
                 auto& config = f.metadata["config"];
                 config.replace(config.find("[3,2]"), 5, "[1000000,1000000]");
               }),
       "m.safetensors: tensor 'mass.0.weight' has shape [3, 3], expected [1000000, 3]"},
      {changed(smm,
               [](F& f) {
                 auto& config = f.metadata["config"];
                 config.replace(config.find("identity"), 8, "relu");
               }),
       "m.safetensors: config: 'activations': expected one of tanh, softplus, identity, not "
       "\"relu\""},
      {changed(smm, [](F& f) { f.metadata["members"] = "-1"; }),
       "m.safetensors: \"-1\" members, expected 1 to 1000"},
      {changed(smm, [](F& f) { f.metadata["members"] = "1"; }),
       "m.safetensors: member 0: no metadata 'family'"},
      {changed(smm,
               [](F& f) {
                 f.tensors["covariance"] = {{1}, std::vector<double>{1}};
               }),
       "m.safetensors: tensor 'covariance' has shape [1], expected [52, 52]"},
      {changed(smm, [](F& f) { f.metadata["channels"] = R"({"joints":[]})"; }),
       "m.safetensors: channels: no 'joint_types'"},
      {changed(smm, [](F& f) { f.tensors.erase("mass.0.bias"); }),
       "m.safetensors: no tensor 'mass.0.bias'"},
      {changed(smm, [](F& f) { f.tensors["extra"] = f.tensors["scale.q"]; }),
       "m.safetensors: tensor \"extra\" does not belong to this model"},
      {changed(smm, [](F& f) { doubles(f, "scale.v")[1] = 0; }),
       "m.safetensors: tensor 'scale.v': scales must be positive"},
      {changed(furuta, [](F& f) { f.metadata["config"] = R"({"system":"top","constants":[]})"; }),
       "m.safetensors: unknown system 'top', expected one of pendulum, double-pendulum, "
       "double-pendulum-points, double-pendulum-links, chain, chain-points, cart-pole, furuta, "
       "spring-pendulum, acrobot, pendubot, cart, ball"},
      {changed(furuta, [](F& f) { doubles(f, "constants")[0] = -1; }),
       "m.safetensors: constant '" + furuta.model.as<AnalyticSystem>()->constants()[0].name +
           "' is -1.000000, expected a finite number > 0"},
  };
  for (const auto& [bytes, message] : cases) EXPECT_EQ(message_of(bytes), message);

  Safetensors damaged = parse_safetensors(format_model(smm), "m");
  damaged.metadata["seed"] = "18";
  EXPECT_NE(message_of(format_safetensors(damaged)).find("damaged, its checksum is"),
            std::string::npos);
}

TEST(ModelFile, RefusesASystemWhoseEquationsItDoesNotKnow) {
  EquationWriter writer("home-made", {{"x", JointType::plain, "m"}});
  writer.M(0, 0) = writer.constant("m", 1.0, "kg");
  const Model model(AnalyticSystem(writer.finish()));
  EXPECT_THROW(format_model({model, channels_for(model, {JointType::plain}), {}}), InputError);
}

// 7 kB of a file must not ask for 12 GB: sizes are compared before anything is built.
TEST(ModelFile, ATrigModelThatIsLargerThanItsArraysIsRefusedAtOnce) {
  TrigConfig config;
  config.joints.assign(2, JointType::periodic);
  const Model small{Trig(config)};
  ModelRecord record{small, channels_for(small, config.joints), {}};
  for (const auto& [joints, degree] : {std::pair{16, 1}, {16, 8}, {7, 6}}) {
    Safetensors file = parse_safetensors(format_model(record), "m");
    const std::vector<JointType> types(joints, JointType::periodic);
    const std::vector<std::string> names(joints, "q"), units(joints, "");
    file.metadata["channels"] = to_text({{"joints", names},
                                         {"joint_types", names_of(types)},
                                         {"units", units},
                                         {"inputs", std::vector<std::string>()}});
    file.metadata["config"] = to_text({{"joint_types", names_of(types)},
                                       {"degree", degree},
                                       {"mass_joints", joints},
                                       {"potential_joints", joints},
                                       {"friction", true},
                                       {"input_map", "fixed"}});
    file.tensors["input.matrix"] = {{joints, 0}, std::vector<double>()};
    write_scales(Scales::unit(joints, 0), file);
    file.metadata["checksum"] = checksum(file);
    try {
      parse_model(format_safetensors(file), "m");
      FAIL() << joints << " joints of degree " << degree;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find("numbers, too few for degree"), std::string::npos)
          << e.what();
    }
  }
}

}  // namespace
}  // namespace mechfit
