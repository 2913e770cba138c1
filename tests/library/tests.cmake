# A user's program: it includes mechfit/mechfit.h alone and links the library alone.
add_executable(library_test ${CMAKE_CURRENT_LIST_DIR}/walk_test.cc)
target_link_libraries(library_test PRIVATE mechfit mechfit_options GTest::gtest_main)
gtest_discover_tests(library_test PROPERTIES LABELS sanitize TIMEOUT 600 DISCOVERY_TIMEOUT 120)
add_dependencies(sanitize_tests library_test)
