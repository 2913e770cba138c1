# The program as a user runs it: exit codes, messages, files.
mechfit_test(cli_test LABELS cli SOURCES
  cli/arm_commands_test.cc
  cli/evaluate_test.cc
  cli/fit_test.cc
  cli/frame_test.cc
  cli/hostile_test.cc
  cli/inspect_test.cc
  cli/rollout_test.cc
  cli/simulate_test.cc)

# The real double pendulum, in a program of its own: its networks, three fits of them, are a battery.
add_executable(real_pendulum_test ${CMAKE_CURRENT_LIST_DIR}/real_pendulum_test.cc)
mechfit_test_options(real_pendulum_test)
mechfit_precompile(real_pendulum_test REUSE_FROM test_headers)
gtest_discover_tests(real_pendulum_test TEST_FILTER -*Smm* PROPERTIES LABELS cli TIMEOUT 600)
gtest_discover_tests(real_pendulum_test TEST_FILTER *Smm* PROPERTIES LABELS battery TIMEOUT 1800)

foreach(name cli_test real_pendulum_test)
  target_compile_definitions(${name} PRIVATE MECHFIT_PROGRAM="$<TARGET_FILE:mechfit_app>")
  add_dependencies(${name} mechfit_app)
endforeach()

