mechfit_test(fit_long_test LABELS long SOURCES ${CMAKE_CURRENT_LIST_DIR}/fit_long.cc)
