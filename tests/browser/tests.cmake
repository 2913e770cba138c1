# The report in headless Chromium, driven through ChromeDriver by a script that needs nothing but Python. The script
# exits with 77, and the test counts as skipped, where the browser is missing.
find_program(MECHFIT_SYSTEM_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
add_executable(write_pages ${CMAKE_CURRENT_LIST_DIR}/write_pages.cc)
mechfit_test_options(write_pages)
mechfit_precompile(write_pages REUSE_FROM test_headers)
if(MECHFIT_SYSTEM_PYTHON)
  add_test(NAME Browser.ReportPages
           COMMAND ${MECHFIT_SYSTEM_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/report_test.py $<TARGET_FILE:write_pages>)
  set_tests_properties(Browser.ReportPages PROPERTIES LABELS browser SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()
