"""The section of a report on the structure: its drawing, lattice, nearest distances, atoms with charges and moments."""

from functools import partial
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

from wavegrid.html_report import html, plots
from wavegrid.input.models.basis import periodic_directions
from wavegrid.model.crystal import Structure
from wavegrid.process import core_loader
from wavegrid.units import BOHR_IN_ANGSTROM

if TYPE_CHECKING:
    from ase import Atoms

    from wavegrid.api.result import Result

_TOLERANCE = 1e-3  # bohr, of the space group: a relaxed structure has its symmetry to about this
_RANGES = (3.5, 7.0, 14.0)  # angstrom; distances are looked for in the first in which there are any


def section(content: "Result") -> str:
    """Return the section."""
    atoms = content.atoms()
    atoms.pbc = periodic_directions(content.input["basis"].get("boundary", "periodic"))
    drawn = len(atoms) <= plots.MOST_ATOMS
    cell = [(f"a{i + 1}", *(html.number(x, 6) for x in row)) for i, row in enumerate(content.structure.cell)]
    return html.section(
        "Structure",
        html.plot("the cell along z and along y", partial(plots.structure, content)) if drawn else "",
        html.table(("", ""), _lattice(atoms, content.structure)),
        html.table(("nearest distance", "angstrom", "bohr"), _distances(atoms)),
        html.table(("cell (bohr)", "x", "y", "z"), cell),
        _atoms(content),
    )


def _lattice(atoms: "Atoms", crystal: Structure) -> list[tuple[str, str]]:
    """Return lattice constants, angles, volume and, of a crystal, the space group."""
    *lengths, alpha, beta, gamma = atoms.cell.cellpar()
    volume, count = atoms.get_volume(), len(atoms)
    rows = [
        ("formula of the cell", atoms.get_chemical_formula("metal")),
        ("a, b, c (angstrom)", ", ".join(f"{length:.5f}" for length in lengths)),
        ("a, b, c (bohr)", ", ".join(f"{length / BOHR_IN_ANGSTROM:.5f}" for length in lengths)),
        ("alpha, beta, gamma (degrees)", ", ".join(f"{angle:.3f}" for angle in (alpha, beta, gamma))),
        ("volume (angstrom^3)", f"{volume:.4f}, {volume / count:.4f} per atom"),
    ]
    if atoms.pbc.all():
        rows.append(("space group", _space_group(crystal)))
    return rows


def _space_group(crystal: Structure) -> str:
    """Return symbol and number of the atoms' space group, whatever their moments."""
    core = core_loader.load()
    species = list(dict.fromkeys(crystal.species))
    places = [[species.index(name), *x] for name, x in zip(crystal.species, crystal.fractional, strict=True)]
    try:
        symbol, number = core.space_group({"cell": crystal.cell, "species": species, "atoms": places}, _TOLERANCE)
    except core.BadInput:
        return "none found"
    return f"{symbol} ({number}), within {_TOLERANCE:g} bohr"


def _distances(atoms: "Atoms") -> list[tuple[str, str, str]]:
    """Return the shortest distance of each pair of elements that has one among the near ones."""
    from ase.neighborlist import neighbor_list

    symbols = atoms.get_chemical_symbols()
    for cutoff in _RANGES:
        first, second, lengths = neighbor_list("ijd", atoms, cutoff)
        if len(lengths):
            break
    shortest: dict[tuple[str, str], float] = {}
    for i, j, length in zip(first, second, lengths, strict=True):
        pair = (symbols[i], symbols[j])
        shortest[pair] = min(float(length), shortest.get(pair, float(length)))
    return [
        (f"{one}-{other}", f"{shortest[one, other]:.4f}", f"{shortest[one, other] / BOHR_IN_ANGSTROM:.4f}")
        for one, other in combinations_with_replacement(dict.fromkeys(symbols), 2)
        if (one, other) in shortest
    ]


def _atoms(content: "Result") -> str:
    """Return the positions of the atoms, and their charges and moments where these are known."""
    crystal, found = content.structure, content.atomic_charges
    further = {"charge (e)": found and found.charges, "moment (mu_B)": found and found.magnetic_moments}
    known = {name: values for name, values in further.items() if values}
    rows = [
        (f"{symbol} {i + 1}", *(html.number(x, 6) for x in place), *(html.number(of[i], 4) for of in known.values()))
        for i, (symbol, place) in enumerate(zip(crystal.species, crystal.positions, strict=True))
    ]
    return html.first_rows(("atom (bohr)", "x", "y", "z", *known), rows, "atoms")
