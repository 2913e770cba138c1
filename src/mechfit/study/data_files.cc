#include "mechfit/study/data_files.h"

#include <algorithm>
#include <set>

#include "mechfit/base/error.h"
#include "mechfit/files/files.h"
#include "mechfit/files/json_fields.h"
#include "mechfit/files/read_log.h"
#include "mechfit/study/cell.h"

namespace mechfit {
namespace {

using nlohmann::json;

Log read_columns(const std::string& path, const std::string& before, const std::string& after,
                 bool motion) {
  ReadOptions options;
  options.time = "t";
  options.trajectory = "trajectory";
  options.joint_types = {JointType::plain, JointType::plain};
  options.gap = 0;
  options.q = {before + "1" + after, before + "2" + after};
  if (motion) {
    options.qd = {"qd1", "qd2"};
    options.qdd = {"qdd1", "qdd2"};
  }
  return read_log({path}, options).log;
}

std::string observed_path(const std::string& folder, const std::string& system) {
  return folder + "/" + system + "_observed.csv";
}

std::string truth_path(const std::string& folder, const std::string& system) {
  return folder + "/" + system + "_midpoint_truth.csv";
}

std::vector<int> read_runs(const json& entry, const char* key, int runs, const std::string& where) {
  std::vector<int> numbers;
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array() || found->empty())
    throw InputError(where + ": no list '" + key + "' of runs");
  for (const json& item : *found) {
    if (!item.is_number_unsigned() || item.get<std::uint64_t>() >= std::uint64_t(runs))
      throw InputError(where + ": '" + key + "': found " + to_text(item) + ", expected 0 to " +
                       std::to_string(runs - 1));
    numbers.push_back(item.get<int>());
  }
  return numbers;
}

}  // namespace

DataSet read_data_set(const std::string& folder, const std::string& system, double noise) {
  const std::string observed = observed_path(folder, system), truth = truth_path(folder, system);
  DataSet set{system,
              "double-pendulum-points",
              noise,
              read_columns(observed, "y", "_" + noise_text(noise), false),
              {},
              read_columns(observed, "q", "", false),
              read_columns(truth, "q", "", true),
              ""};
  if (set.truth.runs.size() != set.observed.runs.size())
    throw InputError(truth + ": found " + std::to_string(set.truth.runs.size()) +
                     " runs, expected " + std::to_string(set.observed.runs.size()) + " as in " +
                     observed);
  return set;
}

std::vector<SeedSplit> read_splits(const std::string& folder, int seeds, int runs) {
  const std::string path = folder + "/splits.json";
  return parse_splits(read_file(path), path, seeds, runs);
}

std::vector<SeedSplit> parse_splits(const std::string& bytes, const std::string& path, int seeds,
                                    int runs) {
  const json all = parse_json(bytes);
  if (!all.is_array()) throw InputError(path + ": expected a JSON list with one entry per seed");
  std::vector<SeedSplit> splits;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto entry = std::find_if(all.begin(), all.end(), [&](const json& item) {
      return item.is_object() && item.value("seed", json()) == seed;
    });
    if (entry == all.end())
      throw InputError(path + ": no split of seed " + std::to_string(seed) + "; found " +
                       std::to_string(all.size()) + " splits, expected seeds 0 to " +
                       std::to_string(seeds - 1));
    const std::string where = path + ": seed " + std::to_string(seed);
    splits.push_back({read_runs(*entry, "train", runs, where),
                      read_runs(*entry, "validation", runs, where),
                      read_runs(*entry, "test", runs, where)});
    std::set<int> distinct;
    std::size_t count = 0;
    for (const auto* part :
         {&splits.back().train, &splits.back().validation, &splits.back().test}) {
      distinct.insert(part->begin(), part->end());
      count += part->size();
    }
    if (distinct.size() != count) throw InputError(where + ": a run is named twice");
  }
  return splits;
}

}  // namespace mechfit
