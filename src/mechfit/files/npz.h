#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mechfit/files/zip_writer.h"

namespace mechfit {

// One array of an .npz file, row-major whatever the order in the file. Numbers of every width are
// read as doubles; text has its own place.
struct NpzArray {
  std::vector<std::int64_t> shape;
  std::vector<double> numbers;    // empty for text
  std::vector<std::string> text;  // UTF-8, empty for numbers
  bool is_text = false;
};

// numpy's archive of arrays: a zip file of .npy members, stored or deflated. Members are unpacked
// when asked for, and memory is taken only for what the bytes at hand can really hold.
class NpzReader {
 public:
  // Keeps a view of `bytes`; `name` is the file's name in messages.
  NpzReader(std::string_view bytes, std::string name);

  std::vector<std::string> names() const;  // without .npy, in alphabetical order
  bool has(const std::string& array) const { return members_.contains(array); }
  NpzArray read(const std::string& array) const;

 private:
  struct Member {
    std::uint32_t method, crc;
    std::uint64_t packed_size, size, offset;
  };
  [[noreturn]] void fail(const std::string& what) const;
  std::uint64_t number(std::uint64_t offset, int bytes) const;
  std::string_view slice(std::uint64_t offset, std::uint64_t size, const std::string& what) const;
  void read_directory();
  std::string unpack(const std::string& array, const Member& member) const;

  std::string_view bytes_;
  std::string name_;
  std::map<std::string, Member> members_;
};

// Builds an .npz file; the same arrays give the same bytes.
class NpzWriter {
 public:
  explicit NpzWriter(bool deflate = false) : zip_(deflate) {}

  void add(const std::string& array, const std::vector<std::int64_t>& shape, const double* values);
  void add(const std::string& array, const std::vector<std::int64_t>& shape,
           const std::int64_t* values);
  void add(const std::string& array, const std::vector<std::string>& text);  // one-dimensional
  std::string finish();  // the bytes of the file

 private:
  void add_member(const std::string& array, const std::string& dtype,
                  const std::vector<std::int64_t>& shape, std::string_view payload);

  ZipWriter zip_;
};

}  // namespace mechfit
