#pragma once

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <string>
#include <vector>

#include "mechfit/base/error.h"
#include "mechfit/files/number.h"

namespace mechfit {

// An XML file that knows its lines, so that messages name them.
class XmlFile {
 public:
  XmlFile(const std::string& text, std::string path) : path_(std::move(path)) {
    if (document_.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
      throw InputError(path_ + ":" + std::to_string(document_.ErrorLineNum()) +
                       ": not well-formed XML (" + document_.ErrorName() + ")");
  }

  const std::string& path() const { return path_; }
  tinyxml2::XMLDocument& document() { return document_; }
  tinyxml2::XMLElement* root() { return document_.RootElement(); }

  [[noreturn]] void fail(const tinyxml2::XMLElement& e, const std::string& what) const {
    throw InputError(path_ + ":" + std::to_string(e.GetLineNum()) + ": " + what);
  }

  std::string text_of(const tinyxml2::XMLElement& e, const char* attribute) const {
    const char* text = e.Attribute(attribute);
    if (!text) fail(e, std::string("<") + e.Name() + "> without attribute '" + attribute + "'");
    return text;
  }

  // Numbers of an attribute, which is optional when `otherwise` has as many.
  std::vector<double> numbers(const tinyxml2::XMLElement* e, const char* attribute,
                              std::size_t count, const std::vector<double>& otherwise = {}) const {
    if ((!e || !e->Attribute(attribute)) && otherwise.size() == count) return otherwise;
    MECHFIT_CHECK(e != nullptr);
    const std::string text = text_of(*e, attribute);
    std::vector<double> out;
    for (std::size_t at = 0; (at = text.find_first_not_of(" \t\r\n", at)) != std::string::npos;) {
      const auto end = std::min(text.find_first_of(" \t\r\n", at), text.size());
      double value = 0;
      if (parse_number(std::string_view(text).substr(at, end - at), value) != NumberStatus::ok)
        fail(*e, std::string(attribute) + ": " + in_quotes(text.substr(at, end - at)) +
                     " is not a number");
      out.push_back(value);
      at = end;
    }
    if (out.size() != count)
      fail(*e, fmt::format("{}: found {} numbers, expected {}", attribute, out.size(), count));
    return out;
  }

 private:
  std::string path_;
  tinyxml2::XMLDocument document_;
};

}  // namespace mechfit
