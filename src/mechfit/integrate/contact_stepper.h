#pragma once

#include <span>
#include <vector>

#include "mechfit/integrate/rollout.h"
#include "mechfit/integrate/runge_kutta.h"
#include "mechfit/integrate/variational_point.h"
#include "mechfit/mechanics/impact.h"

// A machine with contacts, step by step (docs/contact.md).
namespace mechfit {

// Impacts within one step of the integrator beyond which it is given up. Bounces that become ever
// shorter end at rest (below) after some tens.
inline constexpr int kMostImpacts = 200;

// A step of length h is walked from impact to impact: the integrator's own step of length a <= h
// that ends on phi = 0 (a by root finding, so that the order of the integrator is kept), the
// impulse, and the rest of the step. A contact whose next bounce would last less than a tenth of
// the step lies still from there on: its impulses over a step, half before it and half behind,
// solve
//
//   0 <= L _|_ phi(q_next(L)) >= 0,  then  0 <= L _|_ phidot_next >= 0
//
// as does friction in its cone. It lies until its impulse is zero. Where the motion begins beyond a
// contact, by noise, the surface is there until the motion has come back.
//
// What a step does not see: a contact that is entered and left within it.
class ContactStepper {
 public:
  ContactStepper(const Model& model, std::span<const Contact> contacts, Integrator integrator);

  void start(std::span<const double> q);
  // What the other one knows of its contacts.
  void continue_from(const ContactStepper& other);
  // From (q, v) in place; u is held, empty is none. Events have times from the step's begin, and
  // are added to `events` where it is not null. q and v are not to be used unless the status is ok.
  [[nodiscard]] StepStatus step(std::span<double> q, std::span<double> v, std::span<const double> u,
                                double h, std::vector<ContactEvent>* events);

 private:
  using State = std::vector<double>;

  StepStatus free_step(const State& q, const State& v, std::span<const double> u, double h,
                       State& q_next, State& v_next);
  StepStatus runge_kutta(const State& q, const State& v, std::span<const double> u, double h,
                         State& q_next, State& v_next);
  // With the impulses of what lies still; those of the first half in impulse_.
  StepStatus advance(const State& q, const State& v, std::span<const double> u, double h,
                     State& q_next, State& v_next);
  double depth(int contact, const State& q) const;  // phi above its surface
  double speed(int contact, const State& q, const State& v);
  // Of the contacts that advance(h) leaves beyond their surfaces the first one, and when; -1: none.
  StepStatus first_impact(const State& q, const State& v, std::span<const double> u, double h,
                          int& contact, double& when);
  StepStatus find_root(int contact, const State& q, const State& v, std::span<const double> u,
                       double h, double& when);
  StepStatus collide(int contact, double h, double when, std::span<const double> u,
                     std::vector<ContactEvent>* events);
  double free_acceleration(int contact, std::span<const double> u, bool& ok);
  void settle_surfaces();

  std::span<const Contact> contacts_;
  Integrator integrator_;
  int n_;
  VariationalPoint variational_;
  PointDynamics dynamics_;
  Touching touching_;
  State q_, v_, q_next_, v_next_;                 // of the walk
  State momentum_, momentum_next_, vm_, kicked_;  // scratch
  State k_[4], stage_q_, stage_v_;
  State normal_, bend_;
  std::vector<double> mass_;
  std::vector<double> surface_;  // [contacts], phi there: 0, or less after a start beyond
  std::vector<char> resting_;    // [contacts]
  std::vector<int> lying_;       // those that rest
  Eigen::VectorXd impulse_;
};

// As the other rollouts (rollout.h), with request.contacts.
Rollout contact_rollout(const Model& model, const RolloutRequest& request, Integrator integrator,
                        ThreadPool& pool);

}  // namespace mechfit
