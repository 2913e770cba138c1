#pragma once

#include "mechfit/base/batch.h"
#include "mechfit/mechanics/lagrangian.h"

// The small algebra between the networks of a structured mechanical model and the door, on one
// block.
//
//   L      lower triangular; entries as the mass network gives them,        [n (n+1) / 2]
//          first the diagonal, then the strict triangle row by row;
//          the unit diagonal is already added
//   w      velocity in the network's scale: w = D v, D = diag(d)            [n]
//   M      D L L' D
//   pi     L' w                                                             [n]
//   Lb, Lv tangents of L along b and along v                                like L
namespace mechfit::smm_lanes {

inline constexpr int entry(int n, int i, int j) { return i == j ? i : n + i * (i - 1) / 2 + j; }
inline constexpr int entries(int n) { return n * (n + 1) / 2; }

// phi(q) [features], slope dphi/dq [features] and second derivative [features]; a plain joint has
// one feature (q - offset) / scale, a periodic one cos q and sin q.
void features(int n, const JointType* types, const double* offset, const double* scale,
              const double* q, double* phi, double* slope, double* bend);

// direction [features] in which the features move when q moves along dq [n]
void along(int n, const JointType* types, const double* slope, const double* dq, double* direction);

// out_i += sum over the features of joint i of slope x_bar
void to_joints(int n, const JointType* types, const double* slope, const double* x_bar,
               double* out);

// out_i += direction_i times the sum over the features of joint i of bend x_bar
void bend_to_joints(int n, const JointType* types, const double* bend, const double* x_bar,
                    const double* direction, double* out);

// pi = L' D v, gl = w pi' (its lower triangle: gradient of 1/2 v'Mv to L), p = D L pi
void kinetic(int n, const double* l, const double* d, const double* v, double* w, double* pi,
             double* gl, double* p);

// D (Lv pi + L Lv' w)
void rate(int n, const double* l, const double* lv, const double* d, const double* w,
          const double* pi, double* out);

// s = a'p + (derivative of 1/2 v'Mv along b) + c'(Mdot v + M acc) + left' M right: gradients to L,
// to Lv and, unless null, to v.
struct Terms {
  const double *a, *b_l, *c, *acc, *left, *right;  // b_l: tangent Lb of L, null when there is no b
  int pairs;
};
void pullback(int n, const double* l, const double* lv, const double* d, const double* w,
              const double* pi, const Terms& terms, double* scratch, double* l_bar, double* lv_bar,
              double* v_bar);
inline constexpr int pullback_scratch(int n) { return 8 * n; }  // rows

// M = D L L' D, lower triangle of [n][n]
void mass(int n, const double* l, const double* d, double* m);

// G = D L
void factor(int n, const double* l, const double* d, double* g);

// Gradient of <W, M> to L: 2 D W D L
void mass_pullback(int n, const double* l, const double* d, const double* weights, double* l_bar);

}  // namespace mechfit::smm_lanes
