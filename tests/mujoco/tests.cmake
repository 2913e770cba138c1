# MuJoCo as an independent judge of the analytic systems. Debian's CMake package of MuJoCo names
# include folders of packages that it does not require, so the library is looked up by hand.
find_library(MUJOCO_LIBRARY mujoco REQUIRED)
find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h REQUIRED)
mechfit_test(mujoco_test LABELS mujoco LIBRARIES ${MUJOCO_LIBRARY}
             SOURCES ${CMAKE_CURRENT_LIST_DIR}/arm_mujoco_test.cc
                     ${CMAKE_CURRENT_LIST_DIR}/arm_judge.cc
                     ${CMAKE_CURRENT_LIST_DIR}/contact_mujoco_test.cc
                     ${CMAKE_CURRENT_LIST_DIR}/mujoco_test.cc
                     ${CMAKE_CURRENT_LIST_DIR}/judge.cc)
target_include_directories(mujoco_test SYSTEM PRIVATE ${MUJOCO_INCLUDE_DIR})
mechfit_test(advantage_test LABELS battery LIBRARIES ${MUJOCO_LIBRARY}
             SOURCES ${CMAKE_CURRENT_LIST_DIR}/advantage_test.cc
                     ${CMAKE_CURRENT_LIST_DIR}/judge.cc)
target_include_directories(advantage_test SYSTEM PRIVATE ${MUJOCO_INCLUDE_DIR})
mechfit_battery(arm_mujoco_battery ${CMAKE_CURRENT_LIST_DIR}/arm_mujoco_battery.cc)
target_sources(arm_mujoco_battery PRIVATE ${CMAKE_CURRENT_LIST_DIR}/arm_judge.cc)
target_link_libraries(arm_mujoco_battery PRIVATE ${MUJOCO_LIBRARY})
target_include_directories(arm_mujoco_battery SYSTEM PRIVATE ${MUJOCO_INCLUDE_DIR})
