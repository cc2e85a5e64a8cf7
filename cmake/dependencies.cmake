# The libraries under wavegrid. An installed wavegridConfig.cmake finds the same ones again.
set(MPI_CXX_SKIP_MPICXX TRUE) # the C interface only
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(PkgConfig REQUIRED)
set(WAVEGRID_PKGCONFIG_MODULES fftw3 fftw3f openblas libxc spglib hdf5-serial libxxhash pugixml)
pkg_check_modules(rapidjson REQUIRED IMPORTED_TARGET RapidJSON) # headers of the library's own sources alone
# ScaLAPACK depends on the MPI: Debian has it for both, under the name of each. Without it subspace problems of any size
# are solved on one rank.
set(WAVEGRID_SCALAPACK AUTO CACHE STRING "Large subspace problems by ScaLAPACK: ON, OFF, or AUTO where there is one")
set_property(CACHE WAVEGRID_SCALAPACK PROPERTY STRINGS AUTO ON OFF)
foreach(module IN LISTS WAVEGRID_PKGCONFIG_MODULES)
  pkg_check_modules(${module} REQUIRED IMPORTED_TARGET GLOBAL ${module})
endforeach()

if(WAVEGRID_SCALAPACK)
  include(CheckCXXSymbolExists)
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
  check_cxx_symbol_exists(OPEN_MPI mpi.h WAVEGRID_MPI_IS_OPEN_MPI)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(WAVEGRID_MPI_IS_OPEN_MPI)
    find_library(WAVEGRID_SCALAPACK_LIBRARY NAMES scalapack-openmpi scalapack)
  else()
    find_library(WAVEGRID_SCALAPACK_LIBRARY NAMES scalapack-mpich scalapack)
  endif()
  if(WAVEGRID_SCALAPACK_LIBRARY)
    message(STATUS "Large subspace problems: ${WAVEGRID_SCALAPACK_LIBRARY}")
  elseif(WAVEGRID_SCALAPACK STREQUAL "ON")
    message(FATAL_ERROR "no ScaLAPACK for this MPI; set WAVEGRID_SCALAPACK_LIBRARY, or WAVEGRID_SCALAPACK=OFF")
  endif()
endif()
