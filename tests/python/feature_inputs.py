"""Inputs of every capability and of pairs of them: a dimer of silicon in a cell with vacuum along z, with changes."""

import itertools
from pathlib import Path

import numpy as np
from ase import Atoms
from ase.io import write

from wavegrid.input.features.capabilities import BASIS, BY_NAME, CAPABILITIES, MESHES, alternatives
from wavegrid.input.features.capability import Capability
from wavegrid.input.features.refusals import BY_PAIR
from wavegrid.units import BOHR_IN_ANGSTROM

POTENTIALS = Path(__file__).parents[1] / "reference"
CELL, GRID = (8.0, 8.0, 22.0), (20, 20, 48)  # bohr
Keys = dict[str, str | None]  # TOML by key; None: the key, and those below it, must not be there

BASE: Keys = {
    "structure.cell": "[[8, 0, 0], [0, 8, 0], [0, 0, 22]]",
    "structure.unit": '"bohr"',
    "structure.atoms": '[["Si", 4, 4, 4], ["Si", 4, 4, 8.4]]',
    "structure.coordinates": '"cartesian"',
    "basis.ecut": '"6 Ha"',
    "basis.grid": str(list(GRID)),
    "electrons.xc": '"PBE"',
    "electrons.pseudopotentials": '"gth-pbe"',
}
WAVES: Keys = {"basis.ecut": '"6 Ha"', "basis.spacing": None}
MESH: Keys = {
    "basis.ecut": None,
    "basis.grid": None,
    "basis.method": '"realspace"',
    "basis.spacing": str([f"{length / count + 1e-4:.5f} bohr" for length, count in zip(CELL, GRID, strict=True)]),
}
SPIN: Keys = {"electrons.spin": '"collinear"'}
OF_MESHES = {"halo options", "partition of points"}  # inputs of these are on a mesh unless they say more
LIST: Keys = {"electrons.kpoints.list": "[[0, 0, 0], [0.5, 0, 0]]", "electrons.kpoints.mesh": None}
MESH_OF_K: Keys = {"electrons.kpoints.mesh": "[2, 2, 1]"}
RELAX: Keys = {"task.kind": '"relax"'}


def _potential(path: str) -> Keys:
    return {"electrons.pseudopotentials": f'{{ Si = "{POTENTIALS / path}" }}'}


def _smearing(kind: str) -> Keys:
    return {"electrons.smearing.kind": f'"{kind}"', "electrons.smearing.width": '"0.2 eV"'}


