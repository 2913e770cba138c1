#include "mechfit/files/bag_folder.h"

#include <algorithm>
#include <filesystem>

#include "mechfit/base/error.h"
#include "mechfit/files/files.h"

namespace mechfit {
namespace {

namespace fs = std::filesystem;

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r'\"");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r'\"") - first + 1));
}

// The list below `relative_file_paths:`, one name in a line behind a dash.
std::vector<std::string> listed_files(std::string_view yaml) {
  std::vector<std::string> out;
  bool inside = false;
  while (!yaml.empty()) {
    const auto end = std::min(yaml.find('\n'), yaml.size());
    const std::string line = trimmed(yaml.substr(0, end));
    yaml.remove_prefix(std::min(end + 1, yaml.size()));
    if (inside && line.starts_with("-"))
      out.push_back(trimmed(std::string_view(line).substr(1)));
    else
      inside = line == "relative_file_paths:";
  }
  return out;
}

// Old recorders name the folder too, and leave out the ending of packed files.
std::string find_file(const fs::path& folder, const std::string& listed) {
  for (const fs::path& name : {fs::path(listed), fs::path(listed).filename()})
    for (const char* ending : {"", ".zstd"})
      if (const std::string path = (folder / name).string() + ending; path_exists(path))
        return path;
  throw InputError((folder / "metadata.yaml").string() + ": lists " + listed +
                   ", which is not there");
}

bool is_recording(const std::string& name, const std::vector<std::string>& extensions) {
  fs::path path(name);
  if (lower_extension(name) == ".zstd") path = path.stem();
  return std::find(extensions.begin(), extensions.end(), lower_extension(path.string())) !=
         extensions.end();
}

std::vector<std::string> files_in(const std::string& folder,
                                  const std::vector<std::string>& extensions) {
  std::vector<std::string> out;
  if (const std::string metadata = (fs::path(folder) / "metadata.yaml").string();
      path_exists(metadata))
    for (const std::string& listed : listed_files(read_file(metadata)))
      out.push_back(find_file(folder, listed));
  if (!out.empty()) return out;
  for (const std::string& name : list_folder(folder))
    if (is_recording(name, extensions)) out.push_back((fs::path(folder) / name).string());
  if (out.empty()) throw InputError(folder + ": is a folder without a recording, expected a file");
  return out;
}

}  // namespace

std::vector<std::string> expand_folders(const std::vector<std::string>& names,
                                        const std::vector<std::string>& extensions) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (!fs::is_directory(name)) {
      out.push_back(name);
      continue;
    }
    for (std::string& file : files_in(name, extensions)) out.push_back(std::move(file));
  }
  return out;
}

}  // namespace mechfit
