"""The further parts of result.json and the further files that a task asks for."""

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from wavegrid.errors import WavegridError, first_line
from wavegrid.files import names, store
from wavegrid.input_warnings import remark
from wavegrid.job.job import Job
from wavegrid.job.outputs import has_core_charge
from wavegrid.model.core_result import CoreResult
from wavegrid.model.part import ByState
from wavegrid.model.reports import Step
from wavegrid.model.run_statistics import WarningGiven
from wavegrid.model.spectra import BandGap, Bands, DensityOfStates
from wavegrid.model.tasks import SERIES
from wavegrid.process import core_loader
from wavegrid.results import advice, averages, derivatives, gap, multipoles, result_warnings, vacuum, zero_weight
from wavegrid.results.gap import fermi_levels
from wavegrid.results.history import scf_history
from wavegrid.results.structure import symbols
from wavegrid.results.window import Window

# The content of a file, rendered when it is written: result.json is safe by then.
Files = dict[str, Callable[[], bytes]]
_PLOT = ".png"


def finish(job: Job, result: CoreResult, steps: list[Step]) -> Files:
    """Add to the result its further parts: bands, dos, advice, and the warnings that its numbers bring.

    Returns name and content of further files.

    `steps`: what the core reported of each SCF step.
    """
    zero_weight.separate(result, job.task.get("zero_weight", 0))
    if steps:
        result.scf_history = scf_history(steps)
    files: Files = {}
    if result.density is not None or result.potential is not None:
        from wavegrid.export import fields

        files |= fields.files(job, result)
        if has_core_charge(job):
            from wavegrid.export import core_charge

            tables = core_charge.tables(core_loader.load(), job.problem)
            files[names.CORE_CHARGE] = partial(fields.core_charge, job, tables)
    if result.stopped is not None:  # these need a loop that has ended
        result.forces = result.stress = None
        _add_born(job, result)
        _add_propagation(job, result, files)
        return files
    _add_born(job, result)
    derivatives.complete(result, symbols(job.problem))
    job.notes.extend(advice.notes(result, job.problem))
    result.warnings = [WarningGiven.read(one) for one in remark.warnings(result_warnings.remarks(job.problem, result))]
    if not result.converged:
        result.advice = advice.advice(steps, result, job.problem, job.input)
    result.band_gap = gap.at_kpoints(result, accurate=job.task["kind"] == "dos")
    _add_vacuum(job, result, files)
    _add_surface(job, result, files)
    _add_orbitals(job, result, files)
    _add_polarisation(job, result)
    if job.task["kind"] == "wannier":
        _add_wannier(job, result, files)
    result.multipoles = multipoles.about_centre_of_mass(job.problem, result)
    if job.task["kind"] == "bands":
        from wavegrid.plots import spectra
        from wavegrid.results import bands, spectra_csv

        assert job.task["path"] is not None
        result.bands = bands.band_structure(result, job.task["path"])
        elements = symbols(job.problem)
        _add_window(job, result.bands, result.bands.eigenvalues, result.bands.band_gap)
        files[names.BANDS_TABLE] = partial(spectra_csv.bands, result.bands)
        files["bands.png"] = partial(spectra.plot_bands, job.title, result.bands, elements)
    if job.task["kind"] == "dos":
        from wavegrid.plots import spectra
        from wavegrid.results import dos, projections, spectra_csv

        result.dos = dos.density_of_states(result, job.task)
        _add_window(job, result.dos, dos.levels_of(result)[0].tolist(), result.band_gap)
        if result.projections is not None:
            result.dos.projections = projections.projections(result, result.dos, symbols(job.problem), valence_of(job))
        files[names.DOS_TABLE] = partial(spectra_csv.dos, result.dos)
        files["dos.png"] = partial(spectra.plot_dos, job.title, result.dos, result.band_gap)
    _add_propagation(job, result, files)
    _add_excitations(job, result, files)
    if job.moves:
        from wavegrid.plots import motion
        from wavegrid.results import csv_tables  # numpy

        files[f"{job.task['kind']}.png"] = partial(motion.plot, job.title, result)
        if job.task["kind"] in SERIES:
            files[f"{job.task['kind']}.csv"] = partial(csv_tables.render, result)
        if result.phonopy is not None:
            files[names.PHONOPY] = result.phonopy.encode
    return files


def _add_surface(job: Job, result: CoreResult, files: Files) -> None:
    """Add the electrostatic potential on a surface of constant density."""
    if job.surface is None or result.density is None:
        return
    from wavegrid.export import fields, surface_files

    try:
        found = surface_files.of_density(job, fields.density_of(job, result), valence_of(job), job.surface)
    except WavegridError as fault:
        job.notes.append(f"[output] surface: {fault}")
        return
    result.potential_surface = found.part
    files |= found.files


def _add_orbitals(job: Job, result: CoreResult, files: Files) -> None:
    """Add the files that are made of the bands of the checkpoint at the end of the run, and notes on their states."""
    written = result.checkpoint
    if job.orbitals is None or written is None or written.error is not None:
        return
    from wavegrid.export import checkpoint
    from wavegrid.plots import stm

    try:
        files |= checkpoint.orbital_files(Path(written.file), job.orbitals, job.title, stm.plot)
    except WavegridError as fault:
        job.notes.append(f"[output.orbitals]: no files: {fault}")
        return
    if not gap.has_levels(result):
        return
    top = min(min(level[-1] for level in levels) for levels in result.eigenvalues)
    energies = job.orbitals["energies"]
    if energies is not None and energies[1] + max(fermi_levels(result.fermi_level, 1)) > top:
        job.notes.append("states: the energies end above the highest band of a k-point; all would need more bands")


