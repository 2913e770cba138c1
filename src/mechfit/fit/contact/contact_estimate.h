#pragma once

#include <span>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/motion/motion_quadratic.h"
#include "mechfit/fit/contact/cut.h"
#include "mechfit/mechanics/contact.h"
#include "mechfit/mechanics/model.h"

// Where contacts are and how they bounce, from the motions on both sides of their impacts
// (docs/contact.md).
namespace mechfit {

struct ContactEstimate {
  Contacts contacts;                   // with standard errors
  std::vector<double> times, time_sd;  // of the impacts; NaN where one could not be judged
  std::vector<char> fits;              // whether the model of an impact explains it
  std::vector<int> used;               // impacts that each contact rests on
  double misfit = 0;                   // sum of squares per degree of freedom, 1 expected
  double total = 0;  // sum of squares, that of an impact which does not fit as the most that does
};

// The most likely psi, e and mu of all contacts and times t of all impacts: the motions of the
// parts by the model, q and v at their ends with their covariance P, then the minimum of
//
//   dz' P^-1 dz   subject to   c_i(z + dz, t_i, psi, e, mu) = 0   for every impact i
//
// by Gauss-Newton. Impacts that do not fit (c' (G P G')^-1 c far above what chance does) are left
// out. Where what is left is larger than expected standard errors grow with it. `covariance` of
// theta [p][p] (empty: taken as known): eta (ModelDoubt) is part of z, N(0, 1) and common to all.
ContactEstimate estimate_contacts(const Model& model, const MotionNoise& noise, const Log& log,
                                  const Contacts& contacts, const std::vector<Impact>& impacts,
                                  const CutLog& cut, ThreadPool& pool,
                                  std::span<const double> covariance = {});

}  // namespace mechfit
