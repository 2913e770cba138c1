#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mechfit {

// The whole file. Pipes too.
std::string read_file(const std::string& path);

// The file appears whole or not at all: written beside, synchronised, renamed. On failure the old
// file, if any, is untouched and nothing is left behind. Devices and pipes are written directly.
void write_file_atomically(const std::string& path, std::string_view bytes);

// Makes a folder and those above it, where they do not exist.
void make_folders(const std::string& path);

// Names (without the folder) of what is in a folder, in alphabetical order; empty when there is no
// such folder.
std::vector<std::string> list_folder(const std::string& path);

// Of any kind.
bool path_exists(const std::string& path);

// Removes a file; one that does not exist is removed already.
void remove_file(const std::string& path);

// Throws when `path` exists, unless it may be overwritten.
void refuse_overwrite(const std::string& path, bool overwrite);

// Names and patterns (* ? [...]) to names, each pattern's files in alphabetical order. A pattern
// that matches nothing is an error; so is an empty list.
std::vector<std::string> expand_globs(const std::vector<std::string>& names);

// `dir/log.tar.CSV` to `.csv`.
std::string lower_extension(const std::string& path);

// `dir/log.csv` to `log`.
std::string file_stem(const std::string& path);

}  // namespace mechfit
