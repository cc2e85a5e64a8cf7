"""The table [output]."""

from typing import Annotated, Literal

from pydantic import BeforeValidator

from wavegrid.input.fields import Flag, Kind, Path, Section, Time, key, measure, number, whole
from wavegrid.input.models.orbitals import Orbitals
from wavegrid.units import LENGTH_UNITS


class Checkpoint(Section):
    """When a run writes a checkpoint before its end, and how many of them stay."""

    every: Time = key(
        "10 min", "interval between checkpoints: a time or a number of SCF steps", examples=["10 min", "5 steps"]
    )
    keep: Annotated[int, whole(1000)] = key(
        2, "number of checkpoints that stay; older ones are `checkpoint.1.h5`, ...", examples=[2]
    )


def _checkpoint(value: object) -> object:
    """Take true for a table of defaults and false for none."""
    if isinstance(value, bool):
        return {} if value else None
    if not isinstance(value, dict | Checkpoint):
        raise ValueError("neither true, false nor a table")
    return value


class Output(Section):
    """Where the results go, and which files are written in addition to result.json."""

    directory: Annotated[Path, Kind("path", "a directory name")] | None = key(
        None, "directory of all files that the run writes", omitted="the name of the input file", examples=["al108"]
    )
    density: Literal["cube", "xsf", "chgcar"] | None = key(
        None,
        "`density.cube` or `.xsf`, with spin `magnetisation` too, electrons/bohr^3; or VASP's `CHGCAR`, with "
        "`AECCAR0` where potentials have core electrons, for Bader programs: `chgsum.pl CHGCAR AECCAR0`, "
        "`bader CHGCAR -ref CHGCAR_sum`",
        omitted="no file",
    )
    potential: Literal["electrostatic", "total"] | None = key(
        None,
        "`potential.cube` or `.xsf`, Ha: of an electron in the field of ions and electrons and from outside, or with "
        "exchange and correlation too, which with spin is `potential_up` and `potential_down`",
        omitted="no file",
    )
    surface: Annotated[float, number(1e-6, 1)] | None = key(
        None,
        "electrostatic potential of ions and electrons for a positive charge on the surface where the density has this "
        "value, electrons/bohr^3: `surface.csv` and, for viewers, `surface.ply`; its extrema in result.json",
        omitted="no files",
        examples=[0.001],
    )
    potential_format: Literal["cube", "xsf", "locpot"] = key("cube", "format of the potential; VASP's `LOCPOT` in eV")
    average_axis: Annotated[int, whole(3)] | None = key(
        None,
        "with `potential`: the lattice direction of `potential.csv`, the mean of each plane",
        omitted="that across a slab",
    )
    average_width: Annotated[float, measure("length", LENGTH_UNITS, 0.1, 1000)] | None = key(
        None,
        "width of the macroscopic average in `potential.csv` and `potential.png`: the distance of equal layers",
        omitted="none",
        examples=["2.34 angstrom"],
    )
    orbitals: Orbitals | None = key(None, "orbitals, densities of states in a range, ELF", omitted="no files")
    forces: Flag = key(
        False,
        "forces on the atoms, computed at the end of the run, converged or not, unless a signal stopped it. With "
        "symmetry they are the forces in the symmetric crystal, from which the given positions may differ by 1e-4 "
        "bohr. Their error is proportional to the square root of `energy_tolerance`: in tests 1e-6 to 1e-4 Ha/bohr at "
        "1e-7 Ha, 1e-7 to 6e-6 at 1e-9 Ha, 1e-8 to 3e-7 at 1e-11 Ha",
    )
    stress: Flag = key(
        False,
        "the stress tensor, under the same conditions as the forces. Its error in tests: 1e-8 to 1e-6 Ha/bohr^3 (up to "
        "0.04 GPa) at 1e-7 Ha, 1e-9 to 3e-8 at 1e-9 Ha, 1e-10 to 3e-9 at 1e-11 Ha. It is the stress at a fixed set of "
        "plane waves, without the Pulay stress: with a low `ecut` the energies of two volumes at the same `ecut` "
        "differ by more than it predicts",
    )
    polarisation: Flag = key(
        False,
        "of an insulator in plane waves, by the Berry phase of its bands on the mesh of k-points",
    )
    checkpoint: Annotated[
        Checkpoint | None,
        BeforeValidator(_checkpoint, json_schema_input_type=Checkpoint | bool),
        Kind("table, true, false", "true, false or a table"),
    ] = key(
        Checkpoint,
        "`checkpoint.h5` at the end of the run and at intervals during it; false: none",
        omitted="true",
        examples=[{"every": "10 min", "keep": 2}],
    )
