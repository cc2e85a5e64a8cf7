# The libraries under wavegrid. An installed wavegridConfig.cmake finds the same ones again.
set(MPI_CXX_SKIP_MPICXX TRUE) # the C interface only
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(PkgConfig REQUIRED)
set(WAVEGRID_PKGCONFIG_MODULES fftw3 fftw3f openblas libxc spglib)
foreach(module IN LISTS WAVEGRID_PKGCONFIG_MODULES)
  pkg_check_modules(${module} REQUIRED IMPORTED_TARGET GLOBAL ${module})
endforeach()
