"""The table [wannier]."""

from typing import Annotated

from pydantic import Field

from wavegrid.input.fields import Flag, Kind, Section, key, measure, text, whole
from wavegrid.units import ENERGY_UNITS

_MOST = 100_000


class Wannier(Section):
    """Input files of Wannier90, made of the bands at the end of a run."""

    projections: Annotated[
        list[Annotated[str, text("text", "a place and orbitals")]],
        Field(max_length=1000),
        Kind("list of texts", "a list of texts"),
    ] = key(
        [],
        "first guesses, as Wannier90 writes them: an element, or f=x,y,z, and orbitals s, p, d, px, dxy, sp, sp2, sp3",
        examples=[["Si:sp3"], ["Cu:d", "f=0.25,0.25,0.25:s"]],
    )
    scdm: Annotated[int, whole(_MOST)] | None = key(
        None, "instead: number of functions, whose first guesses are columns of the density matrix", omitted="none"
    )
    scdm_energy: Annotated[float, measure("energy", ENERGY_UNITS, -1000, 1000)] | None = key(
        None, "with `scdm`: bands count with erfc((e - this) / width) / 2", omitted="all bands count", examples=["9 eV"]
    )
    scdm_width: Annotated[float, measure("energy", ENERGY_UNITS, 1e-4, 1000)] = key(
        "2 eV", "width of that", examples=["2 eV"]
    )
    first_band: Annotated[int, whole(_MOST)] = key(1, "first band, from 1")
    last_band: Annotated[int, whole(_MOST)] | None = key(None, "last band", omitted="all that there are")
    unk: Flag = key(False, "UNK files, for its plots")
