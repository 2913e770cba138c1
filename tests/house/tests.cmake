# The rules of the house, read from the sources, and a test of the reader.
add_test(NAME house.rules COMMAND ${CMAKE_CURRENT_LIST_DIR}/check_house ${PROJECT_SOURCE_DIR})
add_test(NAME house.checker_sees_mistakes
         COMMAND ${CMAKE_CURRENT_LIST_DIR}/check_house_test ${CMAKE_CURRENT_LIST_DIR}/check_house)
set_tests_properties(house.rules house.checker_sees_mistakes PROPERTIES LABELS house)
