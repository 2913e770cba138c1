# The program as a user runs it: exit codes, messages, files.
mechfit_test(cli_test LABELS cli SOURCES
  cli/arm_commands_test.cc
  cli/evaluate_test.cc
  cli/fit_test.cc
  cli/frame_test.cc
  cli/hostile_test.cc
  cli/inspect_test.cc
  cli/real_pendulum_test.cc
  cli/rollout_test.cc
  cli/simulate_test.cc)
target_compile_definitions(cli_test PRIVATE MECHFIT_PROGRAM="$<TARGET_FILE:mechfit_app>")
add_dependencies(cli_test mechfit_app)

