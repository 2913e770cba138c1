#include "mechfit/export/c_parts.h"

namespace mechfit {

// What holds for every model, whatever gives its M, V and F. `$` stands for the model's name, ~ for
// the suffix of functions of the precision.
const char* const kFactor = R"(
/* M = G G', G in place of the lower triangle of M; 1: M is not positive definite. */
static inline int $_factor($_real* M) {
  for (int i = 0; i < $_JOINTS; ++i)
    for (int j = 0; j <= i; ++j) {
      $_real sum = M[i * $_JOINTS + j];
      for (int k = 0; k < j; ++k) sum -= M[i * $_JOINTS + k] * M[j * $_JOINTS + k];
      if (i == j && !(sum > 0)) return 1;
      M[i * $_JOINTS + j] = i == j ? sqrt~(sum) : sum / M[j * $_JOINTS + j];
    }
  return 0;
}

/* G G' x = x, in place. */
static inline void $_solve(const $_real* G, $_real* x) {
  $_real inverse[$_JOINTS];
  for (int i = 0; i < $_JOINTS; ++i) inverse[i] = 1 / G[i * $_JOINTS + i];
  for (int i = 0; i < $_JOINTS; ++i) {
    for (int j = 0; j < i; ++j) x[i] -= G[i * $_JOINTS + j] * x[j];
    x[i] *= inverse[i];
  }
  for (int i = $_JOINTS - 1; i >= 0; --i) {
    for (int j = i + 1; j < $_JOINTS; ++j) x[i] -= G[j * $_JOINTS + i] * x[j];
    x[i] *= inverse[i];
  }
}

)";

// Of models that give M rather than its factor.
const char* const kFactoredTerms = R"(
/* G of M = G G', Mdot v and dL/dq. 1: M is not positive definite. */
static inline int $_factored_terms(const $_real* q, const $_real* v, $_real* G, $_real* rate,
                                   $_real* slope) {
  $_terms(q, v, G, rate, slope);
  return $_factor(G);
}
)";

const char* const kMechanics = R"(
/* 1/2 v' M v + V */
static inline $_real $_energy(const $_real* q, const $_real* v) {
  $_real M[$_JOINTS * $_JOINTS], sum = 0;
  $_mass(q, M);
  for (int i = 0; i < $_JOINTS; ++i)
    for (int j = 0; j < $_JOINTS; ++j) sum += v[i] * M[i * $_JOINTS + j] * v[j];
  return sum / 2 + $_potential(q);
}

/* p = M v */
static inline void $_momentum(const $_real* q, const $_real* v, $_real* p) {
  $_real M[$_JOINTS * $_JOINTS];
  $_mass(q, M);
  for (int i = 0; i < $_JOINTS; ++i) {
    p[i] = 0;
    for (int j = 0; j < $_JOINTS; ++j) p[i] += M[i * $_JOINTS + j] * v[j];
  }
}

/* Acceleration a = M^-1 (dL/dq + F - Mdot v). 0: done; 1: M(q) is not positive definite. */
static inline int $_acceleration(const $_real* q, const $_real* v, const $_real* u, $_real* a) {
  $_real G[$_JOINTS * $_JOINTS], rate[$_JOINTS], slope[$_JOINTS];
  if ($_factored_terms(q, v, G, rate, slope)) return 1;
  $_force(q, v, u, a);
  for (int i = 0; i < $_JOINTS; ++i) a[i] += slope[i] - rate[i];
  $_solve(G, a);
  return 0;
}

/* What must push the joints beside friction: tau = M a + Mdot v - dL/dq - F(q, v, u = 0). */
static inline void $_inverse_dynamics(const $_real* q, const $_real* v, const $_real* a,
                                      $_real* tau) {
  const $_real none[$_INPUTS + 1] = {0};
  $_real M[$_JOINTS * $_JOINTS], rate[$_JOINTS], slope[$_JOINTS], F[$_JOINTS];
  $_terms(q, v, M, rate, slope);
  $_force(q, v, none, F);
  for (int i = 0; i < $_JOINTS; ++i) {
    tau[i] = rate[i] - slope[i] - F[i];
    for (int j = 0; j < $_JOINTS; ++j) tau[i] += M[i * $_JOINTS + j] * a[j];
  }
}

