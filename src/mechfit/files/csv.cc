#include "mechfit/files/csv.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "mechfit/base/error.h"
#include "mechfit/files/number.h"
#include "mechfit/log/columns.h"
#include "mechfit/log/origin.h"

namespace mechfit {
namespace {

// The lines of a text that are neither blank nor comments.
class Lines {
 public:
  explicit Lines(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool next() {
    while (at_ < end_) {
      const auto* newline =
          static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
      const char* stop = newline != nullptr ? newline : end_;
      line = std::string_view(at_, static_cast<std::size_t>(stop - at_));
      at_ = newline != nullptr ? newline + 1 : end_;
      ++number;
      if (line.ends_with('\r')) line.remove_suffix(1);
      const auto first = line.find_first_not_of(" \t");
      if (first == std::string_view::npos) continue;
      if (line[first] != '#' && line[first] != '%') return true;
      comment = line.substr(first + 1);
      comment_number = number;
    }
    return false;
  }

  std::string_view line;
  long number = 0;           // of `line`, from 1
  std::string_view comment;  // the last one passed
  long comment_number = 0;

 private:
  const char* at_;
  const char* end_;
};

// Why a row is bad, in the order in which they are listed.
enum class Fault { fields, quote, empty, number, not_finite, too_large };
constexpr const char* kFaultNames[] = {"with a wrong number of fields", "with an open quote",
                                       "with an empty field",           "with text in a number",
                                       "with a NaN or infinity",        "with a number too large"};

struct BadRow {
  Fault fault;
  std::string message;
};

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }

// Control characters are blanks, and blanks at either end are no part of a name.
std::string clean_name(std::string name) {
  for (char& c : name)
    if (is_control(c)) c = ' ';
  const auto first = name.find_first_not_of(' ');
  return first == std::string::npos ? std::string()
                                    : name.substr(first, name.find_last_not_of(' ') - first + 1);
}

class Table {
 public:
  Table(std::string_view text, const std::string& name, const ReadOptions& options,
        std::vector<std::string>& notes)
      : lines_(text), name_(name), options_(options), notes_(notes) {}

  Log read() {
    read_header();
    do {
      ++rows_;
      if (read_fast() || read_slow()) {
        add_row();
        continue;
      }
      if (is_blank_row()) {
        if (blank_.count++ == 0) blank_.first_line = lines_.number;
        continue;
      }
      if (!options_.drop_bad_rows) throw InputError(where(lines_.number) + bad_.message);
      auto& dropped = dropped_[static_cast<std::size_t>(bad_.fault)];
      if (dropped.count++ == 0) dropped.first_line = lines_.number;
    } while (lines_.next());
    tell_dropped();
    if (log_.runs.empty()) throw InputError(name_ + ": no good row among " + std::to_string(rows_));
    for (Trajectory& run : log_.runs) run.origin.file = name_;
    return std::move(log_);
  }

 private:
  std::string where(long line) const { return name_ + ":" + std::to_string(line) + ": "; }

  // Leaves `lines_` on the first row of numbers.
  void read_header() {
    if (!lines_.next()) {
      throw InputError(name_ + (lines_.number == 0
                                    ? ": empty file, expected a header line"
                                    : ": only comments and blank lines, expected a header line"));
    }
    long header_line = lines_.number;
    if (lines_.line.find('\0') != std::string_view::npos)
      throw InputError(name_ + ": zero bytes in the first line, expected text in UTF-8");
    delimiter_ = guess_delimiter(lines_.line);
    split_header(lines_.line, header_line);
    const bool row_is_read = mostly_numbers(fields_);
    if (!options_.columns.empty()) {
      take_names_of_options(row_is_read);
    } else if (row_is_read) {
      // A header behind a comment sign, as numpy.savetxt and rostopic write it
      const std::size_t count = fields_.size();
      if (lines_.comment_number > 0) split_header(lines_.comment, lines_.comment_number);
      if (lines_.comment_number == 0 || fields_.size() != count || mostly_numbers(fields_))
        throw UnclearLog(where(header_line) +
                         "numbers in the first line, expected column names (option 'columns' names "
                         "the columns of a file without a header)");
      header_line = lines_.comment_number;
    }
    const std::string at = name_ + ":" + std::to_string(header_line);
    header_ = fields_;
    columns_ = choose_columns(header_, options_, at, notes_);
    log_.channels = columns_.channels;
    plan();
    if (!row_is_read && !lines_.next()) throw InputError(name_ + ": no rows below the header");
  }

