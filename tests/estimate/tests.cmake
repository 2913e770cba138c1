add_test(NAME smooth.command
         COMMAND ${CMAKE_CURRENT_LIST_DIR}/smooth_command $<TARGET_FILE:mechfit_app>)
set_tests_properties(smooth.command PROPERTIES LABELS cli)

mechfit_battery(cleaning_battery ${CMAKE_CURRENT_LIST_DIR}/cleaning_battery.cc)
