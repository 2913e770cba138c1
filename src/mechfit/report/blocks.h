#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// What a page is made of. The numbers of a figure live in its tables and nowhere else: the page's
// script reads them from there, so a reader without JavaScript has the same data, and a figure
// cannot disagree with its table.
namespace mechfit {

struct Column {
  std::string name;
  std::variant<std::vector<double>, std::vector<std::string>> cells;  // NaN: an empty cell
};

struct Table {
  Table(std::string id_, std::string caption_, int group_columns_ = 0)
      : id(std::move(id_)), caption(std::move(caption_)), group_columns(group_columns_) {}

  std::string id;       // unique in the page
  std::string caption;  // plain text, as all text here
  std::vector<Column> columns;
  int group_columns;  // rows that agree in so many leading text columns stand together

  int add(std::string name, std::vector<double> cells) {
    columns.push_back({std::move(name), std::move(cells)});
    return static_cast<int>(columns.size()) - 1;
  }
  int add(std::string name, std::vector<std::string> cells) {
    columns.push_back({std::move(name), std::move(cells)});
    return static_cast<int>(columns.size()) - 1;
  }
};

// `drawing` is what assets/*.js draw: {"kind": "plot" | "bars" | "animation", ...}, with column
// numbers of the tables in place of data.
struct Figure {
  std::string id;     // unique in the page; also the name of a saved SVG file
  std::string title;  // may be empty
  std::string caption;
  nlohmann::json drawing;
  std::vector<Table> tables;
};

struct Section {
  std::string id, title, text;
  std::vector<std::variant<Table, Figure>> blocks;
};

// A result in large type: "0.27", "acceleration error", "210 times below predicting nothing".
struct Headline {
  std::string value, label, note;
};

// What a reader wants to know first, in sentences.
struct Opinion {
  std::string grade;  // good, usable, unusable: a class of the style sheet
  std::string words;  // "A good model."
  std::string good_for;
  std::vector<std::string> limits, advice;
  std::vector<std::string> warnings;  // of the log
};

struct Page {
  std::string title, subtitle, kind;
  std::optional<Opinion> opinion;
  std::vector<Headline> headlines;
  std::vector<Section> sections;
  std::vector<std::pair<std::string, std::string>> settings;
};

}  // namespace mechfit
