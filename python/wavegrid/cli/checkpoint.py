"""`wavegrid checkpoint`: show, verify and export checkpoint files."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from wavegrid.base.text import counted, printable
from wavegrid.cli.guard import EPILOG, guarded
from wavegrid.cli.usage import Group
from wavegrid.errors import InputError, did_you_mean
from wavegrid.model.tasks import OrbitalTask

if TYPE_CHECKING:
    from wavegrid.export.core_charge import Table
    from wavegrid.export.wannier import Scdm

app = typer.Typer(
    cls=Group,
    rich_markup_mode=None,
    help="Show, verify and export the checkpoints that `wavegrid run` writes (docs/checkpoint.md).",
    no_args_is_help=True,
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A checkpoint, for example al108/checkpoint.h5.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")]
_KINDS = ("cube", "xsf")


@app.command(epilog=EPILOG)
@guarded
def info(file: File, as_json: AsJson = False) -> None:
    """Print the content of FILE: crystal, k-points, bands, cutoff, grid, energy, sizes. Reads no wave functions."""
    from wavegrid.checkpoint import summary

    figures = summary.info(file)
    print(json.dumps(figures, indent=1) if as_json else "\n".join(map(printable, summary.lines(figures))))


@app.command(epilog=EPILOG)
@guarded
def verify(file: File, as_json: AsJson = False) -> None:
    """Read all of FILE: checksums, structure, norms of the bands, electrons in the density. Exit code 2 if damaged."""
    from wavegrid.checkpoint.verify import verify as verify_file

    figures = verify_file(file)
    if as_json:
        print(json.dumps(figures, indent=1))
        return
    sizes = f"{counted(figures['datasets'], 'dataset')}, {counted(figures['blocks'], 'block')}"
    error = figures["norm_error"]
    norms = "bands have the overlap of their datasets" if error is None else f"norms are 1 within {error:.1e}"
    electrons = counted(round(figures["electrons_in_density"], 6), "electron")
    print(f"{file}: intact, {sizes}; {norms}, {electrons}; {figures['seconds']:.2f} s")


@app.command(epilog=EPILOG)
@guarded
def export(
    file: File,
    density: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="Format of density and, with spin, magnetisation: cube, xsf, chgcar"),
    ] = None,
    given: Annotated[
        Path | None,
        typer.Option("--input", metavar="FILE", help="Its input: with chgcar AECCAR0, the core charge, too."),
    ] = None,
    surface: Annotated[
        float | None,
        typer.Option(metavar="DENSITY", help="Electrostatic potential where the density has a value, such as 0.001."),
    ] = None,
    bands: Annotated[
        str | None, typer.Option("--orbitals", metavar="LIST", help='Orbitals such as "HOMO,LUMO+1,4".')
    ] = None,
    kpoint: Annotated[int | None, typer.Option(metavar="N", help="Their k-point, from 1.")] = None,
    energies: Annotated[
        str | None,
        typer.Option(metavar="RANGE", help='Density of the states in a range from the Fermi level: "-1 eV,0 eV".'),
    ] = None,
    stm_height: Annotated[
        str | None,
        typer.Option(metavar="LENGTH", help="Plot stm.png of these states at a height over a slab: 2 angstrom."),
    ] = None,
    stm_current: Annotated[
        bool, typer.Option("--stm-current", help="stm.png at constant current, the mean at that height.")
    ] = False,
    elf: Annotated[bool, typer.Option("--elf", help="Electron localisation function.")] = False,
    kind: Annotated[str, typer.Option("--format", metavar="KIND", help="Format of these: cube, xsf.")] = "cube",
    qe: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Quantum ESPRESSO's wfcN.hdf5 into DIR, one for each k-point.")
    ] = None,
    full: Annotated[
        Path | None, typer.Option(metavar="OUT.h5", help="A checkpoint with the whole sphere instead of half of it.")
    ] = None,
    wannier: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Wannier90's .win, .mmn, .amn, .eig into DIR.")
    ] = None,
    projections: Annotated[
        list[str] | None,
        typer.Option("--projection", metavar="TEXT", help='First guesses: "Si:sp3", "f=0,0,0:s;p"; again for more.'),
    ] = None,
    scdm: Annotated[
        str | None,
        typer.Option(metavar="N[,E,W]", help="First guesses by SCDM: N functions; of bands below E with width W (eV)."),
    ] = None,
    wannier_bands: Annotated[str | None, typer.Option(metavar="A-B", help="Bands for Wannier90, from 1.")] = None,
    unk: Annotated[bool, typer.Option("--unk", help="UNK files for plots by Wannier90.")] = False,
    output: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Directory of these files; default: that of FILE.")
    ] = None,
) -> None:
    """Write FILE in the formats of other programs, verifying it. Replaces only files that an export wrote."""
    from wavegrid.export import checkpoint as exports
    from wavegrid.plots import stm

    needs_bands = bands is not None or energies is not None or elf
    if all(one is None for one in (density, surface, qe, full, wannier)) and not needs_bands:
        raise InputError(
            "nothing to export; valid: --density cube, --surface 0.001, --orbitals HOMO, --energies RANGE, --elf, "
            "--qe DIR, --full OUT.h5, --wannier DIR"
        )
    if surface is not None and not surface > 0:
        raise InputError(f"--surface {surface:g}; valid: a density above zero, electrons/bohr^3")
    if density is not None:
        _check_kind("--density", density, (*_KINDS, "chgcar"))
    if given is not None and density != "chgcar":
        raise InputError("--input without --density chgcar; valid: with it")
    _check_kind("--format", kind, _KINDS)
    if stm_height is not None and energies is None:
        raise InputError("--stm-height without --energies; valid: with the energies of the states")
    if stm_current and stm_height is None:
        raise InputError("--stm-current without --stm-height; valid: with the height of the mean current")
    if output is not None and density is None and surface is None and not needs_bands:
        raise InputError(
            "--output without --density, --surface, --orbitals, --energies or --elf; valid: with one, or left out"
        )
    cores = _cores(given) if given is not None else None
    written = exports.density(file, density, output or file.parent, cores) if density is not None else []
    written += exports.surface(file, surface, output or file.parent) if surface is not None else []
    if needs_bands:
        task = _orbital_task(bands, kpoint, energies, stm_height, stm_current=stm_current, elf=elf, kind=kind)
        written += exports.orbitals(file, task, output or file.parent, stm.plot)
    written += exports.quantum_espresso(file, qe) if qe is not None else []
    written += exports.full(file, full) if full is not None else []
    if wannier is not None:
        written += exports.wannier(file, wannier, _guesses(projections, scdm), _range(wannier_bands), unk=unk)
    for path in written:
        print(f"written: {path}")


def _cores(given: Path) -> "dict[str, Table | None]":
    """Return the densities of core electrons of the potentials of an input."""
    from wavegrid.export import core_charge
    from wavegrid.job.prepare import prepare
    from wavegrid.process import core_loader

    core = core_loader.load()
    found = core_charge.tables(core, prepare(core, given).problem)
    if not any(found.values()):
        raise InputError(f"--input {given}: no potential has core electrons; valid: one with a core density, or PAW")
    return found


def _guesses(projections: list[str] | None, scdm: str | None) -> "list[str] | Scdm":
    """Return the first guesses of Wannier functions."""
    from wavegrid.export.wannier import Scdm, scdm_in_ev

    if (projections is None) == (scdm is None):
        raise InputError('--wannier needs first guesses; valid: --projection "Si:sp3" or --scdm 4')
    if scdm is None:
        return projections or []
    parts = scdm.split(",")
    try:
        if len(parts) == 1:
            return Scdm(int(parts[0]))
        functions, centre, width = int(parts[0]), float(parts[1]), float(parts[2])
        if len(parts) == 3 and width > 0:
            return scdm_in_ev(functions, centre, width)
    except (ValueError, IndexError):
        pass
    raise InputError(
        f"--scdm {scdm}; valid: a number of functions, or with the energy and width of a step in eV: 8,9.5,2"
    )


def _range(bands: str | None) -> tuple[int, int | None]:
    if bands is None:
        return 1, None
    first, _, last = bands.partition("-")
    if first.isdecimal() and last.isdecimal():
        return int(first), int(last)
    raise InputError(f"--wannier-bands {bands}; valid: two numbers, from 1: 5-12")


def _check_kind(option: str, kind: str, valid: tuple[str, ...]) -> None:
    if kind not in valid:
        raise InputError(f"{option} {kind} is unknown; valid: {', '.join(valid)}{did_you_mean(kind, valid)}")


def _orbital_task(
    bands: str | None,
    kpoint: int | None,
    energies: str | None,
    stm_height: str | None,
    *,
    stm_current: bool,
    elf: bool,
    kind: str,
) -> OrbitalTask:
    """Return what the options ask for, read as the input's table [output.orbitals] is."""
    from pydantic import ValidationError

    from wavegrid.input.models.orbitals import Orbitals

    names = [name.strip() for name in bands.split(",")] if bands else []
    table = {
        "bands": [int(name) if name.isdecimal() else name for name in names],
        "kpoint": kpoint,
        "energies": None if energies is None else energies.split(","),
        "stm_height": stm_height,
        "stm_current": stm_current,
        "elf": elf,
        "format": kind,
    }
    meanings = {
        "bands": (f"--orbitals {bands}", "numbers from 1, HOMO, HOMO-1, LUMO, LUMO+1 and so on, with commas"),
        "kpoint": (f"--kpoint {kpoint}", "a number from 1"),
        "energies": (f"--energies {energies}", 'two energies with units, ascending: "-1 eV,0 eV"'),
        "stm_height": (f"--stm-height {stm_height}", 'a length with its unit: "2 angstrom"'),
    }
    try:
        return cast(OrbitalTask, Orbitals.model_validate(table).model_dump())
    except ValidationError as fault:
        option, valid = meanings[str(fault.errors()[0]["loc"][0])]
        raise InputError(f"{option}: valid: {valid}") from None
