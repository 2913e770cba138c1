#include "mechfit/export/shells.h"

namespace mechfit {

// Contacts of an FMU, or what stands in their place where there are none.
const char* const kFmuContacts = R"(
#if $_CONTACTS > 0
/* Bounces that would last less than this end at rest [s] */
#define $_SHORTEST_BOUNCE 1e-3
/* Gaps below this touch */
#define $_TOUCHING 1e-6

static double $_contact_value(unsigned i) {
  return i % 2 == 0 ? $_contact_position[i / 2] : $_contact_restitution[i / 2];
}

/* Second derivative of a gap for accelerations a, and J: J a + (dJ/dt) v */
static double $_away(const $_fmu* m, int k, const double* a, double* J) {
  const double h = 1e-6, *v = m->x + $_JOINTS;
  double q[$_JOINTS], ahead[$_JOINTS], behind[$_JOINTS], sum = 0;
  for (int i = 0; i < $_JOINTS; ++i) q[i] = m->x[i] + h * v[i];
  $_gap(k, q, ahead);
  for (int i = 0; i < $_JOINTS; ++i) q[i] = m->x[i] - h * v[i];
  $_gap(k, q, behind);
  $_gap(k, m->x, J);
  for (int i = 0; i < $_JOINTS; ++i)
    sum += J[i] * a[i] + (ahead[i] - behind[i]) / (2 * h) * v[i];
  return sum;
}

/* What resting contacts make of accelerations a: they push, so that nothing goes beyond them. */
static int $_hold(const $_fmu* m, double* a) {
  double M[$_JOINTS * $_JOINTS], J[$_JOINTS], push[$_JOINTS];
  int resting = 0;
  for (int k = 0; k < $_CONTACTS; ++k) resting += m->resting[k];
  if (resting == 0) return 0;
  $_mass(m->x, M);
  if ($_factor(M)) return 1;
  /* One contact is done at once, several in turns. */
  for (int turn = 0; turn < (resting > 1 ? 50 : 1); ++turn)
    for (int k = 0; k < $_CONTACTS; ++k) {
      const double away = m->resting[k] ? $_away(m, k, a, J) : 0;
      double weight = 0;
      if (away >= 0) continue;
      memcpy(push, J, sizeof push);
      $_solve(M, push);
      for (int i = 0; i < $_JOINTS; ++i) weight += J[i] * push[i];
      for (int i = 0; i < $_JOINTS; ++i) a[i] -= away / weight * push[i];
    }
  return 0;
}

/* Event indicators: the gap of a contact that is open, the acceleration away from one that rests */
static int $_indicate(const $_fmu* m, double* indicators) {
  double a[$_JOINTS], J[$_JOINTS];
  if ($_acceleration(m->x, m->x + $_JOINTS, m->u, a)) return 1;
  for (int k = 0; k < $_CONTACTS; ++k)
    indicators[k] = m->resting[k] ? $_away(m, k, a, J) : $_gap(k, m->x, J);
  return 0;
}

/* At an event: contacts that rest and are pulled away open, those that are run into bounce. */
static int $_touch($_fmu* m, int* changed) {
  double a[$_JOINTS], J[$_JOINTS];
  if ($_acceleration(m->x, m->x + $_JOINTS, m->u, a)) return 1;
  for (int k = 0; k < $_CONTACTS; ++k) {
    const double away = $_away(m, k, a, J), e = $_contact_restitution[k];
    double speed = 0;
    for (int i = 0; i < $_JOINTS; ++i) speed += J[i] * m->x[$_JOINTS + i];
    if (m->resting[k]) {
      m->resting[k] = away <= 0;
    } else if ($_gap(k, m->x, J) < $_TOUCHING && speed <= 0 && (speed < 0 || away < 0)) {
      m->resting[k] = -2 * e * speed <= -away * $_SHORTEST_BOUNCE;
      if (m->resting[k] && $_rest(k, m->x, m->x + $_JOINTS)) return 1;
      if ($_impact(k, m->resting[k] ? 0 : e, m->x, m->x + $_JOINTS)) return 1;
      *changed = 1;
    }
  }
  return 0;
}

static int $_next_step(double h, const double* u, double* q, double* v) {
  return $_contact_step(h, u, q, v);
}
#else
static double $_contact_value(unsigned i) { return i; }
static int $_hold(const $_fmu* m, double* a) { return (void)m, (void)a, 0; }
static int $_indicate(const $_fmu* m, double* indicators) { return (void)m, (void)indicators, 0; }
static int $_touch($_fmu* m, int* changed) { return (void)m, (void)changed, 0; }
static int $_next_step(double h, const double* u, double* q, double* v) {
  return $_rk4_step(h, u, q, v);
}
#endif
)";

}  // namespace mechfit
