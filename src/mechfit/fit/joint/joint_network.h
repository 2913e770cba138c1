#pragma once

#include "mechfit/fit/joint/joint_runs.h"
#include "mechfit/fit/joint/joint_state.h"
#include "mechfit/fit/joint/mass_prior.h"
#include "mechfit/fit/smoothed/adam.h"

namespace mechfit {

// One guarded Gauss-Newton step on the motions q, then one step of Adam on the many parameters of a
// network. At q solved for theta the gradient of J to theta with q held is that of the reduced
// objective min_q J (envelope theorem); one step each keeps q close enough to that.
class JointNetwork {
 public:
  // prior may be null.
  JointNetwork(Model model, JointRuns& runs, MassPrior* prior);

  const Model& model() const { return model_; }

  enum class Motion { held, moved };
  // J after the step on q (none where motions are held), before the one on theta. When J has risen
  // much since the last step, that one is taken back and half as long ones follow.
  double step(const MotionNoise& noise, double rate, Motion motions);

  // Forgets the steps so far: the parameters, motions or noise come from elsewhere.
  void restart();
  void restart(std::span<const double> theta);

  // Other runs take part from now on.
  void take_other_runs();

  // Makes new Jacobians at the next step, as a restored solver does.
  void refresh_jacobians() { age_ = 0; }
  void save(NetworkState& state) const;
  void restore(const NetworkState& state);

 private:
  static constexpr double kNone = -1;
  struct Part {            // of one run
    double after = 0;      // J of the run
    bool rescued = false;  // a plain step did not help
  };
  void move_motion(const MotionNoise& noise, bool refresh, MotionRun& run, Part& part) const;
  void add_gradient(const MotionNoise& noise, MotionRun& run, std::span<double> merged) const;
  double visit(const MotionNoise& noise, Motion motions);
  void move_parameters(double rate);
  void set_parameters();

  Model model_;
  JointRuns& runs_;
  MassPrior* prior_;
  Adam adam_;
  std::vector<Part> parts_;
  std::vector<double> merged_, gradient_, step_, theta_, last_theta_;
  std::vector<double> precision_;  // of the priors on theta
  Motions last_motions_;
  double last_ = kNone;  // J
  double length_ = 1;    // of the steps on theta
  int age_ = 0;          // steps since the last Jacobian; 0: a new one is due
};

}  // namespace mechfit
