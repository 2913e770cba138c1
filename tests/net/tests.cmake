# The kernels for narrower registers, on machines that would not choose them.
foreach(without avx512 avx2)
  add_test(NAME net.without_${without} COMMAND net_test)
  set_tests_properties(net.without_${without} PROPERTIES LABELS sanitize ENVIRONMENT MECHFIT_TEST_WITHOUT=${without})
endforeach()
