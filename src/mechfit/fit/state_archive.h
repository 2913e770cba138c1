#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "mechfit/base/error.h"
#include "mechfit/files/safetensors.h"
#include "mechfit/fit/state.h"

// One description of every saved struct, by which it is written and read:
//
//   template <class Archive> void archive(Archive& a, Thing& x) { a("name", x.name); ... }
//
// Numbers go as their bits, since infinities and NaN are part of a state.
namespace mechfit {

class StateWriter {
 public:
  explicit StateWriter(Safetensors& file) : file_(file) {}

  void operator()(const std::string& name, std::vector<double>& values) {
    std::vector<std::int64_t> bits;
    for (double x : values) bits.push_back(std::bit_cast<std::int64_t>(x));
    put(name, std::move(bits));
  }
  void operator()(const std::string& name, double value) {
    put(name, {std::bit_cast<std::int64_t>(value)});
  }
  template <std::integral Integer>
  void operator()(const std::string& name, Integer value) {
    put(name, {static_cast<std::int64_t>(value)});
  }
  void operator()(const std::string& name, Criterion value) {
    put(name, {static_cast<std::int64_t>(value)});
  }
  template <class Thing>
  requires std::is_class_v<Thing>
  void operator()(const std::string& name, Thing& thing) {
    const std::string outside = prefix_;
    prefix_ += name + "/";
    archive(*this, thing);
    prefix_ = outside;
  }
  template <class Thing>
  requires(!std::same_as<Thing, double>) void operator()(const std::string& name,
                                                         std::vector<Thing>& things) {
    (*this)(name + ".size", things.size());
    for (std::size_t k = 0; k < things.size(); ++k)
      (*this)(name + "." + std::to_string(k), things[k]);
  }

 private:
  void put(const std::string& name, std::vector<std::int64_t> values) {
    Tensor tensor;
    tensor.shape = {static_cast<std::int64_t>(values.size())};
    tensor.values = std::move(values);
    MECHFIT_CHECK(file_.tensors.emplace(prefix_ + name, std::move(tensor)).second);
  }

  Safetensors& file_;
  std::string prefix_;
};

// InputErrors begin with `name` of the file.
class StateReader {
 public:
  StateReader(const Safetensors& file, std::string name) : file_(file), name_(std::move(name)) {}

  void operator()(const std::string& name, std::vector<double>& values) {
    values.clear();
    for (std::int64_t x : get(name)) values.push_back(std::bit_cast<double>(x));
  }
  void operator()(const std::string& name, double& value) {
    value = std::bit_cast<double>(one(name));
  }
  template <std::integral Integer>
  void operator()(const std::string& name, Integer& value) {
    value = static_cast<Integer>(one(name));
  }
  void operator()(const std::string& name, Criterion& value) {
    value = static_cast<Criterion>(one(name));
  }
  template <class Thing>
  requires std::is_class_v<Thing>
  void operator()(const std::string& name, Thing& thing) {
    const std::string outside = prefix_;
    prefix_ += name + "/";
    archive(*this, thing);
    prefix_ = outside;
  }
  template <class Thing>
  requires(!std::same_as<Thing, double>) void operator()(const std::string& name,
                                                         std::vector<Thing>& things) {
    std::int64_t size = 0;
    (*this)(name + ".size", size);
    // Every element has at least one array of its own.
    if (size < 0 || size > static_cast<std::int64_t>(file_.tensors.size())) damaged();
    things.resize(static_cast<std::size_t>(size));
    for (std::size_t k = 0; k < things.size(); ++k)
      (*this)(name + "." + std::to_string(k), things[k]);
  }
  [[noreturn]] void damaged() const {
    throw InputError(name_ + ": the checkpoint is damaged, or of another version of mechfit");
  }

 private:
  const std::vector<std::int64_t>& get(const std::string& name) const {
    const auto found = file_.tensors.find(prefix_ + name);
    if (found == file_.tensors.end()) damaged();
    const auto* values = std::get_if<std::vector<std::int64_t>>(&found->second.values);
    if (!values) damaged();
    return *values;
  }
  std::int64_t one(const std::string& name) const {
    const auto& values = get(name);
    if (values.size() != 1) damaged();
    return values[0];
  }

  const Safetensors& file_;
  std::string name_, prefix_;
};

template <class Archive>
void archive(Archive& a, Adam& x) {
  a("mean", x.mean);
  a("square", x.square);
  a("power1", x.power1);
  a("power2", x.power2);
}

template <class Archive>
void archive(Archive& a, Random::State& x) {
  for (int k = 0; k < 4; ++k) a("s" + std::to_string(k), x.s[k]);
  a("spare", x.spare);
  a("has_spare", x.has_spare);
}

// Columns, since there are thousands of records.
template <class Archive>
void archive(Archive& a, FitHistory& x) {
  a("criterion", x.criterion);
  a("selected", x.selected);
  a("best", x.best);
  std::array<std::vector<double>, 6> columns;
  for (const FitRecord& r : x.records) {
    const double row[] = {static_cast<double>(r.step),
                          r.objective,
                          r.validation,
                          r.learning_rate,
                          static_cast<double>(r.halvings),
                          static_cast<double>(r.rejected)};
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c].push_back(row[c]);
  }
  const char* names[] = {"step",          "objective", "validation",
                         "learning_rate", "halvings",  "rejected"};
  for (std::size_t c = 0; c < columns.size(); ++c) a(names[c], columns[c]);
  if constexpr (requires { a.damaged(); }) {
    x.records.clear();
    for (const auto& column : columns)
      if (column.size() != columns[0].size()) a.damaged();
    for (std::size_t k = 0; k < columns[0].size(); ++k)
      x.records.push_back({static_cast<int>(columns[0][k]), columns[1][k], columns[2][k],
                           columns[3][k], static_cast<int>(columns[4][k]),
                           static_cast<int>(columns[5][k])});
  }
}

template <class Archive>
void archive(Archive& a, MotionNoise& x) {
  a("sigma", x.sigma);
  a("s", x.s);
}

template <class Archive>
void archive(Archive& a, JointBest& x) {
  a("score", x.score);
  a("theta", x.theta);
  a("noise", x.noise);
  a("motions", x.motions);
  a("held_out", x.held_out);
}

template <class Archive>
void archive(Archive& a, TrainState& x) {
  a("epoch", x.epoch);
  a("theta", x.theta);
  a("best", x.best);
  a("adam", x.adam);
  a("random", x.random);
  a("alpha", x.alpha);
  a("mu", x.mu);
  a("history", x.history);
}

template <class Archive>
void archive(Archive& a, GaussNewtonState& x) {
  a("iteration", x.iteration);
  a("done", x.done);
  a("share", x.share);
  a("theta", x.theta);
  a("motions", x.motions);
  a("held_out", x.held_out);
  a("noise", x.noise);
  a("damping", x.damping);
  a("precisions", x.precisions);
  a("mass_weight", x.mass_weight);
  a("settled", x.settled);
  a("quiet", x.quiet);
  a("pruned", x.pruned);
  a("highest", x.highest);
  a("best", x.best);
  a("history", x.history);
}

template <class Archive>
void archive(Archive& a, NetworkState& x) {
  a("step", x.step);
  a("rate_factor", x.rate_factor);
  a("theta", x.theta);
  a("last_theta", x.last_theta);
  a("adam", x.adam);
  a("last_objective", x.last_objective);
  a("length", x.length);
  a("motions", x.motions);
  a("last_motions", x.last_motions);
  a("held_out", x.held_out);
  a("best", x.best);
  a("history", x.history);
}

}  // namespace mechfit
