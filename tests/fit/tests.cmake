mechfit_test(fit_long_test LABELS long SOURCES ${CMAKE_CURRENT_LIST_DIR}/fit_long.cc)
mechfit_test(seeds_long_test LABELS long SOURCES ${CMAKE_CURRENT_LIST_DIR}/seeds_long.cc)

add_executable(grid_battery ${CMAKE_CURRENT_LIST_DIR}/grid_battery.cc)
target_link_libraries(grid_battery PRIVATE mechfit mechfit_options fmt::fmt)
target_include_directories(grid_battery PRIVATE ${PROJECT_SOURCE_DIR})
# Known equations alone: the rows of trig take two minutes more.
add_test(NAME fit.grid_battery COMMAND grid_battery double-pendulum-points)
set_tests_properties(fit.grid_battery PROPERTIES LABELS long TIMEOUT 1800)
