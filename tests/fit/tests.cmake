mechfit_test(fit_long_test LABELS long SOURCES ${CMAKE_CURRENT_LIST_DIR}/fit_long.cc)
mechfit_test(seeds_long_test LABELS battery SOURCES ${CMAKE_CURRENT_LIST_DIR}/seeds_long.cc)

# Known equations alone: the rows of trig take two minutes more.
mechfit_battery(grid_battery ${CMAKE_CURRENT_LIST_DIR}/grid_battery.cc double-pendulum-points)
mechfit_battery(input_battery ${CMAKE_CURRENT_LIST_DIR}/input_battery.cc)
# Simulated arms; with a log it prints what is found of a real one (docs/arms.md).
mechfit_battery(arm_battery ${CMAKE_CURRENT_LIST_DIR}/arm_battery.cc)

# Prints what is found of stops and restitution (docs/contact.md); no test.
add_executable(contact_battery EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/contact_battery.cc)
add_dependencies(batteries contact_battery)
target_link_libraries(contact_battery PRIVATE mechfit mechfit_options fmt::fmt)
target_include_directories(contact_battery PRIVATE ${PROJECT_SOURCE_DIR})
