# wavegrid_find(LIBRARY HEADER h [NAMES lib...] MODULES pc...) finds one library of the table: where `<LIBRARY>_ROOT`,
# `<LIBRARY>_DIR` or CMAKE_PREFIX_PATH points, else by pkg-config, else in the usual places and where the variables of
# compilers and module systems point. What it finds is added to the lists below. What it does not find, or finds too
# old, is added to wavegrid_missing, which cmake/dependencies.cmake reports when all have been looked for.
set(wavegrid_missing)         # rows of the table
set(wavegrid_problems)        # a line for each
set(wavegrid_include_dirs)    # of all libraries but MPI: our sources include them, our installed headers do not
set(wavegrid_libraries)       # absolute paths wherever there are any

# Macros, because they change variables of the caller.
macro(wavegrid_is_missing library problem)
  list(APPEND wavegrid_missing ${library})
  list(APPEND wavegrid_problems "${problem}")
endmacro()

macro(wavegrid_use include_dirs libraries)
  list(APPEND wavegrid_include_dirs ${include_dirs})
  list(APPEND wavegrid_libraries ${libraries})
endmacro()

# The folders in which the user says that a library is.
function(wavegrid_prefixes library out)
  string(TOUPPER ${library} id)
  set(prefixes ${${library}_ROOT} ${${id}_ROOT} $ENV{${id}_ROOT} $ENV{${id}_DIR} ${CMAKE_PREFIX_PATH} $ENV{CMAKE_PREFIX_PATH})
  string(REPLACE ":" ";" prefixes "${prefixes}")
  set(${out} "${prefixes}" PARENT_SCOPE)
endfunction()

# Sets <id>_FOUND where there are a header and, where it has names, a library; further arguments as those of find_path.
macro(wavegrid_search id header names)
  find_path(${id}_INCLUDE_DIR ${header} ${ARGN} PATH_SUFFIXES include)
  if("${names}" STREQUAL "")
    set(${id}_LIBRARY "")
    set(${id}_FOUND ${${id}_INCLUDE_DIR})
  else()
    find_library(${id}_LIBRARY NAMES ${names} ${ARGN} PATH_SUFFIXES lib lib64)
    set(${id}_FOUND FALSE)
    if(${id}_INCLUDE_DIR AND ${id}_LIBRARY)
      set(${id}_FOUND TRUE)
    endif()
  endif()
endmacro()

function(wavegrid_find library)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER" "NAMES;MODULES")
  list(GET arg_MODULES 0 label)
  string(MAKE_C_IDENTIFIER "WAVEGRID_${label}" id)
  wavegrid_dependency_column(${library} 1 minimum)
  wavegrid_prefixes(${library} prefixes)

  if(PkgConfig_FOUND)
    set(CMAKE_PREFIX_PATH ${prefixes})
    pkg_search_module(${id}_PC QUIET ${arg_MODULES})
  endif()
  wavegrid_search(${id} "${arg_HEADER}" "${arg_NAMES}" PATHS ${prefixes} NO_DEFAULT_PATH)
  if(${id}_FOUND AND ${id}_LIBRARY IN_LIST ${id}_PC_LINK_LIBRARIES)
    set(${id}_FOUND FALSE) # it is the one of which pkg-config also knows the version
  elseif(NOT ${id}_FOUND AND NOT ${id}_PC_FOUND)
    wavegrid_search(${id} "${arg_HEADER}" "${arg_NAMES}"
      PATHS ENV CPATH ENV C_INCLUDE_PATH ENV LIBRARY_PATH ENV LD_LIBRARY_PATH)
  endif()

  if(${id}_FOUND)
    set(include_dirs ${${id}_INCLUDE_DIR})
    set(libraries ${${id}_LIBRARY})
  elseif(${id}_PC_FOUND)
    set(include_dirs ${${id}_PC_INCLUDE_DIRS})
    set(libraries ${${id}_PC_LINK_LIBRARIES})
  endif()
  if(NOT ${id}_FOUND AND NOT ${id}_PC_FOUND)
    list(JOIN arg_MODULES " or " modules)
    wavegrid_is_missing(${library} "${label}: neither ${modules} of pkg-config nor <${arg_HEADER}> with its library")
  elseif(NOT ${id}_FOUND AND ${id}_PC_VERSION AND ${id}_PC_VERSION VERSION_LESS minimum)
    wavegrid_is_missing(${library} "${label}: version ${${id}_PC_VERSION} is too old, ${minimum} is the oldest that works")
  else()
    wavegrid_use("${include_dirs}" "${libraries}")
  endif()
  return(PROPAGATE wavegrid_missing wavegrid_problems wavegrid_include_dirs wavegrid_libraries)
endfunction()
