#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mechfit/estimate/motion/banded_qr.h"
#include "mechfit/estimate/motion/motion_run.h"

namespace mechfit {

// How far a motion may be from its observations and from its model, per joint, when the model's
// acceleration error is smooth in time.
struct CorrelatedNoise {
  std::vector<double> sigma;  // standard deviation of an observation           [n]
  std::vector<double> s;      // and of an acceleration error of the model      [n]
  std::vector<double> tau;    // time over which that error changes             [n] [s]
};

// One observed run and the motion estimated for it: the minimum over q of
//
//   J(q) = sum |y - q|^2 / (2 sigma^2) + sum |w(q)|^2 / 2
//
// for a fixed model, where w is white when the model's errors e (DelRunError) are a process of
// variance (s g)^2 that two lags of time tau in a row make of white noise, phi_k = exp(-h_k / tau):
//
//   w_k = (e_k/g_k - 2 phi_k e_{k-1}/g_{k-1} + phi_k phi_{k-1} e_{k-2}/g_{k-2}) / (s c_k)
//   c_k = sqrt((1 - phi_k^2)^3 / (1 + phi_k^2))
//
// h_k is the time between e_{k-1} and e_k. The process is a Matern one of order 3/2: it has a
// derivative, with standard deviation s / tau. A row of dw/dq reaches over five configurations, so
// everything stays banded.
class CorrelatedMotion {
 public:
  // start [T][n] is where the estimate begins. A run needs three samples.
  CorrelatedMotion(const Model& model, const Trajectory& observed, std::span<const double> start);

  MotionRun run;             // observations, steps, inputs, the estimate q and its errors e
  std::vector<double> size;  // g of the errors, one to begin with  [T-2]

  // Errors and derivatives at run.q; false where M is not positive definite.
  [[nodiscard]] bool linearise(const Model& model);

  // Gauss-Newton steps on q, damped until J falls; never leaves q worse. linearise comes next.
  MotionRun::Outcome solve(const Model& model, const CorrelatedNoise& noise,
                           const MotionRun::Options& options);

  // The three below: around the last linearise, the errors replaced by e + A dq.
  // Logarithm of the density of the observations, the motion integrated out, up to a number that
  // does not depend on the noise; -infinity when the observations are too few to tell the motion.
  double log_likelihood(const CorrelatedNoise& noise);

  // Motions and errors that are as likely as the observations say.
  struct Draws {
    // Sums over the inner samples of e^2 and of second differences of q squared.
    std::vector<double> error2, acceleration2;  // [draws][n]
    std::vector<double> mean2;                  // of the mean error squared, which is no draw  [n]
    std::vector<double> last;  // errors e of the last draw                    [T-2][n]
  };
  // False when the observations are too few. The same seed gives the same draws.
  [[nodiscard]] bool draw(const CorrelatedNoise& noise, int draws, std::uint64_t seed, Draws& out);

 private:
  [[nodiscard]] bool factor(const CorrelatedNoise& noise, double damping);
  void observation(const CorrelatedNoise& noise, int k, double damping, double* slope,
                   double* value) const;
  void add_squares(std::span<const double> dq, double* error2, double* acceleration2,
                   double* errors = nullptr) const;
  double value(std::span<const double> motion, const CorrelatedNoise& noise) const;

  int n_ = 0;
  BandedQr qr_;
  std::vector<double> diagonal_;  // of B'B
  std::vector<double> scratch_, step_, trial_;
};

}  // namespace mechfit
