# The commands of the tutorial are run as they stand there.
add_test(NAME Docs.TutorialCommandsRun
         COMMAND ${CMAKE_CURRENT_LIST_DIR}/run_commands ${PROJECT_SOURCE_DIR}/docs/tutorial.md $<TARGET_FILE:mechfit_app>)
set_tests_properties(Docs.TutorialCommandsRun PROPERTIES LABELS long TIMEOUT 600)
