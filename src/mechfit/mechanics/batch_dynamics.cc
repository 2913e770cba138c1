#include "mechfit/mechanics/batch_dynamics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void check_room(std::span<const double> x, const char* name, long size) {
  MECHFIT_CHECK(static_cast<long>(x.size()) == size,
                std::string(name) + " has " + std::to_string(x.size()) + " numbers, expected " +
                    std::to_string(size));
}

void check(std::span<const double> x, const char* name, long size) {
  check_room(x, name, size);
  const auto bad = std::find_if(x.begin(), x.end(), [](double y) { return !std::isfinite(y); });
  MECHFIT_CHECK(bad == x.end(), std::string(name) + "[" + std::to_string(bad - x.begin()) +
                                    "] is " + std::to_string(*bad) + ", expected a finite number");
}

// One row of numbers for each point of a block, from lanes.
void store(const AlignedVector& panel, int rows, long first, int size, std::span<double> out) {
  for (int k = 0; k < size; ++k)
    for (int i = 0; i < rows; ++i) out[(first + k) * rows + i] = panel[i * kBlock + k];
}

}  // namespace

BatchDynamics::Worker::Worker(const Model& m)
    : model(m),
      q(make_panel(m.joints())),
      v(make_panel(m.joints())),
      u(make_panel(m.inputs())),
      a(make_panel(m.joints())),
      out(make_panel(m.joints() * m.joints())),
      unit(make_panel(m.joints())),
      slope_q(make_panel(m.joints())),
      slope_v(make_panel(m.joints())),
      slope_u(make_panel(m.inputs())) {}

// A worker's blocks come in rising order.
void BatchDynamics::Worker::note_bad(LaneMask good, long first, int size) {
  for (int k = 0; k < size && bad < 0; ++k)
    if (!(good >> k & 1)) bad = first + k;
}

BatchDynamics::BatchDynamics(const Model& model, ThreadPool& pool)
    : model_(model), pool_(pool), n_(model.joints()), m_(model.inputs()) {
  for (int i = 0; i < pool.size(); ++i) workers_.emplace_back(model);
}

long BatchDynamics::count(In q) const {
  const long points = static_cast<long>(q.size()) / n_;
  check(q, "q", points * n_);
  return points;
}

long BatchDynamics::count(In q, In v, In u) const {
  const long points = count(q);
  check(v, "v", points * n_);
  if (!u.empty()) check(u, "u", points * m_);
  return points;
}

void BatchDynamics::load(In x, int rows, const Block& block, AlignedVector& panel) const {
  if (x.empty()) return std::fill(panel.begin(), panel.end(), 0.0);
  for (int k = 0; k < kBlock; ++k) {
    const double* from = x.data() + (block.first + std::min(k, block.size - 1)) * rows;
    for (int i = 0; i < rows; ++i) panel[i * kBlock + k] = from[i];
  }
}

Points BatchDynamics::load(In q, In v, In u, const Block& block, Worker& w) const {
  load(q, n_, block, w.q);
  load(v, n_, block, w.v);
  load(u, m_, block, w.u);
  return {w.q.data(), w.v.data(), w.u.data()};
}

template <class Function>
void BatchDynamics::for_blocks(long points, const Function& f) {
  for (Worker& w : workers_) w.bad = -1;
  const long chunks = (points + kChunk - 1) / kChunk;
  const auto chunk = [&](long index, int worker) {
    const long end = std::min(points, (index + 1) * kChunk);
    for (long first = index * kChunk; first < end; first += kBlock)
      f(Block{first, static_cast<int>(std::min<long>(kBlock, end - first))},
        workers_[static_cast<std::size_t>(worker)]);
  };
  pool_.run(static_cast<int>(chunks), chunk);
}

// Of all workers, once the blocks are done.
long BatchDynamics::first_bad() const {
  long first = -1;
  for (const Worker& w : workers_)
    if (w.bad >= 0 && (first < 0 || w.bad < first)) first = w.bad;
  return first;
}

void BatchDynamics::mass(In q, Out m) {
  const long points = count(q);
  check_room(m, "m", points * n_ * n_);
  for_blocks(points, [&](const Block& block, Worker& w) {
    load(q, n_, block, w.q);
    model_.mass(w.q.data(), w.out.data(), w.model.model);
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < i; ++j)
        std::copy_n(&w.out[(i * n_ + j) * kBlock], kBlock, &w.out[(j * n_ + i) * kBlock]);
    store(w.out, n_ * n_, block.first, block.size, m);
  });
}

void BatchDynamics::potential(In q, Out potential) {
  const long points = count(q);
  check_room(potential, "potential", points);
  energies(points, q, {}, potential);
}

