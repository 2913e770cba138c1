#include "options.h"

#include "mechfit/base/text_table.h"

namespace mechfit::python {
namespace {

void check_bounds(double x, const std::string& name, const Bounds& bounds) {
  if (x >= bounds.low && x <= bounds.high && !(bounds.open && x == bounds.low)) return;
  const bool from = std::isfinite(bounds.low), to = std::isfinite(bounds.high);
  std::string range = from ? (bounds.open ? "above " : "from ") + four_digits(bounds.low) : "";
  if (to) range += (from ? " to " : "up to ") + four_digits(bounds.high);
  throw py::value_error(name + ": " + four_digits(x) + ", expected a number " +
                        (from || to ? range : "that is finite"));
}

std::string shown(py::handle x) { return py::cast<std::string>(py::repr(x)); }

}  // namespace

double to_double(py::handle x, const std::string& name, const Bounds& bounds) {
  const double value = PyFloat_AsDouble(x.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    throw py::value_error(name + ": " + shown(x) + " is not a number");
  }
  if (!std::isfinite(value)) check_bounds(std::nan(""), name, bounds);
  check_bounds(value, name, bounds);
  return value;
}

long long to_integer(py::handle x, const std::string& name, const Bounds& bounds) {
  const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(x.ptr()));
  const long long value = index ? PyLong_AsLongLong(index.ptr()) : 0;
  if (PyErr_Occurred()) {
    PyErr_Clear();
    throw py::value_error(name + ": " + shown(x) + " is not a whole number");
  }
  check_bounds(static_cast<double>(value), name, bounds);
  return value;
}

bool to_bool(py::handle x, const std::string& name) {
  const std::string type = Py_TYPE(x.ptr())->tp_name;
  if (!PyBool_Check(x.ptr()) && type.find("bool") == std::string::npos)
    throw py::value_error(name + ": " + shown(x) + ", expected True or False");
  return PyObject_IsTrue(x.ptr()) == 1;
}

std::string to_text(py::handle x, const std::string& name) {
  if (py::hasattr(x, "__fspath__")) return py::cast<std::string>(x.attr("__fspath__")());
  if (!py::isinstance<py::str>(x))
    throw py::value_error(name + ": " + shown(x) + ", expected text");
  return py::cast<std::string>(x);
}

std::vector<py::object> to_list(py::handle x) {
  std::vector<py::object> out;
  if (py::isinstance<py::str>(x)) {
    const std::string text = py::cast<std::string>(x);
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      out.push_back(py::str(text.substr(begin, end - begin)));
      begin = end + 1;
    }
  } else if (py::isinstance<py::iterable>(x) && py::len_hint(x) != 0) {
    for (const py::handle item : x) out.push_back(py::reinterpret_borrow<py::object>(item));
  } else if (!py::isinstance<py::iterable>(x)) {
    out.push_back(py::reinterpret_borrow<py::object>(x));
  }
  return out;
}

}  // namespace mechfit::python
