#pragma once

#include <string>
#include <vector>

namespace mechfit {

// One training of a study.
struct Cell {
  std::string system;  // "undamped" or "damped"
  double noise = 0;    // standard deviation of the observations [rad]
  std::string method;  // see methods.h
  double rate = 0;     // initial learning rate; 0: the method has none
  int seed = 0;        // of the split into train, validation and test, and of the networks

  friend bool operator==(const Cell&, const Cell&) = default;
};

std::string noise_text(double noise);  // "0.1"
std::string rate_text(double rate);    // "1e-3", "" for a method without a rate

// "undamped_0.1_del_1e-3_7": the name of its result file, without extension.
std::string cell_name(const Cell& cell);
// "undamped noise 0.1 del rate 1e-3 seed 7": for people.
std::string cell_text(const Cell& cell);

// Learning rates 1e-2, 1e-3 and 1e-4 are those of the published figures, 1e-2, 1e-3 and 1e-5 those
// of the text.
struct Grid {
  std::vector<std::string> systems = {"undamped", "damped"};
  std::vector<double> noises = {0.05, 0.1, 0.4};
  std::vector<std::string> methods;
  std::vector<double> rates = {1e-2, 1e-3, 1e-4, 1e-5};
  int seeds = 10;  // 0 .. seeds-1
};

}  // namespace mechfit
