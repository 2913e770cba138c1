#pragma once

#include <string>
#include <vector>

namespace mechfit {

// Folders among these names stand for the recording in them: the files that metadata.yaml lists, as
// rosbag2 writes it, else all with one of `extensions`. InputError for a folder without any.
std::vector<std::string> expand_folders(const std::vector<std::string>& names,
                                        const std::vector<std::string>& extensions);

}  // namespace mechfit
