# Another project uses the installed package.
add_test(NAME consumer.installed_package
         COMMAND ${CMAKE_CURRENT_LIST_DIR}/build_consumer ${PROJECT_BINARY_DIR} ${CMAKE_CXX_COMPILER})
set_tests_properties(consumer.installed_package PROPERTIES LABELS consumer TIMEOUT 600)
