# cpack -G DEB: sotto, the program with its pages and the Arrow of the wheel, and libsotto-dev, the libraries and headers.
set(CPACK_PACKAGE_NAME sotto)
set(CPACK_PACKAGE_VENDOR "The Sotto developers")
set(CPACK_PACKAGE_CONTACT ${CPACK_PACKAGE_VENDOR})  # there is no address to write to yet
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)  # compresses on all cores
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "the command line program")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "libraries and headers")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME sotto)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsotto-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "sotto (= ${PROJECT_VERSION}), libboost-dev, libeigen3-dev, libfmt-dev, libhwy-dev, \
libsodium-dev, libtbb-dev, libtomlplusplus-dev, nlohmann-json3-dev, pkg-config")
install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libsotto-dev COMPONENT development)
include(CPack)
