mechfit_test(fit_long_test LABELS long SOURCES ${CMAKE_CURRENT_LIST_DIR}/fit_long.cc)
mechfit_test(seeds_long_test LABELS battery SOURCES ${CMAKE_CURRENT_LIST_DIR}/seeds_long.cc)

# Known equations alone: the rows of trig take two minutes more.
mechfit_battery(grid_battery ${CMAKE_CURRENT_LIST_DIR}/grid_battery.cc double-pendulum-points)
mechfit_battery(input_battery ${CMAKE_CURRENT_LIST_DIR}/input_battery.cc)
