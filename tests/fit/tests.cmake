mechfit_test(fit_long_test LABELS long SOURCES ${CMAKE_CURRENT_LIST_DIR}/fit_long.cc)
mechfit_test(seeds_long_test LABELS long SOURCES ${CMAKE_CURRENT_LIST_DIR}/seeds_long.cc)

# Known equations alone: the rows of trig take two minutes more.
mechfit_battery(grid_battery ${CMAKE_CURRENT_LIST_DIR}/grid_battery.cc double-pendulum-points)
# Prints what is found of late inputs (docs/logs.md); not a test, for some of its aims are missed.
add_executable(input_battery ${CMAKE_CURRENT_LIST_DIR}/input_battery.cc)
target_link_libraries(input_battery PRIVATE mechfit mechfit_options fmt::fmt)
target_include_directories(input_battery PRIVATE ${PROJECT_SOURCE_DIR})
# Prints what is found of simulated and real arms (docs/arms.md).
add_executable(arm_battery ${CMAKE_CURRENT_LIST_DIR}/arm_battery.cc)
target_link_libraries(arm_battery PRIVATE mechfit mechfit_options fmt::fmt)
target_include_directories(arm_battery PRIVATE ${PROJECT_SOURCE_DIR})
