# The libraries that wavegrid needs, each with its least version ("-": any) and its packages. cmake/dependencies.cmake prints
# the rows of those that are missing; scripts/check_packaging.py compares packaging/ and scripts/packages-run.txt with the table.
#
# | library | least version | Debian | conda-forge | Spack |
set(wavegrid_dependency_table
  "MPI        | 3.1   | libopenmpi-dev           | openmpi      | openmpi"
  "OpenMP     | 4.5   | g++                      | cxx-compiler | gcc"
  "BLAS       | -     | libopenblas-dev          | openblas     | openblas"
  "LAPACK     | -     | libopenblas-dev          | openblas     | openblas"
  "ScaLAPACK  | -     | libscalapack-openmpi-dev | scalapack    | netlib-scalapack"
  "FFTW       | 3.3   | libfftw3-dev             | fftw         | fftw precision=float,double"
  "libxc      | 5.1   | libxc-dev                | libxc        | libxc"
  "spglib     | -     | libsymspg-dev            | spglib       | spglib"
  "HDF5       | 1.10  | libhdf5-dev              | hdf5         | hdf5"
  "xxHash     | 0.8   | libxxhash-dev            | xxhash       | xxhash"
  "pugixml    | 1.9   | libpugixml-dev           | pugixml      | pugixml"
  "zlib       | 1.2   | zlib1g-dev               | zlib         | zlib-api"
  "METIS      | 5.1   | libmetis-dev             | metis        | metis"
  "RapidJSON  | 1.1   | rapidjson-dev            | rapidjson    | rapidjson")

# Sets `out` to a column (0 to 4) of the row of a library.
function(wavegrid_dependency_column library column out)
  foreach(row IN LISTS wavegrid_dependency_table)
    string(REGEX REPLACE " *\\| *" ";" cells "${row}")
    list(GET cells 0 name)
    if(name STREQUAL library)
      list(GET cells ${column} value)
      set(${out} "${value}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "cmake/dependency_table.cmake has no row ${library}")
endfunction()
