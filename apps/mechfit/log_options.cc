#include "log_options.h"

#include "choice.h"

namespace mechfit {
namespace {

CLI::Option* add_columns(CLI::App& app, const char* flag, std::vector<std::string>& names,
                         const char* help) {
  return app.add_option(flag, names, help)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
}

}  // namespace

void add_log_options(CLI::App& app, LogOptions& options) {
  app.add_option("files", options.files,
                 "CSV, NPZ, MAT, MCAP or rosbag2 files, each one or several runs; patterns such as "
                 "'logs/*.csv'; folders of rosbag2")
      ->required()
      ->type_name("FILE");
  add_reading_options(app, options.read, "Reading the log", "--u");
}

void add_reading_options(CLI::App& app, ReadOptions& read, const char* group, const char* inputs) {
  const CLI::Validator gap_range(
      [](std::string& text) {
        double value = 0.0;
        const bool good = CLI::detail::lexical_cast(text, value) && (value == 0.0 || value > 1.0) &&
                          value < 1e300;
        return good ? std::string() : "expected a number above 1, or 0, not '" + text + "'";
      },
      "");

  add_columns(app, "--columns", read.columns, "Names of the columns of a CSV file without a header")
      ->group(group);
  app.add_option("--topic", read.topic,
                 "Topic of an MCAP or rosbag2 file (guessed: the one with joint states)")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--time", read.time, "Column of time (guessed: t, time, t_s ...)")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--time-unit", read.time_unit,
                 "Unit of the clock (default: what the column's name or the stamps say)")
      ->transform(choice<TimeUnit>())
      ->type_name(choices<TimeUnit>())
      ->group(group);
  app.add_flag("--reclock", read.reclock,
               "Samples were taken evenly: replace stamps that jitter by an even clock")
      ->group(group);
  add_columns(app, "--q", read.q,
              "Columns of the joints (guessed: q1, q2 ..., *_rad, *_m, joint states)")
      ->group(group);
  add_columns(app, inputs, read.u,
              "Columns of the inputs, or none (guessed: u1, u2 ..., efforts of joint states)")
      ->group(group);
  add_columns(app, "--qd", read.qd, "Columns of velocities, where known (guessed: qd1 ...)")
      ->group(group);
  add_columns(app, "--qdd", read.qdd, "Columns of accelerations, where known (guessed: qdd1 ...)")
      ->group(group);
  app.add_option("--trajectory", read.trajectory,
                 "Column that names the run (guessed: trajectory, run, episode)")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--joints", read.joint_types,
                 "Types of the joints, periodic or plain: one for all, or one for each")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(choice<JointType>())
      ->type_name("TYPES")
      ->group(group);
  app.add_flag("--degrees", read.degrees, "Joints whose names give no unit are in degrees")
      ->group(group);
  app.add_flag("--drop-bad-rows", read.drop_bad_rows,
               "Leave out rows that cannot be read instead of stopping")
      ->group(group);
  app.add_option("--gap", read.gap,
                 "Split a run at steps longer than this many median steps; 0: never (default: at "
                 "steps that the motion does not bridge)")
      ->check(gap_range)
      ->type_name("FACTOR")
      ->group(group);
}

}  // namespace mechfit
