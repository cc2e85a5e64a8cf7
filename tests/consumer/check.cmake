# Installs the build tree `build` below `work`, then configures, builds and runs the project `consumer` against it.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${build} --component library --prefix ${work}/installed)
run(${CMAKE_COMMAND} -S ${consumer} -B ${work}/build -G Ninja -D CMAKE_CXX_COMPILER=${compiler}
  -D CMAKE_C_COMPILER=${c_compiler} -D CMAKE_Fortran_COMPILER=${fortran_compiler}
  -D CMAKE_CXX_FLAGS=${flags} -D CMAKE_C_FLAGS=${c_flags} -D CMAKE_Fortran_FLAGS=${fortran_flags} -D CMAKE_PREFIX_PATH=${work}/installed)
run(${CMAKE_COMMAND} --build ${work}/build)
foreach(program consumer consumer_c consumer_fortran)
  if(EXISTS ${work}/build/${program})
    run(${work}/build/${program})
  endif()
endforeach()
