# cmake --install and find_package(sotto): sotto::base, curator, analyst, run, io, and the program.
include(CMakePackageConfigHelpers)

install(TARGETS sotto_base sotto_curator sotto_analyst sotto_run sotto_io EXPORT sotto)
install(TARGETS sotto_cli)
install(DIRECTORY src/sotto src/sotto_io DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
install(EXPORT sotto NAMESPACE sotto:: DESTINATION ${package_dir})
install(FILES cmake/sotto-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/sotto-config-version.cmake DESTINATION ${package_dir})
write_basic_package_version_file(sotto-config-version.cmake COMPATIBILITY SameMinorVersion)
