#include "mechfit/study/trajectories.h"

#include "mechfit/base/error.h"
#include "mechfit/files/files.h"
#include "mechfit/files/json_fields.h"
#include "mechfit/study/cell.h"

namespace mechfit {
namespace {

using Json = nlohmann::ordered_json;

std::vector<double> column(const std::vector<double>& rows, int n, int joint) {
  std::vector<double> out;
  for (std::size_t i = joint; i < rows.size(); i += n) out.push_back(rows[i]);
  return out;
}

// Values at the samples as they are, values at midpoints with their own times. Both in one figure
// need one time axis, so the true positions are those at the samples.
Json curves(const DataSet& set, int joint) {
  const Trajectory &observed = set.observed.runs[0], &smoothed = set.smoothed.runs[0],
                   &exact = set.exact.runs[0], &truth = set.truth.runs[0];
  const int n = set.observed.n();
  // Smoothed values at the midpoints: the mean of the samples around them.
  const auto between = [&](const std::vector<double>& rows) {
    std::vector<double> values = column(rows, n, joint), out;
    for (std::size_t k = 0; k + 1 < values.size(); ++k)
      out.push_back(0.5 * (values[k] + values[k + 1]));
    return out;
  };
  return {
      {"observed", column(observed.q, n, joint)},
      {"position",
       {{"true", column(exact.q, n, joint)}, {"smoothed", column(smoothed.q, n, joint)}}},
      {"velocity",
       {{"t", truth.t}, {"true", column(truth.qd, n, joint)}, {"smoothed", between(smoothed.qd)}}},
      {"acceleration",
       {{"t", truth.t},
        {"true", column(truth.qdd, n, joint)},
        {"smoothed", between(smoothed.qdd)}}}};
}

}  // namespace

Json parse_trajectories(const std::string& bytes, const std::string& path) {
  Json all = parse_json<Json>(bytes);
  const auto named = [](const Json& entry) {
    return entry.is_object() && entry.contains("name") && entry["name"].is_string();
  };
  if (!all.is_array() || !std::all_of(all.begin(), all.end(), named))
    throw InputError(path + ": is not a list of trajectories");
  return all;
}

Json read_trajectories(const std::string& folder) {
  const std::string path = folder + "/trajectories.json";
  return parse_trajectories(read_file(path), path);
}

void write_trajectories(const StudyData& data, const std::string& folder) {
  const std::string path = folder + "/trajectories.json";
  Json all = path_exists(path) ? read_trajectories(folder) : Json::array();
  for (const DataSet& set : data.sets) {
    // Velocities at midpoints belong to samples one step apart.
    if (set.truth.runs[0].size() + 1 != set.observed.runs[0].size()) continue;
    Json joints = Json::array();
    for (int j = 0; j < set.observed.n(); ++j) joints.push_back(curves(set, j));
    const std::string name =
        set.system + ", noise " + noise_text(set.noise) + " rad, run " + set.observed.runs[0].name;
    const auto same = [&](const Json& entry) { return entry["name"] == name; };
    all.erase(std::remove_if(all.begin(), all.end(), same), all.end());
    all.push_back({{"name", name}, {"t", set.observed.runs[0].t}, {"joints", joints}});
  }
  write_file_atomically(path, to_text(all) + "\n");
}

}  // namespace mechfit
