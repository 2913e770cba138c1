#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mechfit/base/names.h"

namespace mechfit {

// A periodic joint is an angle whose full turn changes nothing: models see its cosine and sine.
enum class JointType { plain, periodic };
template <>
inline constexpr auto kNames<JointType> = names<JointType>({{JointType::plain, "plain"},
                                                            {JointType::periodic, "periodic"}});

// What a log says about its columns, carried along from file to model.
struct Channels {
  std::vector<std::string> joints;       // names [n]
  std::vector<JointType> joint_types;    // [n]
  std::vector<std::string> units;        // of the joints [n], "" when unknown
  std::vector<std::string> inputs;       // names [m]
  std::string time_unit = {};            // the file's own: s, ms, us or ns; "" when it does not say
  std::vector<std::string> unused = {};  // names of columns that are neither of these

  int n() const { return static_cast<int>(joints.size()); }
  int m() const { return static_cast<int>(inputs.size()); }
};

class ActingInput;

// Samples that a run needs: one residual of the discrete equations couples three.
inline constexpr int kShortestRun = 3;

// Where the samples of a run stand in their file. Lines that follow each other are one stretch, so
// that a log of any length costs a few bytes.
struct Origin {
  enum class Place {
    line,
    row,
    message
  };  // lines of a text and messages count from 1, rows from 0
  struct Stretch {
    int sample = 0;
    long line = 0;  // (row, message) of that sample; those behind it are on the lines behind
  };
  std::string file;
  Place place = Place::line;
  std::vector<Stretch> stretches;  // in the order of samples; empty: not known
};

// One run: samples in time order, arrays sample-major. Missing parts are empty.
struct Trajectory {
  std::string name;
  std::vector<double> t;    // [T], strictly increasing
  std::vector<double> q;    // [T][n]
  std::vector<double> u;    // [T][m], u_k acts from t_k to t_{k+1}: as logged, or the mean there
  std::vector<double> qd;   // [T][n] velocities, when the log has them (scoring) or after smoothing
  std::vector<double> qdd;  // [T][n] accelerations, likewise
  std::vector<double> q_sd, qd_sd, qdd_sd;  // [T][n] standard deviations after smoothing
  double sample_step = 0;  // of the log before unobserved samples were put between (refine.h)
  // How the inputs act between samples, where that was said (acting_input.h); null: u is held
  std::shared_ptr<const ActingInput> input = {};
  Origin origin = {};

  int size() const { return static_cast<int>(t.size()); }
};

// Several runs of one machine.
struct Log {
  Channels channels;
  std::vector<Trajectory> runs;

  int n() const { return channels.n(); }
  int m() const { return channels.m(); }
  int samples() const {
    int sum = 0;
    for (const auto& run : runs) sum += run.size();
    return sum;
  }
};

}  // namespace mechfit
