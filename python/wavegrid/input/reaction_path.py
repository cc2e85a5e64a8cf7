"""The images of a reaction path at its beginning: between the structure and another one, interpolated and checked."""

import numpy as np
from ase import Atoms
from ase.mep import NEB

from wavegrid.errors import InputError
from wavegrid.input import structure_file
from wavegrid.input.document import Document
from wavegrid.input.models import Input
from wavegrid.input.structure import Crystal
from wavegrid.units import BOHR_IN_ANGSTROM

_SAME_CELL = 1e-3  # Angstrom
_CLOSEST = 0.5 * BOHR_IN_ANGSTROM  # as of any geometry
_SAME = 1e-3  # Angstrom; ends that are closer are the same
_KEY = ("neb", "final")


def images(document: Document, spec: Input, crystal: Crystal, notes: list[str]) -> list[list[list[float]]]:
    """Return the fractional coordinates (images, atoms, 3), with those of both ends; raises InputError."""
    first = Atoms(
        crystal.symbols, cell=np.array(crystal.cell) * BOHR_IN_ANGSTROM, scaled_positions=crystal.fractional, pbc=True
    )
    last = _final(document, spec, first, notes)
    band = [first, *(first.copy() for _ in range(spec.neb.images)), last]
    method = NEB(band, method="improvedtangent")
    method.interpolate(method="idpp" if spec.neb.interpolation == "idpp" else "linear", apply_constraint=False)
    for number, image in enumerate(band[1:-1], 1):
        distances = image.get_all_distances(mic=True)
        np.fill_diagonal(distances, np.inf)
        if distances.min() < _CLOSEST:
            one, other = (int(i) + 1 for i in np.unravel_index(distances.argmin(), distances.shape))
            raise document.error(
                ("neb",),
                f"image {number} of the first path has atoms {one} and {other} {distances.min():.2f} Angstrom apart; "
                'valid: interpolation = "idpp", or atoms in an order in which they do not meet',
            )
    return [image.get_scaled_positions(wrap=False).tolist() for image in band]


def _final(document: Document, spec: Input, first: Atoms, notes: list[str]) -> Atoms:
    """Return the last image, each atom at its place nearest to the one in the first."""
    if spec.neb.final is None:
        raise document.error(("neb",), "[neb] lacks 'final'; valid: the path of a structure file, the end of the path")
    path = document.path.parent / spec.neb.final
    try:
        last = structure_file.read(path, None, notes, spec.basis.periodic())
    except InputError as fault:
        raise document.error(_KEY, str(fault)) from None
    if last.get_chemical_symbols() != first.get_chemical_symbols():
        raise document.error(
            _KEY,
            f"{path.name} holds {last.get_chemical_formula()}, other atoms than the structure or in another order; "
            "valid: the same atoms in the same order",
        )
    if np.abs(last.cell.array - first.cell.array).max() > _SAME_CELL:
        raise document.error(_KEY, f"{path.name} has another cell than the structure; valid: the same cell")
    places = first.get_scaled_positions(wrap=False)
    apart = last.get_scaled_positions(wrap=False) - places
    periodic = np.array(spec.basis.periodic())
    moved = first.copy()
    moved.set_scaled_positions(places + np.where(periodic, apart - np.round(apart), apart))
    if np.abs(moved.positions - first.positions).max() < _SAME:
        raise document.error(_KEY, f"{path.name} has the same geometry as the structure; valid: another minimum")
    return moved
