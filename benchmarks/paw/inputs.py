"""The systems of the study as inputs, and the datasets that they name."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from other_codes import ROOT, System
from processes import MissingError

from wavegrid.process import core_loader

HERE = Path(__file__).resolve().parent
# Debian's quantum-espresso-data, abinit-data and gpaw-data; others by --potentials
FOLDERS = (
    ROOT / "shared" / "pseudopotentials",
    Path("/usr/share/espresso/pseudo"),
    Path("/usr/share/abinit/psp"),
    Path("/usr/share/gpaw-setups"),
)


def names(kind: str) -> list[str]:
    """Return the systems of a folder of inputs."""
    return sorted(path.stem for path in (HERE / kind).glob("*.toml"))


def find(name: str, folders: list[Path]) -> Path:
    """Return the first file of a name; raises MissingError."""
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    raise MissingError(f"{name} is in none of {', '.join(map(str, folders))}")


def text_of(kind: str, name: str, folders: list[Path]) -> str:
    """Return an input with the paths of its datasets; raises MissingError."""
    text = (HERE / kind / f"{name}.toml").read_text()
    for file in tomllib.loads(text)["electrons"]["pseudopotentials"].values():
        text = text.replace(f'"{file}"', f'"{find(file, folders)}"')
    return text


def scaled(text: str, factor: float) -> str:
    """Return the input with the cell, and all that is in it, scaled."""
    cell = tomllib.loads(text)["structure"]["cell"]
    rows = [[round(x * factor, 12) for x in row] for row in cell]
    return re.sub(r"^cell = .*$", f"cell = {rows}", text, count=1, flags=re.M)


def with_tolerance(text: str, tolerance: float) -> str:
    """Return the input with a tolerance of the energy (Ha)."""
    return f'{text}\n[scf]\nenergy_tolerance = "{tolerance:.3e} Ha"\n'


def denser(text: str, factor: int) -> str:
    """Return the input with a mesh of `factor` times as many k-points along each axis."""

    def mesh(found: re.Match) -> str:
        return "mesh = [" + ", ".join(str(factor * int(n)) for n in found.group(1).split(",")) + "]"

    return re.sub(r"mesh = \[(.*?)\]", mesh, text)


def system(text: str, folder: Path) -> System:
    """Return what an input says to other codes; writes it into the folder."""
    path = folder / "case.toml"
    path.write_text(text)
    core = core_loader.load()
    core.mpi_start()
    return System(core, path)
