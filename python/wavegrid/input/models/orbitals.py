"""The table [output.orbitals]."""

import re
from typing import Annotated, Literal

from pydantic import Field

from wavegrid.input.fields import Flag, Kind, Read, Section, key, measure, span_of, whole
from wavegrid.units import ENERGY_UNITS, LENGTH_UNITS

_NAME = r"([Hh][Oo][Mm][Oo](-\d{1,4})?|[Ll][Uu][Mm][Oo](\+\d{1,4})?)"
_MOST = 100_000


def _orbital(value: object) -> int | str:
    if isinstance(value, str):
        if re.fullmatch(_NAME, value) is None:
            raise ValueError("no orbital")
        return value.lower()
    return int(whole(_MOST).read(value))


Orbital = Annotated[
    int | str,
    Read(
        "count or text",
        'numbers of bands from 1, "HOMO", "HOMO-1", "LUMO", "LUMO+1" and so on',
        _orbital,
        {"anyOf": [{"type": "integer", "minimum": 1, "maximum": _MOST}, {"type": "string", "pattern": f"^{_NAME}$"}]},
    ),
]
OrbitalList = Annotated[list[Orbital], Field(max_length=100), Kind("list", "a list of up to 100 orbitals")]


class Orbitals(Section):
    """Files made of the bands at the end of a run."""

    bands: OrbitalList = key(
        [],
        '`orbital_homo.cube` and so on, by number or as "HOMO", "LUMO+1": psi of real bands (at Gamma), else |psi|^2',
        examples=[["HOMO", "LUMO", 4]],
    )
    kpoint: Annotated[int, whole(10_000)] | None = key(
        None,
        "number of their k-point",
        omitted="that of the highest HOMO and the lowest LUMO, the first for numbers",
    )
    energies: Annotated[list[float], span_of(measure("energy", ENERGY_UNITS, -1000, 1000))] | None = key(
        None,
        "`states.cube`: the density of all states in this range from the Fermi level, full, electrons/bohr^3",
        omitted="no file",
        examples=[["-1 eV", "0 eV"]],
    )
    stm_height: Annotated[float, measure("length", LENGTH_UNITS, 0.1, 100)] | None = key(
        None,
        "with `energies`, of a slab: `stm.png`, the density of these states in a plane at this height over the "
        "highest atom (Tersoff and Hamann)",
        omitted="no plot",
        examples=["2 angstrom"],
    )
    stm_current: Flag = key(
        False,
        "`stm.png` at constant current: the heights at which the density is the mean of that plane",
    )
    elf: Flag = key(False, "`elf.cube`, with spin of each: the electron localisation function")
    format: Literal["cube", "xsf"] = key("cube", "format of these files")
