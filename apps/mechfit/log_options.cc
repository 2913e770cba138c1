#include "log_options.h"

#include "choice.h"

namespace mechfit {
namespace {

const char* const kGroup = "Reading the log";

void add_columns(CLI::App& app, const char* flag, std::vector<std::string>& names,
                 const char* help) {
  app.add_option(flag, names, help)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES")
      ->group(kGroup);
}

}  // namespace

void add_log_options(CLI::App& app, LogOptions& options) {
  const CLI::Validator gap_range(
      [](std::string& text) {
        double value = 0.0;
        const bool good = CLI::detail::lexical_cast(text, value) && (value == 0.0 || value > 1.0) &&
                          value < 1e300;
        return good ? std::string() : "expected a number above 1, or 0, not '" + text + "'";
      },
      "");

  app.add_option("files", options.files,
                 "CSV, NPZ, MAT, MCAP or rosbag2 files, each one or several runs; patterns such as "
                 "'logs/*.csv'; folders of rosbag2")
      ->required()
      ->type_name("FILE");
  add_columns(app, "--columns", options.read.columns,
              "Names of the columns of a CSV file without a header");
  app.add_option("--topic", options.read.topic,
                 "Topic of an MCAP or rosbag2 file (guessed: the one with joint states)")
      ->type_name("NAME")
      ->group(kGroup);
  app.add_option("--time", options.read.time, "Column of time (guessed: t, time, t_s ...)")
      ->type_name("NAME")
      ->group(kGroup);
  app.add_option("--time-unit", options.read.time_unit,
                 "Unit of the clock (default: what the column's name or the stamps say)")
      ->transform(choice<TimeUnit>())
      ->type_name(choices<TimeUnit>())
      ->group(kGroup);
  app.add_flag("--reclock", options.read.reclock,
               "Samples were taken evenly: replace stamps that jitter by an even clock")
      ->group(kGroup);
  add_columns(app, "--q", options.read.q,
              "Columns of the joints (guessed: q1, q2 ..., *_rad, *_m, joint states)");
  add_columns(app, "--u", options.read.u,
              "Columns of the inputs, or none (guessed: u1, u2 ..., efforts of joint states)");
  add_columns(app, "--qd", options.read.qd,
              "Columns of velocities, where known (guessed: qd1 ...)");
  add_columns(app, "--qdd", options.read.qdd,
              "Columns of accelerations, where known (guessed: qdd1 ...)");
  app.add_option("--trajectory", options.read.trajectory,
                 "Column that names the run (guessed: trajectory, run, episode)")
      ->type_name("NAME")
      ->group(kGroup);
  app.add_option("--joints", options.read.joint_types,
                 "Types of the joints, periodic or plain: one for all, or one for each")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(choice<JointType>())
      ->type_name("TYPES")
      ->group(kGroup);
  app.add_flag("--degrees", options.read.degrees, "Joints whose names give no unit are in degrees")
      ->group(kGroup);
  app.add_flag("--drop-bad-rows", options.read.drop_bad_rows,
               "Leave out rows that cannot be read instead of stopping")
      ->group(kGroup);
  app.add_option("--gap", options.read.gap,
                 "Split a run at steps longer than this many median steps; 0: never (default: at "
                 "steps that the motion does not bridge)")
      ->check(gap_range)
      ->type_name("FACTOR")
      ->group(kGroup);
}

}  // namespace mechfit
