#include "mechfit/export/c_parts.h"

namespace mechfit {

// What networks give: M, V, their derivatives, and the force network's part of F.
const char* const kNetworkMechanics = R"(
/* Mass matrix, both triangles: D L L' D */
static inline void $_mass_of(const $_real* l, $_real* M) {
  for (int i = 0; i < $_JOINTS; ++i)
    for (int j = 0; j <= i; ++j) {
      $_real sum = 0;
      for (int k = 0; k <= j; ++k) sum += l[$_entry(i, k)] * l[$_entry(j, k)];
      sum *= $_D[i] * $_D[j];
      M[i * $_JOINTS + j] = sum;
      M[j * $_JOINTS + i] = sum;
    }
}

static inline void $_mass(const $_real* q, $_real* M) {
  $_real x[$_FEATURES], dx[$_FEATURES], ddx[$_FEATURES], l[$_PAIRS], g[$_MASS_HIDDEN];
  $_features(q, x, dx, ddx);
  $_mass_net_forward(x, l, g);
  for (int i = 0; i < $_JOINTS; ++i) l[i] += 1;
  $_mass_of(l, M);
}

/* Potential energy */
static inline $_real $_potential(const $_real* q) {
  $_real x[$_FEATURES], dx[$_FEATURES], ddx[$_FEATURES], V, g[$_POTENTIAL_HIDDEN];
  $_features(q, x, dx, ddx);
  $_potential_net_forward(x, &V, g);
  return $_ENERGY * V;
}

/* L, Mdot v and dL/dq: with w = D v, pi = L' w the gradient of 1/2 v'Mv to L is w pi' */
static inline void $_terms_of_L(const $_real* q, const $_real* v, $_real* l, $_real* rate,
                                $_real* slope) {
  const $_real minus_energy = -$_ENERGY;
  $_real x[$_FEATURES], dx[$_FEATURES], xd[$_FEATURES], back[$_FEATURES], back_v[$_FEATURES];
  $_real ld[$_PAIRS], gl[$_PAIRS], V;
  $_real g[$_MASS_HIDDEN], gv[$_POTENTIAL_HIDDEN], w[$_JOINTS], pi[$_JOINTS], ld_w[$_JOINTS];
  $_features(q, x, dx, xd);
  for (int i = 0; i < $_FEATURES; ++i) xd[i] = dx[i] * v[$_feature_joint[i]];
  $_mass_net_forward_along(x, xd, l, ld, g);
  $_potential_net_forward(x, &V, gv);
  $_potential_net_back(gv, &minus_energy, back_v);
  for (int i = 0; i < $_JOINTS; ++i) {
    l[i] += 1;
    w[i] = $_D[i] * v[i];
  }
  for (int j = 0; j < $_JOINTS; ++j) {
    pi[j] = ld_w[j] = 0;
    for (int i = j; i < $_JOINTS; ++i) {
      pi[j] += l[$_entry(i, j)] * w[i];
      ld_w[j] += ld[$_entry(i, j)] * w[i];
    }
    for (int i = j; i < $_JOINTS; ++i) gl[$_entry(i, j)] = w[i] * pi[j];
  }
  for (int i = 0; i < $_JOINTS; ++i) {
    $_real sum = 0;
    for (int j = 0; j <= i; ++j) sum += ld[$_entry(i, j)] * pi[j] + l[$_entry(i, j)] * ld_w[j];
    rate[i] = $_D[i] * sum;
    slope[i] = 0;
  }
  $_mass_net_back(g, gl, back);
  for (int i = 0; i < $_FEATURES; ++i) slope[$_feature_joint[i]] += dx[i] * (back[i] + back_v[i]);
}

/* M, Mdot v and dL/dq */
static inline void $_terms(const $_real* q, const $_real* v, $_real* M, $_real* rate,
                           $_real* slope) {
  $_real l[$_PAIRS];
  $_terms_of_L(q, v, l, rate, slope);
  $_mass_of(l, M);
}

/* The same with G = D L in place of M = G G'. 1: M is not positive definite. */
static inline int $_factored_terms(const $_real* q, const $_real* v, $_real* G, $_real* rate,
                                   $_real* slope) {
  $_real l[$_PAIRS];
  int singular = 0;
  $_terms_of_L(q, v, l, rate, slope);
  for (int i = 0; i < $_JOINTS; ++i) {
    for (int j = 0; j <= i; ++j) G[i * $_JOINTS + j] = $_D[i] * l[$_entry(i, j)];
    singular |= !(fabs~(l[i]) > 0);
  }
  return singular;
}

/* Rows of dx and ddx for all joints and pairs of joints: a feature belongs to one joint. */
static inline void $_spread(const $_real* dx, const $_real* ddx, $_real* all_dx, $_real* all_ddx) {
  for (int i = 0; i < $_JOINTS * $_FEATURES; ++i) all_dx[i] = 0;
  for (int i = 0; i < $_PAIRS * $_FEATURES; ++i) all_ddx[i] = 0;
  for (int i = 0; i < $_FEATURES; ++i) {
    const int k = $_feature_joint[i];
    all_dx[k * $_FEATURES + i] = dx[i];
    all_ddx[$_pair(k, k) * $_FEATURES + i] = ddx[i];
  }
}

/* Sum over columns k of A_ik B_jk, both lower triangular as the network gives them */
static inline $_real $_row_product(const $_real* a, const $_real* b, int i, int j) {
  $_real sum = 0;
  for (int k = 0; k <= i && k <= j; ++k) sum += a[$_entry(i, k)] * b[$_entry(j, k)];
  return sum;
}

/* g = M a + Mdot v - dL/dq at fixed a: g_q, g_v [JOINTS][JOINTS], from the first and second
   derivatives of M and V to the joints */
static inline void $_terms_jacobian(const $_real* q, const $_real* v, const $_real* a, $_real* g_q,
                                    $_real* g_v) {
  enum { n = $_JOINTS, pairs = $_PAIRS };
  $_real x[$_FEATURES], dx[$_FEATURES], ddx[$_FEATURES];
  $_real all_dx[n * $_FEATURES], all_ddx[pairs * $_FEATURES];
  $_real l[pairs], dl[n * pairs], ddl[pairs * pairs], V, dV[n], ddV[pairs];
  $_real dM[n][n][n], ddM[pairs][n][n];
  $_features(q, x, dx, ddx);
  $_spread(dx, ddx, all_dx, all_ddx);
  $_mass_net_second(x, all_dx, all_ddx, l, dl, ddl);
  $_potential_net_second(x, all_dx, all_ddx, &V, dV, ddV);
  for (int i = 0; i < n; ++i) l[i] += 1;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const $_real D = $_D[i] * $_D[j];
      for (int k = 0; k < n; ++k) {
        const $_real* lk = dl + k * pairs;
        dM[k][i][j] = D * ($_row_product(lk, l, i, j) + $_row_product(l, lk, i, j));
        for (int m = 0; m <= k; ++m) {
          const $_real *lm = dl + m * pairs, *lkm = ddl + $_pair(k, m) * pairs;
          ddM[$_pair(k, m)][i][j] =
              D * ($_row_product(lkm, l, i, j) + $_row_product(lk, lm, i, j) +
                   $_row_product(lm, lk, i, j) + $_row_product(l, lkm, i, j));
        }
      }
    }
  for (int i = 0; i < n; ++i)
    for (int m = 0; m < n; ++m) {
      $_real by_q = $_ENERGY * ddV[$_pair(i, m)], by_v = 0;
      for (int j = 0; j < n; ++j) {
        by_q += dM[m][i][j] * a[j];
        by_v += (dM[m][i][j] + dM[j][i][m] - dM[i][j][m]) * v[j];
        for (int k = 0; k < n; ++k)
          by_q += (ddM[$_pair(k, m)][i][j] - ddM[$_pair(i, m)][j][k] / 2) * v[j] * v[k];
      }
      g_q[i * n + m] = by_q;
      g_v[i * n + m] = by_v;
    }
}
)";