def _add_wannier(job: Job, result: CoreResult, files: Files) -> None:
    """Add the files for Wannier90, which are made of the bands of the checkpoint."""
    written, task = result.checkpoint, job.task
    if written is None or written.error is not None:
        return
    from wavegrid.export import wannier

    guesses: list[str] | wannier.Scdm = task["projections"]
    if (count := task["scdm"]) is not None:
        guesses = wannier.Scdm(count, task["scdm_energy"], task["scdm_width"])
    path, bands = Path(written.file), (task["first_band"], task["last_band"])
    try:
        found = wannier.files(path, guesses, first=bands[0], last=bands[1], unk=task["unk"])
    except WavegridError as fault:
        job.notes.append(f"[wannier]: no files: {fault}")
        return
    # The windows and other lines of a .win that is there are those of the user.
    files |= {name: made for name, made in found.items() if name[-4:] != ".win" or not (path.parent / name).exists()}


def _add_polarisation(job: Job, result: CoreResult) -> None:
    """Add the polarisation, of the bands of the checkpoint at the end of the run."""
    written = result.checkpoint
    if not job.polarisation or written is None or written.error is not None:
        return
    from wavegrid.checkpoint import berry_phase

    try:
        result.polarisation = berry_phase.polarisation(Path(written.file), list(valence_of(job).values()))
    except WavegridError as fault:
        job.notes.append(f"[output] polarisation: {fault}")


def _add_born(job: Job, result: CoreResult) -> None:
    """Add what is known of a response to fields, with those of the run that it goes on from."""
    given, found = job.problem["field_response"], result.field_response
    if given is None or (found is None and not given["known"]):
        return
    from wavegrid.results import born

    result.born = born.part(job.problem, [*given["known"], *(found["fields"] if found is not None else [])])


def _add_propagation(job: Job, result: CoreResult, files: Files) -> None:
    """Complete what there is of a propagation in time, and plot it."""
    if result.propagation is None:
        return
    from wavegrid.plots import propagation
    from wavegrid.results import propagation as time

    time.complete(result.propagation, job.problem, names.PROPAGATION)
    if result.propagation.steps > 1:
        files["propagate.png"] = partial(propagation.plot, job.title, Path(job.directory) / names.PROPAGATION)


def _add_excitations(job: Job, result: CoreResult, files: Files) -> None:
    """Add what Casida's equation has given, with table and plot."""
    settings = job.problem["casida"]
    if settings is None or result.excitations is None:
        return
    from wavegrid.plots import casida as plots
    from wavegrid.results import casida

    spin = settings["spin"] if job.problem["spins"] == 1 else "collinear"
    result.casida = casida.excitations(result, spin, job.electrons, names.CASIDA)
    files[names.CASIDA] = partial(casida.render, result.excitations)
    files["casida.png"] = partial(plots.plot, job.title, result.excitations)


def _add_vacuum(job: Job, result: CoreResult, files: Files) -> None:
    """Add the levels of the vacuum around a slab, and their plot where the potential is written."""
    if job.across_slab:
        result.vacuum = vacuum.around_slab(job.problem, result)
    if result.vacuum is not None and (words := vacuum.note(result.vacuum)):
        job.notes.append(words)
    found = averages.planar(job.problem, result)
    if job.potential is not None and found is not None:
        from wavegrid.plots import potential

        if job.average_width is not None:
            found = averages.macroscopic(found, job.average_width)
        files[names.POTENTIAL_PLOT] = partial(potential.plot, job.title, found, result.vacuum, result.fermi_level)
        files[names.POTENTIAL_TABLE] = partial(averages.table, job.title, found, result.fermi_level)


def _add_window(job: Job, part: Bands | DensityOfStates, levels: ByState, found: BandGap | None) -> None:
    """Add to bands or a density of states the energies that their plot shows, and to the notes what it leaves out."""
    window = Window.around(job.task["window"], part.fermi_level, found)
    part.window = (window.low, window.high)
    if words := window.note(f"{job.task['kind']}.png", levels):
        job.notes.append(words)


def valence_of(job: Job) -> dict[str, float]:
    """Return the valence charge of each element, in the core's order of species."""
    found = {one["element"]: float(one["valence"]) for one in job.pseudopotentials}
    return {element: found[element] for element in job.problem["species"]}


def write(job: Job, files: Files, token: str) -> tuple[list[Path], list[remark.Remark]]:
    """Write each file into the output directory, at once or not at all; return their paths, and remarks.

    A plot that cannot be drawn is left out, with a warning: the numbers that it would show are in result.json.
    """
    paths, remarks = [], []
    for name, content in files.items():
        path = Path(job.directory) / name
        try:
            rendered = content()
        except Exception as fault:  # of the plotting library, and so of any kind
            if path.suffix != _PLOT:
                raise
            with contextlib.suppress(OSError):
                path.unlink()  # that of an earlier result
            words = f"no {path}: it could not be drawn ({first_line(fault)}); its numbers are in {names.RESULT}"
            remarks.append(remark.Remark("plot_not_drawn", words))
            continue
        store.write(path, rendered, token, synced=False)
        paths.append(path)
    return paths, remarks
