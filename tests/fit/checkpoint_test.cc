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

// The checksum is right, yet the arrays disagree in length with the model, the data or each other.
TEST_P(Checkpoint, AStateOfOtherSizesIsRefused) {
  std::optional<FitState> saved;
  FitHooks stopping;
  stopping.checkpoint = [&](const FitState& state, const FitHistory&) { saved = state; };
  stopping.progress = [&](const FitProgress&) { return !saved; };
  run(stopping);
  ASSERT_TRUE(saved);
  int refused = 0;
  const auto expect_refused = [&](const auto& spoil) {
    FitState state = *saved;
    if (!spoil(state)) return;
    ++refused;
    const FitState read = parse_checkpoint(format_checkpoint(state, "owner"), "owner", "c");
    FitHooks resuming;
    resuming.resume = &read;
    EXPECT_THROW(run(resuming), InputError) << refused;
  };
  const auto network = [](const auto& change) {
    return [change](FitState& state) {
      auto* candidates = std::get_if<std::vector<CandidateState>>(&state.progress);
      if (!candidates) return false;
      for (auto& candidate : *candidates)
        std::visit([&](auto& joint) { change(joint); }, candidate.joint);
      return true;
    };
  };
  expect_refused(network([](auto& x) { x.theta.push_back(0); }));
  expect_refused(network([](auto& x) { x.motions.pop_back(); }));
  expect_refused(network([](auto& x) { x.motions[0].pop_back(); }));
  expect_refused(network([](auto& x) { x.held_out[0].clear(); }));
  expect_refused(network([](auto& x) {
    if constexpr (requires { x.adam; })
      x.adam.square.pop_back();
    else
      x.noise.s.clear();
  }));
  expect_refused([](FitState& state) {
    auto* trained = std::get_if<TrainState>(&state.progress);
    if (trained) trained->adam.mean.pop_back();
    return trained != nullptr;
  });
  EXPECT_GT(refused, 0);
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
