#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <span>
#include <vector>

#include "mechfit/mechanics/contact.h"
#include "mechfit/mechanics/point.h"

// Impulses of touching contacts. With A the rows J, and T where there is friction, an impulse L
// changes the velocity by M^-1 A'L, in the contacts' own coordinates by W L:
//
//   W = A M^-1 A',   z = W L + b,   0 <= Ln _|_ zn >= 0,   |Lt| <= mu Ln, zt against Lt
namespace mechfit {

// Rows of one contact in the problem; tangent -1: without friction.
struct ContactRows {
  int normal = 0, tangent = -1;
  double friction = 0;
};

// L by Gauss-Seidel over contacts, each in closed form (without friction max(0, -b / W)), until
// nothing moves: one pass for one contact. L holds a guess. False when it goes on moving, which
// friction of several contacts may do.
bool solve_complementarity(const Eigen::MatrixXd& W, const Eigen::VectorXd& b,
                           std::span<const ContactRows> rows, Eigen::VectorXd& L);

// The contacts that touch at one configuration.
class Touching {
 public:
  Touching(const Model& model, std::span<const Contact> contacts);

  // False where M(q) is not positive definite.
  [[nodiscard]] bool set(std::span<const double> q, std::span<const int> touching);

  const Eigen::MatrixXd& A() const { return A_; }              // [rows][n]
  const Eigen::MatrixXd& moves() const { return moves_; }      // M^-1 A' [n][rows]
  const Eigen::MatrixXd& W() const { return W_; }              // [rows][rows]
  std::span<const ContactRows> rows() const { return rows_; }  // in the order of `touching`

  // The impulses of an impact at velocity v, with Newton's restitution e of each touching contact:
  //   vn+ + e min(vn-, 0) >= 0  _|_  Ln >= 0
  // Where friction, or several contacts at once, would make energy grow or have no solution, e and
  // then mu are scaled down to what does not.
  Eigen::VectorXd impact(const Eigen::VectorXd& v, std::span<const double> restitution) const;

 private:
  std::span<const Contact> contacts_;
  PointDynamics dynamics_;
  int n_;
  std::vector<double> mass_, normal_, tangent_;
  Eigen::MatrixXd A_, moves_, W_;
  std::vector<ContactRows> rows_;
};

// v+ of an impact with one contact without friction,
//
//   v+ = v - (1 + e) M^-1 J' (J v) / (J M^-1 J'),
//
// and what a small change of e or of v does: dv+/de [n], dv+/dv [n][n], for M and J given.
struct ImpactMap {
  Eigen::VectorXd v, slope_e;
  Eigen::MatrixXd slope_v;
};
ImpactMap impact_map(const Eigen::MatrixXd& mass, const Eigen::VectorXd& J,
                     const Eigen::VectorXd& v, double restitution);

// The same with Coulomb's friction along T (impact.h's problem for one contact): the impulse is
// L = (Ln, Lt) with Lt = -+mu Ln where the point goes on sliding, else what stops it,
//
//   v+ = v + M^-1 (J' Ln + T' Lt),   Ln = -(1 + e) J v / (W_nn -+ mu W_nt)  where it slides
//
// and its slopes as long as it goes on sliding or sticking. T = 0: no friction.
struct FrictionMap : ImpactMap {
  Eigen::VectorXd slope_mu;  // dv+/dmu [n]
  bool sticks = false;
};
FrictionMap friction_map(const Eigen::MatrixXd& mass, const Eigen::VectorXd& J,
                         const Eigen::VectorXd& T, const Eigen::VectorXd& v, double restitution,
                         double friction);

}  // namespace mechfit
