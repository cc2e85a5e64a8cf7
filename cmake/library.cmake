# What all libraries that are installed have in common: wavegrid_installed_library(target [NAME name] [EXPORT set]).
if(SKBUILD)
  set(BUILD_SHARED_LIBS OFF) # a wheel contains the Python module alone
endif()
# Installed shared libraries find each other, and those libraries they were linked with, wherever they are.
set(CMAKE_INSTALL_RPATH "$ORIGIN")
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

function(wavegrid_installed_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;EXPORT" "")
  if(NOT arg_EXPORT)
    set(arg_EXPORT wavegridTargets)
  endif()
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON DEFINE_SYMBOL ""
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  if(arg_NAME)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${arg_NAME})
  endif()
  install(TARGETS ${target} EXPORT ${arg_EXPORT} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
endfunction()
