#pragma once

// The one header for users: what the command line does, as plain functions and structs.
//
//   using namespace mechfit;
//   ThreadPool pool(default_threads());
//   const Log log = read_log({"log.csv"}).log;
//   for (const Warning& warning : inspect_log(log, pool).warnings) std::puts(warning.text.c_str());
//   const FitResult fitted = fit(log, std::nullopt, {}, pool);
//   const Scores scores = evaluate(fitted.model, fitted.validation, {}, pool);
//   const ModelRecord record = fit_record(fitted, {});
//   const RolloutStart start = start_from(record.model, {0.5, 0.0}, 10.0, 0.01);
//   write_log("motion.csv", roll_out(record, {start}, {}, pool).log);
//   save_model("model.safetensors", record, /*overwrite=*/false);
//
// Whatever the outside world has wrong is an InputError, with one line that says what. Messages
// name options as the fields of the structs are called.

#include "mechfit/base/error.h"
#include "mechfit/base/names.h"                      // name_of, value_of: the words for enums
#include "mechfit/base/thread_pool.h"                // ThreadPool, default_threads
#include "mechfit/estimate/kalman/cleaning.h"        // clean, inspect_log with what it finds
#include "mechfit/estimate/kalman/smoother.h"        // smooth
#include "mechfit/estimate/motion/model_smoother.h"  // smooth_with_model
#include "mechfit/evaluate/ensemble.h"               // ensemble_of
#include "mechfit/evaluate/ensemble_smoother.h"      // the same with what is unsure about the model
#include "mechfit/evaluate/model_point.h"            // describe_model, model_at, model_json
#include "mechfit/evaluate/model_text.h"             // model_text
#include "mechfit/evaluate/rollouts.h"               // roll_out, start_from, run_states, starts_of
#include "mechfit/evaluate/scores.h"                 // evaluate, scores_json
#include "mechfit/evaluate/verdict.h"                // judge
#include "mechfit/export/c_export.h"                 // export_c
#include "mechfit/export/export.h"                   // export_model
#include "mechfit/files/read_log.h"                  // read_log, write_log
#include "mechfit/fit/checkpoint.h"                  // checkpoints, settings_text
#include "mechfit/fit/fit.h"                         // fit
#include "mechfit/fit/fit_record.h"                  // fit_record, held_out_data
#include "mechfit/integrate/rollout.h"               // roll_out of many trajectories at once
#include "mechfit/integrate/simulate.h"              // simulate
#include "mechfit/log/inspect.h"                     // inspect_log
#include "mechfit/log/inspect_text.h"                // inspection_text
#include "mechfit/mechanics/batch_dynamics.h"        // BatchDynamics
#include "mechfit/mechanics/contact.h"               // joint_stop, half_plane, contact_function
#include "mechfit/mechanics/families/arm/robot_file.h"  // read_robot, match_joints
#include "mechfit/mechanics/model_file.h"               // load_model, save_model
#include "mechfit/mechanics/model_log.h"                // read_log_for, read_inputs_for
#include "mechfit/mechanics/model_values.h"             // model_values
#include "mechfit/mechanics/point.h"                    // PointDynamics
#include "mechfit/report/report.h"                      // write_fit_report, report_page
#include "mechfit/version.h"                            // kVersion
