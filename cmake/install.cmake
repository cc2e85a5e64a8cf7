# Library, headers and package files: find_package(wavegrid) gives wavegrid::wavegrid, wavegrid::c and wavegrid::fortran;
# pkg-config has wavegrid (C and C++) and wavegrid-fortran.
include(CMakePackageConfigHelpers)

add_custom_target(wavegrid_library) # what the component `library` installs
add_dependencies(wavegrid_library wavegrid wavegrid_c)
if(wavegrid_has_fortran)
  add_dependencies(wavegrid_library wavegrid_fortran)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/wavegrid)
install(TARGETS wavegrid_mpi EXPORT wavegridTargets COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/wavegrid COMPONENT library
  FILES_MATCHING PATTERN "*.hpp"
  PATTERN hdf5_id.hpp EXCLUDE PATTERN hdf5_image.hpp EXCLUDE PATTERN upf_element.hpp EXCLUDE) # they need other libraries
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/include/wavegrid_version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(EXPORT wavegridTargets NAMESPACE wavegrid:: DESTINATION ${package_dir} COMPONENT library)
if(wavegrid_has_fortran)
  install(EXPORT wavegridFortranTargets NAMESPACE wavegrid:: DESTINATION ${package_dir} COMPONENT library)
endif()

# What a linker of C or Fortran does not add by itself.
set(wavegrid_cxx_runtime)
if(NOT BUILD_SHARED_LIBS)
  set(wavegrid_cxx_runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
  list(REMOVE_ITEM wavegrid_cxx_runtime ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/wavegridConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/wavegridConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/wavegridConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/wavegridConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/wavegridConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT library)

include(${PROJECT_SOURCE_DIR}/cmake/pkgconfig.cmake)
install(FILES ${wavegrid_pc_files} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
