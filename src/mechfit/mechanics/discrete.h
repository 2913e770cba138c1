#pragma once

#include <span>
#include <vector>

#include "mechfit/base/batch.h"
#include "mechfit/mechanics/model.h"

// Discrete mechanics with the midpoint rule, paper eq. (4) and (5). On a step from q1 to q2
//
//   qm = (q1 + q2) / 2,   vm = (q2 - q1) / h,   Ld = h L(qm, vm)
//
// and p, f at (qm, vm, u) give the momenta at both ends of the step (discrete Legendre transform):
//
//   leaving q1    P- = p - (h/2) f = -D1 Ld - (h/2) F
//   arriving q2   P+ = p + (h/2) f =  D2 Ld + (h/2) F
//
// What arrives must leave: the DEL residual at q2 between a step h1 and a step h2 is
//
//   r = P+(first) - P-(second) = p1 - p2 + (h1 f1 + h2 f2) / 2
namespace mechfit {

// Independent triples: one block holds kTriples of them, the first midpoints in lanes 0 ..
// kTriples-1 and the second midpoints of the same triples in the other lanes, so that one pass over
// the weights serves both.
inline constexpr int kTriples = kBlock / 2;

struct Triples {
  const double* q1;            // [n][kTriples]
  const double* q2;            // [n][kTriples]
  const double* q3;            // [n][kTriples]
  const double* h1;            // [kTriples]
  const double* h2;            // [kTriples]
  const double* u1 = nullptr;  // [m][kTriples] on the step from q1 to q2; null is no input
  const double* u2 = nullptr;  // [m][kTriples] on the step from q2 to q3
};

// Gradients of lambda'r; null ones are not computed. theta goes to the workspace's accumulator.
struct TripleAdjoints {
  double* q1 = nullptr;  // [n][kTriples]
  double* q2 = nullptr;
  double* q3 = nullptr;
  bool theta = false;
};

struct DelWorkspace {
  explicit DelWorkspace(const Model& model);

  Model::Workspace model;
  AlignedVector q, v, u;       // the midpoints             [n], [n], [m]  x [kBlock]
  AlignedVector p, f;          // [n][kBlock]
  AlignedVector a, b;          // covectors                 [n][kBlock]
  AlignedVector q_bar, v_bar;  // gradients at the midpoints [n][kBlock]
  AlignedVector h;             // [kBlock]
};

// r [n][kTriples]. Lanes without a triple of their own repeat another one.
void del_residual(const Model& model, const Triples& x, double* r, DelWorkspace& w);

// Pullback of the last del_residual for covectors lambda [n][kTriples]; lanes that must not count
// have lambda = 0. With left and right [n][kBlock] also of left' M right at every midpoint.
void del_pullback(const Model& model, const double* lambda, const TripleAdjoints& adjoints,
                  DelWorkspace& w, const double* left = nullptr, const double* right = nullptr);

}  // namespace mechfit
