"""The tables [structure] and [symmetry]."""

from typing import Annotated, Literal

from wavegrid.input.fields import Atoms, Cell, Count, Flag, Kind, Path, Repeats, Section, key

_INLINE = "required without `file`"


class Structure(Section):
    """Cell and atoms, inline or from a file."""

    file: Annotated[Path, Kind("path", "the path of a structure file that ASE reads, in quotes")] | None = key(
        None,
        "any structure file that ASE reads, instead of `cell`, `unit`, `atoms` and `coordinates`",
        omitted="cell and atoms are in this file",
    )
    frame: Count | None = key(
        None,
        "with `file`: which structure of a file that holds several, from 1",
        omitted="the only one of the file",
        examples=[1],
    )
    cell: Cell | None = key(
        None, "lattice vectors, one per row", omitted=_INLINE, examples=[[[4, 0, 0], [0, 4, 0], [0, 0, 4]]]
    )
    unit: Literal["angstrom", "bohr"] | None = key(None, "unit of `cell` and of cartesian coordinates", omitted=_INLINE)
    atoms: Atoms | None = key(
        None,
        'element and coordinates of each atom, `["Al", x, y, z]`',
        omitted=_INLINE,
        examples=[[["Al", 0, 0.5, 0.5]]],
    )
    coordinates: Literal["fractional", "cartesian"] | None = key(
        None, "kind of the coordinates of `atoms`", omitted=_INLINE
    )
    supercell: Repeats = key([1, 1, 1], "repetitions of the cell along its vectors", examples=[[3, 3, 3]])


class Symmetry(Section):
    """Symmetry of the crystal."""

    use: Flag | None = key(
        None,
        "irreducible k-points and a symmetrised density; k and -k are one but in time, where operations keep fields",
        omitted="true for a mesh of more than one point, and for an `irreducible` list",
    )
