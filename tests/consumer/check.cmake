# Installs the build tree `build` below `work`, then builds and runs programs with it: a CMake project of each language
# alone, and each language with pkg-config alone. If `headers` is on it compiles every header alone, and nothing else.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${build} --component library --prefix ${work}/built)
file(RENAME ${work}/built ${work}/installed) # nothing may name the folder of the installation

set(languages C CXX)
file(GLOB module ${work}/installed/${libdir}/wavegrid/fortran/wavegrid.mod)
if(module)
  list(APPEND languages Fortran)
endif()
if(headers)
  set(languages)
endif()
foreach(language IN LISTS languages)
  run(${CMAKE_COMMAND} -S ${consumer} -B ${work}/${language} -G Ninja -D language=${language}
    -D CMAKE_${language}_COMPILER=${${language}_compiler} -D CMAKE_${language}_FLAGS=${${language}_flags}
    -D CMAKE_PREFIX_PATH=${work}/installed -D examples=${examples})
  run(${CMAKE_COMMAND} --build ${work}/${language})
  foreach(program consumer exchange sphere_fft eigenpairs)
    if(EXISTS ${work}/${language}/${program})
      run(${work}/${language}/${program})
    endif()
  endforeach()
endforeach()

find_program(pkg_config NAMES pkg-config pkgconf)
if(NOT pkg_config)
  message("no pkg-config: wavegrid.pc is not tried")
  return()
endif()
set(ENV{PKG_CONFIG_PATH} ${work}/installed/${libdir}/pkgconfig:$ENV{PKG_CONFIG_PATH})
set(ENV{LD_LIBRARY_PATH} ${work}/installed/${libdir}:$ENV{LD_LIBRARY_PATH})
execute_process(COMMAND ${pkg_config} --cflags wavegrid OUTPUT_VARIABLE cflags OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
if(cflags MATCHES "hdf5")
  message(FATAL_ERROR "wavegrid.pc makes programs include HDF5: ${cflags}")
endif()
if(headers)
  run(${CMAKE_COMMAND} -S ${consumer}/headers -B ${work}/headers -G Ninja -D CMAKE_C_COMPILER=${C_compiler}
    -D CMAKE_CXX_COMPILER=${CXX_compiler} -D CMAKE_C_FLAGS=${C_flags} -D CMAKE_CXX_FLAGS=${CXX_flags}
    -D CMAKE_BUILD_TYPE=None -D includes=${work}/installed/include -D cflags=${cflags})
  run(${CMAKE_COMMAND} --build ${work}/headers)
  return()
endif()

# The standard of C++20 is the program's own choice.
function(compile language module source)
  execute_process(COMMAND ${pkg_config} --cflags --libs ${module} OUTPUT_VARIABLE words COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(words UNIX_COMMAND "${words}")
  separate_arguments(flags UNIX_COMMAND "${${language}_flags}")
  run(${${language}_compiler} ${flags} ${ARGN} ${consumer}/${source} -o ${work}/pkgconfig_${language} ${words})
  run(${work}/pkgconfig_${language})
endfunction()
compile(C wavegrid main.c)
compile(CXX wavegrid main.cpp -std=c++20)
if(module)
  compile(Fortran wavegrid-fortran main.f90 -J${work})
endif()
