# sotto_sources_at_once(<target> [<folder>]...): compiles all sources of a target as one, and each of the folders as one by itself,
# where SOTTO_SOURCES_AT_ONCE is on: most of a build is reading the same headers. A source that includes itself (Highway's
# dispatch) sets SKIP_UNITY_BUILD_INCLUSION. The dev preset compiles every source alone, and so does clang-tidy what changed.
function(sotto_sources_at_once target)
  if(NOT SOTTO_SOURCES_AT_ONCE)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    set(group all)
    foreach(folder ${ARGN})
      if(source MATCHES "/${folder}/")
        cmake_path(GET folder FILENAME group)
      endif()
    endforeach()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
