#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the inside of std::regex for uninitialised when the sanitizers are on.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "mechfit/report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "mechfit/base/error.h"
#include "mechfit/report/html.h"
#include "tests/report/samples.h"

namespace mechfit {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

// Cells of a table of the page, row by row: the value of <data> where there is one, else the text.
std::vector<std::vector<std::string>> table_cells(const std::string& html, const std::string& id) {
  const auto start = html.find("<table id=\"" + id + "\"");
  if (start == std::string::npos) return {};
  const auto body = html.find("<tbody>", start), end = html.find("</table>", start);
  std::istringstream lines(html.substr(body + 8, end - body - 8));
  std::vector<std::vector<std::string>> rows;
  const std::regex cell("<td[^>]*>(?:<data value=\"([^\"]*)\">)?([^<]*)");
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    for (std::sregex_iterator it(line.begin(), line.end(), cell), last; it != last; ++it)
      rows.back().push_back((*it)[1].matched ? (*it)[1].str() : (*it)[2].str());
  }
  return rows;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Json small_fit() {
  return {{"kind", "fit"},
          {"title", "T"},
          {"settings", {samples::setting("Command", "mechfit fit a.csv")}},
          {"joints", {{{"name", "q1"}, {"unit", "rad"}}}}};
}

std::string complaint(const Json& document) {
  try {
    render_page(document);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no complaint";
}

TEST(Page, IsOneSelfContainedDocument) {
  for (const Json& document : {samples::fit(), samples::study(false), samples::study(true)}) {
    const std::string html = render_page(document);
    EXPECT_EQ(html.rfind("<!DOCTYPE html>", 0), 0u);
    EXPECT_LT(html.size(), 1000000u);
    EXPECT_FALSE(std::regex_search(html, std::regex("(src|href)=\"?(https?:|//)")));
    EXPECT_FALSE(contains(html, "@import"));
    EXPECT_FALSE(contains(html, ">nan"));
  }
}

TEST(Page, HoldsItsScriptsAsTheyAreInTheSources) {
  const std::string html = render_page(small_fit());
  for (const char* name :
       {"core.js", "figure.js", "plot.js", "bars.js", "animation.js", "report.css"}) {
    std::ifstream file(std::string(MECHFIT_SOURCE_DIR "/src/mechfit/report/assets/") + name);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    ASSERT_FALSE(text.empty()) << name;
    EXPECT_TRUE(contains(html, text)) << name;
  }
}

TEST(Page, TextCannotBreakOutOfItsPlace) {
  const std::string evil = "</script><script>alert('x')</script>\"&<b>";
  Json document = samples::fit();
  document["title"] = document["subtitle"] = evil;
  document["joints"][0]["name"] = evil;
  document["rollouts"][0]["name"] = evil;
  document["settings"][0]["value"] = evil;
  document["scores"]["acceleration"][0]["name"] = evil;
  const std::string html = render_page(document);
  EXPECT_FALSE(contains(html, "</script><script>alert"));
  EXPECT_FALSE(contains(html, "<b>\""));
  EXPECT_TRUE(contains(html, "&lt;/script&gt;&lt;script&gt;alert(&#39;x&#39;)"));
  EXPECT_TRUE(contains(html, "\\u003c/script>\\u003cscript>alert"));
}

TEST(Page, ScoreTablesEqualTheDocument) {
  const Json document = samples::fit();
  const std::string html = render_page(document);
  const auto acceleration = table_cells(html, "score-acceleration");
  ASSERT_EQ(acceleration.size(), 3u);
  for (std::size_t row = 0; row < 3; ++row) {
    const Json& expected = document["scores"]["acceleration"][row];
    EXPECT_EQ(acceleration[row][0], expected["name"].get<std::string>());
    EXPECT_EQ(std::stod(acceleration[row][1]), expected["mse"]);
    EXPECT_EQ(std::stod(acceleration[row][3]), expected["joints"][1]);
  }
  const auto rollout = table_cells(html, "score-rollout");
  ASSERT_EQ(rollout.size(), 3u);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(std::stod(rollout[0][1 + k]),
              document["scores"]["rollout"]["rows"][0]["rmse"]["y"][k]);
    EXPECT_EQ(std::stod(rollout[2][1 + k]), document["scores"]["rollout"]["rows"][2]["rmse"][k]);
  }
}

TEST(Page, SummaryTableEqualsTheBars) {
  const Json document = samples::study(false);
  const auto rows = table_cells(render_page(document), "summary-table");
  ASSERT_EQ(rows.size(), document["bars"].size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json& bar = document["bars"][i];
    EXPECT_EQ(rows[i][0], bar["system"].get<std::string>());
    EXPECT_EQ(std::stod(rows[i][1]), bar["noise"]);
    EXPECT_EQ(rows[i][2], bar["method"].get<std::string>());
    EXPECT_EQ(rows[i][3], bar["rate"].get<std::string>());
    EXPECT_EQ(std::stod(rows[i][4]), bar["mean"]);
    EXPECT_EQ(std::stod(rows[i][5]), bar["error"]);
    EXPECT_EQ(std::stod(rows[i][6]), bar["runs"]);
    EXPECT_EQ(std::stod(rows[i][7]), bar["left_out"]);
    EXPECT_EQ(std::stod(rows[i][8]), bar["failed"]);
    if (bar.contains("published")) {
      EXPECT_EQ(std::stod(rows[i][9]), bar["published"]);
      EXPECT_NEAR(
          std::stod(rows[i][10]),
          (bar["mean"].get<double>() - bar["published"].get<double>()) / bar["error"].get<double>(),
          1e-12);
    } else {
      EXPECT_EQ(rows[i][9], "–");
    }
  }
}

TEST(Page, DataOfAFigureIsInItsTableToSixDigits) {
  const Json document = samples::fit();
  const auto rows = table_cells(render_page(document), "rollouts-data-1-0");
  const Json& rollout = document["rollouts"][1];
  ASSERT_EQ(rows.size(), rollout["t"].size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double measured = rollout["joints"][0]["measured"][k];
    EXPECT_NEAR(std::stod(rows[k][2]), measured, 1e-5 * std::abs(measured));
    const double high = rollout["joints"][0]["predicted"]["high"][k];
    EXPECT_NEAR(std::stod(rows[k][5]), high, 1e-5 * std::abs(high));
  }
}

TEST(Page, BeginsWithTheVerdictAndTheNumbersBehindIt) {
  Json document = samples::fit();
  const std::string html = render_page(document);
  const auto words = html.find("<p class=words>A model that is usable up to 0.5 s.</p>");
  ASSERT_NE(words, std::string::npos);
  EXPECT_LT(words, html.find("<section"));
  EXPECT_TRUE(contains(html, "<div class=\"opinion usable\">"));
  for (const char* key : {"limits", "advice"})
    EXPECT_TRUE(contains(
        html, "<dd>" + escape_html(document["verdict"][key][0].get<std::string>()) + "</dd>"));
  EXPECT_TRUE(contains(html, escape_html(document["verdict"]["good_for"].get<std::string>())));
  EXPECT_TRUE(contains(html, "<strong>31 %</strong>"));
  EXPECT_TRUE(contains(html, "90 % sure: 25 % to 38 %; rms 2.5 rad/s²"));
  EXPECT_TRUE(contains(html, "<strong>0.5 s</strong>"));
  EXPECT_TRUE(contains(html, "later they err by more than half"));
  EXPECT_TRUE(contains(html, "error there, with that of the start, 24 % of"));
  EXPECT_TRUE(contains(html, "<strong>0.1 rad</strong>"));
  EXPECT_FALSE(contains(html, "Acceleration error (MSE)"));

  document["joints"][0]["unit"] = "m";  // units that differ are not added up
  EXPECT_TRUE(contains(render_page(document), "rms 2 m/s² (q1), 2.9 rad/s² (q2)"));
  document["verdict"]["grade"] = "so-so";
  EXPECT_THAT(complaint(document),
              HasSubstr("verdict.grade: found \"so-so\", expected one of good, usable, unusable"));
  document = samples::fit();
  document["verdict"]["mood"] = "fine";
  EXPECT_THAT(complaint(document), HasSubstr("verdict: found key \"mood\""));
}

TEST(Page, SaysWhatMeasuredAccelerationsAre) {
  Json document = samples::fit();
  EXPECT_TRUE(contains(render_page(document), "together make most likely"));
  document["accelerations"]["source"] = "smoothed";
  EXPECT_TRUE(contains(render_page(document), "come from a smoother"));
  document["accelerations"]["source"] = "logged";
  EXPECT_TRUE(contains(render_page(document), "those of the log"));
}

TEST(Page, RegionAndCalibrationEqualTheDocument) {
  const Json document = samples::fit();
  const std::string html = render_page(document);
  const std::vector<std::vector<std::string>> expected{{"position of q1 [rad]", "-1.5", "1.4"},
                                                       {"velocity of q1 [rad/s]", "-3", "3"},
                                                       {"position of q2 [rad]", "full turn", ""},
                                                       {"velocity of q2 [rad/s]", "-3", "3"},
                                                       {"input motor", "-2", "2"}};
  EXPECT_EQ(table_cells(html, "region-table"), expected);
  EXPECT_TRUE(contains(html, "3.8 % of the held-out samples lie outside"));
  // From 0 through what was measured to 1; accelerations are not known at 99 %.
  const std::vector<std::vector<std::string>> shares{
      {"0", "0"}, {"0.5", "0.472"}, {"0.9", "0.883"}, {"1", "1"}};
  EXPECT_EQ(table_cells(html, "calibration-data-accelerations"), shares);
  const auto rollouts = table_cells(html, "calibration-data-rollouts");
  ASSERT_EQ(rollouts.size(), 5u);
  EXPECT_EQ(rollouts[2], (std::vector<std::string>{"0.9", "0.91", "0.9", "0.812", "0.9", "0.861"}));
}

TEST(Page, MissingNumbersAreEmptyCells) {
  Json document = small_fit();
  document["accelerations"] = {
      {"source", "logged"},
      {"runs",
       {{{"name", "run 1"},
         {"t", {0, 1, 2}},
         {"joints", {{{"measured", {1.0, nullptr, 3.0}}, {"predicted", {1.5, 2.5, NAN}}}}}}}}};
  const auto rows = table_cells(render_page(document), "accelerations-data-0-0");
  const std::vector<std::vector<std::string>> expected{
      {"0", "1.5", "1"}, {"1", "2.5", ""}, {"2", "", "3"}};
  EXPECT_EQ(rows, expected);
}

TEST(Page, HeadlinesCountTheBarsThatAgreeWithThePublishedOnes) {
  Json document = samples::study(false);
  for (Json& bar : document["bars"])
    if (bar.contains("published"))
      bar["published"] = bar["mean"].get<double>() + 1.9 * bar["error"].get<double>();
  EXPECT_TRUE(contains(render_page(document), "<strong>18 / 18</strong>"));
  document["bars"][18]["published"] = 1e6;
  EXPECT_TRUE(contains(render_page(document), "<strong>17 / 18</strong>"));
}

TEST(Page, SaysWhereADocumentDoesNotFit) {
  EXPECT_THAT(complaint(Json::array()), HasSubstr("top level: found array, expected an object"));
  EXPECT_THAT(complaint({{"kind", "poem"}}),
              HasSubstr("kind: found \"poem\", expected \"fit\" or \"study\""));
  EXPECT_THAT(complaint(Json::object()), HasSubstr("expected a member \"kind\""));
  Json document = small_fit();
  document["roll-outs"] = Json::array();
  EXPECT_THAT(complaint(document), HasSubstr("found key \"roll-outs\""));
  document = samples::fit();
  document["rollouts"][1]["joints"][0]["measured"].erase(0);
  EXPECT_THAT(complaint(document),
              HasSubstr("rollouts[1].joints[0].measured: found 150 numbers, expected 151"));
  document = samples::fit();
  document["learning"]["series"][1]["y"][7] = "1.5";
  EXPECT_THAT(complaint(document),
              HasSubstr("learning.series[1].y[7]: found string, expected a number or null"));
  document = samples::fit();
  document["animation"]["links"][0]["to"] = 3;
  EXPECT_THAT(complaint(document),
              HasSubstr("animation.links[0].to: found point 3, expected a point below 3"));
  document = samples::study(false);
  document["bars"][2]["runs"] = -1;
  EXPECT_THAT(complaint(document), HasSubstr("bars[2].runs: found -1, expected a count"));
  document["bars"][2]["runs"] = 10;
  document["bars"][2]["values"].erase(0);
  EXPECT_THAT(complaint(document), HasSubstr("bars[2].values: found 9 numbers, expected 10"));
}

// The document with at most two entries in every array.
Json pruned(const Json& value) {
  if (!value.is_structured()) return value;
  Json result = value.is_array() ? Json::array() : Json::object();
  for (const auto& [key, item] : value.items()) {
    if (value.is_object()) result[key] = pruned(item);
    if (value.is_array() && result.size() < 2) result.push_back(pruned(item));
  }
  return result;
}

void collect(const Json& value, const Json::json_pointer& at,
             std::vector<Json::json_pointer>& all) {
  all.push_back(at);
  if (value.is_object())
    for (const auto& [key, item] : value.items()) collect(item, at / key, all);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], at / i, all);
}

