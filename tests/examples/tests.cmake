# Every example runs, in a scratch folder; and the docs' way to read a model file in Python works.
if(MECHFIT_BUILD_EXAMPLES)
  set(example_scratch ${PROJECT_BINARY_DIR}/example_runs)
  file(MAKE_DIRECTORY ${example_scratch})
  foreach(name ${MECHFIT_EXAMPLES})
    add_test(NAME Example.${name} COMMAND example_${name} WORKING_DIRECTORY ${example_scratch})
    set_tests_properties(Example.${name} PROPERTIES LABELS examples TIMEOUT 600)
  endforeach()
  add_test(NAME Docs.ModelFilesAreReadInPython
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/read_model_in_python
                   $<TARGET_FILE:example_03_inverse_dynamics> ${PROJECT_SOURCE_DIR}/docs/model_files.md)
  set_tests_properties(Docs.ModelFilesAreReadInPython PROPERTIES LABELS examples SKIP_RETURN_CODE 77)
endif()

# The parts of examples/control, and swing-ups of two machines; built where MuJoCo is there.
if(TARGET control)
  mechfit_test(control_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/control_test.cc LABELS mujoco LIBRARIES control)
endif()
