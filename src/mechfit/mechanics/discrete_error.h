#pragma once

#include "mechfit/mechanics/discrete.h"

// The DEL residual as an acceleration error, free of the Lagrangian's scale (notation of
// discrete.h):
//
//   e = Mbar^-1 r / h,   Mbar = (M1 + M2) / 2 at the two midpoints,  h = (h1 + h2) / 2
//
// With g = dloss/de and mu = Mbar^-1 g its gradient is that of (mu/h)' r - mu' Mbar e, mu and e
// held fixed.
namespace mechfit {

struct DelErrorWorkspace {
  explicit DelErrorWorkspace(const Model& model);

  DelWorkspace del;
  AlignedVector factor, mean;  // [n*n][kBlock]; of M, of Mbar (both halves alike)
  AlignedVector e, mu;         // [n][kBlock], both halves alike
  AlignedVector left;          // [n][kBlock]
  AlignedVector r;             // [n][kTriples]
};

// e [n][kTriples], NaN where M is not positive definite.
void del_error(const Model& model, const Triples& x, double* e, DelErrorWorkspace& w);

// Pullback of the last del_error for g [n][kTriples]; lanes with g = 0 do not count.
void del_error_pullback(const Model& model, const double* g, const TripleAdjoints& adjoints,
                        DelErrorWorkspace& w);

}  // namespace mechfit
