"""What rank 0 of a run prints and writes. Apart from `worker`, since the other ranks need none of the imports."""

import contextlib
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wavegrid.base import vectors
from wavegrid.discretisation import choose
from wavegrid.display.progress import Progress, show_header
from wavegrid.files import lock
from wavegrid.files.field_response import FieldTable
from wavegrid.files.names import EXTXYZ, PROPAGATION, RESULT
from wavegrid.files.propagation import PropagationTable, kept_lines
from wavegrid.files.store import as_json, probe, write, write_json
from wavegrid.input_warnings.remark import refusal, warnings
from wavegrid.job import outputs
from wavegrid.job.figures import compute_figures
from wavegrid.job.job import Job
from wavegrid.launch import mpirun
from wavegrid.launch.in_process_ranks import InProcessRanks
from wavegrid.launch.request import Request
from wavegrid.model.core_result import CoreResult
from wavegrid.model.reports import Activity, Step
from wavegrid.model.result import Result
from wavegrid.model.run_statistics import WarningGiven
from wavegrid.model.tasks import HUBBARD_U
from wavegrid.process import core_loader
from wavegrid.rank import products
from wavegrid.results import closing, derivative_tables, extxyz
from wavegrid.results.report import (
    checkpoint_lines,
    complete,
    result_table,
    transport_lines,
    transport_table,
)
from wavegrid.trace import timeline

if TYPE_CHECKING:
    from wavegrid.rank.worker import Run

_SAME_PLACE = 1e-4  # bohr, of an atom and its image: as in problem/choose_kpoints.cpp


def check_outputs(run: "Run", whole_run: contextlib.ExitStack) -> None:
    """Check what is going to be written, and lock the output directory until the end of `whole_run`."""
    directory, token = Path(run.job.directory), run.state.token
    outputs.check(run.job, run.request.trace)
    probe(directory, token)
    timeline.check(run.request.trace, token)
    whole_run.enter_context(lock.held(directory))


def solve(run: "Run", trace: object | None) -> tuple[CoreResult, list[Step]]:
    """Solve and show the progress; return the core's result and what it reported of each step."""
    console = run.request.console()
    if run.state.shared is None:
        expected = compute_figures(run.core, run.job, run.state.size)
        show_header(console, run.job, expected, run.core.versions(), mpirun.environment_warnings())
    if run.job.moves:
        from wavegrid.motion.drive import drive  # ASE: slow to import

        return drive(run.core, run.job, trace, console, run.state.size)
    if run.job.task["kind"] == HUBBARD_U:
        from wavegrid.motion import hubbard_u

        return hubbard_u.solve(run.core, run.job, trace, console, run.state.size, run.state.token)
    if run.job.task.get("starts"):
        from wavegrid.motion import hubbard_starts

        return hubbard_starts.solve(run.core, run.job, trace, console, run.state.size)
    if run.job.repeats:
        from wavegrid.motion import anisotropy

        return anisotropy.solve(run.core, run.job, trace, console, run.state.size, run.state.token)
    problem = run.job.problem
    with (
        Progress(
            console,
            spin=problem["spins"] == 2,
            tolerance=problem["energy_tolerance"],
            max_steps=problem["max_steps"],
            task=run.job.task["kind"],
        ) as progress,
        _table(run.job) as table,
    ):

        def on_activity(report: Activity) -> None:
            if report["stage"] == "propagation":
                table.add(report)
                _write_densities(run, report)
            if report["stage"] == "response":
                assert fields is not None
                fields.add(report)
            progress.activity(report)

        fields = _field_table(run)
        ranks = InProcessRanks(run.core, run.state.size, trace=trace, keep_plans=False, on_activity=on_activity)
        result = ranks.solve(problem, on_step=progress.step)
    return result, progress.steps


def _field_table(run: "Run") -> FieldTable | None:
    """Return the table of a response to fields, with those of an earlier run."""
    if (given := run.job.problem["field_response"]) is None:
        return None
    return FieldTable(Path(run.job.directory), given["identity"], given["known"], run.state.token)


