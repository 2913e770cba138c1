#include "bindings.h"

namespace mechfit::python {

std::string with_keywords(std::string text) {
  const std::string field = "option 'joint_types'", keyword = "option 'joints'";
  for (std::size_t at = 0; (at = text.find(field, at)) != std::string::npos;)
    text.replace(at, field.size(), keyword);
  return text;
}

std::vector<std::string> with_keywords(std::vector<std::string> texts) {
  for (std::string& text : texts) text = with_keywords(text);
  return texts;
}

}  // namespace mechfit::python

PYBIND11_MODULE(_core, m) {
  using namespace mechfit;
  using namespace mechfit::python;
  m.doc() = "What mechfit.h offers, with numpy arrays. Use the package mechfit.";
  m.attr("version") = kVersion;
  m.def("default_threads", &default_threads);
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const InputError& e) {
      PyErr_SetString(PyExc_ValueError, with_keywords(e.what()).c_str());
    }
  });
  bind_log(m);
  bind_model(m);
  bind_fit(m);
  bind_simulate(m);
}
