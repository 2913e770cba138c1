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
                 "CSV, NPZ or MAT files, each one or several runs; patterns such as 'logs/*.csv'")
      ->required()
      ->type_name("FILE");
  app.add_option("--time", options.read.time, "Column of time (guessed: t, time, t_s ...)")
      ->type_name("NAME")
      ->group(kGroup);
  add_columns(app, "--q", options.read.q, "Columns of the joints (guessed: q1, q2 ... or *_rad)");
  add_columns(app, "--u", options.read.u, "Columns of the inputs (guessed: u1, u2 ...)");
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
                 "Split a run at steps longer than this many median steps; 0: never")
      ->check(gap_range)
      ->type_name("FACTOR")
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--input-hold", options.read.input_hold,
                 "held: u_k acts from t_k to t_k+1; linear: the mean of u_k and u_k+1 does")
      ->transform(choice<InputHold>())
      ->type_name(choices<InputHold>())
      ->group(kGroup);
}

}  // namespace mechfit
