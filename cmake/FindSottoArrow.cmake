# Apache Arrow and Parquet as sotto_arrow: a packaged Arrow where there is one, else the libraries and headers that the
# pyarrow wheel in the project's .venv brings (tools/setup installs it). SottoArrow_INSTALLED is what to link in an export: an
# install takes the libraries of the wheel along, SottoArrow_BROUGHT.
# A wheel of our own links to the libraries of the pyarrow wheel that is installed with it, whatever else is there.
if(NOT SKBUILD)
  find_package(Arrow CONFIG QUIET)
  find_package(Parquet CONFIG QUIET)
endif()

add_library(sotto_arrow INTERFACE)
if(TARGET Arrow::arrow_shared AND TARGET Parquet::parquet_shared)
  set(SottoArrow_INSTALLED Parquet::parquet_shared Arrow::arrow_shared)
  target_link_libraries(sotto_arrow INTERFACE ${SottoArrow_INSTALLED})
  set(SottoArrow_FOUND TRUE)
  return()
endif()

set(environments ${PROJECT_SOURCE_DIR}/.venv/bin)
if(DEFINED ENV{VIRTUAL_ENV})
  list(APPEND environments $ENV{VIRTUAL_ENV}/bin)
endif()
if(SKBUILD)
  set(SOTTO_ARROW_PYTHON ${Python_EXECUTABLE})
endif()
find_program(SOTTO_ARROW_PYTHON NAMES python python3 NO_DEFAULT_PATH
             PATHS ${environments}
             DOC "A Python that has pyarrow")
if(SOTTO_ARROW_PYTHON)
  execute_process(COMMAND ${SOTTO_ARROW_PYTHON} -c "import pyarrow; print(pyarrow.get_include()); print(pyarrow.get_library_dirs()[0])"
                  OUTPUT_VARIABLE wheel OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    string(REPLACE "\n" ";" wheel "${wheel}")
    list(GET wheel 0 wheel_include)
    list(GET wheel 1 wheel_lib)
    # The wheel has libarrow.so.NNNN without the plain name that -larrow would want.
    file(GLOB arrow_library ${wheel_lib}/libarrow.so.*)
    file(GLOB parquet_library ${wheel_lib}/libparquet.so.*)
  endif()
endif()
if(NOT arrow_library OR NOT parquet_library)
  message(FATAL_ERROR "Apache Arrow not found: run tools/setup, which installs the pyarrow wheel into .venv, "
                      "or install Arrow and Parquet so that find_package(Arrow) finds them")
endif()
# Paths and not imported targets, so that the export of our own targets can name them.
set(SottoArrow_BROUGHT ${parquet_library} ${arrow_library})
foreach(library ${SottoArrow_BROUGHT})
  cmake_path(GET library FILENAME name)
  list(APPEND SottoArrow_INSTALLED $<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/sotto/${name}>)
endforeach()
target_include_directories(sotto_arrow SYSTEM INTERFACE ${wheel_include})
target_link_libraries(sotto_arrow INTERFACE ${SottoArrow_BROUGHT})
set(SottoArrow_FOUND TRUE)