void BatchDynamics::force(In q, In v, In u, Out f) {
  const long points = count(q, v, u);
  check_room(f, "f", points * n_);
  for_blocks(points, [&](const Block& block, Worker& w) {
    model_.forces(load(q, v, u, block, w), w.model.p.data(), w.model.f.data(), w.model.model);
    store(w.model.f, n_, block.first, block.size, f);
  });
}

void BatchDynamics::momentum(In q, In v, Out p) {
  const long points = count(q, v, {});
  check_room(p, "p", points * n_);
  for_blocks(points, [&](const Block& block, Worker& w) {
    mechfit::momentum(model_, load(q, v, {}, block, w), w.out.data(), w.model);
    store(w.out, n_, block.first, block.size, p);
  });
}

void BatchDynamics::energy(In q, In v, Out energy) {
  const long points = count(q, v, {});
  check_room(energy, "energy", points);
  energies(points, q, v, energy);
}

// v is empty at rest.
void BatchDynamics::energies(long points, In q, In v, Out out) {
  for_blocks(points, [&](const Block& block, Worker& w) {
    mechfit::energy(model_, load(q, v, {}, block, w), w.out.data(), w.model);
    store(w.out, 1, block.first, block.size, out);
  });
}

void BatchDynamics::inverse_dynamics(In q, In v, In a, Out tau) {
  const long points = count(q, v, {});
  check(a, "a", points * n_);
  check_room(tau, "tau", points * n_);
  for_blocks(points, [&](const Block& block, Worker& w) {
    const Points x = load(q, v, {}, block, w);
    load(a, n_, block, w.a);
    mechfit::inverse_dynamics(model_, x, w.a.data(), w.out.data(), w.model);
    store(w.out, n_, block.first, block.size, tau);
  });
}

long BatchDynamics::acceleration(In q, In v, In u, Out a) {
  const long points = count(q, v, u);
  check_room(a, "a", points * n_);
  for_blocks(points, [&](const Block& block, Worker& w) {
    const LaneMask good =
        mechfit::acceleration(model_, load(q, v, u, block, w), w.a.data(), w.model);
    w.note_bad(good, block.first, block.size);
    store(w.a, n_, block.first, block.size, a);
  });
  return first_bad();
}

long BatchDynamics::linearize(In q, In v, In u, Out a, Out b) {
  const long points = count(q, v, u);
  check_room(a, "A", points * 4 * n_ * n_);
  check_room(b, "B", points * 2 * n_ * m_);
  std::fill(a.begin(), a.end(), 0.0);
  std::fill(b.begin(), b.end(), 0.0);
  for_blocks(points, [&](const Block& block, Worker& w) {
    const LaneMask good =
        mechfit::acceleration(model_, load(q, v, u, block, w), w.a.data(), w.model);
    w.note_bad(good, block.first, block.size);
    for (int row = 0; row < n_; ++row) linearize_row(row, block, w, a, b);
    for (int k = 0; k < block.size; ++k) {
      if (good >> k & 1) continue;
      std::fill_n(&a[(block.first + k) * 4 * n_ * n_], 4 * n_ * n_, kNone);
      std::fill_n(b.data() + (block.first + k) * 2 * n_ * m_, 2 * n_ * m_, kNone);
    }
  });
  return first_bad();
}

// d(acceleration of joint `row`)/d(q, v, u) at the points of a block, and qdot = v.
void BatchDynamics::linearize_row(int row, const Block& block, Worker& w, Out a, Out b) const {
  std::fill(w.unit.begin(), w.unit.end(), 0.0);
  std::fill_n(&w.unit[row * kBlock], kBlock, 1.0);
  Adjoints adjoints;
  adjoints.q = w.slope_q.data();
  adjoints.v = w.slope_v.data();
  adjoints.u = m_ > 0 ? w.slope_u.data() : nullptr;
  acceleration_pullback(model_, w.unit.data(), adjoints, w.model);
  for (int k = 0; k < block.size; ++k) {
    double* rows = &a[(block.first + k) * 4 * n_ * n_];
    rows[row * 2 * n_ + n_ + row] = 1.0;
    for (int j = 0; j < n_; ++j) {
      rows[(n_ + row) * 2 * n_ + j] = w.slope_q[j * kBlock + k];
      rows[(n_ + row) * 2 * n_ + n_ + j] = w.slope_v[j * kBlock + k];
    }
    for (int j = 0; j < m_; ++j)
      b[((block.first + k) * 2 * n_ + n_ + row) * m_ + j] = w.slope_u[j * kBlock + k];
  }
}

}  // namespace mechfit
