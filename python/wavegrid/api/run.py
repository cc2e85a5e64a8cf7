"""`wavegrid.run`: what the command `wavegrid run` does, from Python."""

import contextlib
import shutil
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from wavegrid.api.parameters import Keywords, check_names, tables_of
from wavegrid.api.result import Result, load
from wavegrid.api.session import warned
from wavegrid.api.user_warnings import warn
from wavegrid.errors import EnvironmentFault, InputError
from wavegrid.input import document as documents
from wavegrid.input.models import Input
from wavegrid.job.job import Job
from wavegrid.job.prepare import prepare_document
from wavegrid.launch import mpirun, start
from wavegrid.launch.request import Request

if TYPE_CHECKING:
    from ase import Atoms

_TABLES = tuple(name for name in Input.model_fields if name != "structure")
_CALLER = "run"


def run(
    structure: "Atoms | str | Path",
    *,
    directory: str | Path | None = None,
    ranks: int | None = None,
    threads: int = 1,
    restart: str | Path | None = None,
    folder: str | Path = ".",
    progress: bool | None = None,
    **tables: Any,
) -> Result:
    """Do a whole calculation on ranks of its own and return its result, as `wavegrid run` does.

    `structure` is an input file, in which the keywords replace single keys, or ASE's Atoms, to which the keywords add
    the rest of an input: its tables with their keys, units and defaults (docs/input.md), such as
    `basis={"ecut": "15 Ha"}`. `ranks`: default all cores over `threads`. `directory` gets the files of the run; without
    it those of an input file are where that says, and those of Atoms are not kept. `restart`: a checkpoint to begin
    with. `folder`: where the files lie that the tables name, for Atoms. `progress`: print what the command prints;
    default where standard output is a terminal or a notebook.

    A result that did not converge has `converged = False` and brings a warning. Raises InputError for a wrong file,
    keyword or structure, EnvironmentFault where the machine refuses.
    """
    _check_place()
    check_names(tables, _TABLES, _CALLER)
    per_rank = mpirun.parse_count("threads", str(threads))
    with contextlib.ExitStack() as stack:
        temporary = directory is None and not isinstance(structure, str | Path)
        if temporary:
            directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="wavegrid-"))
            tables = tables | {"output": {"checkpoint": False} | dict(tables.get("output", {}))}
        jobs: list[Job] = []

        def prepare(core: ModuleType, size: int) -> Job:
            document = _document(structure, tables, Path(folder))
            jobs.append(
                prepare_document(
                    core,
                    document,
                    documents.validated(document),
                    threads=per_rank,
                    directory=None if directory is None else str(directory),
                    ranks=size,
                    restart=None if restart is None else str(restart),
                    atoms=None if isinstance(structure, str | Path) else structure,
                )
            )
            return jobs[0]

        mpirun.set_threads(per_rank)
        request = _request(ranks, per_rank, progress)
        request.keeps_files = not temporary
        start.run(request, prepare)
        result = warned(load(jobs[0].directory))
    if request.quiet:
        for warning in result.warnings:
            warn(warning.message)
    return result


def _check_place() -> None:
    """Refuse programs in which ranks cannot be started or watched over."""
    if mpirun.under_launcher():
        raise InputError("run() in a program that mpirun has started; valid there: wavegrid.Session, or no mpirun")
    if threading.current_thread() is not threading.main_thread():
        raise InputError(
            "run() outside the main thread, where signals cannot be handled; valid there: wavegrid.Session"
        )
    if not mpirun.one_node():
        raise EnvironmentFault("run() stays on one machine; on several: the command 'wavegrid run'")


def _request(ranks: int | None, threads: int, progress: bool | None) -> Request:
    shown = sys.stdout.isatty() or "ipykernel" in sys.modules if progress is None else progress
    return Request(
        Path("-"),  # the ranks get the job, not the input
        ranks=None if ranks is None else mpirun.parse_count("ranks", str(ranks)),
        threads=threads,
        quiet=not shown,
        terminal=sys.stdout.isatty(),
        width=shutil.get_terminal_size().columns,
    )


def _document(structure: "Atoms | str | Path", tables: dict[str, Any], folder: Path) -> documents.Document:
    if isinstance(structure, str | Path):
        document = documents.parsed(Path(structure))
        return Keywords(document.path, _merged(document.data, tables), document.lines, _CALLER, tables)
    return Keywords(folder / structure.get_chemical_formula(), tables_of(structure, tables), {}, _CALLER)


def _merged(data: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of an input with keys replaced; what is not a table is replaced as a whole."""
    merged = dict(data)
    for name, value in changes.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(name), Mapping)
        merged[name] = _merged(merged[name], value) if both else value
    return merged
