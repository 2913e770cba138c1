add_executable(model_error_battery ${CMAKE_CURRENT_LIST_DIR}/model_error_battery.cc)
target_link_libraries(model_error_battery PRIVATE mechfit mechfit_options fmt::fmt)
add_test(NAME evaluate.model_error_battery COMMAND model_error_battery)
set_tests_properties(evaluate.model_error_battery PROPERTIES LABELS long TIMEOUT 1800)
