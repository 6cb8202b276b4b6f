# sotto_bill_of_materials(<component> <folder> <folder of licences>): installs what tools/bill_of_materials writes, the list of what
# is built in, and the licences of all of it.
function(sotto_bill_of_materials component folder licences)
  if(SOTTO_ARROW_PYTHON)
    set(python ${SOTTO_ARROW_PYTHON})  # it knows the wheel of Arrow
  else()
    find_program(SOTTO_ANY_PYTHON NAMES python3 REQUIRED)
    set(python ${SOTTO_ANY_PYTHON})
  endif()
  set(bill ${PROJECT_BINARY_DIR}/bill_of_materials)
  install(CODE "execute_process(COMMAND \"${python}\" \"${PROJECT_SOURCE_DIR}/tools/bill_of_materials\" ${PROJECT_VERSION} \"${bill}\"
                                COMMAND_ERROR_IS_FATAL ANY)" COMPONENT ${component})
  install(FILES ${bill}/sotto.cdx.json DESTINATION ${folder} COMPONENT ${component})
  install(FILES ${bill}/copyright DESTINATION ${licences} COMPONENT ${component})
endfunction()
