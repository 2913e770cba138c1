#pragma once

#include <Eigen/Dense>
#include <array>

// Between the plain arrays of kinematics.h and Eigen.
namespace mechfit {

inline Eigen::Matrix3d matrix3(const std::array<double, 9>& rows) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rows.data());
}
inline Eigen::Vector3d vector3(const std::array<double, 3>& x) {
  return Eigen::Map<const Eigen::Vector3d>(x.data());
}
inline void store(const Eigen::Matrix3d& matrix, std::array<double, 9>& rows) {
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rows.data()) = matrix;
}
inline void store(const Eigen::Vector3d& vector, std::array<double, 3>& x) {
  Eigen::Map<Eigen::Vector3d>(x.data()) = vector;
}

}  // namespace mechfit
