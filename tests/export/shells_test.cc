#include "tests/export/shells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "mechfit/base/error.h"
#include "mechfit/export/export.h"
#include "tests/support/models.h"
#include "tests/support/records.h"
#include "tests/support/shared_library.h"

// What CasADi and MATLAB call, called as they do.
namespace mechfit {
namespace {

using testing::expect_near;
using ::testing::HasSubstr;
using testing::ModelCase;
using testing::OwnFolder;
using Point = testing::ShellPoint;
using testing::record_of;
using testing::SharedLibrary;
using Vector = std::vector<double>;

class EveryShell : public ::testing::TestWithParam<ModelCase> {};
INSTANTIATE_TEST_SUITE_P(Models, EveryShell, ::testing::ValuesIn(testing::shell_cases()),
                         testing::model_case_name);

using Int = long long;

TEST_P(EveryShell, GivesCasadiTheDynamicsAndTheirJacobian) {
  Random random(3);
  const Model model = GetParam().make(random);
  const OwnFolder folder;
  std::ofstream(folder / "model.c")
      << export_model(record_of(model), ExportTarget::casadi, {}).bytes;
  SharedLibrary c;
  c.compile("-O1 " + (folder / "model.c").string(), folder / "model.so");
  ASSERT_TRUE(c.loaded());
  const bool driven = model.inputs() > 0;
  const Int inputs = driven ? 2 : 1, states = 2 * model.joints();
  EXPECT_EQ(c.get<Int()>("model_n_in")(), inputs);
  EXPECT_EQ(c.get<Int()>("model_n_out")(), 1);
  EXPECT_EQ(c.get<Int()>("jac_model_n_in")(), inputs + 1);
  EXPECT_EQ(c.get<Int()>("jac_model_n_out")(), inputs);
  const Int* pattern = c.get<const Int*(Int)>("jac_model_sparsity_out")(inputs - 1);
  EXPECT_EQ(pattern[0], states);
  EXPECT_EQ(pattern[1], driven ? model.inputs() : states);
  EXPECT_STREQ(c.get<const char*(Int)>("jac_model_name_in")(inputs), "out_xdot");

  using Function = int(const double**, double**, Int*, double*, int);
  const auto f = c.get<Function>("model"), jacobian = c.get<Function>("jac_model");
  for (int k = 0; k < 20; ++k) {
    const Point at(model, random);
    const double* arguments[] = {at.x.data(), driven ? at.u.data() : nullptr, nullptr};
    Vector xdot(at.xdot.size()), A(at.A.size()), B(at.B.size()), by_rows(A.size()),
        B_rows(B.size());
    double* results[] = {xdot.data(), nullptr};
    ASSERT_EQ(f(arguments, results, nullptr, nullptr, 0), 0);
    expect_near(xdot, at.xdot, 1e-10);
    double* blocks[] = {A.data(), driven ? B.data() : nullptr};
    ASSERT_EQ(jacobian(arguments, blocks, nullptr, nullptr, 0), 0);
    const auto size = static_cast<std::size_t>(states), m = at.u.size();
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) by_rows[i * size + j] = A[j * size + i];
      for (std::size_t j = 0; j < m; ++j) B_rows[i * m + j] = B[j * size + i];
    }
    expect_near(by_rows, at.A, 1e-9);
    expect_near(B_rows, at.B, 1e-9);
  }
}

TEST_P(EveryShell, CompilesAgainstTheInterfaceOfMatlab) {
  Random random(3);
  const OwnFolder folder;
  std::ofstream(folder / "model.c")
      << export_model(record_of(GetParam().make(random)), ExportTarget::mex, {}).bytes;
  SharedLibrary c;
  c.compile("-O1 -Wl,--unresolved-symbols=ignore-all -I" MECHFIT_SOURCE_DIR "/tests/export/mex " +
                (folder / "model.c").string(),
            folder / "model.so");
  EXPECT_TRUE(c.loaded());
}

TEST(ExportTargets, FollowTheFilesName) {
  EXPECT_EQ(export_target("a/b.h", {}), ExportTarget::c);
  EXPECT_EQ(export_target("b.fmu", {}), ExportTarget::fmu);
  EXPECT_EQ(export_target("b.c", ExportTarget::mex), ExportTarget::mex);
  const auto message = [](const std::string& path, std::optional<ExportTarget> target) {
    try {
      export_target(path, target);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message("b.c", {}), HasSubstr("say which by option 'for'"));
  EXPECT_THAT(message("b.txt", {}), HasSubstr("expected a name that ends in .h, .fmu, or .c"));
  EXPECT_THAT(message("b.h", ExportTarget::casadi), HasSubstr("ends in .c for casadi"));
}

TEST(ExportTargets, ComputeInDoubleButForTheHeader) {
  Random random(1);
  const ModelRecord record = record_of(testing::random_analytic("cart-pole", 2, random));
  CExportOptions single;
  single.precision = Precision::float32;
  EXPECT_NO_THROW(export_model(record, ExportTarget::c, single));
  EXPECT_THROW(export_model(record, ExportTarget::casadi, single), InputError);
}

}  // namespace
}  // namespace mechfit
