# The study command from outside.
add_test(NAME study.command
         COMMAND ${CMAKE_CURRENT_LIST_DIR}/command_test $<TARGET_FILE:mechfit_app>)
set_tests_properties(study.command PROPERTIES LABELS command)

# Its page in a browser.
find_program(MECHFIT_SYSTEM_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(MECHFIT_SYSTEM_PYTHON)
  add_test(NAME study.page COMMAND ${MECHFIT_SYSTEM_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/page_test.py
           $<TARGET_FILE:mechfit_app>)
  set_tests_properties(study.page PROPERTIES LABELS browser SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()

# The same program built with MPI, whether or not the one for users is.
find_package(MPI QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND AND NOT MECHFIT_SANITIZE)
  mechfit_program(mechfit_mpi mechfit-mpi ON)
  add_test(NAME study.mpi COMMAND ${CMAKE_CURRENT_LIST_DIR}/mpi_test $<TARGET_FILE:mechfit_mpi>
           $<TARGET_FILE:mechfit_app> ${MPIEXEC_EXECUTABLE})
  add_test(NAME study.two_hosts COMMAND ${CMAKE_CURRENT_LIST_DIR}/two_hosts_test
           $<TARGET_FILE:mechfit_mpi> ${MPIEXEC_EXECUTABLE})
  add_test(NAME fit.mpi COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/fit/mpi_test $<TARGET_FILE:mechfit_mpi>
           ${MPIEXEC_EXECUTABLE})
  set_tests_properties(study.mpi study.two_hosts fit.mpi PROPERTIES LABELS mpi TIMEOUT 600
                       SKIP_RETURN_CODE 77)
else()
  message(STATUS "No MPI: the tests labelled mpi are left out")
endif()
