#pragma once

#include <pybind11/pybind11.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "mechfit/base/names.h"

// Keywords of Python as the fields of the library's structs of options. A struct has one table, and
// an option is one line of it: name, field, help. Names are those of the command line's flags.
namespace mechfit::python {

namespace py = pybind11;

struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool open = false;  // low itself is outside
};
inline constexpr Bounds kPositive{0.0, std::numeric_limits<double>::infinity(), true};

// A value of Python as a T; ValueError names the option.
double to_double(py::handle x, const std::string& name, const Bounds& bounds);
long long to_integer(py::handle x, const std::string& name, const Bounds& bounds);
bool to_bool(py::handle x, const std::string& name);
std::string to_text(py::handle x, const std::string& name);
// A sequence, words between commas, or one value alone.
std::vector<py::object> to_list(py::handle x);

template <class T>
struct Convert {
  static T from(py::handle x, const std::string& name, const Bounds& bounds) {
    if constexpr (std::is_same_v<T, bool>) {
      return to_bool(x, name);
    } else if constexpr (std::is_enum_v<T>) {
      const std::string word = to_text(x, name);
      if (const auto value = value_of<T>(word)) return *value;
      throw py::value_error(name + ": '" + word + "', expected one of " + all_names<T>());
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(to_integer(x, name, bounds));
    } else if constexpr (std::is_floating_point_v<T>) {
      return to_double(x, name, bounds);
    } else {
      static_assert(std::is_same_v<T, std::string>);
      return to_text(x, name);
    }
  }
  static py::object to(const T& x) {
    if constexpr (std::is_enum_v<T>)
      return py::str(name_of(x));
    else
      return py::cast(x);
  }
};

template <class T>
struct Convert<std::vector<T>> {
  static std::vector<T> from(py::handle x, const std::string& name, const Bounds& bounds) {
    std::vector<T> out;
    for (const py::object& item : to_list(x)) out.push_back(Convert<T>::from(item, name, bounds));
    return out;
  }
  static py::object to(const std::vector<T>& x) {
    if (x.empty()) return py::none();
    py::list out;
    for (const T& item : x) out.append(Convert<T>::to(item));
    return py::tuple(out);
  }
};

template <class T>
struct Convert<std::optional<T>> {
  static std::optional<T> from(py::handle x, const std::string& name, const Bounds& bounds) {
    // The word for no value
    if (py::isinstance<py::str>(x) && to_text(x, name) == "auto") return std::nullopt;
    return Convert<T>::from(x, name, bounds);
  }
  static py::object to(const std::optional<T>& x) { return x ? Convert<T>::to(*x) : py::none(); }
};

template <>
struct Convert<std::map<std::string, double>> {
  static std::map<std::string, double> from(py::handle x, const std::string& name,
                                            const Bounds& bounds) {
    if (!py::isinstance<py::dict>(x))
      throw py::value_error(name + ": expected a dict as in {'g': 9.81}");
    std::map<std::string, double> out;
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(x))
      out[to_text(key, name)] = to_double(value, name, bounds);
    return out;
  }
  static py::object to(const std::map<std::string, double>&) { return py::none(); }
};

template <class T>
struct Option {
  std::string name, help;
  std::function<void(T&, py::handle)> set;
  std::function<py::object(T&)> value;  // as Python sees it; None: chosen by the library
};

// `field` is a pointer to a member of T, or a function from T& to a member of a member.
template <class T, class Field>
Option<T> option(const char* name, Field field, const char* help, Bounds bounds = {}) {
  using Value = std::remove_cvref_t<std::invoke_result_t<Field, T&>>;
  return {name, help,
          [=](T& options, py::handle x) {
            std::invoke(field, options) = Convert<Value>::from(x, name, bounds);
          },
          [=](T& options) -> py::object {
            const Value& value = std::invoke(field, options);
            // A default outside of the bounds is the struct's word for "chosen".
            if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) {
              const auto x = static_cast<double>(value);
              if (x < bounds.low || x > bounds.high || (bounds.open && x == bounds.low))
                return py::none();
            }
            if constexpr (std::is_same_v<Value, std::string>)
              if (value.empty()) return py::none();
            return Convert<Value>::to(value);
          }};
}

// None leaves an option as it is.
template <class T>
T read_options(const std::vector<Option<T>>& table, const py::dict& keywords, T options = {}) {
  for (const auto& [key, value] : keywords) {
    const std::string name = py::cast<std::string>(key);
    const Option<T>* known = nullptr;
    for (const Option<T>& option : table)
      if (option.name == name) known = &option;
    if (!known) {
      std::string names;
      for (const Option<T>& option : table) names += (names.empty() ? "" : ", ") + option.name;
      throw py::type_error("unknown option '" + name + "', expected one of " + names);
    }
    if (!value.is_none()) known->set(options, value);
  }
  return options;
}

// Name, default and help of each option.
template <class T>
py::list describe_options(const std::vector<Option<T>>& table) {
  py::list out;
  T defaults{};
  for (const Option<T>& option : table)
    out.append(py::make_tuple(option.name, option.value(defaults), option.help));
  return out;
}

}  // namespace mechfit::python
