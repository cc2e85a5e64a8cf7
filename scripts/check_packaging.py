#!/usr/bin/env python3
"""Check packaging/ against the tables it repeats: cmake/dependency_table.cmake, CMakeLists.txt and pyproject.toml.

    scripts/check_packaging.py [ROOT]

Every library and Python package has to stand in the recipes of Spack and conda, with the same least version, and in
scripts/packages-run.txt; the version of wavegrid is the same everywhere. Prints what differs; exit code 1.
"""

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

_parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
_parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).parents[1], help="the source tree")
ROOT = _parser.parse_args().root
TABLE = "cmake/dependency_table.cmake"
DEBIAN = "scripts/packages-run.txt"
RUNTIME = "packaging/container/packages-runtime.txt"
CONDA = "packaging/conda/recipe.yaml"
SPACK = "packaging/spack/spack_repo/wavegrid/packages/wavegrid/package.py"

# Python packages that have another name there.
CONDA_NAMES = {"xxhash": "python-xxhash", "matplotlib": "matplotlib-base"}
# Rows of the table whose provider the recipes leave open.
CONDA_VIRTUAL = {"openblas": ("libblas", "liblapack"), "cxx-compiler": ('${{ compiler("cxx") }}',)}
SPACK_VIRTUAL = {"MPI": "mpi", "BLAS": "blas", "LAPACK": "lapack", "ScaLAPACK": "scalapack", "OpenMP": "cxx"}

Wanted = dict[str, str]  # names with least versions, "" for any


def text(name: str) -> str:
    """Return the content of a file of the repository."""
    return (ROOT / name).read_text()


def words(name: str) -> set[str]:
    """Return the words of a list of packages."""
    return set(re.sub(r"#.*", "", text(name)).split())


def table() -> list[list[str]]:
    """Return the rows of the table: library, least version ("" for any), Debian, conda-forge, Spack."""
    rows = [re.split(r" *\| *", row) for row in re.findall(r'^  "(.+?)"\)?$', text(TABLE), re.MULTILINE)]
    return [[name, "" if version == "-" else version, *packages] for name, version, *packages in rows]


def python_packages() -> tuple[Wanted, Wanted]:
    """Return what the wheel needs to be built, and what it needs to run."""
    project = tomllib.loads(text("pyproject.toml"))
    run = [*project["project"]["dependencies"], *project["project"]["optional-dependencies"]["plots"]]
    run.append("python" + project["project"]["requires-python"])
    build = project["build-system"]["requires"]
    return dict(item.split(">=") for item in build), dict(item.split(">=") for item in run)


def cmake_version() -> str:
    """Return the least version of CMake."""
    return re.findall(r"cmake_minimum_required\(VERSION ([\d.]+)\)", text("CMakeLists.txt"))[0]


def conda_lists() -> dict[str, Wanted]:
    """Return the requirements of the recipe by section."""
    sections: dict[str, Wanted] = {}
    requirements = text(CONDA).partition("\nrequirements:\n")[2].partition("\ntests:\n")[0]
    for line in requirements.splitlines():
        if header := re.fullmatch(r"  (\w+):", line):
            sections[header[1]] = {}
        elif item := re.fullmatch(r"    - (.+?)(?: >=([\d.]+))?", line):
            sections[list(sections)[-1]][item[1]] = item[2] or ""
    return sections


def spack_list() -> Wanted:
    """Return the dependencies of the Spack package."""
    found = re.findall(r'depends_on\("([\w-]+)(?:@([\d.]+):)?', text(SPACK))
    return {name: version for name, version in reversed(found)}  # the first of several counts


def missing(file: str, wanted: Wanted, found: Wanted) -> Iterator[str]:
    """Yield a line for each wanted package that a recipe lacks or has with another version."""
    for name, version in wanted.items():
        if name not in found:
            yield f"{file}: {name} is missing"
        elif found[name] != version:
            yield f"{file}: {name} has the least version {found[name] or 'any'}; it is {version or 'any'} elsewhere"


def check_conda() -> Iterator[str]:
    """Yield what is wrong with the conda recipe."""
    lists = conda_lists()
    build, run = python_packages()
    host = dict(build)
    for _, version, _, package, _ in table():
        for name in CONDA_VIRTUAL.get(package, (package,)):
            if "compiler" in name:
                yield from missing(CONDA, {name: ""}, lists["build"])
            elif package != "openmpi":
                host[name] = version
            elif name not in lists["host"]:
                yield f"{CONDA}: {name} is missing"
    yield from missing(CONDA, {"cmake": cmake_version()}, lists["build"])
    yield from missing(CONDA, host, lists["host"])
    yield from missing(CONDA, {CONDA_NAMES.get(name, name): version for name, version in run.items()}, lists["run"])


def check_spack() -> Iterator[str]:
    """Yield what is wrong with the Spack package."""
    build, run = python_packages()
    wanted = {name if name == "python" else f"py-{name}": version for name, version in (build | run).items()}
    for library, version, _, _, package in table():
        name = SPACK_VIRTUAL.get(library, package.split()[0])
        wanted[name] = "" if library == "OpenMP" else version
    yield from missing(SPACK, wanted | {"cmake": cmake_version()}, spack_list())


def check_debian() -> Iterator[str]:
    """Yield what is wrong with the lists of Debian packages, also that of the container."""
    listed = words(DEBIAN)
    yield from (f"{DEBIAN}: {row[2]} of {TABLE} is missing" for row in table() if row[2] not in listed)
    libraries = {name for name in listed if name.startswith("lib")}
    known = {row[2] for row in table()}
    yield from (f"{TABLE}: {name} of {DEBIAN} is in no row" for name in sorted(libraries - known))
    if len(words(RUNTIME)) < len(libraries):
        yield f"{RUNTIME}: has fewer packages than {DEBIAN} has libraries"


def check_version() -> Iterator[str]:
    """Yield the recipes whose version is not that of CMakeLists.txt."""
    version = re.findall(r"project\(wavegrid VERSION ([\d.]+)", text("CMakeLists.txt"))[0]
    for file, pattern in ((CONDA, r'version: "([\d.]+)"'), (SPACK, r'version\("([\d.]+)", branch')):
        if re.findall(pattern, text(file)) != [version]:
            yield f"{file}: the version is not {version}"


def main() -> int:
    """Check everything."""
    lines = [*check_version(), *check_debian(), *check_conda(), *check_spack()]
    print("\n".join(lines) or f"packaging: agrees with {TABLE} and pyproject.toml")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
