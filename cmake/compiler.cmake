# How our own targets are compiled: wavegrid_compile_options(target), wavegrid_fortran_options(target).
# Third-party code (nanobind) keeps its own options.
include(CheckCXXCompilerFlag)

set(wavegrid_flags -Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND wavegrid_flags -Wno-restrict) # false alarms on "literal" + std::string (GCC bug 105651)
  if(WAVEGRID_PRECOMPILED_HEADERS) # and more of them where <string> is precompiled
    list(APPEND wavegrid_flags -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  endif()
endif()
if(WAVEGRID_WERROR)
  list(APPEND wavegrid_flags -Werror)
endif()
# Complex products as in Fortran: without a search for NaN after each, which keeps loops from being vectorised.
# Neither of the first two changes a product of finite numbers. No fused multiply-add of the compiler's choice: a loop's
# vector body and its remainder may choose differently, and results would depend on the position of an element. The
# loops here are limited by memory, and FFTW and BLAS are compiled elsewhere.
set(wavegrid_arithmetic -fcx-fortran-rules -fno-math-errno -ffp-contract=off)
# GCC 12 fuses complex products in vectorised loops (vfmaddsub) also with -ffp-contract=off; AVX-512 contains FMA. The
# test Deterministic.ProductsDoNotDependOnThePosition finds compilers that fuse.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND wavegrid_arithmetic -mno-fma -mno-fma4 -mno-avx512f)
endif()
foreach(flag IN LISTS wavegrid_arithmetic)
  string(MAKE_C_IDENTIFIER "WAVEGRID_HAVE${flag}" known)
  check_cxx_compiler_flag(${flag} ${known})
  if(${known})
    list(APPEND wavegrid_flags ${flag})
  endif()
endforeach()

set(wavegrid_processor generic)
if(WAVEGRID_NATIVE)
  check_cxx_compiler_flag(-march=native WAVEGRID_HAVE_march_native)
  if(WAVEGRID_HAVE_march_native)
    list(APPEND wavegrid_flags -march=native)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=native -E -v -x c++ /dev/null OUTPUT_QUIET ERROR_VARIABLE report)
    string(REGEX MATCH "cc1plus[^\n]*" wavegrid_processor "${report}")
    string(SHA1 wavegrid_processor "${wavegrid_processor}")
  endif()
endif()

function(wavegrid_compile_options target)
  target_compile_options(${target} PRIVATE ${wavegrid_flags})
endfunction()

# The system headers that most sources include. Reading them takes a third of the compile time of an average source, so they are
# compiled once: wavegrid_precompile_headers(target [more headers]). Targets with the same compiler flags share the
# result: wavegrid_share_headers(target from). A source must still include what it uses: without this option (the
# preset asan) it is compiled from its own includes alone.
set(wavegrid_system_headers <algorithm> <array> <bit> <cmath> <complex> <cstdint> <cstring> <filesystem> <functional>
  <limits> <map> <memory> <numeric> <optional> <span> <string> <string_view> <tuple> <utility> <vector> <mpi.h>)

function(wavegrid_precompile_headers target)
  if(WAVEGRID_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE ${wavegrid_system_headers} ${ARGN})
  endif()
endfunction()

function(wavegrid_share_headers target from)
  if(WAVEGRID_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

# Compiles up to sixteen sources of each folder together: wavegrid_unity_build(target sources). Templates and the headers of
# other modules are then compiled once for all of them, which halves the time of a whole build. Names in anonymous namespaces
# have to differ within a folder. Without this option (the presets asan and debug) each source is compiled alone.
function(wavegrid_unity_build target)
  if(NOT WAVEGRID_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" group)
    math(EXPR batch "${number_${group}} + 0" OUTPUT_FORMAT DECIMAL)
    math(EXPR number_${group} "${batch} + 1")
    math(EXPR batch "${batch} / 16")
    cmake_path(GET folder FILENAME name)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${batch})
  endforeach()
endfunction()

function(wavegrid_fortran_options target)
  if(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -std=f2008 -Wall -Wextra
      -Wno-function-elimination # functions that query a handle need not be called where .and. is decided before
      -Wno-uninitialized -Wno-maybe-uninitialized) # false alarms on assignments that allocate
    if(WAVEGRID_WERROR)
      target_compile_options(${target} PRIVATE -Werror)
    endif()
  endif()
endfunction()

# ccache takes -march=native for one and the same flag on all machines (ccache issue 824): a cache that several
# processors share needs a name for each.
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(WAVEGRID_CCACHE ccache)
  if(WAVEGRID_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_NAMESPACE=wavegrid-${wavegrid_processor}
      CCACHE_SLOPPINESS=pch_defines,time_macros # what ccache asks for where headers are precompiled
      ${WAVEGRID_CCACHE})
  endif()
endif()
