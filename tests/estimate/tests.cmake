add_test(NAME smooth.command
         COMMAND ${CMAKE_CURRENT_LIST_DIR}/smooth_command $<TARGET_FILE:mechfit_app>)
set_tests_properties(smooth.command PROPERTIES LABELS cli)

add_executable(cleaning_battery ${CMAKE_CURRENT_LIST_DIR}/cleaning_battery.cc)
target_link_libraries(cleaning_battery PRIVATE mechfit mechfit_options fmt::fmt)
target_include_directories(cleaning_battery PRIVATE ${PROJECT_SOURCE_DIR})
add_test(NAME estimate.cleaning_battery COMMAND cleaning_battery)
set_tests_properties(estimate.cleaning_battery PROPERTIES LABELS long TIMEOUT 600)
