"""The table [external]."""

from typing import Annotated

from wavegrid.input.fields import Flag, Kind, Path, Section, key, measure, whole
from wavegrid.units import FIELD_UNITS


class External(Section):
    """A potential that acts on the electrons, and a field along a lattice vector that acts on electrons and ions."""

    potential: Annotated[Path, Kind("path", "the name of a cube file")] | None = key(
        None,
        "cube file with a potential (Ha) that acts on the electrons, on the cell and the FFT grid or mesh of the "
        "calculation",
        omitted="none",
        examples=["potential.cube"],
    )
    axis: Annotated[int, whole(3)] | None = key(
        None,
        "number of the lattice vector along which the field and the dipole correction are: orthogonal to both others, "
        "with at least 10 bohr of vacuum",
        omitted="no field",
        examples=[3],
    )
    field: Annotated[float, measure("field", FIELD_UNITS, -1, 1)] = key(
        "0 Ha/bohr",
        "electric field along `axis`, the force on a positive charge: a sawtooth potential whose jump is in the vacuum",
        examples=["0.1 V/angstrom"],
    )
    dipole_correction: Flag = key(
        False,
        "whether the field that the periodic images of the dipole of the cell cause is taken off (Bengtsson, PRB 59, "
        "12301): the field in the vacuum is then `field`, as for an isolated slab",
    )
