#include "mechfit/report/page.h"

#include "mechfit/report/html.h"
#include "mechfit/report/pages.h"

namespace mechfit {
namespace {

Page read_page(const Node& document) {
  const std::string kind = document.at("kind").text();
  if (kind == "fit") return fit_page(document);
  if (kind == "study") return study_page(document);
  document.at("kind").fail('"' + kind + '"', "\"fit\" or \"study\"");
}

}  // namespace

std::string render_page(const nlohmann::json& content) {
  const Node document(content);
  Page page = read_page(document);
  page.title = document.at("title").text();
  if (const auto subtitle = document.find("subtitle")) page.subtitle = subtitle->text();
  for (const Node& setting : document.at("settings").items()) {
    setting.only({"name", "value"});
    page.settings.emplace_back(setting.at("name").text(), setting.at("value").text());
  }
  return render_html(page);
}

}  // namespace mechfit
