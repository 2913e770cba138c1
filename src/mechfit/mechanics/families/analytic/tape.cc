#include "mechfit/mechanics/families/analytic/tape.h"

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/lanes.h"
#include "mechfit/net/kernels.h"

namespace mechfit {

void Tape::evaluate_uniforms(std::span<const double> theta, std::span<double> uniforms) const {
  MECHFIT_CHECK(static_cast<int>(theta.size()) == parameters_);
  MECHFIT_CHECK(uniforms.size() == uniforms_.size());
  for (std::size_t k = 0; k < uniforms_.size(); ++k) {
    const Uniform& s = uniforms_[k];
    switch (s.op) {
      case TapeOp::literal:
        uniforms[k] = s.literal;
        break;
      case TapeOp::parameter:
        uniforms[k] = theta[s.a];
        break;
      case TapeOp::add:
        uniforms[k] = uniforms[s.a] + uniforms[s.b];
        break;
      case TapeOp::subtract:
        uniforms[k] = uniforms[s.a] - uniforms[s.b];
        break;
      case TapeOp::multiply:
        uniforms[k] = uniforms[s.a] * uniforms[s.b];
        break;
      case TapeOp::sin_cos:
      case TapeOp::tanh:
        break;  // never of a uniform
    }
  }
}

void Tape::reverse_uniforms(std::span<const double> uniforms, std::span<double> adjoints,
                            std::span<double> gradient) const {
  MECHFIT_CHECK(static_cast<int>(gradient.size()) == parameters_);
  MECHFIT_CHECK(uniforms.size() == uniforms_.size() && adjoints.size() == uniforms_.size());
  for (std::size_t k = uniforms_.size(); k-- > 0;) {
    const Uniform& s = uniforms_[k];
    const double y = adjoints[k];
    switch (s.op) {
      case TapeOp::literal:
        break;
      case TapeOp::parameter:
        gradient[s.a] += y;
        break;
      case TapeOp::add:
        adjoints[s.a] += y;
        adjoints[s.b] += y;
        break;
      case TapeOp::subtract:
        adjoints[s.a] += y;
        adjoints[s.b] -= y;
        break;
      case TapeOp::multiply:
        adjoints[s.a] += y * uniforms[s.b];
        adjoints[s.b] += y * uniforms[s.a];
        break;
      case TapeOp::sin_cos:
      case TapeOp::tanh:
        break;
    }
  }
}

void Tape::forward(const double* uniforms, double* values) const {
  for (const Step& s : steps_) {
    double* y = values + s.out * kBlock;
    const double* a = values + s.a * kBlock;
    if (s.op == TapeOp::sin_cos) {
      for (int l = 0; l < kBlock; ++l) y[l] = std::sin(a[l]), y[kBlock + l] = std::cos(a[l]);
    } else if (s.op == TapeOp::tanh) {
      vector_tanh(a, kBlock, y);
    } else if (s.b.uniform) {
      const double b = uniforms[s.b.index];
      if (s.op == TapeOp::add) for_lanes([=](int l) { y[l] = a[l] + b; });
      if (s.op == TapeOp::subtract) for_lanes([=](int l) { y[l] = a[l] - b; });
      if (s.op == TapeOp::multiply) for_lanes([=](int l) { y[l] = a[l] * b; });
    } else {
      const double* b = values + s.b.index * kBlock;
      if (s.op == TapeOp::add) for_lanes([=](int l) { y[l] = a[l] + b[l]; });
      if (s.op == TapeOp::subtract) for_lanes([=](int l) { y[l] = a[l] - b[l]; });
      if (s.op == TapeOp::multiply) for_lanes([=](int l) { y[l] = a[l] * b[l]; });
    }
  }
}

void Tape::tangent(const double* uniforms, const double* values, double* tangents) const {
  for (const Step& s : steps_) {
    double* y = tangents + s.out * kBlock;
    const double* a = tangents + s.a * kBlock;
    if (s.op == TapeOp::sin_cos) {
      // (sin a)' = cos a a', (cos a)' = -sin a a'
      const double* sine = values + s.out * kBlock;
      const double* cosine = sine + kBlock;
      for_lanes([=](int l) { y[l] = cosine[l] * a[l]; });
      for_lanes([=](int l) { y[kBlock + l] = -sine[l] * a[l]; });
    } else if (s.op == TapeOp::tanh) {
      const double* t = values + s.out * kBlock;
      for_lanes([=](int l) { y[l] = (1 - t[l] * t[l]) * a[l]; });
    } else if (s.b.uniform) {
      const double b = s.op == TapeOp::multiply ? uniforms[s.b.index] : 1;
      for_lanes([=](int l) { y[l] = a[l] * b; });
    } else {
      const double* b = tangents + s.b.index * kBlock;
      if (s.op == TapeOp::add) for_lanes([=](int l) { y[l] = a[l] + b[l]; });
      if (s.op == TapeOp::subtract) for_lanes([=](int l) { y[l] = a[l] - b[l]; });
      if (s.op == TapeOp::multiply) {
        const double* a0 = values + s.a * kBlock;
        const double* b0 = values + s.b.index * kBlock;
        for_lanes([=](int l) { y[l] = a[l] * b0[l] + a0[l] * b[l]; });
      }
    }
  }
}

void Tape::output(int k, const double* uniforms, const double* values, double* y) const {
  const TapeOperand where = outputs_[k];
  if (where.uniform) {
    const double value = uniforms[where.index];
    for_lanes([=](int l) { y[l] = value; });
  } else {
    const double* value = values + where.index * kBlock;
    for_lanes([=](int l) { y[l] = value[l]; });
  }
}

void Tape::output_tangent(int k, const double* tangents, double* y) const {
  const TapeOperand where = outputs_[k];
  const double* value = tangents + where.index * kBlock;
  if (where.uniform)
    for_lanes([=](int l) { y[l] = 0; });
  else
    for_lanes([=](int l) { y[l] = value[l]; });
}

void Tape::seed(int k, const double* seed, double* adjoints, double* uniform_adjoints) const {
  const TapeOperand where = outputs_[k];
  double* base = where.uniform ? uniform_adjoints : adjoints;
  if (base == nullptr) return;
  double* adjoint = base + where.index * kBlock;
  for_lanes([=](int l) { adjoint[l] += seed[l]; });
}

void Tape::seed_tangent(int k, const double* seed, double* tangent_adjoints) const {
  const TapeOperand where = outputs_[k];
  if (where.uniform) return;
  double* adjoint = tangent_adjoints + where.index * kBlock;
  for_lanes([=](int l) { adjoint[l] += seed[l]; });
}

void Tape::reverse(const double* uniforms, const double* values, double* adjoints,
                   double* uniform_adjoints) const {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const Step& s = *step;
    const double* y = adjoints + s.out * kBlock;
    double* a = adjoints + s.a * kBlock;
    const double* a0 = values + s.a * kBlock;
    if (s.op == TapeOp::sin_cos) {
      const double* sine = values + s.out * kBlock;
      const double* cosine = sine + kBlock;
      for_lanes([=](int l) { a[l] += y[l] * cosine[l] - y[kBlock + l] * sine[l]; });
      continue;
    }
    if (s.op == TapeOp::tanh) {
      const double* t = values + s.out * kBlock;
      for_lanes([=](int l) { a[l] += y[l] * (1 - t[l] * t[l]); });
      continue;
    }
    const double factor = s.b.uniform && s.op == TapeOp::multiply ? uniforms[s.b.index] : 1;
    const double sign = s.op == TapeOp::subtract ? -1 : 1;
    if (s.b.uniform) {
      for_lanes([=](int l) { a[l] += y[l] * factor; });
      if (uniform_adjoints == nullptr) continue;
      double* b = uniform_adjoints + s.b.index * kBlock;
      if (s.op == TapeOp::multiply)
        for_lanes([=](int l) { b[l] += y[l] * a0[l]; });
      else
        for_lanes([=](int l) { b[l] += sign * y[l]; });
    } else {
      double* b = adjoints + s.b.index * kBlock;
      const double* b0 = values + s.b.index * kBlock;
      if (s.op == TapeOp::multiply) {
        for_lanes([=](int l) { a[l] += y[l] * b0[l]; });
        for_lanes([=](int l) { b[l] += y[l] * a0[l]; });
      } else {
        for_lanes([=](int l) { a[l] += y[l]; });
        for_lanes([=](int l) { b[l] += sign * y[l]; });
      }
    }
  }
}

