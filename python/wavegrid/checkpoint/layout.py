"""The layout of a checkpoint file (docs/checkpoint.md): names, types and shapes of all datasets, and blocks.

Letters stand for sizes: a atoms, e elements, k k-points, s spins, b bands, g G-vectors of all k-points, n symmetry
operations, f Fermi levels, x y z the grid, p its points, c blocks of a row of coefficients, d blocks of a component,
m elements of the matrices of all atoms, w components of fields with spinors.
"""

from collections.abc import Iterable

FORMAT = "wavegrid checkpoint"
# 6 of spinors with ultrasoft or PAW datasets; 5 of others with a magnetic space group; 4 of other spinors; 3 with
# ultrasoft or PAW datasets; 2 with a kinetic-energy density; else 1
VERSION = 6
BLOCK = 1 << 20  # elements
MOST_ROWS = 256  # of an atom's matrix

COEFFS, GVECS = "wfns/coeffs", "wfns/gvecs"
DENSITY, POTENTIAL = "wavegrid/density", "wavegrid/potential"
KINETIC_DENSITY = "wavegrid/kinetic_density"  # of files of version 2
MATRIX_SIZES, MATRICES = "wavegrid/matrix_sizes", "wavegrid/matrices"  # of files of version 3
# Bulky data: checked block by block; all other datasets carry one checksum.
CHECKSUMS = {
    name: f"wavegrid/checksums/{name.rpartition('/')[2]}"
    for name in (GVECS, COEFFS, DENSITY, POTENTIAL, KINETIC_DENSITY)
}
NGK, NGKMAX = "mf_header/kpoints/ngk", "mf_header/kpoints/ngkmax"

# Of /wavegrid; "i4" or a text of fixed length. A dataset has only CHECKSUM, unless it is checked block by block.
ATTRIBUTES = {
    "format": "S",
    "version": "i4",
    "half_sphere": "i4",
    "program": "S",
    "created": "S",
    "single_precision": "i4",
    "converged": "i4",
    "steps": "i4",
    "block": "i4",
    "space_group": "S",
    "space_group_number": "i4",
}
# Of files from version 4 on in addition.
SPINOR_ATTRIBUTES = {"vector_magnetisation": "i4"}
CHECKSUM = "xxh3"

