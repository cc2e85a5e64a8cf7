"""What two runs say of a defect: its charge and place, and the change of the potential far from it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from ase import Atoms
from ase.geometry import find_mic
from ase.io.cube import read_cube

from wavegrid.api.result import Result, load
from wavegrid.errors import InputError
from wavegrid.units import BOHR_IN_ANGSTROM

POTENTIAL = "potential.cube"
_SAME_CELL = 1e-3  # bohr
_PARTLY = 0.5  # of a full level: fewer electrons count as none
_SAME_SITE = 1.0  # Angstrom: atoms that have moved less are the same
_VALID = 'valid: runs with [output] potential = "electrostatic", potential_format = "cube"'


@dataclass(frozen=True)
class Run:
    """A run with its potential."""

    path: Path
    result: Result
    potential: np.ndarray  # (nx, ny, nz), Ha, of an electron

    @property
    def cell(self) -> np.ndarray:
        """Lattice vectors, bohr, rows."""
        return np.array(self.result.structure.cell)

    @property
    def charge(self) -> float:
        """The charge of the cell, e."""
        return float(self.result.input["electrons"].get("charge", 0))

    @property
    def mean_potential(self) -> float:
        """Mean of the non-Coulomb parts of the local pseudopotentials, Ha: the energy has it, levels and potential not.

        In conventions.md it is the term `local_g0` for each electron.
        """
        electrons = sum(sum(map(sum, of_spin)) for of_spin in self.result.occupations)
        return float(self.result.energy.content().get("local_g0", 0.0)) / electrons

    def atoms(self) -> Atoms:
        """Return the atoms, Angstrom."""
        structure = self.result.structure
        places = np.array(structure.positions) * BOHR_IN_ANGSTROM
        return Atoms(structure.species, places, cell=self.cell * BOHR_IN_ANGSTROM, pbc=True)


def read(place: Path) -> Run:
    """Return a run; raises InputError where something is missing or is not that of a crystal."""
    result = load(place)
    folder = place if place.is_dir() else place.parent
    if (kind := result.input.get("output", {}).get("potential")) != "electrostatic":
        raise InputError(
            f"{place}: {'no potential was written' if kind is None else f'its potential is {kind}'}; {_VALID}"
        )
    path = folder / POTENTIAL
    try:
        with path.open() as file:
            content = read_cube(file)
    except OSError as fault:
        raise InputError(f"{path}: cannot be read: {fault.strerror}; {_VALID}") from None
    except Exception:  # ASE's readers raise whatever they meet
        raise InputError(f"{path}: is not a cube file; {_VALID}") from None
    found = Run(folder, result, np.array(content["data"]))
    if np.abs(content["atoms"].cell.array / BOHR_IN_ANGSTROM - found.cell).max() > _SAME_CELL:
        raise InputError(f"{path}: is not of the whole cell of {place}, as with free directions; valid: a crystal")
    return found


def check(bulk: Run, charged: Run) -> None:
    """Refuse two runs that do not belong together; raises InputError."""
    if bulk.charge != 0:
        raise InputError(f"{bulk.path}: has the charge {bulk.charge:g}; valid: the perfect crystal, which is neutral")
    if charged.charge == 0:
        raise InputError(f"{charged.path}: is neutral; valid: a cell with [electrons] charge")
    if np.abs(bulk.cell - charged.cell).max() > _SAME_CELL:
        raise InputError(f"{charged.path}: has another cell than {bulk.path}; valid: the same supercell")


def gap(run: Run) -> float | None:
    """Return the lowest empty minus the highest filled level of all k-points and spins, Ha; None without empty bands.

    Not above 0: electrons of the valence band fill levels of the defect, whose charge is then another one.
    """
    filled, empty = [], []
    for levels, shares in zip(run.result.eigenvalues, run.result.occupations, strict=True):
        for at_k, of_k in zip(levels, shares, strict=True):
            full = max(of_k)
            filled += [level for level, share in zip(at_k, of_k, strict=True) if share > _PARTLY * full]
            empty += [level for level, share in zip(at_k, of_k, strict=True) if share <= _PARTLY * full]
    return min(empty) - max(filled) if empty and filled else None


def site(bulk: Run, charged: Run) -> np.ndarray:
    """Return the fractional coordinates of the defect: the middle of the atoms that one of the two does not have.

    Raises InputError where there are none, or where they lie on both sides of the cell.
    """
    perfect, other = bulk.atoms(), charged.atoms()
    odd = [*_without_partner(perfect, other), *_without_partner(other, perfect)]
    if not odd:
        raise InputError(f"{charged.path}: has all atoms of {bulk.path}; valid: --at X,Y,Z, where the charge is")
    apart = np.array(odd) - odd[0]
    return np.array(odd[0] + (apart - np.round(apart)).mean(axis=0))


def _without_partner(atoms: Atoms, others: Atoms) -> list[np.ndarray]:
    """Return the fractional coordinates of atoms near which there is none of the same element."""
    found = []
    for atom in atoms:
        same = others.positions[others.symbols == atom.symbol]
        distances = find_mic(same - atom.position, atoms.cell, pbc=True)[1] if len(same) else [np.inf]
        if min(distances) > _SAME_SITE:
            found.append(atoms.cell.scaled_positions(atom.position))
    return found


def change(bulk: Run, charged: Run) -> np.ndarray:
    """Return by how much the potential of an electron (Ha) is higher in the charged cell, on its grid."""
    before = resampled(bulk.potential, charged.potential.shape)
    return charged.potential - before + charged.mean_potential - bulk.mean_potential


def resampled(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return a periodic function on another grid, by its Fourier coefficients."""
    for axis, count in enumerate(shape):
        if count == (had := values.shape[axis]):
            continue
        coefficients = np.fft.fftshift(np.fft.fft(values, axis=axis), axes=axis)
        kept = (min(count, had) - 1) // 2  # the last one of an even number has no partner
        middle = [slice(None)] * values.ndim
        middle[axis] = slice(had // 2 - kept, had // 2 + kept + 1)
        added = [(0, 0)] * values.ndim
        added[axis] = (count // 2 - kept, count - count // 2 - kept - 1)
        padded = np.pad(coefficients[tuple(middle)], added)
        values = np.fft.ifft(np.fft.ifftshift(padded, axes=axis), axis=axis).real * (count / had)
    return values