// With y' the tangent of y, and Y, Y' the adjoints of y and y':
//   y = a b, y' = a' b + a b':   A += Y b + Y' b',  A' += Y' b,  and the same for b
//   s = sin a, c = cos a:        A += S c - C s - a' (S' s + C' c),  A' += S' c - C' s
//   t = tanh a, d = 1 - t^2:     A += d (T - 2 t a' T'),  A' += d T'
void Tape::reverse_tangent(const double* uniforms, const double* values, const double* tangents,
                           double* adjoints, double* tangent_adjoints,
                           double* uniform_adjoints) const {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const Step& s = *step;
    const double* y = adjoints + s.out * kBlock;
    const double* yt = tangent_adjoints + s.out * kBlock;
    double* a = adjoints + s.a * kBlock;
    double* at = tangent_adjoints + s.a * kBlock;
    const double* a0 = values + s.a * kBlock;
    const double* a1 = tangents + s.a * kBlock;
    if (s.op == TapeOp::sin_cos) {
      const double* sine = values + s.out * kBlock;
      const double* cosine = sine + kBlock;
      for_lanes([=](int l) {
        a[l] += y[l] * cosine[l] - y[kBlock + l] * sine[l] -
                a1[l] * (yt[l] * sine[l] + yt[kBlock + l] * cosine[l]);
      });
      for_lanes([=](int l) { at[l] += yt[l] * cosine[l] - yt[kBlock + l] * sine[l]; });
      continue;
    }
    if (s.op == TapeOp::tanh) {
      const double* t = values + s.out * kBlock;
      for_lanes([=](int l) {
        const double slope = 1 - t[l] * t[l];
        a[l] += slope * (y[l] - 2 * t[l] * a1[l] * yt[l]);
        at[l] += slope * yt[l];
      });
      continue;
    }
    const double factor = s.b.uniform && s.op == TapeOp::multiply ? uniforms[s.b.index] : 1;
    const double sign = s.op == TapeOp::subtract ? -1 : 1;
    if (s.b.uniform) {
      for_lanes([=](int l) { a[l] += y[l] * factor; });
      for_lanes([=](int l) { at[l] += yt[l] * factor; });
      if (uniform_adjoints == nullptr) continue;
      double* b = uniform_adjoints + s.b.index * kBlock;
      if (s.op == TapeOp::multiply)
        for_lanes([=](int l) { b[l] += y[l] * a0[l] + yt[l] * a1[l]; });
      else
        for_lanes([=](int l) { b[l] += sign * y[l]; });
    } else {
      double* b = adjoints + s.b.index * kBlock;
      double* bt = tangent_adjoints + s.b.index * kBlock;
      const double* b0 = values + s.b.index * kBlock;
      const double* b1 = tangents + s.b.index * kBlock;
      if (s.op == TapeOp::multiply) {
        for_lanes([=](int l) { a[l] += y[l] * b0[l] + yt[l] * b1[l]; });
        for_lanes([=](int l) { at[l] += yt[l] * b0[l]; });
        for_lanes([=](int l) { b[l] += y[l] * a0[l] + yt[l] * a1[l]; });
        for_lanes([=](int l) { bt[l] += yt[l] * a0[l]; });
      } else {
        for_lanes([=](int l) { a[l] += y[l]; });
        for_lanes([=](int l) { at[l] += yt[l]; });
        for_lanes([=](int l) { b[l] += sign * y[l]; });
        for_lanes([=](int l) { bt[l] += sign * yt[l]; });
      }
    }
  }
}

}  // namespace mechfit
