#pragma once

#include <string>
#include <vector>

#include "mechfit/study/data_set.h"

// The files of study data, see read_study_data.
namespace mechfit {

// Without smoothing and fingerprint.
DataSet read_data_set(const std::string& folder, const std::string& system, double noise);

// The splits of seeds 0 .. seeds-1, which may name runs 0 .. runs-1.
std::vector<SeedSplit> read_splits(const std::string& folder, int seeds, int runs);
// `path` is for messages (InputError).
std::vector<SeedSplit> parse_splits(const std::string& bytes, const std::string& path, int seeds,
                                    int runs);

}  // namespace mechfit
