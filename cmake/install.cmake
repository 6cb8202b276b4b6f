# cmake --install and find_package(sotto COMPONENTS base curator analyst run io), and the program. Each library has an export of
# its own, so that a user of one needs nothing that only another one does.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
foreach(component base curator analyst run io)
  install(TARGETS sotto_${component} EXPORT sotto-${component})
  install(EXPORT sotto-${component} NAMESPACE sotto:: DESTINATION ${package_dir})
endforeach()
install(TARGETS sotto_cli)
install(CODE "set(SOURCE \"${PROJECT_SOURCE_DIR}/src\")
set(INCLUDE \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
include(\"${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake\")")
install(FILES cmake/sotto-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/sotto-config-version.cmake DESTINATION ${package_dir})
write_basic_package_version_file(sotto-config-version.cmake COMPATIBILITY SameMinorVersion)
