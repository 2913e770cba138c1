# Replaces malloc, which the sanitizers do too.
if(NOT MECHFIT_SANITIZE AND CMAKE_SYSTEM_NAME STREQUAL Linux)
  mechfit_test(allocation_test
               SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/allocation/allocation_checks.cc
                       ${CMAKE_CURRENT_SOURCE_DIR}/allocation/counter.cc)
endif()
