#include "mechfit/mechanics/friction.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

struct Word {
  const char* text;
  bool FrictionTerms::*flag;
};
constexpr Word kWords[] = {
    {"viscous", &FrictionTerms::viscous},   {"coulomb", &FrictionTerms::coulomb},
    {"offset", &FrictionTerms::offset},     {"asymmetric", &FrictionTerms::asymmetric},
    {"stribeck", &FrictionTerms::stribeck}, {"position", &FrictionTerms::position}};

}  // namespace

std::string to_text(const FrictionTerms& terms) {
  std::string out;
  for (const Word& word : kWords)
    if (terms.*word.flag) out += (out.empty() ? "" : "+") + std::string(word.text);
  return out.empty() ? "none" : out;
}

FrictionTerms parse_friction_terms(const std::string& text, const std::string& name) {
  FrictionTerms terms;
  if (text == "none") return terms;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    bool known = false;
    for (const Word& candidate : kWords)
      if (word == candidate.text) known = terms.*candidate.flag = true;
    if (!known) {
      std::string valid;
      for (const Word& candidate : kWords) valid += std::string(", ") + candidate.text;
      throw InputError(name + ": friction '" + word + "', expected none" + valid +
                       ", or several of these joined by '+'");
    }
    begin = end + 1;
  }
  return terms;
}

std::string FrictionFunction::name(const std::string& where) const {
  switch (kind) {
    case Kind::viscous:
      return "viscous friction " + where;
    case Kind::coulomb:
      return "Coulomb friction " + where;
    case Kind::offset:
      return "friction offset " + where;
    case Kind::asymmetric_viscous:
      return "asymmetric viscous friction " + where;
    case Kind::asymmetric_coulomb:
      return "asymmetric Coulomb friction " + where;
    case Kind::stribeck:
      return "Stribeck friction " + where;
    case Kind::position:
      break;
  }
  const char* factors[] = {"", " times speed", " times direction"};
  return "friction " + where + " by " + (sine ? "sin " : "cos ") + std::to_string(harmonic) + "q" +
         factors[static_cast<int>(factor)];
}

std::vector<FrictionFunction> friction_functions(const FrictionTerms& terms) {
  using Kind = FrictionFunction::Kind;
  using Factor = FrictionFunction::Factor;
  std::vector<FrictionFunction> out;
  if (terms.viscous) out.push_back({Kind::viscous});
  if (terms.coulomb) out.push_back({Kind::coulomb});
  if (terms.offset) out.push_back({Kind::offset});
  if (terms.asymmetric) out.push_back({Kind::asymmetric_viscous});
  if (terms.asymmetric) out.push_back({Kind::asymmetric_coulomb});
  if (terms.stribeck) out.push_back({Kind::stribeck});
  for (int k = 1; terms.position && k <= FrictionPoint::kHarmonics; ++k)
    for (const bool sine : {false, true})
      for (const Factor factor : {Factor::one, Factor::speed, Factor::step})
        out.push_back({Kind::position, k, sine, factor});
  return out;
}

FrictionPoint::FrictionPoint(double speed, double step, double sharp, double x)
    : w(speed), t(step), sharpness(sharp) {
  cosines[0] = std::cos(x);
  sines[0] = std::sin(x);
  for (int k = 1; k < kHarmonics; ++k) {
    cosines[k] = cosines[k - 1] * cosines[0] - sines[k - 1] * sines[0];
    sines[k] = sines[k - 1] * cosines[0] + cosines[k - 1] * sines[0];
  }
}

FrictionValue evaluate(const FrictionFunction& f, const FrictionPoint& p) {
  using Kind = FrictionFunction::Kind;
  using Factor = FrictionFunction::Factor;
  const double steep = p.sharpness * (1.0 - p.t * p.t);  // dt/dw
  switch (f.kind) {
    case Kind::viscous:
      return {p.w, 1.0, 0.0};
    case Kind::coulomb:
      return {p.t, steep, 0.0};
    case Kind::offset:
      return {1.0, 0.0, 0.0};
    case Kind::asymmetric_viscous:
      return {p.w * p.t, p.t + p.w * steep, 0.0};
    case Kind::asymmetric_coulomb:
      return {p.t * p.t, 2.0 * p.t * steep, 0.0};
    case Kind::stribeck: {
      const double rate = p.sharpness / kStribeckWidths, y = rate * p.w;
      const double bump = std::exp(-y * y);
      return {p.t * bump, bump * (steep - 2.0 * y * rate * p.t), 0.0};
    }
    case Kind::position:
      break;
  }
  const double k = f.harmonic, c = p.cosines[f.harmonic - 1], s = p.sines[f.harmonic - 1];
  const double h = f.sine ? s : c, dh = f.sine ? k * c : -k * s;
  const double b = f.factor == Factor::one ? 1.0 : f.factor == Factor::speed ? p.w : p.t;
  const double db = f.factor == Factor::one ? 0.0 : f.factor == Factor::speed ? 1.0 : steep;
  return {h * b, h * db, dh * b};
}

}  // namespace mechfit
