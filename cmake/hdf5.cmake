# HDF5 in C, serial or parallel: HDF5's own CMake package or its wrapper h5cc, as CMake's FindHDF5 does, else pkg-config,
# whose module is hdf5 or, on Debian, hdf5-serial.
wavegrid_dependency_column(HDF5 1 minimum)
if(NOT HDF5_ROOT AND NOT DEFINED ENV{HDF5_ROOT} AND DEFINED ENV{HDF5_DIR})
  set(HDF5_ROOT $ENV{HDF5_DIR}) # the variable of many module systems
endif()
find_package(HDF5 QUIET COMPONENTS C)
if(HDF5_FOUND AND HDF5_VERSION VERSION_LESS minimum)
  wavegrid_is_missing(HDF5 "HDF5: version ${HDF5_VERSION} is too old, ${minimum} is the oldest that works")
elseif(HDF5_FOUND)
  set(wavegrid_hdf5 ${HDF5_C_LIBRARIES})
  if(TARGET "${wavegrid_hdf5}") # found by HDF5's own package, which an installed wavegrid does not ask again
    set(wavegrid_hdf5 ${HDF5_C_LIBRARY})
  endif()
  # A shared library brings its own dependencies, which h5cc lists too.
  set(shared ${wavegrid_hdf5})
  list(FILTER shared INCLUDE REGEX "/libhdf5[^/]*\\.so")
  if(shared)
    set(wavegrid_hdf5 ${shared})
  endif()
  wavegrid_use("${HDF5_INCLUDE_DIRS}" "${wavegrid_hdf5}")
else()
  wavegrid_find(HDF5 HEADER hdf5.h NAMES hdf5 hdf5_serial MODULES hdf5 hdf5-serial)
endif()