const char* const kForceNetwork = R"(
static inline void $_add_force_network(const $_real* q, const $_real* v, $_real* F) {
  $_real x[$_FEATURES + $_JOINTS], dx[$_FEATURES], ddx[$_FEATURES], y[$_JOINTS];
  $_real g[$_FORCE_HIDDEN];
  $_features(q, x, dx, ddx);
  for (int i = 0; i < $_JOINTS; ++i) x[$_FEATURES + i] = v[i] * $_SPEED[i];
  $_force_net_forward(x, y, g);
  for (int i = 0; i < $_JOINTS; ++i) F[i] += $_FORCE[i] * y[i];
}

static inline void $_add_force_network_along(const $_real* q, const $_real* v, const $_real* dq,
                                             const $_real* dv, $_real* dF) {
  $_real x[$_FEATURES + $_JOINTS], xd[$_FEATURES + $_JOINTS], dx[$_FEATURES], ddx[$_FEATURES];
  $_real y[$_JOINTS], yd[$_JOINTS], g[$_FORCE_HIDDEN];
  $_features(q, x, dx, ddx);
  for (int i = 0; i < $_FEATURES; ++i) xd[i] = dx[i] * dq[$_feature_joint[i]];
  for (int i = 0; i < $_JOINTS; ++i) {
    x[$_FEATURES + i] = v[i] * $_SPEED[i];
    xd[$_FEATURES + i] = dv[i] * $_SPEED[i];
  }
  $_force_net_forward_along(x, xd, y, yd, g);
  for (int i = 0; i < $_JOINTS; ++i) dF[i] += $_FORCE[i] * yd[i];
}
)";

}  // namespace mechfit