TEST(Page, RefusesOrAcceptsAnyWrongValueButNeverFailsOtherwise) {
  Json fit = pruned(samples::fit());
  fit["animation"]["links"] = {{{"from", 0}, {"to", 0}, {"kind", "rod"}}};
  fit["animation"]["bodies"] = {{{"point", 0}, {"kind", "bob"}}};
  fit["animation"]["trail"] = 0;
  for (const Json& document : {fit, pruned(samples::study(false))}) {
    EXPECT_EQ(complaint(document), "no complaint");
    std::vector<Json::json_pointer> places;
    collect(document, Json::json_pointer(), places);
    int refused = 0;
    for (const auto& place : places)
      for (const Json& wrong : {Json(), Json("text"), Json(-0.5), Json::array(), Json::object()}) {
        Json changed = document;
        changed[place] = wrong;
        refused += complaint(changed) != "no complaint";
      }
    EXPECT_GT(refused, static_cast<int>(2 * places.size()));
  }
}

TEST(ShortNumber, KeepsThreeDigits) {
  EXPECT_EQ(short_number(57.983), "58.0");
  EXPECT_EQ(short_number(9.998), "10.0");
  EXPECT_EQ(short_number(0.27131), "0.271");
  EXPECT_EQ(short_number(1234.4), "1234");
  EXPECT_EQ(short_number(3.1e-5), "3.10e-05");
  EXPECT_EQ(short_number(-2.41), "-2.41");
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(NAN), "–");
}

}  // namespace
}  // namespace mechfit
