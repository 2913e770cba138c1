#include "mechfit/fit/arm/torque_gram.h"

#include <algorithm>

#include "mechfit/base/error.h"
#include "mechfit/base/random.h"

namespace mechfit {
namespace {

// Parts of the data that are summed one by one, in their order: enough for many threads and for the
// scatter between them (arm_uncertainty.cc), few enough for memory that does not grow with the log.
constexpr int kParts = 64;

TorqueGram zero_gram(const TorqueRows& rows) {
  TorqueGram g;
  for (int i = 0; i < rows.joints(); ++i) {
    const int size = static_cast<int>(rows.columns(i).size());
    g.G.push_back(Eigen::MatrixXd::Zero(size, size));
    g.b.push_back(Eigen::VectorXd::Zero(size));
    g.c.push_back(0);
  }
  return g;
}

// Row `l` of X and y: the means over a stretch.
void load_mean(const TorqueRows& rows, const Samples& samples, const Stretch& stretch, int l,
               TorqueRows::Workspace& w, std::vector<Eigen::MatrixXd>& X, Eigen::MatrixXd& y) {
  const auto [first, count] = stretch;
  for (Eigen::MatrixXd& of_joint : X) of_joint.row(l).setZero();
  y.row(l).setZero();
  for (int k = 0; k < count; k += kBlock) {
    rows.load(samples, first + k, std::min(kBlock, count - k), w);
    for (std::size_t i = 0; i < X.size(); ++i) X[i].row(l) += w.X[i].colwise().sum() / count;
    y.row(l) += w.y.colwise().sum() / count;
  }
}

}  // namespace

// Which parameters of the forces act on a joint is seen at a random point, where none of their
// functions vanishes.
TorqueRows::TorqueRows(const Arm& arm) : arm_(arm), regressor_(arm.config().kinematics) {
  const int n = joints(), forces = arm.joint_forces().parameter_count(), m = arm.inputs();
  auto w = arm.joint_forces().make_workspace();
  Random random(1);
  AlignedVector q = make_panel(n), v = q, f = q, u = make_panel(m), lanes = make_panel(forces);
  for (auto* panel : {&q, &v, &u})
    for (double& x : *panel) x = random.uniform(0.1, 0.3);
  arm.joint_forces().add(q.data(), v.data(), m > 0 ? u.data() : nullptr, f.data(), w);
  for (int i = 0; i < n; ++i) {
    std::vector<int> own;
    for (int k = 0; k < n; ++k)
      for (int l = 0; regressor_.carries(i, k) && l < kLinkNumbers; ++l)
        own.push_back(k * kLinkNumbers + l);
    own.push_back(kLinkNumbers * n + i);
    AlignedVector b = make_panel(n);
    std::fill_n(b.begin() + i * kBlock, kBlock, 1.0);
    arm.joint_forces().gradient_lanes(b.data(), lanes.data(), w);
    for (int k = 0; k < forces; ++k)
      if (lanes[k * kBlock] != 0) own.push_back(arm.body_count() + k);
    columns_.push_back(std::move(own));
  }
}

TorqueRows::Workspace TorqueRows::make_workspace() const {
  const int n = joints(), m = arm_.inputs();
  Workspace w{regressor_.make_workspace(),
              arm_.joint_forces().make_workspace(),
              {},
              {},
              {},
              {},
              make_panel(n),
              {},
              make_panel(m),
              {},
              {},
              make_panel(arm_.joint_forces().parameter_count()),
              {},
              {}};
  w.row.resize(static_cast<std::size_t>(n) * kLinkNumbers * n);
  w.q.resize(n);
  w.v = w.a = w.q;
  w.vs = w.fs = w.bs = w.qs;
  for (int i = 0; i < n; ++i)
    w.X.push_back(Eigen::MatrixXd::Zero(kBlock, static_cast<int>(columns_[i].size())));
  w.y = Eigen::MatrixXd::Zero(kBlock, n);
  return w;
}

void TorqueRows::load_panels(const Samples& s, int first, int count, Workspace& w) const {
  const int n = s.n, m = s.m;
  for (int l = 0; l < kBlock; ++l) {
    const std::size_t at = static_cast<std::size_t>(first + std::min(l, count - 1));
    for (int i = 0; i < n; ++i) {
      w.qs[i * kBlock + l] = s.q[at * n + i];
      w.vs[i * kBlock + l] = s.v[at * n + i];
      w.fs[i * kBlock + l] = 0;
    }
    for (int j = 0; j < m; ++j) w.us[j * kBlock + l] = s.u_point[at * m + j];
  }
}

// Forces are F0 + (dF/dtheta) theta, of which F0 goes to y.
void TorqueRows::load(const Samples& s, int first, int count, Workspace& w) const {
  const int n = joints(), bodies = kLinkNumbers * n;
  for (int i = 0; i < n; ++i) w.X[i].setZero();
  w.y.setZero();
  for (int l = 0; l < count; ++l) {
    const std::size_t at = static_cast<std::size_t>(first + l) * n;
    const std::span<const double> q(s.q.data() + at, n), v(s.v.data() + at, n),
        a(s.a.data() + at, n);
    regressor_.rows(q, v, a, w.row.data(), w.bodies);
    for (int i = 0; i < n; ++i) {
      int to = 0;
      for (const int k : columns_[i]) {
        if (k < bodies)
          w.X[i](l, to) = w.row[static_cast<std::size_t>(i) * bodies + k];
        else if (k == bodies + i)
          w.X[i](l, to) = a[i];
        ++to;
      }
    }
  }
  load_panels(s, first, count, w);
  const JointForces& forces = arm_.joint_forces();
  const auto theta = arm_.parameters().subspan(arm_.body_count());
  forces.add(w.qs.data(), w.vs.data(), arm_.inputs() > 0 ? w.us.data() : nullptr, w.fs.data(),
             w.forces);
  for (int i = 0; i < n; ++i) {
    std::fill(w.bs.begin(), w.bs.end(), 0.0);
    std::fill_n(w.bs.begin() + i * kBlock, kBlock, 1.0);
    forces.gradient_lanes(w.bs.data(), w.lanes.data(), w.forces);
    for (int l = 0; l < count; ++l) w.y(l, i) = w.fs[i * kBlock + l];
    for (std::size_t to = 0; to < columns_[i].size(); ++to) {
      const int k = columns_[i][to] - arm_.body_count();
      if (k < 0) continue;
      for (int l = 0; l < count; ++l) {
        const double slope = w.lanes[k * kBlock + l];
        w.X[i](l, static_cast<int>(to)) = -slope;
        w.y(l, i) -= slope * theta[k];
      }
    }
  }
}

TorqueGram torque_gram(const TorqueRows& rows, const Samples& samples,
                       const std::vector<Stretch>& stretches, ThreadPool& pool) {
  const int n = rows.joints(), size = static_cast<int>(stretches.size());
  const int parts = std::min(kParts, size);
  struct Worker {
    TorqueRows::Workspace rows;
    std::vector<Eigen::MatrixXd> X;  // means over stretches, of each joint [kBlock][columns]
    Eigen::MatrixXd y;               // [kBlock][n]
  };
  std::vector<Worker> workers;
  for (int k = 0; k < pool.size(); ++k) {
    workers.push_back({rows.make_workspace(), {}, {}});
    workers[k].X = workers[k].rows.X;
    workers[k].y = workers[k].rows.y;
  }
  TorqueGram total = zero_gram(rows);
  total.samples = size;
  total.parts.assign(parts, zero_gram(rows));
  pool.run(parts, [&](int part, int worker) {
    auto& [w, X, y] = workers[worker];
    TorqueGram& sum = total.parts[part];
    const int end = static_cast<int>(static_cast<long>(part + 1) * size / parts);
    for (int at = static_cast<int>(static_cast<long>(part) * size / parts); at < end;) {
      const int count = std::min(kBlock, end - at);
      for (int l = 0; l < count; ++l, ++at) load_mean(rows, samples, stretches[at], l, w, X, y);
      for (int i = 0; i < n; ++i) {
        const auto own = X[i].topRows(count);
        sum.G[i].selfadjointView<Eigen::Lower>().rankUpdate(own.transpose());
        sum.b[i].noalias() += own.transpose() * y.col(i).head(count);
        sum.c[i] += y.col(i).head(count).squaredNorm();
      }
      sum.samples += count;
    }
    for (Eigen::MatrixXd& G : sum.G) G = Eigen::MatrixXd(G.selfadjointView<Eigen::Lower>());
  });
  for (const TorqueGram& sum : total.parts)
    for (int i = 0; i < n; ++i) {
      total.G[i] += sum.G[i];
      total.b[i] += sum.b[i];
      total.c[i] += sum.c[i];
    }
  return total;
}

Eigen::VectorXd torque_numbers(const Arm& arm, std::span<const double> theta) {
  Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(theta.data(), arm.parameter_count());
  for (int i = 0; i < arm.joints(); ++i)
    x.segment<kLinkNumbers>(kLinkNumbers * i) =
        link_moments(theta.subspan(kLinkNumbers * i, kLinkNumbers));
  return x;
}

}  // namespace mechfit
