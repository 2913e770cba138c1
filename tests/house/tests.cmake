# The rules of the house, read from the sources, and a test of the reader.
add_test(NAME house.rules COMMAND ${CMAKE_CURRENT_LIST_DIR}/check_house ${PROJECT_SOURCE_DIR})
add_test(NAME house.checker_sees_mistakes
         COMMAND ${CMAKE_CURRENT_LIST_DIR}/check_house_test ${CMAKE_CURRENT_LIST_DIR}/check_house)
# What is installed needs no private dependency; and the reader of include lines sees one.
add_test(NAME house.public_headers
         COMMAND ${CMAKE_COMMAND} -DMECHFIT_SOURCE=${PROJECT_SOURCE_DIR}/src "-DMECHFIT_FRONT_HEADERS=${MECHFIT_FRONT_HEADERS}"
                 -P ${PROJECT_SOURCE_DIR}/cmake/public_headers.cmake)
add_test(NAME house.public_headers_sees_mistakes
         COMMAND ${CMAKE_CURRENT_LIST_DIR}/public_headers_test ${PROJECT_SOURCE_DIR}/cmake/public_headers.cmake)
set_tests_properties(house.rules house.checker_sees_mistakes house.public_headers house.public_headers_sees_mistakes
                     PROPERTIES LABELS house)