SHELL: Keys = _potential("projections/Si.UPF") | {"electrons.hubbard.Si": '{ shell = "3p", u = "1 eV" }'}
FRAGMENTS: dict[str, Keys] = {
    "plane waves": WAVES | {"basis.boundary": '"periodic"'},
    "waves, partly free": WAVES | {"basis.boundary": '["periodic", "periodic", "free"]'},
    "waves, free": WAVES | {"basis.boundary": '"free"'},
    "mesh": MESH | {"basis.boundary": '"periodic"'},
    "mesh, partly free": MESH | {"basis.boundary": '["periodic", "periodic", "free"]'},
    "mesh, free": MESH | {"basis.boundary": '"free"'},
    "local orbitals": WAVES | {"basis.method": '"local-orbitals"'},
    "LDA": {"electrons.xc": '"LDA-PZ"'},
    "GGA": {"electrons.xc": '"PBE"'},
    "meta-GGA": {"electrons.xc": '"R2SCAN"'},
    "hybrid": {"electrons.xc": '"PBE0"'},
    "GTH": {"electrons.pseudopotentials": '"gth-pbe"'},
    "UPF": _potential("projections/Si.UPF"),
    "psp8": _potential("crystals/pseudopotentials/Si-pbe-no-core.psp8"),
    "ultrasoft": _potential("ultrasoft/Si.UPF"),
    "PAW": _potential("ultrasoft/Si-paw.xml"),
    "fixed": {"electrons.smearing": None},
    "given occupations": {"electrons.occupations": "[2, 2, 2, 1, 1]", "electrons.smearing": None},
    "Fermi-Dirac": _smearing("fermi-dirac"),
    "Gaussian": _smearing("gaussian"),
    "Methfessel-Paxton": _smearing("methfessel-paxton"),
    "cold": _smearing("cold"),
    "tetrahedra": {"electrons.smearing.kind": '"tetrahedra"', "electrons.smearing.width": None} | MESH_OF_K,
    "core density": _potential("pseudopotentials/14-Si.nlcc.UPF"),
    "spin": SPIN,
    "noncollinear": {"electrons.spin": '"noncollinear"'},
    "spin-orbit": {"electrons.spin_orbit": "true"},
    "held moments": {"electrons.spin": '"noncollinear"', "electrons.constrain.penalty": '"0.1 Ha"'},
    "fixed moment": SPIN | {"electrons.total_magnetisation": "2"},
    "DFT+U": SHELL | {"electrons.hubbard.projectors": '"atomic"'},
    "orthonormal orbitals": SHELL | {"electrons.hubbard.projectors": '"ortho-atomic"'},
    "charge": {"electrons.charge": "2"},
    "D2": {"electrons.dispersion": '"D2"'},
    "D3": {"electrons.dispersion": '"D3"'},
    "D4": {"electrons.dispersion": '"D4"'},
    "Gamma, real": {"electrons.kpoints": None},
    "mesh of k": {"electrons.kpoints.mesh": "[2, 2, 1]"},
    "list of k": LIST | {"electrons.kpoints.irreducible": "false"},
    "irreducible list": LIST | {"electrons.kpoints.irreducible": "true"},
    "symmetry": {"symmetry.use": "true"},
    "two grids": {"basis.density_ecut": '"8 Ha"'},
    "potential of a file": {"external.potential": '"potential.cube"'},
    "field": {"external.field": '"0.01 Ha/bohr"', "external.axis": "3"},
    "dipole correction": {"external.dipole_correction": "true", "external.axis": "3"},
    "direct minimisation": {"scf.method": '"direct"'},
    **{name: {"scf.eigensolver": f'"{name.lower()}"'} for name in ("LOBPCG", "RMM-DIIS", "Davidson", "Chebyshev")},
    "mixed precision": {"scf.precision": '"mixed"'},
    "deterministic": {"parallel.deterministic": "true"},
    "projectors on the grid": {"basis.projectors": '"real"'},
    "augmentation in boxes": {"basis.augmentation": '"boxes"'},
    "forces": {"output.forces": "true"},
    "stress": {"output.stress": "true"},
    "polarisation": {"output.polarisation": "true"},
    "displaced start": RELAX | {"relax.displace": '"0.01 bohr"'},
    "bands": {"task.kind": '"bands"', "electrons.kpoints.path": '"GX"'},
    "band extrema": {"task.kind": '"bands"', "electrons.kpoints.path": '"GX"', "task.extrema": "true"},
    "density of states": {"task.kind": '"dos"'},
    "relax": RELAX | {"relax.cell": '"fixed"'},
    "relax the cell": RELAX | {"relax.cell": '"free"'},
    "dynamics": {"task.kind": '"md"', "md.ensemble": None},
    "dynamics of the cell": {"task.kind": '"md"', "md.ensemble": '"npt"'},
    "equation of state": {"task.kind": '"eos"'},
    "elastic constants": {"task.kind": '"elastic"'},
    "phonons": {"task.kind": '"phonon"'},
    "vibrations": {"task.kind": '"vibrations"'},
    "reaction path": {"task.kind": '"neb"', "neb.final": '"final.xyz"'},
    "Born charges": {"task.kind": '"born"'},
    "Wannier functions": {"task.kind": '"wannier"', "wannier.scdm": "1"},
    "propagation": {"task.kind": '"propagate"'},
    "atoms in time": {"task.kind": '"propagate"', "propagate.ions": "true"},
    "Casida": {"task.kind": '"casida"', "electrons.xc": '"LDA-PZ"'},
    "anisotropy": {
        "task.kind": '"anisotropy"',
        "electrons.spin": '"noncollinear"',
        "electrons.spin_orbit": "true",
    },
    "U by linear response": SHELL | {"task.kind": '"hubbard-u"'},
    "checkpoint": {"output.checkpoint": "true"},
    "orbitals": {"output.orbitals.bands": '["HOMO"]'},
    "ELF": {"output.orbitals.elf": "true"},
    "k-point groups": {"parallel.kpoint_groups": "1"},
    "band groups": {"parallel.band_groups": "1"},
    "rows x columns": {"parallel.rows": "1", "parallel.columns": "1"},
    "partition of sticks": {"parallel.partition": '"greedy"'},
    "partition of points": {"parallel.partition": '"block"'},
    "halo options": {"parallel.overlap": '"off"'},
}


