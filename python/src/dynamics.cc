#include "arrays.h"
#include "bindings.h"

namespace mechfit::python {
namespace {

// Points below which one thread is as fast as several.
constexpr long kFewPoints = 2000;

// An argument that a function does not have.
const py::handle kAbsent;

// q, v, u or a at points. No input (u is None) is as good as an absent one. Whether the numbers are
// finite is looked at by what evaluates many points, else here.
struct Points {
  Arguments common;
  std::optional<Array> q, v, u, a;
  bool single = false;  // one point without leading axes

  Points(const FittedModel& model, py::handle given_q, py::handle given_v, py::handle given_u,
         py::handle given_a) {
    take(given_q, model.n(), "q", q);
    take(given_v, model.n(), "v", v);
    take(given_u, model.m(), "u", u);
    take(given_a, model.n(), "a", a);
    single = common.lead.empty();
    if (single) expect_finite();
    if (single) return;
    for (auto* x : {&q, &v, &u, &a})
      if (*x) *x = common.spread(**x);
  }
  // Names the first number that is not.
  void expect_finite() const {
    for (const auto& [name, x] : given) check_finite(x, name);
  }

 private:
  std::vector<std::pair<const char*, Array>> given;  // before they were broadcast

  void take(py::handle from, int size, const char* name, std::optional<Array>& x) {
    if (from.ptr() == kAbsent.ptr() || (&x == &u && from.is_none())) return;
    x = vectors(from, size, name);
    given.emplace_back(name, *x);
    common.include(*x, name);
  }
};

std::span<const double> view(const std::optional<Array>& x) {
  return x ? python::view(*x) : std::span<const double>();
}
using python::view;

[[noreturn]] void not_positive(const std::string& where) {
  throw py::value_error("M(q) is not positive definite" + where +
                        ": the model gives no acceleration there");
}

// Calls `f` with the batch, without the interpreter's lock.
template <class Function>
void in_batch(const FittedModel& self, const Points& x, int threads, const Function& f) {
  try {
    const py::gil_scoped_release release;
    ThreadPool pool(x.common.count < kFewPoints ? 1 : threads);
    BatchDynamics batch(self.record->model, pool);
    f(batch);
  } catch (const CheckError&) {
    x.expect_finite();
    throw;
  }
}

PointDynamics& point_of(FittedModel& self) {
  if (!self.point) self.point = std::make_unique<PointDynamics>(self.record->model);
  return *self.point;
}

py::object mass(FittedModel& self, py::handle q, int threads) {
  const Points x(self, q, kAbsent, kAbsent, kAbsent);
  Array out = x.common.make({self.n(), self.n()});
  if (x.single)
    point_of(self).mass(view(x.q), view(out));
  else
    in_batch(self, x, threads,
             [&, to = view(out)](BatchDynamics& batch) { batch.mass(view(x.q), to); });
  return out;
}

py::object potential(FittedModel& self, py::handle q, int threads) {
  const Points x(self, q, kAbsent, kAbsent, kAbsent);
  if (x.single) return py::float_(point_of(self).potential(view(x.q)));
  Array out = x.common.make({});
  in_batch(self, x, threads,
           [&, to = view(out)](BatchDynamics& batch) { batch.potential(view(x.q), to); });
  return out;
}

py::object energy(FittedModel& self, py::handle q, py::handle v, int threads) {
  const Points x(self, q, v, kAbsent, kAbsent);
  if (x.single) return py::float_(point_of(self).energy(view(x.q), view(x.v)));
  Array out = x.common.make({});
  in_batch(self, x, threads,
           [&, to = view(out)](BatchDynamics& batch) { batch.energy(view(x.q), view(x.v), to); });
  return out;
}

py::object momentum(FittedModel& self, py::handle q, py::handle v, int threads) {
  const Points x(self, q, v, kAbsent, kAbsent);
  Array out = x.common.make({self.n()});
  if (x.single)
    point_of(self).momentum(view(x.q), view(x.v), view(out));
  else
    in_batch(self, x, threads, [&, to = view(out)](BatchDynamics& batch) {
      batch.momentum(view(x.q), view(x.v), to);
    });
  return out;
}

py::object force(FittedModel& self, py::handle q, py::handle v, py::handle u, int threads) {
  const Points x(self, q, v, u, kAbsent);
  Array out = x.common.make({self.n()});
  if (x.single)
    point_of(self).force(view(x.q), view(x.v), view(x.u), view(out));
  else
    in_batch(self, x, threads, [&, to = view(out)](BatchDynamics& batch) {
      batch.force(view(x.q), view(x.v), view(x.u), to);
    });
  return out;
}

py::object inverse_dynamics(FittedModel& self, py::handle q, py::handle v, py::handle a,
                            int threads) {
  const Points x(self, q, v, kAbsent, a);
  Array out = x.common.make({self.n()});
  if (x.single)
    point_of(self).inverse_dynamics(view(x.q), view(x.v), view(x.a), view(out));
  else
    in_batch(self, x, threads, [&, to = view(out)](BatchDynamics& batch) {
      batch.inverse_dynamics(view(x.q), view(x.v), view(x.a), to);
    });
  return out;
}

py::object acceleration(FittedModel& self, py::handle q, py::handle v, py::handle u, int threads) {
  const Points x(self, q, v, u, kAbsent);
  Array out = x.common.make({self.n()});
  if (x.single) {
    if (!point_of(self).acceleration(view(x.q), view(x.v), view(x.u), view(out))) not_positive("");
    return out;
  }
  long bad = -1;
  in_batch(self, x, threads, [&, to = view(out)](BatchDynamics& batch) {
    bad = batch.acceleration(view(x.q), view(x.v), view(x.u), to);
  });
  if (bad >= 0) not_positive(" at point " + x.common.index(bad));
  return out;
}

py::object linearize(FittedModel& self, py::handle q, py::handle v, py::handle u, int threads) {
  const Points x(self, q, v, u, kAbsent);
  const py::ssize_t n = self.n(), m = self.m();
  Array a = x.common.make({2 * n, 2 * n}), b = x.common.make({2 * n, m});
  if (x.single) {
    if (!point_of(self).linearize(view(x.q), view(x.v), view(x.u), view(a), view(b)))
      not_positive("");
    return py::make_tuple(a, b);
  }
  long bad = -1;
  in_batch(self, x, threads, [&, to_a = view(a), to_b = view(b)](BatchDynamics& batch) {
    bad = batch.linearize(view(x.q), view(x.v), view(x.u), to_a, to_b);
  });
  if (bad >= 0) not_positive(" at point " + x.common.index(bad));
  return py::make_tuple(a, b);
}

// How far accelerations may be off; None where the model file says nothing about it.
py::object acceleration_sd(FittedModel& self, py::handle q, py::handle v, py::handle u,
                           py::handle a, int threads) {
  const Points x(self, q, v, u, a);
  x.expect_finite();
  std::vector<double> deviations;
  {
    const auto inputs = view(x.u), positions = view(x.q), speeds = view(x.v), known = view(x.a);
    const py::gil_scoped_release release;
    ThreadPool pool(threads);
    const MotionView points{self.n(), self.m(), positions, speeds, known, inputs};
    deviations = acceleration_deviations(ensemble_of(*self.record), points, pool);
  }
  if (deviations.empty()) return py::none();
  Array out = x.common.make({self.n()});
  std::copy(deviations.begin(), deviations.end(), out.mutable_data());
  return out;
}

}  // namespace

void bind_dynamics(py::class_<FittedModel>& model) {
  const auto q = py::arg("q"), v = py::arg("v"), u = py::arg("u"), a = py::arg("a"),
             threads = py::arg("threads");
  model.def("mass", &mass, q, threads)
      .def("potential", &potential, q, threads)
      .def("energy", &energy, q, v, threads)
      .def("momentum", &momentum, q, v, threads)
      .def("force", &force, q, v, u, threads)
      .def("inverse_dynamics", &inverse_dynamics, q, v, a, threads)
      .def("acceleration", &acceleration, q, v, u, threads)
      .def("acceleration_sd", &acceleration_sd, q, v, u, a, threads)
      .def("linearize", &linearize, q, v, u, threads);
}

}  // namespace mechfit::python
