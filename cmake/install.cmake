# Library, headers and package files, so that find_package(wavegrid) gives wavegrid::wavegrid.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/wavegrid)
install(TARGETS wavegrid EXPORT wavegridTargets DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/wavegrid COMPONENT library
  FILES_MATCHING PATTERN "*.hpp")
install(EXPORT wavegridTargets NAMESPACE wavegrid:: DESTINATION ${package_dir} COMPONENT library)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/wavegridConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/wavegridConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/wavegridConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/wavegridConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/wavegridConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT library)
