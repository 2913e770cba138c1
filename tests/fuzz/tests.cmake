# Fuzzing the readers (docs/fuzzing.md). With MECHFIT_FUZZ and clang: the targets. Otherwise one test,
# which builds them beside with clang++-14 and runs each on the same inputs every time.
set(FUZZ_TARGETS csv npz npy safetensors)
if(MECHFIT_FUZZ)
  # Only what the readers need: clang 14 cannot compile every room.
  set(FUZZ_SOURCES base/error.cc)
  foreach(file columns csv csv_write inspect npy npz npz_log number prepare safetensors spectrum utf)
    list(APPEND FUZZ_SOURCES data/${file}.cc)
  endforeach()
  list(TRANSFORM FUZZ_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/mechfit/)
  set(FUZZ_FLAGS -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -g -O1)
  add_library(fuzz_readers OBJECT EXCLUDE_FROM_ALL ${FUZZ_SOURCES})
  target_include_directories(fuzz_readers PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(fuzz_readers PUBLIC ${FUZZ_FLAGS})
  # clang 14 stumbles over libstdc++ 12's <ranges>.
  target_compile_definitions(fuzz_readers PUBLIC JSON_HAS_RANGES=0 FMT_HEADER_ONLY)
  target_link_libraries(fuzz_readers PUBLIC Eigen3::Eigen nlohmann_json::nlohmann_json ZLIB::ZLIB)
  add_custom_target(fuzz)
  foreach(name ${FUZZ_TARGETS})
    add_executable(${name}_fuzz EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/${name}_fuzz.cc)
    target_link_libraries(${name}_fuzz PRIVATE fuzz_readers)
    target_link_options(${name}_fuzz PRIVATE ${FUZZ_FLAGS})
    add_dependencies(fuzz ${name}_fuzz)
  endforeach()
else()
  add_test(NAME fuzz.short_run
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/fuzz ${PROJECT_BINARY_DIR}/fuzz runs=30000 ${FUZZ_TARGETS})
  set_tests_properties(fuzz.short_run PROPERTIES LABELS fuzz TIMEOUT 1200 SKIP_RETURN_CODE 77)
endif()
