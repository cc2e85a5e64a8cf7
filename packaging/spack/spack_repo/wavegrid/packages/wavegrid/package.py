"""wavegrid for Spack 1.0 and newer; docs/clusters.md says how to use it."""

from pathlib import Path

from spack.package import *  # noqa: F403
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator


class Wavegrid(CMakePackage):
    """Parallel plane-wave density-functional theory: library for C++, C and Fortran, and the command wavegrid."""

    git = f"file://{Path(__file__).resolve().parents[6]}"  # the repository that contains this file

    license("BSD-3-Clause")

    version("0.1.0", branch="main")

    variant("shared", default=True, description="Shared libraries")
    variant("fortran", default=True, description="The Fortran module")
    variant("scalapack", default=True, description="Large subspace problems on all ranks, by ScaLAPACK")
    variant("python", default=True, description="The command wavegrid and its Python package")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    generator("ninja")

    depends_on("mpi@3.1:")
    depends_on("blas")
    depends_on("lapack")
    depends_on("scalapack", when="+scalapack")
    depends_on("fftw@3.3: precision=float,double")
    depends_on("libxc@5.1:")
    depends_on("spglib")
    depends_on("hdf5@1.10:")
    depends_on("xxhash@0.8:")
    depends_on("pugixml@1.9:")
    depends_on("zlib-api@1.2:")
    depends_on("metis@5.1:")
    depends_on("rapidjson@1.1:", type="build")

    with when("+python"):
        extends("python")
        depends_on("python@3.11:", type=("build", "link", "run"))
        depends_on("py-pip", type="build")
        depends_on("py-scikit-build-core@1.1:", type="build")
        depends_on("py-nanobind@3.1:", type="build")
        depends_on("py-ase@3.23:", type=("build", "run"))
        depends_on("py-h5py@3.8:", type=("build", "run"))
        depends_on("py-numpy@1.26:", type=("build", "run"))
        depends_on("py-pydantic@2.7:", type=("build", "run"))
        depends_on("py-rich@13:", type=("build", "run"))
        depends_on("py-scipy@1.11:", type=("build", "run"))
        depends_on("py-typer@0.12:", type=("build", "run"))
        depends_on("py-xxhash@3.2:", type=("build", "run"))
        depends_on("py-matplotlib@3.8:", type="run")

    # One thread pool for all: BLAS in threads of OpenMP, where it has a choice.
    depends_on("openblas threads=openmp", when="^[virtuals=blas] openblas")
    depends_on("intel-oneapi-mkl+cluster", when="+scalapack ^[virtuals=scalapack] intel-oneapi-mkl")

    def vendor(self):
        """Return CMake's name for the BLAS of the spec."""
        names = {"openblas": "OpenBLAS", "intel-oneapi-mkl": "Intel10_64lp", "blis": "FLAME", "amdblis": "FLAME"}
        return names.get(self.spec["blas"].name, "All")

    def cmake_args(self):
        """Return the choices of the variants; the Python module is built apart, as a wheel."""
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("WAVEGRID_FORTRAN", "ON" if self.spec.satisfies("+fortran") else "OFF"),
            self.define("WAVEGRID_SCALAPACK", "ON" if self.spec.satisfies("+scalapack") else "OFF"),
            self.define("BLA_VENDOR", self.vendor()),
            self.define("WAVEGRID_NATIVE", False),  # Spack's compiler wrappers choose the processor
            self.define("WAVEGRID_TESTS", False),
            self.define("WAVEGRID_BENCHMARKS", False),
            self.define("WAVEGRID_EXAMPLES", False),
        ]

    @run_after("install", when="+python")
    def install_python(self):
        """Install the wheel with the Python module, which contains the library."""
        pip = which("python3", required=True)
        define = f"--config-settings=cmake.define.BLA_VENDOR={self.vendor()}"
        with working_dir(self.stage.source_path):
            pip("-m", "pip", "install", "--no-deps", "--no-build-isolation", f"--prefix={self.prefix}", define, ".")

    @run_after("install", when="+python")
    @on_package_attributes(run_tests=True)
    def check_version(self):
        """Start the command once."""
        Executable(self.prefix.bin.wavegrid)("version")