/* The acceleration and its derivatives by rows, a_q[i * JOINTS + k] = da_i/dq_k and so on; a_u has
   INPUTS columns. 0: done; 1: M(q) is not positive definite. */
static inline int $_acceleration_jacobians(const $_real* q, const $_real* v, const $_real* u,
                                           $_real* a, $_real* a_q, $_real* a_v, $_real* a_u) {
  $_real M[$_JOINTS * $_JOINTS], x[$_JOINTS];
  if ($_acceleration(q, v, u, a)) return 1;
  $_mass(q, M);
  if ($_factor(M)) return 1;
  /* With g = M a + Mdot v - dL/dq, which is F: da = M^-1 (dF - dg at fixed a) */
  $_terms_jacobian(q, v, a, a_q, a_v);
  for (int k = 0; k < 2 * $_JOINTS + $_INPUTS; ++k) {
    $_real dq[$_JOINTS] = {0}, dv[$_JOINTS] = {0}, du[$_INPUTS + 1] = {0};
    $_real* out = k < $_JOINTS ? a_q : k < 2 * $_JOINTS ? a_v : a_u;
    const int at = k < $_JOINTS ? k : k < 2 * $_JOINTS ? k - $_JOINTS : k - 2 * $_JOINTS;
    const int columns = k < 2 * $_JOINTS ? $_JOINTS : $_INPUTS;
    (k < $_JOINTS ? dq : k < 2 * $_JOINTS ? dv : du)[at] = 1;
    $_force_along(q, v, u, dq, dv, du, x);
    if (k < 2 * $_JOINTS)
      for (int i = 0; i < $_JOINTS; ++i) x[i] -= out[i * columns + at];
    $_solve(M, x);
    for (int i = 0; i < $_JOINTS; ++i) out[i * columns + at] = x[i];
  }
  return 0;
}

/* One step of h seconds by the classical Runge-Kutta method, u held; q and v become those at its
   end. 0: done; 1: M is not positive definite on the way, q and v are as they were. */
static inline int $_rk4_step($_real h, const $_real* u, $_real* q, $_real* v) {
  static const int weight[4] = {1, 2, 2, 1};
  $_real x[$_JOINTS], w[$_JOINTS], a[$_JOINTS], dq[$_JOINTS] = {0}, dv[$_JOINTS] = {0};
  for (int i = 0; i < $_JOINTS; ++i) {
    x[i] = q[i];
    w[i] = v[i];
  }
  for (int stage = 0; stage < 4; ++stage) {
    const $_real part = stage < 2 ? h / 2 : h;
    if ($_acceleration(x, w, u, a)) return 1;
    for (int i = 0; i < $_JOINTS; ++i) {
      dq[i] += weight[stage] * w[i];
      dv[i] += weight[stage] * a[i];
      x[i] = q[i] + part * w[i];
      w[i] = v[i] + part * a[i];
    }
  }
  for (int i = 0; i < $_JOINTS; ++i) {
    q[i] += h / 6 * dq[i];
    v[i] += h / 6 * dv[i];
  }
  return 0;
}

/* Of the variational step: p and f at its midpoint when its velocity is v, and
   r = p - h/2 f - P. Returns |r|^2 / (|p|^2 + |h/2 f|^2). */
static inline $_real $_step_residual($_real h, const $_real* q, const $_real* P, const $_real* u,
                                     const $_real* v, $_real* M, $_real* p, $_real* f,
                                     $_real* r) {
  $_real x[$_JOINTS], rate[$_JOINTS], slope[$_JOINTS], sum = 0, size = 0;
  for (int i = 0; i < $_JOINTS; ++i) x[i] = q[i] + h / 2 * v[i];
  $_terms(x, v, M, rate, slope);
  $_force(x, v, u, f);
  for (int i = 0; i < $_JOINTS; ++i) {
    f[i] += slope[i];
    p[i] = 0;
    for (int j = 0; j < $_JOINTS; ++j) p[i] += M[i * $_JOINTS + j] * v[j];
    r[i] = p[i] - h / 2 * f[i] - P[i];
    sum += r[i] * r[i];
    size += p[i] * p[i] + h * h / 4 * f[i] * f[i];
  }
  return sum > 0 ? sum / size : sum;
}

