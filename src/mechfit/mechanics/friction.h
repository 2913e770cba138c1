#pragma once

#include <string>
#include <vector>

#include "mechfit/mechanics/symbolic/formulas.h"

namespace mechfit {

// Which terms the friction of a joint has. With the joint's speed w, its position x (the angle, or
// the place in units of the data's) and t = tanh(w / width), friction pulls against the motion with
//
//   viscous     c w
//   coulomb     c t
//   offset      c                            a constant load: a spring, a sensor's zero
//   asymmetric  c |w| + c' t^2, |w| as w t   what differs between the two directions
//   stribeck    c t exp(-(w / (5 width))^2)  what sticking takes beyond sliding
//   position    (c cos kx + c' sin kx) times 1, w and t, k = 1, 2, 3    gears, belts, bearings
//
// The back-EMF of a motor behind a gain is viscous friction and has no term of its own.
struct FrictionTerms {
  bool viscous = false, coulomb = false, offset = false, asymmetric = false, stribeck = false,
       position = false;
  // Of Coulomb's smooth step [rad/s or m/s]: at most this and 5 % of the joint's speed scale; 0:
  // the latter.
  double width = 0;

  FrictionTerms() = default;
  FrictionTerms(bool on)
      : viscous(on), coulomb(on) {}  // NOLINT: the two that all machines may have
  explicit operator bool() const {
    return viscous || coulomb || offset || asymmetric || stribeck || position;
  }
  friend bool operator==(const FrictionTerms&, const FrictionTerms&) = default;
};

// Stribeck's speed in units of Coulomb's width: 0.1 rad/s at 0.02, the middle of what fitted three
// arms (0.05 and 0.15).
inline constexpr double kStribeckWidths = 5.0;

// A width at which joints of arms can stick [rad/s]: it fitted three of them best.
inline constexpr double kStickingWidth = 0.02;

// "viscous+coulomb+offset", "none".
std::string to_text(const FrictionTerms& terms);
// From such text. InputErrors begin with `name`.
FrictionTerms parse_friction_terms(const std::string& text, const std::string& name);

// One function of a joint's position and speed and what it is called.
struct FrictionFunction {
  enum class Kind {
    viscous,
    coulomb,
    offset,
    asymmetric_viscous,
    asymmetric_coulomb,
    stribeck,
    position
  };
  enum class Factor { one, speed, step };  // of position: 1, w, t

  Kind kind = Kind::viscous;
  int harmonic = 0;  // of position: k
  bool sine = false;
  Factor factor = Factor::one;

  // Whether it has the unit of a speed, so that its coefficient is a force over a speed.
  bool has_speed() const {
    return kind == Kind::viscous || kind == Kind::asymmetric_viscous ||
           (kind == Kind::position && factor == Factor::speed);
  }
  // Of a joint, "viscous friction 1"; `where` is the joint.
  std::string name(const std::string& where) const;
};

// In the order in which their parameters stand.
std::vector<FrictionFunction> friction_functions(const FrictionTerms& terms);

// What the functions are made of at one point.
struct FrictionPoint {
  static constexpr int kHarmonics = 3;
  double w, t;                                    // speed, tanh(sharpness w)
  double sharpness;                               // 1 / width
  double cosines[kHarmonics], sines[kHarmonics];  // of x, 2x, 3x

  FrictionPoint(double speed, double step, double sharp, double x);
};

// The value of a function and its slopes along w and x.
struct FrictionValue {
  double value, along_w, along_x;
};
FrictionValue evaluate(const FrictionFunction& f, const FrictionPoint& p);
// The same as a formula.
Formula trace(const FrictionFunction& f, const Formula& w, const Formula& x, double sharpness);

}  // namespace mechfit
