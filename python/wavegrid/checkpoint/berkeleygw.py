"""The header in BerkeleyGW's format (/mf_header), compared with /wavegrid, from which all of it follows.

It is written by src/checkpoint/berkeleygw_tables.cpp: Rydberg, lengths in units of the first lattice vector.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from wavegrid.checkpoint.header import Header
from wavegrid.checkpoint.reader import damaged, find, read, read_part
from wavegrid.crystal.elements import ELEMENTS

if TYPE_CHECKING:
    import h5py

_RYDBERG = 2  # of a Hartree
_SAME = 1e-9  # relative and absolute
_FRACTION = 1e-6  # how far a translation may be from that of the inverse operation
_STAR = 96  # k-points of a mesh that one irreducible point can stand for: 48 rotations and time reversal
_MOST_POINTS = 1_000_000  # of a mesh along one axis
_LARGEST_SHIFT = 1000  # steps of a mesh
_SLAB = 1 << 18  # G-vectors of the grid that are compared at once


def check(file: "h5py.File", header: Header) -> None:
    """Refuse a header that is not that of the calculation; raises InputError that names the dataset."""
    for name, wanted in {**_scalars(header), **_arrays(file, header)}.items():
        if not np.allclose(read(file, f"mf_header/{name}"), wanted, rtol=_SAME, atol=_SAME):
            shown = f"not {np.asarray(wanted).tolist()}, as" if np.size(wanted) <= 3 else "not what"
            raise damaged(file.filename, f"/mf_header/{name}: is {shown} /wavegrid says")
    _check_mesh(file, header)
    _check_symmetry(file)
    _check_components(file, header)


def _scalars(header: Header) -> dict[str, Any]:
    volume, alat = header.volume(), float(np.linalg.norm(header.cell[0]))
    return {
        "versionnumber": 1,
        "flavor": 2,  # complex coefficients
        "kpoints/nspin": header.spins,
        "kpoints/nspinor": header.components,
        "kpoints/nrk": len(header.ngk),
        "kpoints/mnband": header.bands,
        "kpoints/ngkmax": max(header.ngk),
        "kpoints/ecutwfc": _RYDBERG * header.ecut,
        "gspace/ng": int(np.prod(header.grid)),
        "gspace/ecutrho": 4 * _RYDBERG * header.ecut,
        "gspace/FFTgrid": header.grid,
        "crystal/nat": len(header.atom_species),
        "crystal/celvol": volume,
        "crystal/recvol": (2 * np.pi) ** 3 / volume,
        "crystal/alat": alat,
        "crystal/blat": 2 * np.pi / alat,
    }


def _arrays(file: "h5py.File", header: Header) -> dict[str, np.ndarray]:
    alat = np.linalg.norm(header.cell[0])
    reciprocal = header.reciprocal()
    levels, occupations = (np.swapaxes(read(file, f"wavegrid/{name}"), 0, 1) for name in ("eigenvalues", "occupations"))
    positive = header.weights > 0
    factors = np.where(positive, 1 / (header.full() * np.where(positive, header.weights, 1)), 0)
    occupied = read(file, "mf_header/kpoints/occ") > 0.5
    band = np.arange(1, header.bands + 1)
    first = occupied.argmax(axis=2) + 1 if header.bands > 0 else 0
    numbers = [ELEMENTS[symbol].number if symbol in ELEMENTS else 0 for symbol in header.symbols()]
    return {
        "kpoints/w": header.weights,
        "kpoints/rk": header.kpoints,
        "kpoints/el": _RYDBERG * levels,
        "kpoints/occ": occupations * factors[:, None],
        "kpoints/ifmin": np.where(occupied.any(axis=2), first, 0),
        "kpoints/ifmax": (occupied * band).max(axis=2, initial=0),
        "crystal/avec": header.cell / alat,
        "crystal/bvec": reciprocal * alat / (2 * np.pi),
        "crystal/adot": header.cell @ header.cell.T,
        "crystal/bdot": reciprocal @ reciprocal.T,
        "crystal/atyp": np.array(numbers),
        "crystal/apos": header.positions @ header.cell / alat,
    }


def _check_mesh(file: "h5py.File", header: Header) -> None:
    """Refuse a mesh that cannot have led to these k-points; zeros say that they were listed."""
    mesh, shift = np.array(header.mesh, float), np.array(header.shift)
    possible = mesh.min() >= 1 and mesh.max() <= _MOST_POINTS and mesh.prod() <= _STAR * len(header.ngk)
    if mesh.any() and not possible:
        raise damaged(
            file.filename, f"/mf_header/kpoints/kgrid: {header.mesh} is no mesh of {len(header.ngk)} k-points"
        )
    if (np.abs(shift) > _LARGEST_SHIFT).any() or (shift.any() and not mesh.any()):
        raise damaged(file.filename, f"/mf_header/kpoints/shift: {header.shift} is no shift of a mesh")


def _check_symmetry(file: "h5py.File") -> None:
    """Compare with the first of our operations of each rotation: W^T in Fortran's order, -W^-1 w times 2 pi."""
    rotations, translations = read(file, "wavegrid/rotations"), read(file, "wavegrid/translations")
    same = int((rotations == rotations[0]).all(axis=(1, 2)).sum())  # pure translations of the cell
    rotations, translations = rotations[::same], translations[::same]
    count, name = len(rotations), "mf_header/symmetry"
    stored = {part: read(file, f"{name}/{part}") for part in ("ntran", "mtrx", "tnp", "cell_symmetry")}
    if count > len(stored["mtrx"]) or int(stored["ntran"]) != count:
        raise damaged(file.filename, f"/{name}/ntran: is not {count}, as /wavegrid says")
    if (stored["mtrx"][:count] != rotations).any() or stored["mtrx"][count:].any():
        raise damaged(file.filename, f"/{name}/mtrx: is not what /wavegrid says")
    inverse = -np.einsum("nij,nj->ni", np.linalg.inv(rotations.astype(float)), translations)
    apart = stored["tnp"][:count] / (2 * np.pi) - inverse
    if (np.abs(apart - np.round(apart)) > _FRACTION).any() or (np.abs(stored["tnp"]) > np.pi * (1 + _SAME)).any():
        raise damaged(file.filename, f"/{name}/tnp: is not what /wavegrid says")
    if stored["tnp"][count:].any():
        raise damaged(file.filename, f"/{name}/tnp: is not zero beyond the {count} operations")
    if int(stored["cell_symmetry"]) not in (0, 1):
        raise damaged(file.filename, f"/{name}/cell_symmetry: is {int(stored['cell_symmetry'])}; valid: 0 and 1")


def _check_components(file: "h5py.File", header: Header) -> None:
    """Compare the G-vectors of the grid with its points, gx fastest, each from -n/2 on."""
    name = "mf_header/gspace/components"
    points, (nx, ny, nz) = find(file, name).shape[0], header.grid
    for first in range(0, points, _SLAB):
        at = np.arange(first, min(points, first + _SLAB))
        wanted = np.stack([at % nx - nx // 2, at // nx % ny - ny // 2, at // (nx * ny) - nz // 2], axis=1)
        if (read_part(file, name, slice(first, first + _SLAB)) != wanted).any():
            raise damaged(file.filename, f"/{name}: are not the G-vectors of the grid, in order")
