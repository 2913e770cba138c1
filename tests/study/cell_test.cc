#include "mechfit/study/cell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "mechfit/base/error.h"
#include "mechfit/study/data_files.h"
#include "mechfit/study/methods.h"
#include "mechfit/study/study.h"
#include "mechfit/study/trajectories.h"

namespace mechfit {
namespace {

TEST(Cell, RatesAreWrittenAsThePaperDoes) {
  EXPECT_EQ(rate_text(1e-2), "1e-2");
  EXPECT_EQ(rate_text(1e-5), "1e-5");
  EXPECT_EQ(rate_text(0.003), "0.003");
  EXPECT_EQ(rate_text(0), "");
}

TEST(Cell, NamesTellCellsApart) {
  const Cell cell{"damped", 0.05, "del", 1e-4, 12};
  EXPECT_EQ(cell_name(cell), "damped_0.05_del_1e-4_12");
  EXPECT_EQ(cell_text(cell), "damped noise 0.05 del rate 1e-4 seed 12");
  EXPECT_EQ(cell_name({"damped", 0.4, "trig", 0, 3}), "damped_0.4_trig_3");
}

TEST(Grid, ThePapersGridHas720Cells) {
  Grid grid;
  for (const StudyMethod& method : paper_methods()) grid.methods.push_back(method.name);
  const auto cells = make_cells(grid, paper_methods());
  EXPECT_EQ(cells.size(), 720u);
  std::set<std::string> names;
  for (const Cell& cell : cells) names.insert(cell_name(cell));
  EXPECT_EQ(names.size(), cells.size());
}

TEST(Grid, AMethodWithoutRateIsRunOncePerSeed) {
  Grid grid;
  grid.methods = {"trig"};
  grid.seeds = 4;
  const std::vector<StudyMethod> methods = {{"trig", "trig", false, 1.0, {}}};
  EXPECT_EQ(make_cells(grid, methods).size(), 2u * 3 * 4);
}

TEST(Grid, UnknownMethodsAreNamed) {
  EXPECT_THAT([] { find_method(paper_methods(), "dell"); },
              testing::ThrowsMessage<InputError>(
                  "unknown method 'dell', expected one of del, acceleration, next-state"));
}

// JSON of any kind in a study's files is an InputError, never another exception.
TEST(StudyFiles, WhatDoesNotBelongThereIsRefused) {
  const std::string cell =
      R"("system": "damped", "noise": 0.1, "method": "del", "learning_rate": 0.01, "seed": )";
  const std::string deep(5000, '[');
  for (const std::string& text :
       {std::string("[]"), std::string("{\"cell\": 1}"), "{\"cell\": {" + cell + "1e300}}",
        "{\"cell\": {" + cell + "-1}, \"failure\": \"x\"}",
        "{\"cell\": {" + cell + "1}, \"failure\": 3}", deep})
    EXPECT_THROW(parse_record(text, "cell.json"), InputError) << text.substr(0, 200);
  for (const std::string& text :
       {std::string("{\"settings\": 3}"), std::string("{\"settings\": {\"epochs\": 1e99}}"), deep})
    EXPECT_THROW(parse_description(text, "study.json"), InputError) << text.substr(0, 200);
  for (const std::string& text :
       {std::string("{}"), std::string("[1]"), std::string("[{\"name\": 3}]"),
        deep + "1" + std::string(5000, ']')})
    EXPECT_THROW(parse_trajectories(text, "trajectories.json"), InputError) << text.substr(0, 200);
  for (const std::string& text :
       {std::string("[1]"), std::string(R"([{"seed": 0, "train": [1e19], "validation": [1]}])"),
        std::string(R"([{"seed": 0, "train": [18446744073709551615]}])")})
    EXPECT_THROW(parse_splits(text, "splits.json", 1, 16), InputError) << text.substr(0, 200);
}

}  // namespace
}  // namespace mechfit
