#pragma once

#include <string>
#include <vector>

#include "mechfit/study/study.h"
#include "mechfit/study/summary.h"

namespace mechfit {

struct StudyOutcome {
  StudyDescription study;
  StudySummary summary;
  std::vector<CellRecord> records;
  std::string folder;
  int planned = 0;  // cells asked for
  int ran = 0;      // of them in this call
  int jobs = 1, processes = 1;
  double seconds = 0;        // of this call
  std::string method_times;  // "DEL 2.9 s, ..." per cell
};

// The paper's bars as tables, one per system and level of noise, and the paired differences.
void print_study(const StudyOutcome& outcome);
void print_study_json(const StudyOutcome& outcome);

}  // namespace mechfit
