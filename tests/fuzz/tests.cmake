# Fuzzing the readers (docs/fuzzing.md). With MECHFIT_FUZZ and clang: the targets. Otherwise a test that runs each on changes of its
# corpus, and with the batteries one that builds them beside with clang++-19 and runs each on the same inputs every time.
set(FUZZ_TARGETS checkpoint csv inputs mat mcap model npy npz report rosbag safetensors study toml urdf)
set(FUZZ_LIBRARY "" CACHE FILEPATH "MECHFIT_FUZZ: the library from which the targets take what is not a reader")
if(MECHFIT_FUZZ)
  # Readers, and what is built from what they read, are compiled for the fuzzer; the rest of the library would take minutes, and comes
  # from FUZZ_LIBRARY.
  file(GLOB FUZZ_SOURCES CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src/mechfit
       ${PROJECT_SOURCE_DIR}/src/mechfit/files/*.cc
       ${PROJECT_SOURCE_DIR}/src/mechfit/mechanics/families/*/*_file.cc
       ${PROJECT_SOURCE_DIR}/src/mechfit/report/*_page.cc
       ${PROJECT_SOURCE_DIR}/src/mechfit/report/*_section.cc)
  list(APPEND FUZZ_SOURCES
    base/error.cc
    log/columns.cc log/inspect.cc log/prepare.cc log/spectrum.cc log/split.cc log/steps.cc
    mechanics/knowledge.cc mechanics/model_file.cc mechanics/model_scales.cc mechanics/families/arm/kinematics.cc
    mechanics/families/arm/mjcf.cc mechanics/families/arm/urdf.cc mechanics/families/trig/trig_basis.cc
    fit/checkpoint.cc
    report/document.cc report/drawing.cc report/html.cc report/mechanism.cc report/page.cc report/study_bars.cc
    study/cell.cc study/data_files.cc study/result_file.cc study/study.cc study/trajectories.cc)
  list(TRANSFORM FUZZ_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/mechfit/)
  set(FUZZ_FLAGS -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -gline-tables-only -O1)
  add_library(fuzz_readers OBJECT EXCLUDE_FROM_ALL ${FUZZ_SOURCES})
  target_include_directories(fuzz_readers PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
  target_compile_options(fuzz_readers PUBLIC ${FUZZ_FLAGS})
  get_target_property(libraries mechfit LINK_LIBRARIES)
  list(REMOVE_ITEM libraries mechfit_options)
  target_link_libraries(fuzz_readers PUBLIC ${libraries})
  add_custom_target(fuzz)
  foreach(name ${FUZZ_TARGETS})
    add_executable(${name}_fuzz EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/${name}_fuzz.cc)
    target_link_libraries(${name}_fuzz PRIVATE fuzz_readers ${FUZZ_LIBRARY} ${libraries})
    target_link_options(${name}_fuzz PRIVATE ${FUZZ_FLAGS})
    set_target_properties(${name}_fuzz PROPERTIES LINK_DEPENDS ${FUZZ_LIBRARY})
    add_dependencies(fuzz ${name}_fuzz)
  endforeach()
else()
  set(sources ${FUZZ_TARGETS})
  list(TRANSFORM sources REPLACE "(.+)" "fuzz/\\1_fuzz.cc")
  set(entries ${FUZZ_TARGETS})
  list(TRANSFORM entries REPLACE "(.+)" "TARGET(\\1)\n")
  string(JOIN "" entries ${entries})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/fuzz/fuzz_targets.inc CONTENT "${entries}" @ONLY)
  mechfit_test(fuzz_test LABELS sanitize SOURCES fuzz/mutations_test.cc ${sources})
  target_include_directories(fuzz_test PRIVATE ${PROJECT_BINARY_DIR}/generated/fuzz)
  foreach(name ${FUZZ_TARGETS})
    set_source_files_properties(fuzz/${name}_fuzz.cc PROPERTIES COMPILE_DEFINITIONS LLVMFuzzerTestOneInput=${name}_one_input)
  endforeach()
  add_dependencies(sanitize_tests fuzz_test)

  add_test(NAME fuzz.short_run COMMAND ${CMAKE_CURRENT_LIST_DIR}/fuzz ${PROJECT_BINARY_DIR}/fuzz $<TARGET_FILE:mechfit> runs=5000
           ${FUZZ_TARGETS})
  set_tests_properties(fuzz.short_run PROPERTIES LABELS battery TIMEOUT 1200 SKIP_RETURN_CODE 77)
endif()
