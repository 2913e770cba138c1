#pragma once

#include <string>
#include <vector>

#include "mechfit/mechanics/model_file.h"

// What a model is, and what it says at one point.
namespace mechfit {

// "structured mechanical model, 2 joints, 1 input, 4482 parameters", and how many such models the
// record holds.
std::string describe_model(const ModelRecord& record);

// Without inputs.
struct ModelPoint {
  std::vector<double> q, v;         // [n]
  std::vector<double> mass;         // [n][n]
  std::vector<double> eigenvalues;  // of M, rising [n]
  double potential = 0;
  std::vector<double> conservative;  // dL/dq [n]
  std::vector<double> force;         // F(q, v, 0) = f - dL/dq [n]
  std::vector<double> acceleration;  // [n], empty where M is not positive definite
};

// Exact, but for models whose force at rest F(q, 0, 0) is not zero (force networks): there dV/dq,
// which is part of dL/dq and F, comes from differences of V and has about ten digits.
ModelPoint model_at(const Model& model, const std::vector<double>& q, const std::vector<double>& v);

// The record and the point as JSON.
std::string model_json(const ModelRecord& record, const ModelPoint& point);

}  // namespace mechfit
