#include "mechfit/integrate/rollout.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/integrate/contact_stepper.h"
#include "mechfit/integrate/runge_kutta.h"
#include "mechfit/integrate/variational.h"

namespace mechfit {
namespace {

void check_array(std::span<const double> x, std::size_t size, const std::string& name) {
  MECHFIT_CHECK(x.size() == size, name + " has " + std::to_string(x.size()) +
                                      " numbers, expected " + std::to_string(size));
  for (std::size_t i = 0; i < x.size(); ++i)
    MECHFIT_CHECK(std::isfinite(x[i]), name + "[" + std::to_string(i) + "] is " +
                                           std::to_string(x[i]) + ", expected a finite number");
}

}  // namespace

const char* describe(StepStatus status) {
  switch (status) {
    case StepStatus::ok:
      return "ok";
    case StepStatus::mass_not_positive:
      return "the mass matrix is not positive definite";
    case StepStatus::no_root:
      return "the step equation has no root (take a smaller step or more substeps)";
    case StepStatus::iteration_limit:
      return "Newton's method did not converge (take a smaller step or more substeps)";
    case StepStatus::not_finite:
      return "the motion is not finite";
    case StepStatus::too_many_impacts:
      return "too many impacts in one step (take a smaller step or more substeps)";
  }
  return "";
}

Rollout::Rollout(const RolloutRequest& request, int joints)
    : n(joints), trajectories(request.trajectories), steps(request.steps) {
  const std::size_t samples = static_cast<std::size_t>(trajectories) * (steps + 1);
  q.assign(samples * n, kNan);
  v.assign(samples * n, kNan);
  if (request.midpoints) {
    q_mid.assign(static_cast<std::size_t>(trajectories) * steps * n, kNan);
    v_mid = q_mid;
  }
  completed.assign(trajectories, steps);
  status.assign(trajectories, StepStatus::ok);
}

bool Rollout::all_ok() const {
  return std::all_of(status.begin(), status.end(), [](auto s) { return s == StepStatus::ok; });
}

Rollout roll_out(const Model& model, const RolloutRequest& request, Integrator integrator,
                 ThreadPool& pool) {
  if (!request.contacts.empty()) return contact_rollout(model, request, integrator, pool);
  return integrator == Integrator::variational
             ? variational_rollout(model, request, pool)
             : runge_kutta_rollout(model, request, integrator, pool);
}

void check_request(const Model& model, const RolloutRequest& r) {
  MECHFIT_CHECK(r.trajectories >= 0 && r.steps >= 0 && r.substeps >= 1);
  MECHFIT_CHECK(r.control.longest >= 0 && r.control.tolerance >= 0);
  MECHFIT_CHECK(r.control.tolerance == 0 || r.q1.empty(), "the step to q1 is one step");
  const std::size_t n = model.joints(), m = model.inputs(), trajectories = r.trajectories;
  check_array(r.q0, trajectories * n, "q0");
  MECHFIT_CHECK(r.v0.empty() || r.q1.empty(), "start from v0 or from q1, not from both");
  MECHFIT_CHECK(r.q1.empty() || r.steps >= 1, "q1 is the end of a step, but there are no steps");
  if (r.q1.empty())
    check_array(r.v0, trajectories * n, "v0");
  else
    check_array(r.q1, trajectories * n, "q1");
  if (r.h.size() != 1) check_array(r.h, trajectories * r.steps, "h");
  for (const double h : r.h) MECHFIT_CHECK(std::isfinite(h) && h > 0, "h is " + std::to_string(h));
  if (!r.u.empty())
    check_array(r.u, trajectories * r.steps * (r.inner_inputs ? r.substeps : 1) * m, "u");
  if (!r.kicks.empty()) check_array(r.kicks, trajectories * r.steps * n, "kicks");
}

RolloutBlock::RolloutBlock(const Model& model, const RolloutRequest& request, int first,
                           Rollout& out)
    : q(make_panel(model.joints())),
      v(make_panel(model.joints())),
      u(make_panel(model.inputs())),
      h(make_panel(1)),
      q_mid(make_panel(model.joints())),
      v_mid(make_panel(model.joints())),
      request_(request),
      out_(out),
      n_(model.joints()),
      m_(model.inputs()),
      first_(first) {
  for (int lane = 0; lane < kBlock; ++lane) {
    if (first + lane < request.trajectories) alive |= LaneMask{1} << lane;
    for (int i = 0; i < n_; ++i) {
      q[i * kBlock + lane] = request.q0[index(lane) * n_ + i];
      if (!request.v0.empty()) v[i * kBlock + lane] = request.v0[index(lane) * n_ + i];
    }
  }
}

int RolloutBlock::index(int lane) const {
  return std::min(first_ + lane, request_.trajectories - 1);
}

void RolloutBlock::start_step(int step, int inner) {
  if (inner > 0 && !request_.inner_inputs) return;
  for (int lane = 0; lane < kBlock; ++lane) {
    const std::size_t k = static_cast<std::size_t>(index(lane)) * request_.steps + step;
    h[lane] = request_.h[request_.h.size() == 1 ? 0 : k] / request_.substeps;
    for (int i = 0; i < m_; ++i)
      u[i * kBlock + lane] = request_.input(index(lane), step, inner, i, m_);
  }
}

void RolloutBlock::start_part(int lane, int step, int inner, int parts) {
  const std::size_t k = static_cast<std::size_t>(index(lane)) * request_.steps + step;
  h[lane] = request_.h[request_.h.size() == 1 ? 0 : k] / parts;
  // The mean of what is given, on `given` equal pieces, over the part from `from` to `to` of them.
  const int given = request_.inner_inputs ? request_.substeps : 1;
  const double from = 1.0 * inner * given / parts, to = 1.0 * (inner + 1) * given / parts;
  for (int i = 0; i < m_; ++i) {
    double sum = 0;
    for (int piece = static_cast<int>(from); piece < given && piece < to; ++piece)
      sum += request_.input(index(lane), step, piece, i, m_) *
             (std::min(to, piece + 1.0) - std::max<double>(from, piece));
    u[i * kBlock + lane] = sum / (to - from);
  }
}

void RolloutBlock::kick(int step) {
  if (request_.kicks.empty()) return;
  for (int lane = 0; lane < kBlock; ++lane) {
    const std::size_t k = static_cast<std::size_t>(index(lane)) * request_.steps + step;
    for (int i = 0; i < n_; ++i) v[i * kBlock + lane] += request_.kicks[k * n_ + i];
  }
}

void RolloutBlock::store(const AlignedVector& panel, std::vector<double>& to, int samples,
                         int sample) const {
  for (int lane = 0; lane < kBlock; ++lane) {
    if (!living(lane)) continue;
    double* x = &to[(static_cast<std::size_t>(first_ + lane) * samples + sample) * n_];
    for (int i = 0; i < n_; ++i) x[i] = panel[i * kBlock + lane];
  }
}

void RolloutBlock::record(int sample) {
  store(q, out_.q, request_.steps + 1, sample);
  store(v, out_.v, request_.steps + 1, sample);
  if (!request_.midpoints || sample == 0) return;
  store(q_mid, out_.q_mid, request_.steps, sample - 1);
  store(v_mid, out_.v_mid, request_.steps, sample - 1);
}

void RolloutBlock::fail(int lane, StepStatus status, int completed) {
  alive &= ~(LaneMask{1} << lane);
  out_.status[first_ + lane] = status;
  out_.completed[first_ + lane] = completed;
}

}  // namespace mechfit
