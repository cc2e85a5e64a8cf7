# Configures `source` where no library can be found: one message has to name all of them, with their packages.
file(REMOVE_RECURSE ${work})
set(ENV{PKG_CONFIG_LIBDIR} ${work}) # and no other variable leads there
foreach(variable CMAKE_PREFIX_PATH CPATH C_INCLUDE_PATH LIBRARY_PATH LD_LIBRARY_PATH PKG_CONFIG_PATH MKLROOT HDF5_ROOT HDF5_DIR)
  unset(ENV{${variable}})
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${work} -G Ninja -D CMAKE_CXX_COMPILER=${compiler}
  -D WAVEGRID_TESTS=OFF -D WAVEGRID_FORTRAN=OFF -D CMAKE_FIND_ROOT_PATH=${work} -D CMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY
  -D CMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -D CMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY -D HDF5_C_COMPILER_EXECUTABLE=${work}
  RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE message)
if(code EQUAL 0)
  message(FATAL_ERROR "configured without libraries")
endif()
foreach(word libopenmpi-dev libopenblas-dev libfftw3-dev libxc-dev libsymspg-dev libhdf5-dev libxxhash-dev libpugixml-dev zlib1g-dev libmetis-dev
    rapidjson-dev "conda-forge openmpi openblas fftw libxc spglib xxhash pugixml zlib metis rapidjson hdf5"
    "spack install openmpi openblas fftw precision=float,double libxc" "fftw3f: neither")
  string(FIND "${message}" "${word}" place)
  if(place LESS 0)
    message(FATAL_ERROR "the message about missing libraries does not contain '${word}':\n${message}")
  endif()
endforeach()
