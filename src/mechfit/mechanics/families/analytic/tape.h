#pragma once

#include <map>
#include <span>
#include <vector>

#include "mechfit/base/batch.h"
#include "mechfit/mechanics/symbolic/formulas.h"

// Equations written once as ordinary expressions, recorded as a straight-line program of sums,
// products, sines, cosines and hyperbolic tangents, and replayed on blocks of points with all the
// derivatives that the door needs.
namespace mechfit {

class TapeBuilder;

enum class TapeOp { literal, parameter, add, subtract, multiply, sin_cos, tanh };

// A value on the tape: uniform ones (parameters, literals and what is made of them alone) are
// the same for every point and live in one number, the others in a panel.
struct TapeOperand {
  int index = 0;
  bool uniform = true;
};

// An expression while equations are written. A literal belongs to no tape.
struct Expr {
  Expr(double literal = 0) : value(literal) {}
  Expr(TapeBuilder* builder, TapeOperand where) : tape(builder), operand(where) {}

  TapeBuilder* tape = nullptr;
  TapeOperand operand;
  double value = 0;  // of a literal
};

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
Expr sin(const Expr& a);
Expr cos(const Expr& a);
Expr tanh(const Expr& a);
inline Expr& operator+=(Expr& a, const Expr& b) { return a = a + b; }
inline Expr& operator-=(Expr& a, const Expr& b) { return a = a - b; }

// The program y = y(x, theta). Panels of a replay: `values` [nodes][kBlock] starts with the inputs;
// `uniforms` [uniforms] comes from evaluate_uniforms. Adjoints have the shape of what they belong
// to, those of uniforms one lane per point ([uniforms][kBlock]); they may be null when not wanted.
class Tape {
 public:
  int inputs() const { return inputs_; }
  int parameters() const { return parameters_; }
  int outputs() const { return static_cast<int>(outputs_.size()); }
  int nodes() const { return nodes_; }
  int uniforms() const { return static_cast<int>(uniforms_.size()); }

  // What depends on theta alone, and its reverse: gradient += (d uniforms / d theta)' adjoints. The
  // adjoints [uniforms] are used up.
  void evaluate_uniforms(std::span<const double> theta, std::span<double> uniforms) const;
  void reverse_uniforms(std::span<const double> uniforms, std::span<double> adjoints,
                        std::span<double> gradient) const;

  // Nodes from the inputs in values [inputs][kBlock].
  void forward(const double* uniforms, double* values) const;
  // Their derivatives along the inputs' in tangents [inputs][kBlock].
  void tangent(const double* uniforms, const double* values, double* tangents) const;

  // Output k of a forward replay, or of a tangent (zero when the output is uniform).
  void output(int k, const double* uniforms, const double* values, double* y) const;
  void output_tangent(int k, const double* tangents, double* y) const;

  // The outputs as formulas of the inputs' formulas.
  std::vector<Formula> trace(std::span<const double> uniforms, std::vector<Formula> inputs) const;

  // Adjoint of output k += seed.
  void seed(int k, const double* seed, double* adjoints, double* uniform_adjoints) const;
  // The same for the tangent of output k.
  void seed_tangent(int k, const double* seed, double* tangent_adjoints) const;

  // From seeded adjoints of the outputs (all others zero) to those of inputs and uniforms.
  void reverse(const double* uniforms, const double* values, double* adjoints,
               double* uniform_adjoints) const;
  // The same through forward and tangent together.
  void reverse_tangent(const double* uniforms, const double* values, const double* tangents,
                       double* adjoints, double* tangent_adjoints, double* uniform_adjoints) const;

 private:
  friend class TapeBuilder;
  struct Uniform {
    TapeOp op;
    double literal;
    int a, b;  // uniforms; a parameter's number
  };

  // Node out = a op b with a in a panel; sin_cos fills out (sine) and out + 1 (cosine), and like
  // tanh has no b.
  struct Step {
    TapeOp op;
    int out, a;
    TapeOperand b;
  };

  int inputs_ = 0, parameters_ = 0, nodes_ = 0;
  std::vector<Uniform> uniforms_;
  std::vector<Step> steps_;
  std::vector<TapeOperand> outputs_;
};

// Records a tape. Inputs and parameters are numbered as they will be given.
class TapeBuilder {
 public:
  explicit TapeBuilder(int inputs);
  TapeBuilder(const TapeBuilder&) = delete;
  TapeBuilder& operator=(const TapeBuilder&) = delete;

  Expr input(int k);
  Expr parameter();  // the next one
  void output(const Expr& y);
  Tape finish() { return std::move(tape_); }

 private:
  friend Expr operator+(const Expr&, const Expr&);
  friend Expr operator-(const Expr&, const Expr&);
  friend Expr operator*(const Expr&, const Expr&);
  friend Expr sin(const Expr&);
  friend Expr cos(const Expr&);
  friend Expr tanh(const Expr&);

  TapeOperand place(const Expr& a);
  Expr record(TapeOp op, const Expr& a, const Expr& b);
  int sin_cos(const Expr& a);

  Tape tape_;
  std::map<int, int> sin_cos_;  // node -> its sine
};

}  // namespace mechfit
