#pragma once

#include <string>
#include <vector>

// What can be known of the files that a long computation will write, before it.
namespace mechfit {

// InputError where `path` cannot become a file: its folder is missing or closed, a folder has its
// name, it exists and may not be replaced, or it is one of `inputs`, which are read.
void expect_output(const std::string& path, bool overwrite,
                   const std::vector<std::string>& inputs = {});

// InputError where the disk that holds `path` (or will) has fewer bytes left.
void expect_space(const std::string& path, double bytes);

// Whether both are the same file, or would be.
bool same_file(const std::string& a, const std::string& b);
// InputError when a file is named twice.
void expect_distinct(const std::vector<std::string>& files);

// In the names of files that are being written, before the process's number: ".partial-HOST-".
std::string partial_mark();

// Removes what killed processes of this machine have left of files in `folder` that they were
// writing (files.h: write_file_atomically); with a name, only of that file.
void remove_leftovers(const std::string& folder, const std::string& name = "");

}  // namespace mechfit
