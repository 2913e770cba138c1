#include "report_documents.h"

#include <nlohmann/json.hpp>

#include "mechfit/base/error.h"
#include "mechfit/data/files.h"
#include "mechfit/report/page.h"
#include "mechfit/report/study_report.h"

namespace mechfit {

std::string report_page(const std::string& folder) {
  if (path_exists(folder + "/study.json")) return render_page(study_document(folder));
  throw InputError(folder + ": no study.json, expected the folder of a study");
}

}  // namespace mechfit