def _table(job: Job) -> PropagationTable:
    """Return the table of a propagation, where it goes on with its earlier lines; what it says of the run."""
    given = job.problem["propagation"]
    about = {
        "kick": given and given["kick"],
        "lasers": given["lasers"] if given else [],
        "electrons": job.electrons,
        "spins": job.problem["spins"],
        "volume": abs(vectors.determinant(job.problem["cell"])),
        "rotations": _rotations(job) if given and given["kick"] else [],
    }
    path, earlier = Path(job.directory) / PROPAGATION, ""
    if given is not None and given["restart"] is not None:
        earlier = kept_lines(Path(given["restart"]).with_name(PROPAGATION), given["first_step"], given["every"])
    return PropagationTable(path, about, earlier)


def _rotations(job: Job) -> list[list[list[float]]]:
    """Return the rotations of the structure, Cartesian, by which a spectrum follows from fewer kicks."""
    problem = job.problem
    if problem["external"] is not None:
        return []
    crystal = {name: problem[name] for name in ("cell", "species", "atoms")}
    return core_loader.load().crystal_rotations(crystal, problem["initial_magnetic_moments"], _SAME_PLACE)


def _write_densities(run: "Run", report: Activity) -> None:
    """Write the density of a step that has one."""
    if "density" not in report:
        return
    from wavegrid.export import fields  # imports numpy

    for name, content in fields.at_step(run.job, report).items():
        write(Path(run.job.directory) / name, content, run.state.token)


def show_and_store(run: "Run", result: CoreResult, steps: list[Step]) -> list[dict[str, str]]:
    """On rank 0: result.json first, then the tables, then the files of the task; return warnings about the result."""
    seconds = time.perf_counter() - run.state.began
    predicted = compute_figures(run.core, run.job, run.state.size)["bytes_per_rank"]
    path = Path(run.job.directory) / RESULT

    def completed() -> Result:
        return complete(run.core, run.job, result, seconds=seconds, predicted_bytes=predicted)

    printed = len(run.job.notes)  # by the header
    try:
        files = products.finish(run.job, result, steps)
    except Exception:  # the energy is not lost with the part that failed
        write_json(path, completed().content(), run.state.token)
        raise
    content = completed()
    try:
        write_json(path, content.content(), run.state.token)
        files = {EXTXYZ: partial(extxyz.render, content), **files}
        paths, remarks = products.write(run.job, files, run.state.token)
        if remarks:
            result.warnings = [*result.warnings, *map(WarningGiven.read, warnings(remarks))]
            content = completed()
            write_json(path, content.content(), run.state.token)
    finally:  # after a full disk the numbers are still on the screen
        _show(run.request, content)
    console = run.request.console()
    for line in checkpoint_lines(content):
        console.print(line, soft_wrap=True)
    if run.request.silent and content.checkpoint is not None and content.checkpoint.error is not None:
        print(f"error: {checkpoint_lines(content)[-1]}", file=sys.stderr)
    for written in (path, *paths):
        if run.request.keeps_files:
            console.print(f"written: {written}")
    for note in run.job.notes[printed:]:
        console.print(f"note: {note}", soft_wrap=True)
    found = [one.content() for one in result.warnings]
    _show_warnings(run, found)
    if content.stopped is None:
        _show_closing_line(run, content)
    return found


def _show_warnings(run: "Run", found: list[dict[str, str]]) -> None:
    """Print the warnings about a result; with --strict as the error that they are."""
    if found and run.request.strict:
        print(f"error: {refusal(run.job.file, found)}", file=sys.stderr, flush=True)
        return
    for warning in found:
        run.request.console().print(f"warning: {warning['message']}", style="yellow", soft_wrap=True)


def _show_closing_line(run: "Run", content: Result) -> None:
    last = closing.line(content, run.job.problem["energy_tolerance"])
    if run.request.silent and not closing.ended_well(content):
        print(last, file=sys.stderr, flush=True)
    run.request.console().print(last, style="bold", soft_wrap=True)


def _show(request: Request, content: Result) -> None:
    """Print the tables of a result."""
    if request.as_json:
        print(as_json(content.content()), end="", flush=True)
    console = request.console()
    console.print(result_table(content))
    for table in derivative_tables.tables(content):
        console.print(table)
    if request.explain:
        console.print(*transport_lines(content), transport_table(content), sep="\n", soft_wrap=True)
        if overlap := choose.from_result(content).overlap_line(content):
            console.print(overlap, soft_wrap=True)
