# sotto_folders_at_once(<target>): compiles the sources of each of its folders as one, where SOTTO_FOLDERS_AT_ONCE is on.
# Most of a build is reading the same headers. A source that includes itself (Highway's dispatch) sets
# SKIP_UNITY_BUILD_INCLUSION. The gate compiles every source alone.
function(sotto_folders_at_once target)
  if(NOT SOTTO_FOLDERS_AT_ONCE)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME name)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name})
  endforeach()
endfunction()
