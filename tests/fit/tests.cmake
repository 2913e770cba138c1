mechfit_test(fit_long_test LABELS long SOURCES ${CMAKE_CURRENT_LIST_DIR}/fit_long.cc)
mechfit_test(seeds_long_test LABELS battery SOURCES ${CMAKE_CURRENT_LIST_DIR}/seeds_long.cc)

# Known equations alone: the rows of trig take two minutes more.
mechfit_battery(grid_battery ${CMAKE_CURRENT_LIST_DIR}/grid_battery.cc double-pendulum-points)
mechfit_battery(input_battery ${CMAKE_CURRENT_LIST_DIR}/input_battery.cc)
# Simulated arms; with a log it prints what is found of a real one (docs/arms.md).
mechfit_battery(arm_battery ${CMAKE_CURRENT_LIST_DIR}/arm_battery.cc)

# Print what is found of stops, floors and restitution (docs/contact.md); no tests.
foreach(name contact_battery floor_battery)
  add_executable(${name} EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/${name}.cc)
  add_dependencies(batteries ${name})
  target_link_libraries(${name} PRIVATE mechfit mechfit_options fmt::fmt)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
endforeach()
