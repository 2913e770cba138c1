#include "mechfit/files/npz_log.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/base/text.h"
#include "mechfit/files/mat.h"
#include "mechfit/files/npz.h"
#include "mechfit/files/number.h"
#include "mechfit/files/utf.h"
#include "mechfit/log/clock.h"
#include "mechfit/log/columns.h"
#include "mechfit/log/origin.h"

namespace mechfit {
namespace {

struct Part {
  std::vector<double> Trajectory::*values;
  const char* array;
};
constexpr Part kJointParts[] = {{&Trajectory::qd, "qd"},
                                {&Trajectory::qdd, "qdd"},
                                {&Trajectory::q_sd, "q_sd"},
                                {&Trajectory::qd_sd, "qd_sd"},
                                {&Trajectory::qdd_sd, "qdd_sd"}};

std::string dimensions_text(const std::vector<std::int64_t>& shape) {
  std::string out;
  for (const auto d : shape) out += (out.empty() ? "" : " x ") + std::to_string(d);
  return out.empty() ? "a single value" : out;
}

// Arrays side by side, sample-major.
struct Block {
  std::size_t rows = 0, width = 0;
  std::vector<double> values;      // [rows][width]
  std::vector<std::string> names;  // [width]
};

// From a file of named arrays: NpzReader, MatReader.
template <class Arrays>
class LogReader {
 public:
  LogReader(std::string_view bytes, const std::string& name, const ReadOptions& options,
            std::vector<std::string>& notes)
      : arrays_(bytes, name), name_(name), options_(options), notes_(notes) {}

  Log read() {
    const std::string time = options_.time.empty() ? "t" : options_.time;
    const Block t = block({time}, 0);
    if (t.width != 1) fail(time, "has " + std::to_string(t.width) + " columns, expected one");
    const Block q = block(options_.q.empty() ? std::vector<std::string>{"q"} : options_.q, t.rows);
    if (q.width == 0) fail("q", "has no columns, expected one for each joint");
    Block u;
    if (!options_.no_inputs() && (!options_.u.empty() || arrays_.has("u")))
      u = block(options_.u.empty() ? std::vector<std::string>{"u"} : options_.u, t.rows);

    std::vector<Block> parts;
    for (const Part& part : kJointParts) {
      const auto& chosen = part.values == &Trajectory::qd    ? options_.qd
                           : part.values == &Trajectory::qdd ? options_.qdd
                                                             : none_;
      Block block_of_part;
      if (!chosen.empty() || arrays_.has(part.array)) {
        block_of_part =
            block(chosen.empty() ? std::vector<std::string>{part.array} : chosen, t.rows);
        if (block_of_part.width != q.width)
          fail(part.array, "has " + std::to_string(block_of_part.width) + " columns, expected " +
                               std::to_string(q.width) + " as q");
      }
      parts.push_back(std::move(block_of_part));
    }

    Log log;
    read_channels(log.channels, q, u);
    const double scale = time_scale(time, log.channels);
    const std::vector<double> run_of = read_runs(log, t.rows);
    std::size_t dropped = 0;
    for (std::size_t k = 0; k < t.rows; ++k) {
      Trajectory& run = log.runs[static_cast<std::size_t>(run_of[k])];
      const double time_k = t.values[k] * scale;
      std::string fault = not_finite(t, k, time);
      if (fault.empty()) fault = not_finite(q, k, "q");
      if (fault.empty()) fault = not_finite(u, k, "u");
      for (std::size_t i = 0; i < parts.size() && fault.empty(); ++i)
        fault = not_finite(parts[i], k, kJointParts[i].array);
      if (!fault.empty()) {
        if (!options_.drop_bad_rows) throw InputError(name_ + ": " + fault);
        ++dropped;
        continue;
      }
      add_line(run.origin, run.size(), static_cast<long>(k));
      run.t.push_back(time_k);
      append(run.q, q, k);
      append(run.u, u, k);
      for (std::size_t i = 0; i < parts.size(); ++i)
        append(run.*kJointParts[i].values, parts[i], k);
    }
    if (dropped > 0)
      notes_.push_back(name_ + ": dropped " + std::to_string(dropped) + " of " +
                       std::to_string(t.rows) + " rows with NaN or infinity");
    std::erase_if(log.runs, [](const Trajectory& run) { return run.t.empty(); });
    for (Trajectory& run : log.runs) run.origin.file = name_, run.origin.place = Origin::Place::row;
    if (log.runs.empty()) throw InputError(name_ + ": no good row among " + std::to_string(t.rows));
    return log;
  }

 private:
  [[noreturn]] void fail(const std::string& array, const std::string& what) const {
    throw InputError(name_ + ": array '" + array + "' " + what);
  }

