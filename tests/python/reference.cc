// What C++ says of the points that the Python tests ask about, and how long it takes.
//   reference MODEL POINTS RESULTS   POINTS: float64 rows q, v, a, u; RESULTS: float64 rows, see
//   below reference MODEL time             seconds of 10^6 accelerations by BatchDynamics, and of
//   one by PointDynamics
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

#include "mechfit/files/files.h"
#include "mechfit/mechfit.h"

namespace {

using namespace mechfit;
using Values = std::vector<double>;

void append(Values& out, const Values& x) { out.insert(out.end(), x.begin(), x.end()); }

// Mass, potential, energy, momentum, force, inverse dynamics, acceleration, A, B; of all points at
// once, then of each point.
Values say(const Model& model, const Values& rows) {
  const int n = model.joints(), m = model.inputs(), width = 3 * n + m;
  const int count = static_cast<int>(rows.size()) / width;
  Values q, v, a, u;
  for (int k = 0; k < count; ++k) {
    const double* row = &rows[k * width];
    q.insert(q.end(), row, row + n);
    v.insert(v.end(), row + n, row + 2 * n);
    a.insert(a.end(), row + 2 * n, row + 3 * n);
    u.insert(u.end(), row + 3 * n, row + width);
  }
  Values out, mass(count * n * n), scalar(count), vector(count * n), da(count * 4 * n * n),
      db(count * 2 * n * m);
  ThreadPool pool(2);
  BatchDynamics batch(model, pool);
  batch.mass(q, mass), append(out, mass);
  batch.potential(q, scalar), append(out, scalar);
  batch.energy(q, v, scalar), append(out, scalar);
  batch.momentum(q, v, vector), append(out, vector);
  batch.force(q, v, u, vector), append(out, vector);
  batch.inverse_dynamics(q, v, a, vector), append(out, vector);
  if (batch.acceleration(q, v, u, vector) >= 0) std::puts("not positive definite");
  append(out, vector);
  if (batch.linearize(q, v, u, da, db) >= 0) std::puts("not positive definite");
  append(out, da), append(out, db);
  PointDynamics point(model);
  for (int k = 0; k < count; ++k) {
    const std::span<const double> qk(&q[k * n], n), vk(&v[k * n], n), ak(&a[k * n], n),
        uk(u.data() + k * m, m);
    mass.resize(n * n), vector.resize(n), da.resize(4 * n * n), db.resize(2 * n * m);
    point.mass(qk, mass), append(out, mass);
    append(out, {point.potential(qk), point.energy(qk, vk)});
    point.momentum(qk, vk, vector), append(out, vector);
    point.force(qk, vk, uk, vector), append(out, vector);
    point.inverse_dynamics(qk, vk, ak, vector), append(out, vector);
    if (!point.acceleration(qk, vk, uk, vector)) std::puts("not positive definite");
    append(out, vector);
    if (!point.linearize(qk, vk, uk, da, db)) std::puts("not positive definite");
    append(out, da), append(out, db);
  }
  return out;
}

// Of all threads' processor time.
double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// The least of several, for a machine that does other work too.
void time_it(const Model& model) {
  constexpr int kMany = 1000000, kOnes = 100000;
  const int n = model.joints(), m = model.inputs();
  const Values q(kMany * n, 0.3), v(kMany * n, 0.1), u(kMany * m, 0.2);
  Values a(kMany * n);
  double batch_time = 1e9, point_time = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::clock_t start = std::clock();
    ThreadPool pool(default_threads());
    if (BatchDynamics(model, pool).acceleration(q, v, u, a) >= 0) std::puts("not positive");
    batch_time = std::min(batch_time, seconds_since(start));
    PointDynamics point(model);
    start = std::clock();
    for (int k = 0; k < kOnes; ++k)
      if (!point.acceleration(
              {&q[0], static_cast<std::size_t>(n)}, {&v[0], static_cast<std::size_t>(n)},
              {u.data(), static_cast<std::size_t>(m)}, {&a[0], static_cast<std::size_t>(n)}))
        std::puts("not positive");
    point_time = std::min(point_time, seconds_since(start) / kOnes);
  }
  std::printf("%.9g %.9g\n", batch_time, point_time);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const ModelRecord record = load_model(argv[1]);
  if (std::string(argv[2]) == "time") {
    time_it(record.model);
    return 0;
  }
  if (argc < 4) return 2;
  const std::string bytes = read_file(argv[2]);
  Values rows(bytes.size() / sizeof(double));
  std::memcpy(rows.data(), bytes.data(), bytes.size());
  const Values out = say(record.model, rows);
  write_file_atomically(argv[3], {reinterpret_cast<const char*>(out.data()), out.size() * 8});
  return 0;
}
