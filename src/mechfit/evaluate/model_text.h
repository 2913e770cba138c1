#pragma once

#include <string>

#include "mechfit/mechanics/model_file.h"

namespace mechfit {

// What a model is, as a page for a reader: its joints and inputs, where the data were and how wrong
// it was there, and its constants with their standard errors.
std::string model_text(const ModelRecord& record);

// Where the surface of a contact is: psi, and of a half plane that is level or upright its height
// or its place along x (those whose normal points down or left have the negative of it as psi).
double surface_position(const Contact& contact);

}  // namespace mechfit
