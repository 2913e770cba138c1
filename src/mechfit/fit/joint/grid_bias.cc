#include "mechfit/fit/joint/grid_bias.h"

#include "mechfit/base/constants.h"
#include "mechfit/fit/joint/joint_gauss_newton.h"
#include "mechfit/fit/joint/joint_problem.h"
#include "mechfit/log/refine.h"

namespace mechfit {
namespace {

struct Reduced {
  Eigen::MatrixXd S;
  Eigen::VectorXd d;
};

// Information and step at the motions of the fitted model; empty where they cannot be made.
Reduced reduce(const JointResult& fitted, const Log& observed, const Log& start,
               std::span<const int> fixed, ThreadPool& pool) {
  JointRuns runs(fitted.model, observed, start, pool);
  runs.solve(fitted.model, fitted.noise, {});
  const auto prior = make_mass_prior(fitted.model, start);
  JointGaussNewton solver(fitted.model, runs, fixed, prior.get());
  if (!solver.linearise()) return {};
  Reduced out{solver.information(fitted.noise), {}};
  if (out.S.size() > 0) out.d = solver.parameter_step(fitted.noise);
  return out;
}

}  // namespace

double grid_bias(const JointResult& fitted, const Log& observed, const Log& finer,
                 std::span<const int> fixed, ThreadPool& pool) {
  Log between = finer;  // the fitted motions at the finer times
  for (std::size_t r = 0; r < finer.runs.size(); ++r)
    between.runs[r].q =
        interpolate(fitted.train.runs[r].t, fitted.train.runs[r].q, finer.n(), finer.runs[r].t);
  const Reduced own = reduce(fitted, observed, fitted.train, fixed, pool);
  const Reduced fine = reduce(fitted, finer, between, fixed, pool);
  if (own.d.size() == 0 || fine.d.size() != own.d.size()) return kNan;
  const Eigen::VectorXd change = fine.d - own.d;
  return change.dot(own.S * change) / static_cast<double>(change.size());
}

}  // namespace mechfit
