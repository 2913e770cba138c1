#pragma once

#include <string>
#include <vector>

#include "mechfit/mechanics/model_file.h"

namespace mechfit {

// What a model says at one point, without inputs.
struct ModelPoint {
  std::vector<double> q, v;         // [n]
  std::vector<double> mass;         // [n][n]
  std::vector<double> eigenvalues;  // of M, rising [n]
  double potential = 0;
  std::vector<double> conservative;  // dL/dq [n], from differences of L: about ten digits
  std::vector<double> force;         // F(q, v, 0) = f - dL/dq [n]
  std::vector<double> acceleration;  // [n], empty where M is not positive definite
};

ModelPoint model_at(const Model& model, const std::vector<double>& q, const std::vector<double>& v);

// The record and the point as JSON.
std::string model_json(const ModelRecord& record, const ModelPoint& point);

}  // namespace mechfit
