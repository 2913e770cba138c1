#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mechfit/files/npz.h"

namespace mechfit {

// MATLAB's files of versions 5 to 7 (save -v6, -v7): a header, then variables, packed by zlib or
// not. Numbers of every kind are read as doubles, row-major; a row or column is one-dimensional. A
// field of a structure is called as in MATLAB, log.q; cells of text are text. Memory is taken only
// for what the bytes at hand can really hold.
class MatReader {
 public:
  // `name` is the file's name in messages. InputError for what is not such a file.
  MatReader(std::string_view bytes, std::string name);

  std::vector<std::string> names() const;  // of numbers and text, in alphabetical order
  bool has(const std::string& variable) const { return variables_.contains(variable); }
  const NpzArray& read(const std::string& variable) const { return variables_.at(variable); }

  static bool recognises(std::string_view bytes);

 private:
  // A piece of the file.
  struct Element {
    unsigned type;
    std::string_view data;
  };
  [[noreturn]] void fail(const std::string& what) const;
  Element take(std::string_view& rest) const;
  std::vector<double> numbers(const Element& element) const;
  std::string unpack(std::string_view packed) const;
  void read_elements(std::string_view bytes);
  void read_matrix(std::string_view body, const std::string& prefix, int depth);
  void read_structure(std::string_view body, const std::string& variable, int depth);
  void read_cells(std::string_view body, const std::string& variable, int depth);
  void read_numbers(std::string_view body, std::vector<std::int64_t> shape,
                    const std::string& variable);
  std::string text_of(const Element& element) const;

  std::string name_;
  std::map<std::string, NpzArray> variables_;
};

}  // namespace mechfit
