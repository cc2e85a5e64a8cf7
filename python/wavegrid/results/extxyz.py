"""The result as one frame of an extended XYZ file, which ASE and most tools around it read.

Units and signs are ASE's: Angstrom, eV, eV/Angstrom, eV/Angstrom^3. Its own writer is not used: to import it takes
longer than most small runs.
"""

from collections.abc import Iterable, Iterator, Sequence

import wavegrid
from wavegrid.crystal.fixed_coordinates import NONE, cartesian_of
from wavegrid.model.crystal import Structure
from wavegrid.model.result import Result
from wavegrid.units import (
    BOHR_IN_ANGSTROM,
    HARTREE_IN_EV,
    HARTREE_PER_BOHR3_IN_EV_PER_ANGSTROM3,
    HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM,
)


def render(content: Result, info: dict[str, object] | None = None, momenta: list[list[float]] | None = None) -> bytes:
    """Return a frame for a result, or for what it has of structure, energy and derivatives.

    `info`: further values of the whole frame; `momenta`: of the atoms, in ASE's unit, the root of amu and eV.

    `free_energy` is the free energy, to which forces and stress belong; `energy` is it, extrapolated to zero smearing.
    """
    crystal, energy = content.structure, content.energy
    columns = [[f"{symbol:<2}" for symbol in crystal.species], _rows(crystal.positions, BOHR_IN_ANGSTROM)]
    properties = "species:S:1:pos:R:3"
    for name, width, rows in _fixed(crystal):
        columns.append(rows)
        properties += f":{name}:L:{width}"
    if crystal.initial_magnetic_moments is not None:
        columns.append(_rows([[moment] for moment in crystal.initial_magnetic_moments], 1.0))
        properties += ":initial_magmoms:R:1"
    if content.forces is not None:
        columns.append(_rows(content.forces.total, HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM))
        properties += ":forces:R:3"
    if momenta is not None:
        columns.append(_rows(momenta, 1.0))
        properties += ":momenta:R:3"
    head = {
        "Lattice": _matrix(crystal.cell, BOHR_IN_ANGSTROM),
        "Properties": properties,
        "energy": f"{energy.extrapolated * HARTREE_IN_EV:.10f}",
        "free_energy": f"{energy.free * HARTREE_IN_EV:.10f}",
    }
    if content.stress is not None:
        head["stress"] = _matrix(content.stress.total, HARTREE_PER_BOHR3_IN_EV_PER_ANGSTROM3)
    if content.magnetisation is not None:
        head["magmom"] = f"{content.magnetisation.total:.8f}"
    head |= {"converged": "T" if content.converged else "F", "pbc": '"T T T"'}
    head |= {name: str(value) for name, value in (info or {}).items()}
    head["program"] = f'"wavegrid {wavegrid.__version__}"'
    lines = [str(len(crystal.species)), " ".join(f"{name}={value}" for name, value in head.items())]
    return "\n".join(lines + [" ".join(row) for row in zip(*columns, strict=True)]).encode() + b"\n"


def _fixed(crystal: Structure) -> Iterator[tuple[str, int, list[str]]]:
    """Yield name, width and rows of the columns that say what is fixed: where it can, ASE's `move_mask`.

    Fractional coordinates of a cell whose vectors are not along the axes are in a column of our own.
    """
    atoms = len(crystal.species)
    fractional, masks = (
        [tuple(mask) for mask in fixed] if fixed else [NONE] * atoms
        for fixed in (crystal.fixed_fractional, crystal.fixed_cartesian)
    )
    known = [cartesian_of(mask, crystal.cell) if any(mask) else NONE for mask in fractional]
    masks = [mask if known is None or any(mask) else known for mask, known in zip(masks, known, strict=True)]
    if any(map(any, masks)):
        whole = all(any(mask) == all(mask) for mask in masks)
        yield (
            "move_mask",
            1 if whole else 3,
            [_flags([not kept for kept in mask[: 1 if whole else 3]]) for mask in masks],
        )
    if any(mask is None for mask in known):
        yield (
            "fixed_fractional",
            3,
            [_flags(mask if same is None else NONE) for mask, same in zip(fractional, known, strict=True)],
        )


def _flags(values: Iterable[bool]) -> str:
    return "  " + " ".join("T" if value else "F" for value in values)


def _rows(vectors: Sequence[Sequence[float]], factor: float) -> list[str]:
    return ["".join(f"{_near_zero(x * factor):18.10f}" for x in vector) for vector in vectors]


def _matrix(rows: Sequence[Sequence[float]], factor: float) -> str:
    return '"' + " ".join(f"{_near_zero(x * factor):.10f}" for row in rows for x in row) + '"'


def _near_zero(value: float) -> float:
    """Return the value as it is written, without the sign of a zero."""
    return round(value, 10) + 0.0
