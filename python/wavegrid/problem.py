"""From a valid input file to the problem that the core solves: species, electrons, bands, grid, notes."""

import math
from pathlib import Path
from types import ModuleType

from wavegrid import pseudopotentials, structure
from wavegrid.input import Document, read
from wavegrid.job import Job
from wavegrid.models import Basis, Electrons, Input


def prepare(core: ModuleType, path: Path, *, threads: int = 1, directory: str | None = None) -> Job:
    """Read an input file and return its job; raises InputError for the first fault. Writes nothing."""
    document, spec = read(path)
    crystal = structure.build(document, spec.structure)
    notes: list[str] = []
    grid = choose_grid(core, document, spec.basis, crystal.cell.tolist(), notes)
    species = crystal.species()
    choices = pseudopotentials.choose(core, document, spec.electrons.pseudopotentials, species)
    valence = dict(zip(species, (choice.valence for choice in choices), strict=True))
    electrons = sum(valence[symbol] for symbol in crystal.symbols)
    xc = check_xc(core, document, spec.electrons.xc)
    notes += pseudopotentials.functional_notes(xc, species, choices)
    bands = choose_bands(document, spec.electrons, electrons)
    check_sphere(core, document, spec, crystal.cell.tolist(), grid, bands)
    problem = {
        "cell": crystal.cell.tolist(),
        "species": species,
        "atoms": [
            (species.index(symbol), *position)
            for symbol, position in zip(crystal.symbols, crystal.fractional.tolist(), strict=True)
        ],
        "pseudopotentials": [choice.as_dict() for choice in choices],
        "grid": grid,
        "bands": bands,
        "threads": threads,
        **_settings(spec),
    }
    return Job(
        file=str(path),
        title=spec.title or path.stem,
        directory=directory or spec.output.directory or path.stem,
        problem=problem,
        input=document.data,
        electrons=electrons,
        notes=notes,
    )


def _settings(spec: Input) -> dict:
    """Return what goes to the core as it stands in the input file, in Ha."""
    smearing = spec.electrons.smearing
    return {
        "ecut": spec.basis.ecut,
        "xc": spec.electrons.xc,
        "smearing": None if smearing is None else smearing.model_dump(),
        "eigensolver": spec.scf.eigensolver,
        "energy_tolerance": spec.scf.energy_tolerance,
        "max_steps": spec.scf.max_steps,
        "mixing": spec.scf.mixing.model_dump(),
        "start": spec.scf.start,
        "partition": spec.parallel.partition,
        "transport": spec.parallel.transport,
        "transports_file": spec.parallel.transports_file or "",
    }


def choose_grid(core: ModuleType, document: Document, basis: Basis, cell: list, notes: list[str]) -> list[int]:
    """Return the FFT grid; refuse one that cannot hold the sphere, note one smaller than the default."""
    try:
        default = list(core.default_grid(cell, basis.ecut))
        minimum = list(core.minimum_grid(cell, basis.ecut))
    except core.BadInput as fault:
        raise document.error(("structure",), str(fault)) from None
    if basis.grid is None:
        return default
    key = ("basis", "grid")
    if any(given < least for given, least in zip(basis.grid, minimum, strict=True)):
        raise document.error(
            key, f"grid = {basis.grid} is too small for the cutoff; valid: at least {minimum} (default {default})"
        )
    if any(given < usual for given, usual in zip(basis.grid, default, strict=True)):
        notes.append(
            f"grid {basis.grid} is smaller than the default {default}: products of wave functions are folded back"
        )
    return list(basis.grid)


def choose_bands(document: Document, spec: Electrons, electrons: int) -> int:
    """Return the number of bands: as given where they hold the electrons, else a default with room for smearing."""
    if spec.smearing is None and electrons % 2:
        raise document.error(
            ("electrons",),
            f"fixed occupations need an even number of electrons, found {electrons}; "
            'valid: smearing = { kind = "fermi-dirac", width = "0.2 eV" }',
        )
    filled = math.ceil(electrons / 2)
    if spec.bands is None:
        return filled if spec.smearing is None else math.ceil(0.6 * electrons) + 4
    least = filled if spec.smearing is None else electrons // 2 + 1
    if spec.bands < least:
        raise document.error(
            ("electrons", "bands"),
            f"bands = {spec.bands} cannot hold {electrons} electrons; valid: at least {least}",
        )
    return spec.bands


def check_sphere(core: ModuleType, document: Document, spec: Input, cell: list, grid: list[int], bands: int) -> None:
    """Refuse more bands than there are plane waves (at Gamma the real half sphere holds 2 n - 1)."""
    half = core.partition_figures(cell, spec.basis.ecut, grid, True, "greedy", 1)["plane_waves"]
    if bands > 2 * half - 1:
        key = ("electrons", "bands") if spec.electrons.bands else ("basis", "ecut")
        raise document.error(
            key, f"{bands} bands for {2 * half - 1} plane waves; valid: fewer bands than plane waves, or a larger ecut"
        )


def check_xc(core: ModuleType, document: Document, text: str) -> str:
    """Return libxc's names of a functional; refuse unknown names and functionals that are neither LDA nor GGA."""
    try:
        return core.check_xc(text)
    except core.BadInput as fault:
        raise document.error(
            ("electrons", "xc"), f"{fault}; valid: LDA and GGA names of libxc joined by +, or PBE"
        ) from None
