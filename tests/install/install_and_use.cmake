# Installs the build and builds and runs what uses it: CONSUMER, whose output must match SAYS.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()
run(${CMAKE_COMMAND} -G Ninja -S ${CONSUMER} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${flags})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer ${TABLE}/randhie.csv ${TABLE}/randhie.schema.toml)
if(NOT output MATCHES "${SAYS}")
  message(FATAL_ERROR "the consumer said: ${output}")
endif()
# What is installed is what the public headers reach.
if(EXISTS ${WORK}/prefix/include/sotto/accountant/pld)
  message(FATAL_ERROR "the accountant's inner rooms are installed")
endif()
run(${WORK}/prefix/bin/sotto schema ${TABLE}/randhie.csv)
if(NOT output MATCHES "mdvis")
  message(FATAL_ERROR "the installed program said: ${output}")
endif()
