#include "arrays.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

namespace mechfit::python {
namespace {

std::string text(const Shape& shape) {
  std::string out;
  for (const auto n : shape) out += (out.empty() ? "" : ", ") + std::to_string(n);
  return "(" + out + (shape.size() == 1 ? ",)" : ")");
}

Shape shape_of(const py::array& x) { return {x.shape(), x.shape() + x.ndim()}; }

// Where the i-th number of an array stands: "2, 0".
std::string place(const Shape& shape, long i) {
  std::string out;
  for (std::size_t axis = shape.size(); axis-- > 0; i /= shape[axis])
    out = std::to_string(i % shape[axis]) + (out.empty() ? "" : ", ") + out;
  return out;
}

Array real(py::handle x, const char* name) {
  if (py::isinstance<Array>(x)) return py::reinterpret_borrow<Array>(x);
  const py::array any = py::array::ensure(x);
  if (!any) {
    PyErr_Clear();
    throw py::value_error(std::string(name) + " is not an array of numbers");
  }
  const char kind = any.dtype().kind();
  if (std::string("fiub").find(kind) == std::string::npos)
    throw py::value_error(std::string(name) + " has numbers of type " +
                          std::string(py::str(any.dtype())) + ", expected real ones");
  return Array(any);
}

}  // namespace

Array vectors(py::handle x, py::ssize_t size, const char* name) {
  Array out = real(x, name);
  if (out.ndim() == 0 || out.shape(out.ndim() - 1) != size)
    throw py::value_error(std::string(name) + " has shape " + text(shape_of(out)) +
                          ", expected (..., " + std::to_string(size) + ")");
  return out;
}

void check_finite(const Array& x, const char* name) {
  const double* begin = x.data();
  const double* end = begin + x.size();
  const double* bad = std::find_if(begin, end, [](double y) { return !std::isfinite(y); });
  if (bad == end) return;
  throw py::value_error(std::string(name) + "[" + place(shape_of(x), bad - begin) + "] is " +
                        std::to_string(*bad) + ", expected a finite number");
}

Array numbers(py::handle x, py::ssize_t size, const char* name) {
  Array out = vectors(x, size, name);
  check_finite(out, name);
  return out;
}

Array series(py::handle x, const char* name) {
  Array out = real(x, name);
  if (out.ndim() != 1)
    throw py::value_error(std::string(name) + " has shape " + text(shape_of(out)) +
                          ", expected (T,)");
  check_finite(out, name);
  return out;
}

void Arguments::include(const Array& x, const char* name, int own) {
  const py::ssize_t axes = x.ndim() - own;
  if (axes < 0)
    throw py::value_error(std::string(name) + " has shape " + text(shape_of(x)) +
                          ", expected one with " + std::to_string(own) + " axes or more");
  if (axes > static_cast<py::ssize_t>(lead.size()))
    lead.insert(lead.begin(), static_cast<std::size_t>(axes) - lead.size(), 1);
  const std::size_t offset = lead.size() - static_cast<std::size_t>(axes);
  for (py::ssize_t i = 0; i < axes; ++i) {
    py::ssize_t& common = lead[offset + static_cast<std::size_t>(i)];
    if (common == 1)
      common = x.shape(i);
    else if (x.shape(i) != 1 && x.shape(i) != common)
      throw py::value_error(std::string(name) + " has shape " + text(shape_of(x)) +
                            ", which does not go with the leading axes " + text(lead) +
                            " of the others");
  }
  count = 1;
  for (const auto n : lead) count *= n;
}

Array Arguments::spread(const Array& x, int own) const {
  const std::size_t axes = static_cast<std::size_t>(x.ndim() - own);
  if (axes == lead.size() && std::equal(lead.begin(), lead.end(), x.shape())) return x;
  Shape shape = lead;
  shape.insert(shape.end(), x.shape() + axes, x.shape() + x.ndim());
  return Array(py::module_::import("numpy").attr("broadcast_to")(x, py::cast(shape)));
}

Array Arguments::make(const Shape& own) const {
  Shape shape = lead;
  shape.insert(shape.end(), own.begin(), own.end());
  return Array(shape);
}

std::string Arguments::index(long point) const { return "(" + place(lead, point) + ")"; }

Array matrix(const std::vector<double>& x, py::ssize_t width) {
  const py::ssize_t rows = width == 0 ? 0 : static_cast<py::ssize_t>(x.size()) / width;
  Array out(Shape{rows, width});
  std::copy(x.begin(), x.end(), out.mutable_data());
  return out;
}

}  // namespace mechfit::python
