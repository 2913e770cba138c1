#pragma once

#include "mechfit/report/blocks.h"
#include "mechfit/report/document.h"

// Documents to pages, one function per kind of document (docs/report.md).
namespace mechfit {

Page fit_page(const Node& document);
Page study_page(const Node& document);

Figure animation_figure(const Node& animation);

}  // namespace mechfit
