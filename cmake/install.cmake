# cmake --install and find_package(sotto COMPONENTS base curator analyst run io), and the program. Each library has an export of
# its own, so that a user of one needs nothing that only another one does. The component `program` is the program and what it needs
# to run, `development` the rest.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
foreach(component base curator analyst run io)
  install(TARGETS sotto_${component} EXPORT sotto-${component} COMPONENT development)
  install(EXPORT sotto-${component} NAMESPACE sotto:: DESTINATION ${package_dir} COMPONENT development)
endforeach()
install(TARGETS sotto_cli COMPONENT program)
sotto_bill_of_materials(program ${CMAKE_INSTALL_DOCDIR} ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program FILES_MATCHING PATTERN "*.md")
install(CODE "set(SOURCE \"${PROJECT_SOURCE_DIR}/src\")
set(INCLUDE \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
include(\"${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake\")" COMPONENT development)
install(FILES cmake/sotto-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/sotto-config-version.cmake DESTINATION ${package_dir}
        COMPONENT development)
write_basic_package_version_file(sotto-config-version.cmake COMPATIBILITY SameMinorVersion)
if(PROJECT_IS_TOP_LEVEL)
  include(cmake/packages.cmake)
endif()