  NpzArray numbers(const std::string& array) const {
    if (!arrays_.has(array))
      throw UnclearLog(name_ + ": no array '" + array + "', found " + listed(arrays_.names()));
    NpzArray out = arrays_.read(array);
    if (out.is_text) fail(array, "holds text, expected numbers");
    return out;
  }

  // rows = 0: whatever the first array has.
  Block block(const std::vector<std::string>& arrays, std::size_t rows) const {
    std::vector<NpzArray> read;
    Block out;
    for (const auto& array : arrays) {
      NpzArray a = numbers(array);
      if (a.shape.empty() || a.shape.size() > 2)
        fail(array, "is " + dimensions_text(a.shape) + ", expected one or two dimensions");
      const auto rows_here = static_cast<std::size_t>(a.shape[0]);
      const auto width = a.shape.size() == 2 ? static_cast<std::size_t>(a.shape[1]) : 1;
      if (rows == 0) rows = rows_here;
      if (a.numbers.empty()) fail(array, "is empty");
      if (rows_here != rows)
        fail(array, "has " + std::to_string(rows_here) + " rows, expected " + std::to_string(rows) +
                        " as the time");
      for (std::size_t i = 0; i < width; ++i)
        out.names.push_back(width == 1 ? array : array + std::to_string(i + 1));
      out.width += width;
      read.push_back(std::move(a));
    }
    out.rows = rows;
    if (read.size() == 1) {
      out.values = std::move(read.front().numbers);
      return out;
    }
    out.values.reserve(out.rows * out.width);
    for (std::size_t k = 0; k < rows; ++k)
      for (const auto& a : read) {
        const std::size_t width = a.numbers.size() / rows;
        const auto from = a.numbers.begin() + static_cast<std::ptrdiff_t>(k * width);
        out.values.insert(out.values.end(), from, from + static_cast<std::ptrdiff_t>(width));
      }
    return out;
  }

  // An optional array of `count` strings.
  std::vector<std::string> text(const std::string& array, std::size_t count) const {
    if (!arrays_.has(array)) return {};
    NpzArray a = arrays_.read(array);
    if (!a.is_text || a.text.size() != count)
      fail(array, "is not " + std::to_string(count) + " strings");
    return a.text;
  }

  void read_channels(Channels& channels, const Block& q, const Block& u) const {
    const bool own_q = options_.q.empty(), own_u = options_.u.empty();
    if (own_q) channels.joints = text("joints", q.width);
    if (own_q) channels.units = text("units", q.width);
    if (own_u) channels.inputs = text("inputs", u.width);
    if (own_q)
      for (const auto& type : text("joint_types", q.width)) {
        const auto value = value_of<JointType>(type);
        if (!value)
          fail("joint_types",
               "holds " + in_quotes(type) + ", expected " + all_names<JointType>(" or "));
        channels.joint_types.push_back(*value);
      }
    if (channels.joints.empty()) {
      const bool has_units = !channels.units.empty();
      for (const auto& column : q.names) {
        auto [joint, unit] = split_unit(column);
        channels.joints.push_back(joint);
        if (!has_units) channels.units.push_back(unit);
      }
    }
    channels.units.resize(q.width);
    if (channels.inputs.empty()) channels.inputs = u.names;
  }

  // To seconds, where the array's name or the options tell the unit.
  double time_scale(const std::string& time, Channels& channels) const {
    auto named = value_of<TimeUnit>(split_unit(time).unit);
    if (const auto stored = text("time_unit", 1); !named && !stored.empty()) {
      named = value_of<TimeUnit>(stored[0]);
      if (!named)
        fail("time_unit",
             "holds " + in_quotes(stored[0]) + ", expected " + all_names<TimeUnit>(" or "));
    }
    const TimeUnit unit = options_.time_unit.value_or(named.value_or(TimeUnit::s));
    if (options_.time_unit || named) channels.time_unit = name_of(unit);
    return seconds_per(unit);
  }

  // Makes the runs, empty, and returns the run of each row.
  std::vector<double> read_runs(Log& log, std::size_t rows) const {
    const std::string array = options_.trajectory.empty() ? "run" : options_.trajectory;
    if (options_.trajectory.empty() && !arrays_.has(array)) {
      log.runs.emplace_back();
      return std::vector<double>(rows, 0.0);
    }
    const Block run = block({array}, rows);
    if (run.width != 1) fail(array, "has several columns, expected one");
    std::vector<double> index(rows);
    for (std::size_t k = 0; k < rows; ++k) {
      const double value = run.values[k];
      const bool changes = k == 0 || value != run.values[k - 1];
      if (!std::isfinite(value) || (k > 0 && value < run.values[k - 1]))
        fail(array, "falls or is not a number at row " + std::to_string(k));
      if (changes) log.runs.emplace_back().name = run_label(value);
      index[k] = static_cast<double>(log.runs.size() - 1);
    }
    if (options_.trajectory.empty()) {
      const auto names = arrays_.has("run_names") ? text("run_names", log.runs.size())
                                                  : std::vector<std::string>();
      for (std::size_t i = 0; i < names.size(); ++i) log.runs[i].name = names[i];
    }
    return index;
  }

