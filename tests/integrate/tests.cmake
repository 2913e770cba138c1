mechfit_test(integrate_long_test LABELS long
             SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/integrate/energy_long.cc)
