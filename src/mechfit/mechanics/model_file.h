#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mechfit/log/input_timing.h"
#include "mechfit/log/log.h"
#include "mechfit/mechanics/contact.h"
#include "mechfit/mechanics/knowledge.h"
#include "mechfit/mechanics/model.h"

namespace mechfit {

// A model and where it comes from.
struct ModelRecord {
  Model model;
  Channels channels;  // of the log it was fitted to: n joints, m inputs
  // Free text: method, seed, data, scores ... A loaded record also has family, format and
  // mechfit_version (of the program that wrote it) here; these are written anew.
  std::map<std::string, std::string> metadata;
  std::vector<Model> members = {};      // of an ensemble, equally likely; empty: `model` alone
  std::vector<double> covariance = {};  // of the model's parameters [p][p]; empty: not known
  std::optional<Knowledge> knowledge = {};
  InputTiming timing = {};  // how inputs acted in the log it was fitted to
  Contacts contacts = {};   // what the machine touches
};

// Model files are safetensors (docs/model_files.md). The metadata hold `config` and `channels` as
// JSON and a checksum over everything, so that a damaged file is refused. The same record gives the
// same bytes.
std::string format_model(const ModelRecord& record);

// `name` is the file's name in messages. Whatever the bytes are: a whole and checked model, or an
// InputError that says what is wrong.
ModelRecord parse_model(std::string_view bytes, const std::string& name);

// One line of JSON: hold, delay, delay_error, lag, lag_error.
std::string format_timing(const InputTiming& timing);

// Refuses to overwrite unless told to; the file appears whole or not at all.
void save_model(const std::string& path, const ModelRecord& record, bool overwrite);
ModelRecord load_model(const std::string& path);

}  // namespace mechfit