def _clash(first: Keys, second: Keys) -> bool:
    """Return whether two changes want different values of a key, or one wants none where the other has one."""
    for key, value in first.items():
        if value is None and any(other == key or other.startswith(f"{key}.") for other, v in second.items() if v):
            return True
        if value is not None and second.get(key, value) not in (value, None):
            return True
    return False


def _not_on_meshes(first: Capability, second: Capability) -> bool:
    """Return whether one of them, which is no discretisation, is refused on all meshes."""
    return any(frozenset((one.name, MESHES[0])) in BY_PAIR for one in (first, second) if one.group != BASIS)


def combine(first: Capability, second: Capability) -> bool:
    """Return whether an input can ask for both."""
    if not first.key or not second.key or alternatives(first, second):
        return False
    if {first.name, second.name} & OF_MESHES and _not_on_meshes(first, second):
        return False
    one, other = FRAGMENTS[first.name], FRAGMENTS[second.name]
    return not _clash(one, other) and not _clash(other, one)


def pairs() -> list[tuple[Capability, Capability]]:
    """Return the pairs that an input can ask for."""
    return [pair for pair in itertools.combinations(CAPABILITIES, 2) if combine(*pair)]


def text(*names: str) -> str:
    """Return the input that asks for capabilities."""
    keys = dict(BASE)
    if OF_MESHES & set(names) and not any(BY_NAME[name].group == BASIS for name in names):
        keys |= MESH
    for name in names:
        keys |= FRAGMENTS[name]
    if {"ultrasoft", "PAW"} & set(names) and "two grids" not in names and keys.get("basis.grid") is not None:
        keys |= {"basis.density_ecut": '"20 Ha"', "basis.density_grid": keys["basis.grid"]}  # as the potential's
    if keys.get("electrons.spin") and keys.get("electrons.smearing.kind") is None:
        keys.setdefault("electrons.initial_magnetic_moments", "{ Si = 1 }")
    if keys.get("electrons.occupations"):
        keys |= {"electrons.occupations": str(_occupations(keys))}
    return as_toml(keys)


def _occupations(keys: Keys) -> list:
    """Return the electrons of bands that fit charge and spin: one of them is lifted."""
    electrons = 8 - int(keys.get("electrons.charge") or 0)
    if keys.get("electrons.spin_orbit") or keys.get("electrons.spin") == '"noncollinear"':
        return [1] * (electrons - 1) + [0, 1]
    half = electrons // 2
    if keys.get("electrons.spin"):
        return [[1] * half, [1] * (half - 1) + [0, 1]]
    return [2] * (half - 1) + [1, 1]


def as_toml(keys: Keys) -> str:
    """Return the input with the given keys."""
    given = {key: value for key, value in keys.items() if value is not None}
    sections = dict.fromkeys(key.partition(".")[0] for key in given)
    lines = []
    for section in sections:
        lines.append(f"[{section}]")
        lines += [f"{key.partition('.')[2]} = {v}" for key, v in given.items() if key.startswith(f"{section}.")]
    return "\n".join(lines) + "\n"


def text_with(section: str, line: str) -> str:
    """Return the base input with a line more in a section."""
    whole = text()
    if f"[{section}]\n" not in whole:
        return f"{whole}[{section}]\n{line}\n"
    return whole.replace(f"[{section}]\n", f"[{section}]\n{line}\n")


def write_files(folder: Path) -> None:
    """Write the potential of the inputs, and the end of a reaction path: the dimer, a little longer."""
    cell = np.array(CELL) * BOHR_IN_ANGSTROM
    places = np.array([[4, 4, 4], [4, 4, 8.8]]) * BOHR_IN_ANGSTROM
    write(folder / "final.xyz", Atoms("Si2", positions=places, cell=cell, pbc=True))
    atoms = Atoms("Si2", positions=[[1, 1, 1], [1, 1, 2]], cell=cell, pbc=True)
    write(folder / "potential.cube", atoms, data=np.zeros(GRID))
