"""Inputs that ask for many capabilities at once: AlH in a small cell; solver and layout of each run by their names."""

import math
from pathlib import Path

import numpy as np
from ase import Atoms
from ase.io import write
from feature_inputs import FRAGMENTS, POTENTIALS, Keys, as_toml

from wavegrid.input.features.capabilities import (
    BY_NAME,
    FIELDS,
    FILES,
    INTERFACE,
    MESHES,
    PARALLEL,
    PRECISION,
    SMEARINGS,
    SOLVER,
    TASK,
)
from wavegrid.units import BOHR_IN_ANGSTROM

CELL, GRID = (6.4, 6.8, 7.6), (15, 16, 18)  # bohr
LONG, LONG_GRID = 13.2, 30  # the same along z where a field needs vacuum
NEITHER_CHANGES = (SOLVER, PRECISION, FILES, PARALLEL, INTERFACE)  # groups that must not change a result
OTHER_BASIS = "restart on another basis"
RESTARTS = ("restart on other ranks", OTHER_BASIS)

_BASE: Keys = {
    "structure.unit": '"bohr"',
    "structure.coordinates": '"cartesian"',
    "basis.ecut": '"5 Ha"',
    "scf.energy_tolerance": '"1e-9 Ha"',
    "output.checkpoint": "false",
}
_MESH: Keys = {
    "basis.ecut": None,
    "basis.grid": None,
    "basis.method": '"realspace"',
    "basis.order": "8",
}


def _potentials(**files: str) -> Keys:
    given = {"Al": "gth-pbe", "H": "gth-pbe"} | {element: str(POTENTIALS / path) for element, path in files.items()}
    return {"electrons.pseudopotentials": "{ " + ", ".join(f'{name} = "{file}"' for name, file in given.items()) + " }"}


# Where they differ from those of feature_inputs.
_OTHERS: dict[str, Keys] = {
    "plane waves": {},
    **{name: _MESH | {"basis.boundary": FRAGMENTS[name]["basis.boundary"]} for name in MESHES},
    "UPF": _potentials(Al="pseudopotentials/Al.pz-vbc.UPF"),
    "psp8": _potentials(H="pseudopotentials/H.psp8"),
    "core density": _potentials(Al="pseudopotentials/Al.psp8"),
    "ultrasoft": _potentials(Al="ultrasoft/Al.UPF"),
    "PAW": _potentials(Al="ultrasoft/Al-paw.UPF"),
    **{name: FRAGMENTS[name] | {"electrons.smearing.width": '"0.05 Ha"'} for name in SMEARINGS},
    "mesh of k": {"electrons.kpoints.mesh": "[2, 1, 1]"},
    "field": {"external.field": '"0.002 Ha/bohr"', "external.axis": "3"},
    "projectors on the grid": {"basis.projectors": '"real"', "basis.projector_accuracy": '"1e-6 Ha"'},
    "relax": {"task.kind": '"relax"', "relax.max_steps": "3"},
    "relax the cell": {"task.kind": '"relax"', "relax.cell": '"free"', "relax.max_steps": "2"},
    "dynamics": {"task.kind": '"md"', "md.steps": "2"},
    "checkpoint": {"output.checkpoint": "true"},
    "k-point groups": {"parallel.kpoint_groups": "2"},
    "band groups": {"parallel.band_groups": "2"},
    "rows x columns": {"parallel.rows": "1", "parallel.columns": "2"},
    "halo options": {"parallel.overlap": '"polling"'},
}


def changes_nothing(name: str) -> bool:
    """Return whether a capability must leave the result as it is."""
    return BY_NAME[name].group in NEITHER_CHANGES


def num_ranks(names: list[str]) -> int:
    """Return the ranks of a run: two in each direction that it divides, at least two."""
    return math.prod([2 for name in ("k-point groups", "band groups", "rows x columns") if name in names] or [2])


def box(names: list[str]) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return the lengths of the cell (bohr) and the grid."""
    return ((*CELL[:2], LONG), (*GRID[:2], LONG_GRID)) if set(FIELDS) & set(names) else (CELL, GRID)


def text(names: list[str], **others: str | None) -> str:
    """Return the input that asks for capabilities. `others`: further keys, with two underscores for the dot."""
    cell, grid = box(names)
    keys = _BASE | {"structure.cell": str(np.diag(cell).tolist()), "basis.grid": str(list(grid))}
    keys["basis.spacing"] = str([f"{x / n + 1e-4:.5f} bohr" for x, n in zip(cell, grid, strict=True)])
    for name in sorted(names, key=list(BY_NAME).index):
        keys |= _OTHERS.get(name, FRAGMENTS.get(name, {}))
    if {"two grids", "ultrasoft", "PAW"} & set(names) and keys.get(
        "basis.grid"
    ) is not None:  # that of the density is the one on which the potential of the file is
        keys |= {"basis.density_ecut": '"25 Ha"', "basis.density_grid": keys["basis.grid"], "basis.grid": None}
    keys |= _electrons(names)
    keys |= {"basis.spacing": None} if "plane waves" in names else {}
    keys |= {name.replace("__", "."): value for name, value in others.items()}
    across = 0.0 if {"symmetry", "irreducible list"} & set(names) else 0.2  # bohr, from the axis
    middle = [cell[0] / 2, cell[1] / 2, cell[2] / 2]
    atoms = [["Al", *middle[:2], middle[2] - 1.4], ["H", middle[0] + across, middle[1], middle[2] + 1.7]]
    keys["structure.atoms"] = str(atoms).replace("'", '"')
    return as_toml(keys)


def _electrons(names: list[str]) -> Keys:
    """Return charge and moment: those of a closed shell, or with spin of one that is open."""
    found: Keys = {}
    open_shell = "spin" in names or not {"fixed"} & set(names)
    if "charge" in names:
        found["electrons.charge"] = "1" if open_shell else "2"
    if "fixed moment" in names:
        found["electrons.total_magnetisation"] = "1" if "charge" in names else "2"
    if "spin" in names:
        found["electrons.initial_magnetic_moments"] = "{ Al = 1, H = 0 }"
    return found


def first_text(names: list[str]) -> str:
    """Return the input of the run whose checkpoint another one continues: less converged, or on another basis."""
    kept = [name for name in names if not changes_nothing(name) and BY_NAME[name].group != TASK]
    kept = [name for name in kept if name not in ("displaced start", "forces", "stress")]
    other: dict[str, str | None] = {"scf__energy_tolerance": '"1e-4 Ha"', "output__checkpoint": "true"}
    if OTHER_BASIS in names and set(FIELDS).isdisjoint(names):
        if "mesh" in names:
            kept = ["plane waves" if name == "mesh" else name for name in kept]
        elif "plane waves" in names:
            other |= {"basis__ecut": '"4 Ha"', "basis__grid": None}
        else:
            other["basis__spacing"] = '"0.5 bohr"'
    elif OTHER_BASIS in names:
        other |= {"basis__ecut": '"4 Ha"'} if "plane waves" in names else {"basis__order": "12"}
    return text(kept, **other)


def write_cube(folder: Path) -> None:
    """Write the potential of the inputs, a wave along each lattice vector."""
    cell, grid = box(list(FIELDS))
    waves = [np.cos(2 * np.pi * np.arange(count) / count) for count in grid]
    data = 0.01 * (waves[0][:, None, None] + waves[1][:, None] + waves[2])
    atoms = Atoms("AlH", positions=[[1, 1, 1], [1, 1, 2]], cell=np.array(cell) * BOHR_IN_ANGSTROM, pbc=True)
    write(folder / "potential.cube", atoms, data=data)
