# wavegrid.pc and wavegrid-fortran.pc. Static libraries need all others on the link line, shared ones only where they are
# linked statically (`pkg-config --static`). Their folders are given from their own, also where CMAKE_INSTALL_LIBDIR or
# CMAKE_INSTALL_INCLUDEDIR is absolute: an installation may be moved. Sets `wavegrid_pc_files`.
foreach(folder IN ITEMS PREFIX FULL_INCLUDEDIR)
  file(RELATIVE_PATH wavegrid_pc_to_${folder} ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_${folder}})
  string(REGEX REPLACE "/$" "" wavegrid_pc_to_${folder} "${wavegrid_pc_to_${folder}}")
endforeach()

# As words of a command line: paths and options as they are, names with -l.
function(wavegrid_pc_words prefix out)
  set(words)
  foreach(item IN LISTS ARGN)
    if(item MATCHES "^[-/]")
      list(APPEND words "${item}")
    else()
      list(APPEND words "${prefix}${item}")
    endif()
  endforeach()
  list(JOIN words " " words)
  set(${out} "${words}" PARENT_SCOPE)
endfunction()

list(TRANSFORM wavegrid_mpi_include_dirs PREPEND "-I" OUTPUT_VARIABLE cflags)
list(TRANSFORM wavegrid_mpi_definitions PREPEND "-D" OUTPUT_VARIABLE definitions)
wavegrid_pc_words("" wavegrid_pc_cflags ${cflags} ${definitions})
wavegrid_pc_words("-l" wavegrid_pc_mpi ${MPI_C_LIBRARIES}) # programs call it too
wavegrid_pc_words("-l" wavegrid_pc_link ${wavegrid_libraries} ${wavegrid_cxx_runtime})
set(wavegrid_pc_libs "Libs: -L\${libdir} -lwavegrid_c -lwavegrid")
if(BUILD_SHARED_LIBS)
  string(APPEND wavegrid_pc_libs " ${wavegrid_pc_mpi}\nLibs.private: ${wavegrid_pc_link}")
else()
  string(APPEND wavegrid_pc_libs " ${wavegrid_pc_link} ${wavegrid_pc_mpi}")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/wavegrid.pc.in ${CMAKE_CURRENT_BINARY_DIR}/wavegrid.pc @ONLY)
set(wavegrid_pc_files ${CMAKE_CURRENT_BINARY_DIR}/wavegrid.pc)

if(wavegrid_has_fortran)
  list(TRANSFORM MPI_Fortran_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE cflags)
  wavegrid_pc_words("" wavegrid_pc_fortran_cflags ${cflags} ${MPI_Fortran_COMPILE_OPTIONS})
  wavegrid_pc_words("-l" wavegrid_pc_fortran_link ${MPI_Fortran_LIBRARIES})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/wavegrid-fortran.pc.in ${CMAKE_CURRENT_BINARY_DIR}/wavegrid-fortran.pc @ONLY)
  list(APPEND wavegrid_pc_files ${CMAKE_CURRENT_BINARY_DIR}/wavegrid-fortran.pc)
endif()
