#include "mechfit/fit/checkpoint.h"

#include <gtest/gtest.h>

#include "mechfit/base/error.h"
#include "mechfit/fit/state.h"
#include "tests/support/pendulum_data.h"

namespace mechfit {
namespace {

struct Case {
  const char* name;
  const char* family;
  FitMethod method;
  int epochs;
};

class Checkpoint : public ::testing::TestWithParam<Case> {
 protected:
  FitResult run(const FitHooks& hooks) {
    FitOptions options;
    options.family = GetParam().family;
    options.method = GetParam().method;
    options.epochs = GetParam().epochs;
    return fit(data_.train, data_.validation, options, pool_, hooks);
  }

  testing::PendulumData data_ = testing::pendulum_data(0.5, 0.05, 31, 40, 3);
  ThreadPool pool_{1};
};

// Through the bytes of a file, from several moments.
TEST_P(Checkpoint, AFitResumedFromAFileEndsWithTheSameBits) {
  std::vector<std::string> saved;
  FitHooks watching;
  watching.checkpoint = [&](const FitState& state, const FitHistory&) {
    saved.push_back(format_checkpoint(state, "owner"));
  };
  const FitResult whole = run(watching);
  ASSERT_EQ(whole.status, FitStatus::finished);
  ASSERT_GE(saved.size(), 2u);
  for (const std::size_t k : {std::size_t{0}, saved.size() / 2, saved.size() - 1}) {
    const FitState state = parse_checkpoint(saved[k], "owner", "checkpoint");
    EXPECT_EQ(format_checkpoint(state, "owner"), saved[k]);
    FitHooks resuming;
    resuming.resume = &state;
    const FitResult rest = run(resuming);
    EXPECT_EQ(rest.status, FitStatus::finished);
    ASSERT_EQ(rest.history.records.size(), whole.history.records.size());
    EXPECT_EQ(rest.history.selected, whole.history.selected);
    EXPECT_TRUE(std::equal(rest.model.parameters().begin(), rest.model.parameters().end(),
                           whole.model.parameters().begin()))
        << "from checkpoint " << k;
    EXPECT_EQ(rest.covariance, whole.covariance);
  }
}

TEST_P(Checkpoint, ADamagedFileOrOneOfAnotherFitIsRefused) {
  std::string bytes;
  FitHooks stopping;
  stopping.checkpoint = [&](const FitState& state, const FitHistory&) {
    bytes = format_checkpoint(state, "owner");
  };
  stopping.progress = [&](const FitProgress&) { return bytes.empty(); };
  run(stopping);
  ASSERT_FALSE(bytes.empty());
  EXPECT_THROW(parse_checkpoint(bytes, "another owner", "checkpoint"), InputError);
  for (std::size_t k = bytes.size() / 2; k < bytes.size(); k += bytes.size() / 16) {
    std::string flipped = bytes;
    flipped[k] = static_cast<char>(flipped[k] ^ 0x10);
    EXPECT_THROW(parse_checkpoint(flipped, "owner", "checkpoint"), InputError) << "byte " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Checkpoint,
                         ::testing::Values(Case{"GaussNewton", "double-pendulum-points",
                                                FitMethod::joint, 12},
                                           Case{"Trig", "trig", FitMethod::joint, 30},
                                           Case{"Network", "smm", FitMethod::joint, 60},
                                           Case{"Trained", "smm", FitMethod::del, 4}),
                         [](const auto& test) { return test.param.name; });

TEST(SettingsText, TellsOptionsApart) {
  FitOptions a, b;
  EXPECT_EQ(settings_text(a), settings_text(b));
  b.degree = 2;
  EXPECT_NE(settings_text(a), settings_text(b));
  b = a;
  b.quick = true;
  EXPECT_NE(settings_text(a), settings_text(b));
  b = a;
  b.fix["g"] = 9.81;
  EXPECT_NE(settings_text(a), settings_text(b));
}

}  // namespace
}  // namespace mechfit
