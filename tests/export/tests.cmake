# Exported models, compiled by the C compiler and compared with the library.
mechfit_test(export_test LABELS export LIBRARIES ${CMAKE_DL_LIBS}
             SOURCES ${CMAKE_CURRENT_LIST_DIR}/c_export_test.cc
                     ${CMAKE_CURRENT_LIST_DIR}/fmu_test.cc
                     ${CMAKE_CURRENT_LIST_DIR}/formulas_test.cc
                     ${CMAKE_CURRENT_LIST_DIR}/shells_test.cc)
