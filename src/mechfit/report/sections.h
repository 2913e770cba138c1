#pragma once

#include <vector>

#include "mechfit/report/blocks.h"
#include "mechfit/report/document.h"
#include "mechfit/report/drawing.h"

// Sections of the page of a fit, by topic; each adds nothing where the document lacks its members.
namespace mechfit {

using Joints = std::vector<Joint>;

void add_verdict(const Node& document, const Joints& joints, Page& page);  // opinion, headlines
void add_contacts(const Node& document, const Joints& joints, Page& page);
void add_rollouts(const Node& document, const Joints& joints, Page& page);
void add_energy(const Node& document, Page& page);
void add_accelerations(const Node& document, const Joints& joints, Page& page);
void add_errors(const Node& document, const Joints& joints, Page& page);
void add_calibration(const Node& document, Page& page);
void add_region(const Node& document, const Joints& joints, Page& page);

}  // namespace mechfit