/* One step of h seconds of the variational integrator (midpoint rule), u held. In: q, the momentum p
   there (at the start $_momentum) and a guess of v, e.g. that of the step before. Out: q and p at
   the end, the velocity v of the step. 0: done; 1: M is not positive definite; 2: no solution was
   found, which a shorter h mends; nothing is changed then. */
static inline int $_variational_step($_real h, const $_real* u, $_real* q, $_real* p, $_real* v) {
  $_real M[$_JOINTS * $_JOINTS], H[$_JOINTS * $_JOINTS]; /* H: inverse of dr/dv, by Broyden */
  $_real w[$_JOINTS], s[$_JOINTS], y[$_JOINTS], Hy[$_JOINTS], sH[$_JOINTS];
  $_real pm[$_JOINTS], f[$_JOINTS], r[$_JOINTS], error, last;
  for (int i = 0; i < $_JOINTS; ++i) w[i] = v[i];
  error = $_step_residual(h, q, p, u, w, M, pm, f, r);
  if ($_factor(M)) return 1;
  for (int k = 0; k < $_JOINTS; ++k) {
    for (int i = 0; i < $_JOINTS; ++i) s[i] = i == k;
    $_solve(M, s);
    for (int i = 0; i < $_JOINTS; ++i) H[i * $_JOINTS + k] = s[i];
  }
  for (int iteration = 0; error > $_TOLERANCE * $_TOLERANCE; ++iteration) {
    $_real sHy = 0;
    if (iteration == 50) return 2;
    for (int i = 0; i < $_JOINTS; ++i) {
      s[i] = 0;
      for (int j = 0; j < $_JOINTS; ++j) s[i] -= H[i * $_JOINTS + j] * r[j];
      y[i] = -r[i];
    }
    for (int i = 0; i < $_JOINTS; ++i) w[i] += s[i];
    last = error;
    error = $_step_residual(h, q, p, u, w, M, pm, f, r);
    if (!(error < 1e30f)) return 2;
    if (error >= last && last < 1e10f * $_TOLERANCE * $_TOLERANCE) break; /* rounding */
    for (int i = 0; i < $_JOINTS; ++i) y[i] += r[i];
    for (int i = 0; i < $_JOINTS; ++i) {
      Hy[i] = sH[i] = 0;
      for (int j = 0; j < $_JOINTS; ++j) {
        Hy[i] += H[i * $_JOINTS + j] * y[j];
        sH[i] += s[j] * H[j * $_JOINTS + i];
      }
    }
    for (int i = 0; i < $_JOINTS; ++i) sHy += s[i] * Hy[i];
    if (sHy == 0) return 2;
    for (int i = 0; i < $_JOINTS; ++i)
      for (int j = 0; j < $_JOINTS; ++j) H[i * $_JOINTS + j] += (s[i] - Hy[i]) * sH[j] / sHy;
  }
  for (int i = 0; i < $_JOINTS; ++i) {
    q[i] += h * w[i];
    p[i] = pm[i] + h / 2 * f[i];
    v[i] = w[i];
  }
  return 0;
}
)";

// Derivatives of g = M a + Mdot v - dL/dq from those along one direction.
const char* const kJacobianByDirections = R"(
/* g = M a + Mdot v - dL/dq at fixed a: g_q, g_v [JOINTS][JOINTS] */
static inline void $_terms_jacobian(const $_real* q, const $_real* v, const $_real* a, $_real* g_q,
                                    $_real* g_v) {
  for (int k = 0; k < 2 * $_JOINTS; ++k) {
    $_real dq[$_JOINTS] = {0}, dv[$_JOINTS] = {0}, dg[$_JOINTS];
    (k < $_JOINTS ? dq : dv)[k % $_JOINTS] = 1;
    $_terms_along(q, v, a, dq, dv, dg);
    for (int i = 0; i < $_JOINTS; ++i)
      (k < $_JOINTS ? g_q : g_v)[i * $_JOINTS + k % $_JOINTS] = dg[i];
  }
}
)";

}  // namespace mechfit
