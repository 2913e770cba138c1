#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <span>
#include <string>
#include <vector>

// numpy arrays on their way in and out: shapes, kinds of numbers, broadcasting.
namespace mechfit::python {

namespace py = pybind11;

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Shape = std::vector<py::ssize_t>;

// x as float64 in C order, whose last axis has `size` numbers. ValueError otherwise.
Array vectors(py::handle x, py::ssize_t size, const char* name);
// ValueError for the first number that is not finite.
void check_finite(const Array& x, const char* name);
// Both: vectors of finite numbers.
Array numbers(py::handle x, py::ssize_t size, const char* name);
// The same for x of any size: [T].
Array series(py::handle x, const char* name);

// Arguments that are vectors at points, [..., size] each. `lead` are the leading axes that they
// have in common once they are broadcast against each other.
struct Arguments {
  Shape lead;
  py::ssize_t count = 1;  // of points

  // Adds the leading axes of an array, less its last `own` axes, to `lead`.
  void include(const Array& x, const char* name, int own = 1);
  // The array with all leading axes, once every array was included.
  Array spread(const Array& x, int own = 1) const;
  // An array of results, [lead..., own...]
  Array make(const Shape& own) const;
  // "(2, 5)" of the i-th point
  std::string index(long point) const;
};

inline std::span<const double> view(const Array& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}
inline std::span<double> view(Array& x) {
  return {x.mutable_data(), static_cast<std::size_t>(x.size())};
}
inline std::vector<double> values(const Array& x) { return {x.data(), x.data() + x.size()}; }

// [rows][width]
Array matrix(const std::vector<double>& x, py::ssize_t width);

}  // namespace mechfit::python