  void split_header(std::string_view header, long line) {
    if (!split_fields(header, delimiter_, fields_))
      throw InputError(where(line) + "quote is not closed");
  }

  // Rows may have some text, headers have names.
  static bool mostly_numbers(const std::vector<std::string>& fields) {
    double value;
    const auto numbers = std::count_if(fields.begin(), fields.end(), [&](const auto& field) {
      const auto status = parse_number(field, value);
      return status == NumberStatus::ok || status == NumberStatus::not_finite;
    });
    return 2 * static_cast<std::size_t>(numbers) > fields.size();
  }

  void take_names_of_options(bool row_is_read) {
    if (!row_is_read)
      throw InputError(where(lines_.number) +
                       "names in the first line, option 'columns' is for files without a header");
    if (fields_.size() != options_.columns.size())
      throw InputError(where(lines_.number) + std::to_string(fields_.size()) +
                       " fields, option 'columns' names " +
                       std::to_string(options_.columns.size()));
    fields_ = options_.columns;
  }

  // slot_[column]: where in values_ its number goes; kSkip, kTrajectory.
  static constexpr int kSkip = -1, kTrajectory = -2;
  void plan() {
    slot_.assign(header_.size(), kSkip);
    int next = 0;
    const auto assign = [&](int column) { slot_[static_cast<std::size_t>(column)] = next++; };
    assign(columns_.time);
    for (const auto* group : {&columns_.q, &columns_.u, &columns_.qd, &columns_.qdd, &columns_.q_sd,
                              &columns_.qd_sd, &columns_.qdd_sd})
      for (const int column : *group) assign(column);
    if (columns_.time_fraction >= 0) assign(columns_.time_fraction);
    if (columns_.trajectory >= 0)
      slot_[static_cast<std::size_t>(columns_.trajectory)] = kTrajectory;
    values_.resize(static_cast<std::size_t>(next));
  }

  // The row when nothing about it is special; false leaves the matter to read_slow.
  bool read_fast() {
    const char* p = lines_.line.data();
    const char* const end = p + lines_.line.size();
    const std::size_t columns = slot_.size();
    const auto skip_spaces = [&] {
      while (delimiter_ == ' ' && p < end && *p == ' ') ++p;
    };
    for (std::size_t c = 0; c < columns; ++c) {
      const int slot = slot_[c];
      skip_spaces();
      if (slot >= 0) {
        double& value = values_[static_cast<std::size_t>(slot)];
        p = parse_number_prefix(p, end, value);
        if (p == nullptr || !(std::fabs(value) <= kLargestNumber)) return false;
      } else {
        const char* const start = p;
        while (p < end && *p != delimiter_) {
          if (*p == '"' || is_control(*p)) return false;
          ++p;
        }
        if (slot == kTrajectory) {
          if (p == start || *start == ' ' || p[-1] == ' ') return false;
          run_name_ = std::string_view(start, static_cast<std::size_t>(p - start));
        }
      }
      if (c + 1 == columns) {
        skip_spaces();
        return p == end;
      }
      if (p == end || *p != delimiter_) return false;
      ++p;
    }
    return false;
  }

  bool bad(Fault fault, std::string message) {
    bad_ = {fault, std::move(message)};
    return false;
  }

  bool read_slow() {
    if (!split_fields(lines_.line, delimiter_, fields_))
      return bad(Fault::quote, "quote is not closed");
    if (fields_.size() != slot_.size())
      return bad(Fault::fields, std::to_string(fields_.size()) + " fields, expected " +
                                    std::to_string(slot_.size()) + " as in the header");
    for (std::size_t c = 0; c < slot_.size(); ++c) {
      const int slot = slot_[c];
      if (slot == kSkip) continue;
      const std::string& field = fields_[c];
      const std::string column = "column '" + header_[c] + "': ";
      if (slot == kTrajectory) {
        fields_[c] = clean_name(field);
        if (field.empty()) return bad(Fault::empty, column + "empty, expected the name of a run");
        run_name_ = field;
        continue;
      }
      switch (parse_number(field, values_[static_cast<std::size_t>(slot)])) {
        case NumberStatus::ok:
          if (std::fabs(values_[static_cast<std::size_t>(slot)]) <= kLargestNumber) break;
          [[fallthrough]];
        case NumberStatus::too_large:
          return bad(Fault::too_large,
                     column + in_quotes(field) + " is too large, expected at most 1e50");
        case NumberStatus::empty:
          return bad(Fault::empty, column + "empty, expected a number");
        case NumberStatus::not_a_number:
          return bad(Fault::number, column + in_quotes(field) + " is not a number" +
                                        (field.find(',') != std::string::npos
                                             ? ", expected a decimal point instead of a comma"
                                             : ""));
        case NumberStatus::not_finite:
          return bad(Fault::not_finite, column + in_quotes(field) + ", expected a finite number");
      }
    }
    return true;
  }

