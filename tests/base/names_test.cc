#include "mechfit/base/names.h"

#include <gtest/gtest.h>

#include "mechfit/evaluate/verdict.h"
#include "mechfit/fit/fit.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/log/read_options.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "mechfit/study/data_set.h"

namespace mechfit {
namespace {

// Every value up to `last` has a name of its own, which leads back to it.
template <class E>
void expect_complete(E last) {
  EXPECT_EQ(kNames<E>.size(), static_cast<std::size_t>(last) + 1);
  for (int k = 0; k <= static_cast<int>(last); ++k) {
    const E value = static_cast<E>(k);
    EXPECT_EQ(value_of<E>(name_of(value)), value) << name_of(value);
  }
}

TEST(Names, LeadFromEveryValueToAWordAndBack) {
  expect_complete(JointType::periodic);
  expect_complete(InputHold::linear);
  expect_complete(InputSignal::sines);
  expect_complete(Integrator::midpoint);
  expect_complete(Precision::float32);
  expect_complete(SmoothMethod::paper);
  expect_complete(StartKind::logged);
  expect_complete(Grade::unusable);
  expect_complete(Selection::objective);
  expect_complete(ForceKind::friction_network);
  expect_complete(FitMethod::torque);
  expect_complete(InputMap::gains);
  expect_complete(Activation::identity);
  expect_complete(Initialisation::xavier);
  expect_complete(Pendulum::rods);
}

TEST(Names, AreListedInTheOrderOfTheTable) {
  EXPECT_EQ(all_names<Integrator>(), "variational, rk4, midpoint");
  EXPECT_EQ(all_names<Integrator>("|"), "variational|rk4|midpoint");
  EXPECT_EQ(value_of<Integrator>("euler"), std::nullopt);
  EXPECT_THROW(name_of(static_cast<Integrator>(9)), CheckError);
}

}  // namespace
}  // namespace mechfit
