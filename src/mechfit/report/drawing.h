#pragma once

#include <string>
#include <vector>

#include "mechfit/report/blocks.h"
#include "mechfit/report/document.h"

// Builders of the drawings that assets/plot.js understands. Colours are names of the style sheet:
// "ink" for what was measured or is true, "faint" for raw observations, "c0" .. "c7" for the rest.
namespace mechfit {

struct Joint {
  std::string name, unit;
};
std::vector<Joint> read_joints(const Node& document);

// The items of a list that must have one for each joint.
std::vector<Node> per_joint(const Node& list, const std::vector<Joint>& joints);

// "q1 [rad]"; "velocity of q1 [rad/s]" with what = "velocity of ", per = "/s".
std::string label(const Joint& joint, const std::string& what = "", const std::string& per = "");

bool same_units(const std::vector<Joint>& joints);  // also where none is known

// The unit all joints share, with `per` appended, in brackets after a blank; "" when they differ.
std::string shared_unit(const std::vector<Joint>& joints, const std::string& per = "");
std::string squared_acceleration_unit(const std::vector<Joint>& joints);

struct Look {
  std::string color;           // class of the style sheet
  std::string style = "line";  // line | dash | dot | points
};

// One curve: its data go into columns of `table`, the result is the entry of a panel's "series".
nlohmann::json series(Table& table, int x, const std::string& name, const Band& band,
                      const Look& look);
nlohmann::json series(Table& table, int x, const std::string& name, std::vector<double> y,
                      const Look& look);

// What was measured or is true, and what the model says.
inline const Look kMeasured{"ink"}, kModel{"c0"};

// A panel over one table, with an empty list of series. It may also have ylog, xlog, zero (y = 0 is
// shown), identity (the line y = x), cloud (points without order in x), boxes, marks.
nlohmann::json panel(const Table& table, const std::string& x, const std::string& y);

// ", with the bands that should hold 50 and 90 % of WHAT", where a curve of the drawing has bands.
std::string bands_in_words(const nlohmann::json& drawing, const std::string& what);

// A figure of panels. zoom "x" moves the panels of one view together, "xy" each alone.
nlohmann::json plot(int columns, const std::string& zoom);

}  // namespace mechfit