  static std::string run_label(double value) {
    std::string out;
    append_number(out, value);
    return out;
  }

  static std::string not_finite(const Block& block, std::size_t k, const std::string& array) {
    const double* row = block.values.data() + k * block.width;
    for (std::size_t i = 0; i < block.width; ++i)
      if (!std::isfinite(row[i]))
        return "array '" + array + "': row " + std::to_string(k) + " is not finite";
    return "";
  }

  static void append(std::vector<double>& to, const Block& block, std::size_t k) {
    const auto from = block.values.begin() + static_cast<std::ptrdiff_t>(k * block.width);
    to.insert(to.end(), from, from + static_cast<std::ptrdiff_t>(block.width));
  }

  Arrays arrays_;
  const std::string& name_;
  const ReadOptions& options_;
  std::vector<std::string>& notes_;
  const std::vector<std::string> none_;
};

void refuse_columns(const ReadOptions& options, const std::string& name) {
  if (!options.columns.empty())
    throw InputError(name + ": option 'columns' is for text files, arrays have names");
}

template <class Arrays>
std::string contents_of(const Arrays& arrays) {
  std::string out;
  for (const std::string& array : arrays.names()) {
    const NpzArray values = arrays.read(array);
    out += "  " + printable_name(array) + ": " + dimensions_text(values.shape) +
           (values.is_text ? " text\n" : " numbers\n");
  }
  return out;
}

}  // namespace

Log parse_npz_log(std::string_view bytes, const std::string& name, const ReadOptions& options,
                  std::vector<std::string>& notes) {
  refuse_columns(options, name);
  return LogReader<NpzReader>(bytes, name, options, notes).read();
}

Log parse_mat_log(std::string_view bytes, const std::string& name, const ReadOptions& options,
                  std::vector<std::string>& notes) {
  refuse_columns(options, name);
  return LogReader<MatReader>(bytes, name, options, notes).read();
}

std::string npz_contents(std::string_view bytes, const std::string& name) {
  return contents_of(NpzReader(bytes, name));
}

std::string mat_contents(std::string_view bytes, const std::string& name) {
  return contents_of(MatReader(bytes, name));
}

std::string format_npz_log(const Log& log) {
  NpzWriter npz;
  const std::int64_t rows = log.samples();
  std::vector<double> all;
  const auto add = [&](const char* array, std::vector<double> Trajectory::*values,
                       std::int64_t width) {
    all.clear();
    for (const auto& run : log.runs) {
      const auto& from = run.*values;
      if (from.size() != run.t.size() * static_cast<std::size_t>(width)) return;
      all.insert(all.end(), from.begin(), from.end());
    }
    MECHFIT_CHECK(std::all_of(all.begin(), all.end(), [](double x) { return std::isfinite(x); }));
    if (values == &Trajectory::t)
      npz.add(array, {rows}, all.data());
    else if (width > 0)
      npz.add(array, {rows, width}, all.data());
  };
  add("t", &Trajectory::t, 1);
  if (looks_like_another_unit(log)) npz.add("time_unit", std::vector{name_of(TimeUnit::s)});
  add("q", &Trajectory::q, log.n());
  add("u", &Trajectory::u, log.m());
  for (const Part& part : kJointParts) add(part.array, part.values, log.n());

  std::vector<std::int64_t> run_of;
  std::vector<std::string> run_names, types;
  for (const auto& run : log.runs) {
    run_of.insert(run_of.end(), run.t.size(), static_cast<std::int64_t>(run_names.size()));
    run_names.push_back(run.name);
  }
  for (const auto type : log.channels.joint_types) types.push_back(name_of(type));
  npz.add("run", {rows}, run_of.data());
  npz.add("run_names", run_names);
  npz.add("joints", log.channels.joints);
  if (!types.empty()) npz.add("joint_types", types);
  std::vector<std::string> units = log.channels.units;
  units.resize(log.channels.joints.size());
  npz.add("units", units);
  if (log.m() > 0) npz.add("inputs", log.channels.inputs);
  return npz.finish();
}

}  // namespace mechfit
