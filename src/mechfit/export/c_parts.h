#pragma once

#include <string>

#include "mechfit/export/c_text.h"
#include "mechfit/mechanics/contact.h"
#include "mechfit/mechanics/symbolic/symbolic_model.h"

// Parts of an exported file (c_export.h). In their text `$` stands for the model's name and `~` for
// the suffix of functions of the precision.
namespace mechfit {

extern const char* const kFactor;
extern const char* const kFactoredTerms;
extern const char* const kMechanics;
extern const char* const kJacobianByDirections;
extern const char* const kFusedProduct;
extern const char* const kTanh;
extern const char* const kTanhSingle;
extern const char* const kNetworkProducts;
extern const char* const kNetworkMechanics;
extern const char* const kForceNetwork;

// The text with the model's name and the precision's suffix filled in.
std::string filled_in(const std::string& text, const std::string& name, const CStyle& style);

// Text inside a comment.
std::string quiet(std::string text);

// What a machine hits, and steps that bounce; "" for nothing.
std::string contact_functions(const Contacts& contacts, const Channels& channels,
                              const CStyle& style);
// mass, potential, terms, terms_jacobian of formulas.
std::string formula_terms(SymbolicModel& model, const CStyle& style);
// force and force_along: the formulas', and the force network's where there is one.
std::string force_functions(SymbolicModel& model, const CStyle& style);
// mass, potential, terms, terms_jacobian, and the force network, of networks.
std::string network_terms(const NetworkModel& model, const CStyle& style);

}  // namespace mechfit
