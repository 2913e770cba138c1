#pragma once

#include "mechfit/fit/smoothed/samples.h"
#include "mechfit/mechanics/model.h"

namespace mechfit {

// The torques that inverse dynamics misses at a block of smoothed samples,
//
//   e = Mdot v + M a - f(q, v, u)        tau(q, v, a) - B u
//
// and what is pulled back through them: the gradient of lambda'e is that of
// lambda'(Mdot v + M a) - lambda'f.
class TorqueBlock {
 public:
  TorqueBlock(const Model& x, const Samples& samples);

  // e [n][kBlock] at the `count` samples; the other lanes repeat the first.
  void evaluate(const Model& x, const Samples& samples, const int* items, int count);
  // Of lambda'e, lambda [n][kBlock], at the samples evaluated last.
  void pullback(const Model& x, const double* lambda, const Adjoints& adjoints);

  AlignedVector e;         // [n][kBlock]
  Model::Workspace model;  // of the evaluation, with the accumulator of gradients

 private:
  AlignedVector mass_, q_, v_, a_, p_, f_, rate_, minus_lambda_, u_;
};

}  // namespace mechfit
