# The libraries under wavegrid: lists for src/CMakeLists.txt and for the files that are installed. All that is missing is
# reported at once, with the names of the packages.
include(cmake/dependency_table.cmake)
find_package(PkgConfig QUIET)
include(cmake/find_library.cmake)

wavegrid_dependency_column(MPI 1 minimum)
find_package(MPI QUIET COMPONENTS C) # C++ and Fortran use the C interface
if(NOT MPI_C_FOUND)
  wavegrid_is_missing(MPI "MPI: no working mpicc, nor another compiler that MPI_C_COMPILER names")
elseif(MPI_C_VERSION VERSION_LESS minimum)
  wavegrid_is_missing(MPI "MPI: ${MPI_C_COMPILER} is of version ${MPI_C_VERSION} of the standard, ${minimum} is the oldest that works")
endif()
set(wavegrid_mpi_include_dirs ${MPI_C_INCLUDE_DIRS})
# Without MPI's old C++ interface, which other libraries would have to be linked for (MPICH, Open MPI, SGI).
set(wavegrid_mpi_definitions MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX _MPICC_H)
if(wavegrid_has_fortran)
  find_package(MPI QUIET COMPONENTS Fortran) # for programs; the module `wavegrid` uses none of MPI's
endif()

find_package(OpenMP QUIET COMPONENTS CXX)
wavegrid_dependency_column(OpenMP 1 minimum)
if(NOT OpenMP_CXX_FOUND OR OpenMP_CXX_VERSION VERSION_LESS minimum)
  wavegrid_is_missing(OpenMP "OpenMP: ${CMAKE_CXX_COMPILER} does not support version ${minimum}")
endif()

include(cmake/linear_algebra.cmake)
wavegrid_find(FFTW HEADER fftw3.h NAMES fftw3 MODULES fftw3)
wavegrid_find(FFTW HEADER fftw3.h NAMES fftw3f MODULES fftw3f)
wavegrid_find(libxc HEADER xc.h NAMES xc MODULES libxc)
wavegrid_find(spglib HEADER spglib.h NAMES symspg spglib MODULES spglib)
wavegrid_find(xxHash HEADER xxhash.h NAMES xxhash MODULES libxxhash)
wavegrid_find(pugixml HEADER pugixml.hpp NAMES pugixml MODULES pugixml)
wavegrid_find(zlib HEADER zlib.h NAMES z zlib MODULES zlib)
wavegrid_find(METIS HEADER metis.h NAMES metis MODULES metis)
wavegrid_find(RapidJSON HEADER rapidjson/writer.h MODULES RapidJSON)
include(cmake/hdf5.cmake)

# The runtime library of OpenMP goes last: others use it too.
set(openmp)
foreach(library IN LISTS OpenMP_CXX_LIBRARIES)
  get_filename_component(folder "${library}" DIRECTORY)
  get_filename_component(name "${library}" NAME_WE)
  if(folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES) # the compiler's own folder, which has its version in its name
    string(REGEX REPLACE "^lib" "" library "${name}")
  endif()
  list(APPEND openmp "${library}")
endforeach()
wavegrid_use("" "${openmp}")
foreach(list IN ITEMS wavegrid_mpi_include_dirs wavegrid_include_dirs)
  list(REMOVE_DUPLICATES ${list})
  list(REMOVE_ITEM ${list} ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES} "")
endforeach()

function(wavegrid_report_missing)
  list(REMOVE_DUPLICATES wavegrid_missing)
  list(JOIN wavegrid_problems "\n    " problems)
  foreach(column IN ITEMS 2 3 4)
    set(packages)
    foreach(library IN LISTS wavegrid_missing)
      wavegrid_dependency_column(${library} ${column} package)
      list(APPEND packages ${package})
    endforeach()
    list(REMOVE_DUPLICATES packages)
    list(JOIN packages " " packages_${column})
  endforeach()
  message(FATAL_ERROR
    " wavegrid needs libraries that were not found or are too old:\n"
    "    ${problems}\n"
    " Their packages:\n"
    "    Debian       apt-get install ${packages_2}\n"
    "    conda-forge  conda install -c conda-forge ${packages_3}\n"
    "    Spack        spack install ${packages_4}\n"
    " If one is installed already: its folder goes into CMAKE_PREFIX_PATH or <LIBRARY>_ROOT, as in HDF5_ROOT;\n"
    " BLA_VENDOR chooses BLAS and LAPACK, MPI_C_COMPILER the MPI. docs/clusters.md gives examples.\n")
endfunction()

if(wavegrid_missing)
  wavegrid_report_missing()
endif()
