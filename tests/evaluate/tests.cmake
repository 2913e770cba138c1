foreach(battery model_error_battery verdict_battery)
  mechfit_battery(${battery} ${CMAKE_CURRENT_LIST_DIR}/${battery}.cc)
endforeach()
