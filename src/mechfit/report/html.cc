#include "mechfit/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "mechfit/base/error.h"
#include "mechfit/report/assets.h"

namespace mechfit {
namespace {

using Out = std::back_insert_iterator<std::string>;

// Tables that a reader looks at show short numbers and carry the exact ones in <data>; data tables
// of figures show six digits.
enum class Digits { kShort, kSix };

std::size_t rows(const Column& column) {
  return std::visit([](const auto& cells) { return cells.size(); }, column.cells);
}

// A column of counts.
bool whole(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [](double x) { return std::isnan(x) || x == std::floor(x); });
}

void render_cell(const Column& column, std::size_t row, Digits digits, Out out) {
  if (const auto* text = std::get_if<std::vector<std::string>>(&column.cells)) {
    fmt::format_to(out, "<td class=text>{}",
                   row < text->size() ? escape_html((*text)[row]) : std::string());
    return;
  }
  const auto& numbers = std::get<std::vector<double>>(column.cells);
  if (row >= numbers.size() || std::isnan(numbers[row])) {
    fmt::format_to(out, "<td>{}", digits == Digits::kShort ? "–" : "");
  } else if (digits == Digits::kShort) {
    fmt::format_to(
        out, "<td><data value=\"{}\">{}</data>", numbers[row],
        whole(numbers) ? fmt::format("{:.0f}", numbers[row]) : short_number(numbers[row]));
  } else {
    fmt::format_to(out, "<td>{:.6g}", numbers[row]);
  }
}

// Does a new group of rows begin here?
bool begins_group(const Table& table, std::size_t row) {
  for (int i = 0; i < table.group_columns; ++i) {
    const auto& cells = std::get<std::vector<std::string>>(table.columns[i].cells);
    if (row == 0 || cells[row] != cells[row - 1]) return true;
  }
  return false;
}

void render_table(const Table& table, Digits digits, Out out) {
  fmt::format_to(
      out, "<div class=scroll tabindex=0><table id=\"{}\"{}><caption>{}</caption>\n<thead><tr>",
      escape_html(table.id), table.group_columns > 0 ? " class=grouped" : "",
      escape_html(table.caption));
  std::size_t length = 0;
  for (const Column& column : table.columns) {
    const bool text = std::holds_alternative<std::vector<std::string>>(column.cells);
    fmt::format_to(out, "<th scope=col{}>{}", text ? " class=text" : "", escape_html(column.name));
    length = std::max(length, rows(column));
  }
  fmt::format_to(out, "\n<tbody>\n");
  for (std::size_t row = 0; row < length; ++row) {
    fmt::format_to(out, "<tr{}>", begins_group(table, row) ? " class=first" : "");
    for (const Column& column : table.columns) render_cell(column, row, digits, out);
    fmt::format_to(out, "\n");
  }
  fmt::format_to(out, "</table></div>\n");
}

void render_figure(const Figure& figure, Out out) {
  fmt::format_to(out,
                 "<figure id=\"{}\">{}<div class=drawing></div>\n<figcaption>{}</figcaption>\n"
                 "<div class=foot><details><summary>Data of this figure</summary>\n",
                 escape_html(figure.id),
                 figure.title.empty() ? "" : "<h3>" + escape_html(figure.title) + "</h3>",
                 escape_html(figure.caption));
  for (const Table& table : figure.tables) render_table(table, Digits::kSix, out);
  fmt::format_to(out, "</details></div></figure>\n");
}

void render_section(const Section& section, Out out) {
  fmt::format_to(out, "<section id=\"{}\"><h2>{}</h2>\n", escape_html(section.id),
                 escape_html(section.title));
  if (!section.text.empty())
    fmt::format_to(out, "<p class=lead>{}</p>\n", escape_html(section.text));
  for (const auto& block : section.blocks) {
    if (const auto* table = std::get_if<Table>(&block)) render_table(*table, Digits::kShort, out);
    if (const auto* figure = std::get_if<Figure>(&block)) render_figure(*figure, out);
  }
  fmt::format_to(out, "</section>\n");
}

void render_sentences(const char* title, const std::vector<std::string>& sentences, Out out) {
  if (sentences.empty()) return;
  fmt::format_to(out, "<dt>{}</dt>", title);
  for (const std::string& sentence : sentences)
    fmt::format_to(out, "<dd>{}</dd>", escape_html(sentence));
  fmt::format_to(out, "\n");
}

void render_opinion(const Opinion& opinion, Out out) {
  fmt::format_to(out, "<div class=\"opinion {}\"><p class=words>{}</p>\n<p>{}</p>\n<dl>\n",
                 escape_html(opinion.grade), escape_html(opinion.words),
                 escape_html(opinion.good_for));
  render_sentences("What is wrong with the log", opinion.warnings, out);
  render_sentences("What limits it", opinion.limits, out);
  render_sentences("What to do next", opinion.advice, out);
  fmt::format_to(out, "</dl></div>\n");
}

void render_header(const Page& page, Out out) {
  fmt::format_to(out, "<header{}><p class=kind>{}</p><h1>{}</h1>\n",
                 page.opinion ? " class=judged" : "", escape_html(page.kind),
                 escape_html(page.title));
  if (!page.subtitle.empty())
    fmt::format_to(out, "<p class=subtitle>{}</p>\n", escape_html(page.subtitle));
  if (page.opinion) render_opinion(*page.opinion, out);
  if (!page.headlines.empty()) {
    fmt::format_to(out, "<dl class=headlines>\n");
    for (const Headline& h : page.headlines)
      fmt::format_to(out, "<div><dt>{}</dt><dd><strong>{}</strong><span>{}</span></dd></div>\n",
                     escape_html(h.label), escape_html(h.value), escape_html(h.note));
    fmt::format_to(out, "</dl>\n");
  }
  fmt::format_to(out, "<nav aria-label=Contents>\n");
  for (const Section& section : page.sections)
    fmt::format_to(out, "<a href=\"#{}\">{}</a>\n", escape_html(section.id),
                   escape_html(section.title));
  fmt::format_to(out,
                 "<a href=\"#settings\">Settings</a></nav>\n"
                 "<noscript><p class=note>Without JavaScript the figures are not drawn; the "
                 "data of each is in the table below its caption.</p></noscript></header>\n");
}

void render_settings(const Page& page, Out out) {
  fmt::format_to(out,
                 "<section id=settings><h2>Settings</h2>\n<p class=lead>What it takes to "
                 "obtain these results again.</p>\n<dl class=settings>\n");
  for (const auto& [name, value] : page.settings)
    fmt::format_to(out, "<dt>{}</dt><dd>{}</dd>\n", escape_html(name), escape_html(value));
  fmt::format_to(out, "</dl></section>\n");
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string script_json(const nlohmann::json& value) {
  const std::string plain = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::string result;
  result.reserve(plain.size());
  for (const char c : plain) {
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  }
  return result;
}

std::string short_number(double x) {
  if (std::isnan(x)) return "–";
  if (x == 0) return "0";
  const std::string rounded = fmt::format("{:.2e}", x);  // 5.80e+01
  const int exponent = std::stoi(rounded.substr(rounded.find('e') + 1));
  if (exponent < -4 || exponent > 5) return rounded;
  return fmt::format("{:.{}f}", x, std::max(0, 2 - exponent));
}

std::string render_html(const Page& page) {
  std::string html;
  Out out(html);
  fmt::format_to(out,
                 "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
                 "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
                 "<meta name=color-scheme content=\"light dark\">\n"
                 "<link rel=icon href=\"data:,\">\n<title>{}</title>\n<style>\n{}</style>\n"
                 "</head>\n<body>\n<main>\n",
                 escape_html(page.title), assets::kStyle);
  render_header(page, out);
  nlohmann::json drawings = nlohmann::json::array();
  for (const Section& section : page.sections) {
    render_section(section, out);
    for (const auto& block : section.blocks)
      if (const auto* figure = std::get_if<Figure>(&block)) {
        drawings.push_back(figure->drawing);
        drawings.back()["id"] = figure->id;
        drawings.back()["label"] = figure->caption;
      }
  }
  render_settings(page, out);
  fmt::format_to(out, "<footer>Made by mechfit.</footer>\n</main>\n");
  fmt::format_to(out, "<script type=\"application/json\" id=drawings>{}</script>\n",
                 script_json(drawings));
  fmt::format_to(out, "<script>\n{}\n</script>\n<script>\n{}</script>\n</body>\n</html>\n",
                 assets::kLibrary, assets::kScript);
  return html;
}

}  // namespace mechfit
