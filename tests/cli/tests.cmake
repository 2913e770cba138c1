# The program as a user runs it: exit codes, messages, files.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*_test.cc)
mechfit_test(cli_test LABELS cli SOURCES ${sources})
target_compile_definitions(cli_test PRIVATE MECHFIT_PROGRAM="$<TARGET_FILE:mechfit_app>")
add_dependencies(cli_test mechfit_app)
