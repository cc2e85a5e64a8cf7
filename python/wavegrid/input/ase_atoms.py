"""What ASE's atoms say besides cell and places: all of it is used, refused, or named in a note."""

from typing import TYPE_CHECKING

import numpy as np

from wavegrid.base.text import printable
from wavegrid.crystal import fixed_coordinates
from wavegrid.crystal.fixed_coordinates import NONE, FixedCoordinates
from wavegrid.errors import InputError
from wavegrid.input.initial_state import InitialState

if TYPE_CHECKING:
    from ase import Atoms

FIXED_FRACTIONAL = "fixed_fractional"  # a column of our extended XYZ files, for what `move_mask` cannot say
# Of arrays and of `info`: what is used or checked, what files have that ASE wrote after it read a CIF file, what our
# own files hold of a run.
_USED = (
    "numbers",
    "positions",
    "initial_magmoms",
    "momenta",
    "masses",
    FIXED_FRACTIONAL,
    "occupancy",
    "spacegroup_kinds",
)
_INFO_USED = ("spacegroup", "unit_cell", "occupancy", "step", "time", "thermostat", "converged", "program")
_MOST_NAMES = 12


def initial_state(atoms: "Atoms", source: str, notes: list[str], *, from_file: bool) -> InitialState:
    """Return what ASE's atoms say; raises InputError for what cannot be used, naming `source`.

    `from_file`: their results are those of an earlier calculation, whose moments are a start where there is no other.
    """
    if names := _unused(atoms, from_file):
        notes.append(f"{source}: not used: {', '.join(names)}")
    return InitialState(
        source,
        moments=_moments(atoms, source, from_file),
        fixed=_fixed(atoms, source),
        momenta=_momenta(atoms, source),
        masses=_masses(atoms, source),
    )


def _moments(atoms: "Atoms", source: str, from_file: bool) -> list[float | list[float]] | None:
    moments = _initial_moments(atoms, from_file)
    if moments.ndim > 1 and moments.shape[1] != 3 and np.any(moments):
        raise InputError(f"{source}: magnetic moments of {moments.shape[1]} components; valid: one or three")
    if not np.isfinite(moments).all():
        raise InputError(f"{source}: a magnetic moment that is not finite; valid: finite numbers")
    return moments.tolist() if moments.any() else None


def _unused(atoms: "Atoms", from_file: bool) -> list[str]:
    """Return the names of what nothing uses; of a file also of values of the whole and of results."""
    names = [name for name, values in atoms.arrays.items() if name not in _USED and not _is_zero(values)]
    if from_file:
        given = (name for name, value in atoms.info.items() if value is not True)  # words of a comment line are true
        names += [name for name in given if name not in _INFO_USED]
        names += [name for name in (atoms.calc.results if atoms.calc else ()) if name != "magmoms"]
    shown = [printable(str(name))[:40] for name in dict.fromkeys(names)]
    return shown if len(shown) <= _MOST_NAMES else [*shown[:_MOST_NAMES], f"and {len(shown) - _MOST_NAMES} more"]


def _is_zero(values: np.ndarray) -> bool:
    return values.dtype.kind in "biuf" and not values.any()


def _initial_moments(atoms: "Atoms", from_file: bool) -> np.ndarray:
    """Return the initial moments, or where a file has none, those that an earlier calculation ended with."""
    initial = np.asarray(atoms.get_initial_magnetic_moments(), dtype=float)
    if initial.any() or not from_file or atoms.calc is None or "magmoms" not in atoms.calc.results:
        return initial
    return np.asarray(atoms.calc.results["magmoms"], dtype=float)


def _momenta(atoms: "Atoms", source: str) -> list[list[float]] | None:
    if not atoms.has("momenta"):
        return None
    momenta = atoms.get_momenta()
    if not np.isfinite(momenta).all():
        index = int(np.argmin(np.isfinite(momenta).all(axis=1)))
        raise InputError(f"{source}: the velocity of atom {index + 1} is not finite; valid: three finite numbers")
    found: list[list[float]] = momenta.tolist()
    return found


def _masses(atoms: "Atoms", source: str) -> list[float] | None:
    if not atoms.has("masses"):
        return None
    masses = np.asarray(atoms.get_masses(), dtype=float)
    if not (np.isfinite(masses) & (masses > 0)).all():
        raise InputError(f"{source}: a mass of {masses[~(masses > 0)][:1]} amu; valid: positive numbers")
    return masses.tolist()


def _fixed(atoms: "Atoms", source: str) -> FixedCoordinates | None:
    """Return the coordinates that the constraints fix; refuse others than those of FixAtoms and the two below."""
    from ase.constraints import FixAtoms, FixCartesian, FixScaled

    count = len(atoms)
    fractional, cartesian = np.zeros((count, 3), dtype=bool), np.zeros((count, 3), dtype=bool)
    if FIXED_FRACTIONAL in atoms.arrays:
        fractional |= atoms.arrays[FIXED_FRACTIONAL].astype(bool)
    for constraint in atoms.constraints:
        kind = type(constraint)
        if kind not in (FixAtoms, FixCartesian, FixScaled):
            raise InputError(
                f"{source}: the constraint {kind.__name__}; valid: FixAtoms, FixCartesian, FixScaled, or none"
            )
        indices = np.arange(count)[constraint.index]
        if kind is FixAtoms:
            fractional[indices] = True
        else:
            (cartesian if kind is FixCartesian else fractional)[indices] |= np.asarray(constraint.mask, dtype=bool)
    fixed = FixedCoordinates([NONE] * count, [NONE] * count)
    for index in range(count):
        _fix(fixed, index, tuple(fractional[index].tolist()), tuple(cartesian[index].tolist()), atoms, source)
    return fixed if fixed.any() else None


def _fix(
    fixed: FixedCoordinates,
    index: int,
    fractional: fixed_coordinates.Mask,
    cartesian: fixed_coordinates.Mask,
    atoms: "Atoms",
    source: str,
) -> None:
    """Set the coordinates of an atom: fractional ones where they say the same as the Cartesian ones."""
    if any(cartesian) and not all(fractional):
        same = fixed_coordinates.fractional_of(cartesian, atoms.cell.array.tolist())
        if same is not None:
            fractional = tuple(one or other for one, other in zip(fractional, same, strict=True))
        elif any(fractional):
            raise InputError(
                f"{source}: atom {index + 1} is fixed along lattice vectors and along Cartesian axes; valid: either"
            )
        else:
            fixed.cartesian[index] = cartesian
    fixed.fractional[index] = fractional
