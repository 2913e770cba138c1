#pragma once

#include <string>
#include <string_view>

namespace mechfit {

// Builds a zip archive of files; the same files give the same bytes.
class ZipWriter {
 public:
  explicit ZipWriter(bool deflate = false) : deflate_(deflate) {}

  void add(const std::string& name, std::string_view content);  // folders are parts of names
  std::string finish();                                         // the bytes of the archive

 private:
  bool deflate_;
  std::string bytes_, directory_;
  int members_ = 0;
};

}  // namespace mechfit