# "f8": 8 bytes; "i": of any size; "S": texts of fixed length
DATASETS: dict[str, tuple[str, tuple[str | int, ...]]] = {
    "wavegrid/cell": ("f8", (3, 3)),
    "wavegrid/species": ("S", ("e",)),
    "wavegrid/atom_species": ("i4", ("a",)),
    "wavegrid/positions": ("f8", ("a", 3)),
    "wavegrid/ecut": ("f8", ()),
    "wavegrid/grid": ("i4", (3,)),
    "wavegrid/kpoints": ("f8", ("k", 3)),
    "wavegrid/weights": ("f8", ("k",)),
    "wavegrid/rotations": ("i4", ("n", 3, 3)),
    "wavegrid/translations": ("f8", ("n", 3)),
    "wavegrid/eigenvalues": ("f8", ("k", "s", "b")),
    "wavegrid/occupations": ("f8", ("k", "s", "b")),
    "wavegrid/fermi": ("f8", ("f",)),
    "wavegrid/energy": ("f8", ()),
    "wavegrid/input": ("S", ()),
    "wavegrid/versions": ("S", ()),
    "mf_header/versionnumber": ("i", ()),
    "mf_header/flavor": ("i", ()),
    "mf_header/kpoints/nspin": ("i", ()),
    "mf_header/kpoints/nspinor": ("i", ()),
    "mf_header/kpoints/nrk": ("i", ()),
    "mf_header/kpoints/mnband": ("i", ()),
    NGKMAX: ("i", ()),
    "mf_header/kpoints/ecutwfc": ("f8", ()),
    "mf_header/kpoints/kgrid": ("i", (3,)),
    "mf_header/kpoints/shift": ("f8", (3,)),
    NGK: ("i", ("k",)),
    "mf_header/kpoints/ifmin": ("i", ("s", "k")),
    "mf_header/kpoints/ifmax": ("i", ("s", "k")),
    "mf_header/kpoints/w": ("f8", ("k",)),
    "mf_header/kpoints/rk": ("f8", ("k", 3)),
    "mf_header/kpoints/el": ("f8", ("s", "k", "b")),
    "mf_header/kpoints/occ": ("f8", ("s", "k", "b")),
    "mf_header/gspace/ng": ("i", ()),
    "mf_header/gspace/ecutrho": ("f8", ()),
    "mf_header/gspace/FFTgrid": ("i", (3,)),
    "mf_header/gspace/components": ("i", ("p", 3)),
    "mf_header/symmetry/ntran": ("i", ()),
    "mf_header/symmetry/cell_symmetry": ("i", ()),
    "mf_header/symmetry/mtrx": ("i", (48, 3, 3)),
    "mf_header/symmetry/tnp": ("f8", (48, 3)),
    "mf_header/crystal/celvol": ("f8", ()),
    "mf_header/crystal/recvol": ("f8", ()),
    "mf_header/crystal/alat": ("f8", ()),
    "mf_header/crystal/blat": ("f8", ()),
    "mf_header/crystal/nat": ("i", ()),
    "mf_header/crystal/avec": ("f8", (3, 3)),
    "mf_header/crystal/bvec": ("f8", (3, 3)),
    "mf_header/crystal/adot": ("f8", (3, 3)),
    "mf_header/crystal/bdot": ("f8", (3, 3)),
    "mf_header/crystal/atyp": ("i", ("a",)),
    "mf_header/crystal/apos": ("f8", ("a", 3)),
    GVECS: ("i4", ("g", 3)),
    COEFFS: ("f8", ("b", "s", "g", 2)),
    DENSITY: ("f8", ("s", "x", "y", "z")),
    POTENTIAL: ("f8", ("s", "x", "y", "z")),
    CHECKSUMS[GVECS]: ("u8", ("c",)),
    CHECKSUMS[COEFFS]: ("u8", ("b", "s", "c")),
    CHECKSUMS[DENSITY]: ("u8", ("s", "d")),
    CHECKSUMS[POTENTIAL]: ("u8", ("s", "d")),
}
# Of files of version 2 in addition.
KINETIC: dict[str, tuple[str, tuple[str | int, ...]]] = {
    KINETIC_DENSITY: ("f8", ("s", "x", "y", "z")),
    CHECKSUMS[KINETIC_DENSITY]: ("u8", ("s", "d")),
}
# Of files of version 3 in addition: rho_ij by spin component, then atom, each row by row.
OVERLAP: dict[str, tuple[str, tuple[str | int, ...]]] = {
    MATRIX_SIZES: ("i4", ("a",)),
    "wavegrid/matrix_datasets": ("i4", ("a",)),
    MATRICES: ("f8", ("s", "m")),
}
# Of files from version 4 on, of spinors: both components of a band, and one or four of a field.
SPINORS: dict[str, tuple[str, tuple[str | int, ...]]] = {
    COEFFS: ("f8", ("b", 2, "g", 2)),
    CHECKSUMS[COEFFS]: ("u8", ("b", 2, "c")),
    DENSITY: ("f8", ("w", "x", "y", "z")),
    POTENTIAL: ("f8", ("w", "x", "y", "z")),
    CHECKSUMS[DENSITY]: ("u8", ("w", "d")),
    CHECKSUMS[POTENTIAL]: ("u8", ("w", "d")),
}
# Of files of version 5 in addition: 1 for the operations with time reversal.
MAGNETIC: dict[str, tuple[str, tuple[str | int, ...]]] = {"wavegrid/time_reversed": ("i4", ("n",))}
# Of files of version 6: those of 5, and the matrices by components.
ALL_OF_SPINORS = SPINORS | MAGNETIC | OVERLAP | {MATRICES: ("f8", ("w", "m"))}
VERSION_OF_SPINORS = 4
ALL = DATASETS | KINETIC | OVERLAP | MAGNETIC


def attributes(version: int) -> dict[str, str]:
    """Return those of a version of the format."""
    return ATTRIBUTES | (SPINOR_ATTRIBUTES if version >= VERSION_OF_SPINORS else {})


def datasets(version: int) -> dict[str, tuple[str, tuple[str | int, ...]]]:
    """Return those of a version of the format."""
    return (
        DATASETS
        | {1: {}, 2: KINETIC, 3: OVERLAP, VERSION_OF_SPINORS: SPINORS, 5: SPINORS | MAGNETIC, 6: ALL_OF_SPINORS}[
            version
        ]
    )


def fields(version: int) -> list[str]:
    """Return the fields on the grid of a version of the format."""
    return [name for name in (DENSITY, POTENTIAL, KINETIC_DENSITY) if name in datasets(version)]


def ranges(counts: Iterable[int], block: int) -> list[tuple[int, int]]:
    """Return the blocks of a row as half-open ranges; the parts of a row (k-points) each begin a new one."""
    result, at = [], 0
    for count in counts:
        result += [(at + first, at + min(first + block, count)) for first in range(0, count, block)]
        at += count
    return result


def num_blocks(counts: Iterable[int], block: int) -> int:
    """Return the number of these ranges, without making them: the counts of a damaged file may be any."""
    return sum(max(0, -(-count // block)) for count in counts)
