# The report in headless Chromium, driven through ChromeDriver by a script that needs nothing but Python. The script
# exits with 77, and the test counts as skipped, where the browser is missing.
find_program(MECHFIT_SYSTEM_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
add_executable(write_pages ${CMAKE_CURRENT_LIST_DIR}/write_pages.cc)
target_link_libraries(write_pages PRIVATE mechfit mechfit_options nlohmann_json::nlohmann_json)
target_include_directories(write_pages PRIVATE ${PROJECT_SOURCE_DIR})
if(MECHFIT_SYSTEM_PYTHON)
  add_test(NAME Browser.ReportPages
           COMMAND ${MECHFIT_SYSTEM_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/report_test.py $<TARGET_FILE:write_pages>)
  set_tests_properties(Browser.ReportPages PROPERTIES LABELS browser SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()
