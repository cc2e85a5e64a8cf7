"""The further parts of result.json and the further files that a task asks for."""

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from wavegrid.errors import first_line
from wavegrid.files import names, store
from wavegrid.input_warnings import remark
from wavegrid.job.job import Job
from wavegrid.results import advice, derivatives, gap, result_warnings, zero_weight
from wavegrid.results.history import scf_history
from wavegrid.results.structure import symbols
from wavegrid.results.window import Window

# The content of a file, rendered when it is written: result.json is safe by then.
Files = dict[str, Callable[[], bytes]]
_PLOT = ".png"
_FIELDS = ("density", "density_first", "path", "projections")


def without_fields(result: dict[str, Any]) -> dict[str, Any]:
    """Return the core's result without what result.json has in another form or not at all."""
    return {name: value for name, value in result.items() if name not in _FIELDS}


def finish(job: Job, result: dict[str, Any], steps: list[dict[str, Any]]) -> tuple[dict[str, Any], Files]:
    """Return the result for result.json (no fields), and name and content of further files.

    In the result are bands, dos, advice, and the warnings that its numbers bring.

    `steps`: what the core reported of each SCF step.
    """
    result = zero_weight.separate(dict(result), job.task.get("zero_weight", 0))
    if steps:
        result["scf_history"] = scf_history(steps)
    files: Files = {}
    if job.density is not None and "density" in result:
        from wavegrid.export import density

        files |= density.files(job, result)
    if "stopped" in result:  # these need a loop that has ended
        for name in ("forces", "stress"):
            result.pop(name, None)
        return without_fields(result), files
    result |= derivatives.complete(result, symbols(job.problem))
    job.notes.extend(advice.notes(result, job.problem))
    result["warnings"] = remark.warnings(result_warnings.remarks(job.problem, result))
    if not result["converged"]:
        result["advice"] = advice.advice(steps, result, job.problem)
    if (found := gap.at_kpoints(result, accurate=job.task["kind"] == "dos")) is not None:
        result["band_gap"] = found
    if job.task["kind"] == "bands":
        from wavegrid.plots import spectra
        from wavegrid.results import bands

        result["bands"] = bands.band_structure(result, job.task["path"])
        _add_window(job, result["bands"], result["path"]["eigenvalues"], result["bands"].get("band_gap"))
        files["bands.png"] = partial(spectra.plot_bands, job.title, result["bands"])
    if job.task["kind"] == "dos":
        from wavegrid.plots import spectra
        from wavegrid.results import dos, projections

        result["dos"] = dos.density_of_states(result, job.task)
        _add_window(job, result["dos"], dos.levels_of(result)[0].tolist(), found)
        if "projections" in result:
            result["dos"]["projections"] = projections.projections(
                result, result["dos"], symbols(job.problem), valence_of(job)
            )
        files["dos.png"] = partial(spectra.plot_dos, job.title, result["dos"], found)
    if job.moves:
        from wavegrid.plots import motion

        files[f"{job.task['kind']}.png"] = partial(motion.plot, job.title, result)
    return without_fields(result), files


def _add_window(job: Job, part: dict[str, Any], levels: gap.Levels, found: dict[str, Any] | None) -> None:
    """Add to bands or a density of states the energies that their plot shows, and to the notes what it leaves out."""
    window = Window.around(job.task["window"], part["fermi_level"], found)
    part["window"] = [window.low, window.high]
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
