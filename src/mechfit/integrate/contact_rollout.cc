#include <algorithm>

#include "mechfit/base/error.h"
#include "mechfit/integrate/contact_stepper.h"

namespace mechfit {
namespace {

// One trajectory from its start to its end.
class Walk {
 public:
  Walk(const Model& model, const RolloutRequest& request, Integrator integrator, int index,
       Rollout& out)
      : request_(request),
        out_(out),
        stepper_(model, request.contacts, integrator),
        half_(model, request.contacts, integrator),
        n_(model.joints()),
        m_(model.inputs()),
        b_(static_cast<std::size_t>(index)),
        q_(&request.q0[b_ * n_], &request.q0[b_ * n_] + n_),
        v_(&request.v0[b_ * n_], &request.v0[b_ * n_] + n_),
        u_(m_) {}

  void run() {
    stepper_.start(q_);
    record(0);
    for (int step = 0; step < request_.steps; ++step) {
      const StepStatus status = walk(step);
      if (status == StepStatus::ok) {
        record(step + 1);
        continue;
      }
      out_.status[b_] = status;
      out_.completed[b_] = step;
      return;
    }
  }

 private:
  StepStatus walk(int step) {
    const std::size_t at = b_ * request_.steps + step;
    const double h = request_.h[request_.h.size() == 1 ? 0 : at] / request_.substeps;
    for (int inner = 0; inner < request_.substeps; ++inner) {
      for (int i = 0; i < m_; ++i) u_[i] = request_.input(b_, step, inner, i, m_);
      if (request_.midpoints && inner == request_.substeps / 2)
        if (const auto status = middle(at, request_.substeps % 2 == 1 ? 0.5 * h : 0);
            status != StepStatus::ok)
          return status;
      auto& events = out_.events[b_];
      const std::size_t first = events.size();
      const StepStatus status = stepper_.step(q_, v_, u_, h, &events);
      if (status != StepStatus::ok) return status;
      for (std::size_t k = first; k < events.size(); ++k) events[k].time += time_;
      time_ += h;
    }
    for (int i = 0; i < n_ && !request_.kicks.empty(); ++i) v_[i] += request_.kicks[at * n_ + i];
    return StepStatus::ok;
  }

  StepStatus middle(std::size_t at, double h) {
    std::vector<double> q = q_, v = v_;
    half_.continue_from(stepper_);
    if (h > 0)
      if (const auto status = half_.step(q, v, u_, h, nullptr); status != StepStatus::ok)
        return status;
    std::copy(q.begin(), q.end(), &out_.q_mid[at * n_]);
    std::copy(v.begin(), v.end(), &out_.v_mid[at * n_]);
    return StepStatus::ok;
  }

  void record(int sample) {
    const std::size_t row = (b_ * (request_.steps + 1) + sample) * n_;
    std::copy(q_.begin(), q_.end(), &out_.q[row]);
    std::copy(v_.begin(), v_.end(), &out_.v[row]);
  }

  const RolloutRequest& request_;
  Rollout& out_;
  ContactStepper stepper_, half_;
  int n_, m_;
  std::size_t b_;
  std::vector<double> q_, v_, u_;
  double time_ = 0;
};

}  // namespace

Rollout contact_rollout(const Model& model, const RolloutRequest& request, Integrator integrator,
                        ThreadPool& pool) {
  check_request(model, request);
  if (!request.q1.empty())
    throw InputError("a machine with contacts starts from a velocity, not from two configurations");
  Rollout out(request, model.joints());
  out.events.resize(request.trajectories);
  pool.run(request.trajectories,
           [&](int task, int) { Walk(model, request, integrator, task, out).run(); });
  return out;
}

}  // namespace mechfit