  Trajectory& run_of_row() {
    if (run_ == nullptr || (columns_.trajectory >= 0 && run_->name != run_name_)) {
      const auto [entry, is_new] = run_index_.try_emplace(std::string(run_name_), log_.runs.size());
      if (is_new) log_.runs.emplace_back().name = entry->first;
      run_ = &log_.runs[entry->second];
    }
    return *run_;
  }

  // Whether a row that cannot be read has values in other columns than those that are wanted, as
  // where several topics share a table.
  bool is_blank_row() const {
    if (bad_.fault != Fault::empty || fields_.size() != slot_.size()) return false;
    bool others = false;
    for (std::size_t c = 0; c < slot_.size(); ++c) {
      if (slot_[c] > 0 && !fields_[c].empty()) return false;
      others = others || (slot_[c] == kSkip && !fields_[c].empty());
    }
    return others;
  }

  void add_row() {
    const double fraction = columns_.time_fraction >= 0 ? 1e-9 * values_.back() : 0;
    Trajectory& run = run_of_row();
    add_line(run.origin, run.size(), lines_.number);
    run.t.push_back(values_[0] * columns_.time_scale + fraction);
    const double* value = values_.data() + 1;
    const auto append = [&](std::vector<double>& to, std::size_t count) {
      to.insert(to.end(), value, value + count);
      value += count;
    };
    append(run.q, columns_.q.size());
    append(run.u, columns_.u.size());
    append(run.qd, columns_.qd.size());
    append(run.qdd, columns_.qdd.size());
    append(run.q_sd, columns_.q_sd.size());
    append(run.qd_sd, columns_.qd_sd.size());
    append(run.qdd_sd, columns_.qdd_sd.size());
  }

  void tell_dropped() {
    if (blank_.count > 0)
      notes_.push_back(name_ + ": left out " + std::to_string(blank_.count) + " of " +
                       std::to_string(rows_) +
                       " rows, which have none of these columns (first on line " +
                       std::to_string(blank_.first_line) + ")");
    long total = 0;
    std::string kinds;
    for (std::size_t i = 0; i < std::size(dropped_); ++i) {
      if (dropped_[i].count == 0) continue;
      total += dropped_[i].count;
      kinds += (kinds.empty() ? ": " : ", ") + std::to_string(dropped_[i].count) + " " +
               kFaultNames[i] + " (first on line " + std::to_string(dropped_[i].first_line) + ")";
    }
    if (total > 0)
      notes_.push_back(name_ + ": dropped " + std::to_string(total) + " of " +
                       std::to_string(rows_) + " rows" + kinds);
  }

  Lines lines_;
  const std::string& name_;
  const ReadOptions& options_;
  std::vector<std::string>& notes_;
  char delimiter_ = ',';
  std::vector<std::string> header_, fields_;
  Columns columns_;
  std::vector<int> slot_;
  std::vector<double> values_;  // t, q, u, qd, qdd, q_sd, qd_sd, qdd_sd, fraction of t of the row
  std::string_view run_name_;
  BadRow bad_;
  struct Dropped {
    long count = 0, first_line = 0;
  } blank_, dropped_[std::size(kFaultNames)];
  long rows_ = 0;
  Log log_;
  Trajectory* run_ = nullptr;
  std::unordered_map<std::string, std::size_t> run_index_;
};

}  // namespace

Log parse_csv(std::string_view text, const std::string& name, const ReadOptions& options,
              std::vector<std::string>& notes) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw InputError(name + ": UTF-16 text, expected UTF-8");
  if (text.starts_with("\x1F\x8B") || text.starts_with("PK\x03\x04"))
    throw InputError(name + ": a compressed file, expected CSV text");
  if (text.find('\n') == std::string_view::npos && text.find('\r') != std::string_view::npos &&
      text.find('\r') + 1 < text.size())
    throw InputError(name + ": lines end in CR alone, expected LF or CRLF");
  return Table(text, name, options, notes).read();
}

}  // namespace mechfit
