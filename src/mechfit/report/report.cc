#include "mechfit/report/report.h"

#include "mechfit/base/error.h"
#include "mechfit/files/files.h"
#include "mechfit/files/json_fields.h"
#include "mechfit/report/fit_report.h"
#include "mechfit/report/page.h"
#include "mechfit/report/study_report.h"
#include "mechfit/version.h"

namespace mechfit {

std::string report_page(const std::string& folder) {
  if (path_exists(folder + "/study.json")) return render_page(study_document(folder));
  const std::string document = folder + "/report.json";
  if (path_exists(document)) {
    const auto page = parse_json(read_file(document));
    if (page.is_discarded()) throw InputError(document + ": not JSON");
    return render_page(page);
  }
  throw InputError(
      folder + ": no study.json and no report.json, expected the folder of a study or of a fit");
}

void write_fit_report(const std::string& folder, const FitResult& result,
                      const EvaluationData& held_out, const Scores& scores, ReportSettings settings,
                      ThreadPool& pool) {
  settings.emplace_back("mechfit", kVersion);
  const auto document =
      fit_document(result, held_out, scores, "A model fitted to a log of motion", settings, pool);
  write_file_atomically(folder + "/report.json", to_text(document));
  write_file_atomically(folder + "/report.html", render_page(document));
}

}  // namespace mechfit
