#include "mechfit/mechanics/point.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

void check_room(std::span<double> out, const char* name, int size) {
  MECHFIT_CHECK(out.size() == static_cast<std::size_t>(size),
                std::string(name) + " has room for " + std::to_string(out.size()) +
                    " numbers, expected " + std::to_string(size));
}

void get(const AlignedVector& panel, std::span<double> out, const char* name, int size) {
  check_room(out, name, size);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = panel[i * kBlock];
}

}  // namespace

PointDynamics::PointDynamics(const Model& model)
    : model_(model),
      w_(model),
      q_(make_panel(model.joints())),
      v_(make_panel(model.joints())),
      u_(make_panel(model.inputs())),
      a_(make_panel(model.joints())),
      out_(make_panel(std::max(1, model.joints() * model.joints()))),
      unit_(make_panel(model.joints())),
      slope_q_(make_panel(model.joints())),
      slope_v_(make_panel(model.joints())),
      slope_u_(make_panel(model.inputs())) {
  if (const Smm* smm = model.as<Smm>()) smm_.emplace(*smm);
}

void PointDynamics::check(In x, int size, const char* name) const {
  MECHFIT_CHECK(x.size() == static_cast<std::size_t>(size),
                std::string(name) + " has " + std::to_string(x.size()) + " numbers, expected " +
                    std::to_string(size));
  for (std::size_t i = 0; i < x.size(); ++i)
    MECHFIT_CHECK(std::isfinite(x[i]), std::string(name) + "[" + std::to_string(i) + "] is " +
                                           std::to_string(x[i]) + ", expected a finite number");
}

void PointDynamics::check(In q, In v, In u) const {
  const int n = static_cast<int>(q_.size()) / kBlock;
  check(q, n, "q");
  check(v, n, "v");
  if (!u.empty()) check(u, model_.inputs(), "u");
}

void PointDynamics::set(In x, AlignedVector& panel, const char* name) {
  check(x, static_cast<int>(panel.size() / kBlock), name);
  for (std::size_t i = 0; i < x.size(); ++i) std::fill_n(&panel[i * kBlock], kBlock, x[i]);
}

void PointDynamics::set_inputs(In u) {
  if (u.empty())
    std::fill(u_.begin(), u_.end(), 0.0);
  else
    set(u, u_, "u");
}

Points PointDynamics::points() { return {q_.data(), v_.data(), u_.data()}; }

void PointDynamics::mass(In q, Out m) {
  const int n = model_.joints();
  set(q, q_, "q");
  model_.mass(q_.data(), out_.data(), w_.model);
  get(out_, m, "m", n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) m[j * n + i] = m[i * n + j];
}

double PointDynamics::potential(In q) {
  set(q, q_, "q");
  std::fill(v_.begin(), v_.end(), 0.0);
  mechfit::energy(model_, points(), out_.data(), w_);
  return out_[0];
}

void PointDynamics::force(In q, In v, In u, Out f) {
  if (smm_) {
    check(q, v, u);
    check_room(f, "f", model_.joints());
    smm_->forces(q, v, u, f, Out(w_.f.data(), f.size()));
    return;
  }
  set(q, q_, "q");
  set(v, v_, "v");
  set_inputs(u);
  model_.forces(points(), w_.p.data(), w_.f.data(), w_.model);
  get(w_.f, f, "f", model_.joints());
}

void PointDynamics::momentum(In q, In v, Out p) {
  set(q, q_, "q");
  set(v, v_, "v");
  mechfit::momentum(model_, points(), out_.data(), w_);
  get(out_, p, "p", model_.joints());
}

double PointDynamics::energy(In q, In v) {
  set(q, q_, "q");
  set(v, v_, "v");
  mechfit::energy(model_, points(), out_.data(), w_);
  return out_[0];
}

void PointDynamics::inverse_dynamics(In q, In v, In a, Out tau) {
  if (smm_) {
    check(q, v, {});
    check(a, model_.joints(), "a");
    check_room(tau, "tau", model_.joints());
    const std::size_t n = a.size();
    const Out f(out_.data(), n), rate(w_.f.data(), n), inertia(w_.p.data(), n);
    smm_->forces(q, v, {}, f, rate);
    smm_->mass_product(a, inertia);
    for (std::size_t i = 0; i < n; ++i) tau[i] = rate[i] + inertia[i] - f[i];
    return;
  }
  set(q, q_, "q");
  set(v, v_, "v");
  set(a, a_, "a");
  mechfit::inverse_dynamics(model_, points(), a_.data(), out_.data(), w_);
  get(out_, tau, "tau", model_.joints());
}

bool PointDynamics::acceleration(In q, In v, In u, Out a) {
  if (smm_) {
    check(q, v, u);
    check_room(a, "a", static_cast<int>(q.size()));
    const std::size_t n = a.size();
    const Out f(out_.data(), n), rate(w_.f.data(), n);
    smm_->forces(q, v, u, f, rate);
    for (std::size_t i = 0; i < n; ++i) f[i] -= rate[i];  // M a = f - Mdot v
    return smm_->solve(f, a);
  }
  set(q, q_, "q");
  set(v, v_, "v");
  set_inputs(u);
  if (mechfit::acceleration(model_, points(), out_.data(), w_) != kAllLanes) return false;
  get(out_, a, "a", model_.joints());
  return true;
}

// Lane k holds row first + k of d(acceleration)/d(q, v, u), the pullback of a unit covector.
bool PointDynamics::linearize(In q, In v, In u, Out a, Out b) {
  const int n = model_.joints(), m = model_.inputs();
  check_room(a, "A", 4 * n * n);
  check_room(b, "B", 2 * n * m);
  set(q, q_, "q");
  set(v, v_, "v");
  set_inputs(u);
  if (mechfit::acceleration(model_, points(), out_.data(), w_) != kAllLanes) return false;
  std::fill(a.begin(), a.end(), 0.0);
  std::fill(b.begin(), b.end(), 0.0);
  for (int i = 0; i < n; ++i) a[i * 2 * n + n + i] = 1.0;  // qdot = v
  Adjoints adjoints;
  adjoints.q = slope_q_.data();
  adjoints.v = slope_v_.data();
  adjoints.u = m > 0 ? slope_u_.data() : nullptr;
  for (int first = 0; first < n; first += kBlock) {
    const int rows = std::min(n - first, kBlock);
    std::fill(unit_.begin(), unit_.end(), 0.0);
    for (int k = 0; k < rows; ++k) unit_[(first + k) * kBlock + k] = 1.0;
    acceleration_pullback(model_, unit_.data(), adjoints, w_);
    for (int k = 0; k < rows; ++k) {
      const int row = n + first + k;
      for (int j = 0; j < n; ++j) {
        a[row * 2 * n + j] = slope_q_[j * kBlock + k];
        a[row * 2 * n + n + j] = slope_v_[j * kBlock + k];
      }
      for (int j = 0; j < m; ++j) b[row * m + j] = slope_u_[j * kBlock + k];
    }
  }
  return true;
}

}  // namespace mechfit
