# The Python package: pytest on what the build made, and a wheel in an environment of its own.
if(TARGET mechfit_python)
  add_executable(python_reference ${CMAKE_CURRENT_LIST_DIR}/reference.cc)
  target_link_libraries(python_reference PRIVATE mechfit mechfit_options)
  add_test(NAME Python.Tests
           COMMAND ${Python3_EXECUTABLE} -m pytest -q -p no:cacheprovider ${PROJECT_SOURCE_DIR}/python/tests)
  set_tests_properties(Python.Tests PROPERTIES LABELS python TIMEOUT 1200 ENVIRONMENT
    "PYTHONPATH=${PROJECT_BINARY_DIR}/python;PYTHONDONTWRITEBYTECODE=1;MECHFIT_APP=$<TARGET_FILE:mechfit_app>;MECHFIT_REFERENCE=$<TARGET_FILE:python_reference>")
  add_test(NAME Python.Wheel
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/wheel_test ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${Python3_EXECUTABLE})
  set_tests_properties(Python.Wheel PROPERTIES LABELS python TIMEOUT 300)
endif()
