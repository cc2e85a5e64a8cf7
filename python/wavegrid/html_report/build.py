"""Builds the page of a result."""

from pathlib import Path

from wavegrid.api.result import load
from wavegrid.errors import EnvironmentFault, InputError
from wavegrid.files import kinds, store
from wavegrid.html_report import html, sections, structure
from wavegrid.trace.summary import Timeline

PAGE = "report.html"


def build(place: Path, timeline: Timeline | None = None) -> str:
    """Return the page of a result.json, or of the one in a directory, as HTML; raises InputError.

    `timeline`: the figures of `trace.summary.read` of the same run.
    """
    content = load(place)
    found = [
        sections.head(content),
        sections.energies(content),
        structure.section(content),
        sections.convergence(content),
        sections.motion(content),
        sections.levels(content),
        sections.derivatives(content),
        sections.work(content),
        sections.traffic(timeline),
        sections.sources(content),
    ]
    return html.page(content.title, found)


def target(place: Path, output: str | None) -> Path:
    """Return where the page is written; refuse, before any work, a file that is not such a page."""
    if output == "":
        raise InputError("--output is empty; valid: the name of a file")
    path = Path(output) if output is not None else (place if place.is_dir() else place.parent) / PAGE
    name = f"--output {output}" if output is not None else str(path)
    if path.is_dir() or not path.parent.is_dir():
        wrong = "is a directory" if path.is_dir() else f"no directory '{path.parent}'"
        raise InputError(f"{name}: {wrong}; valid: the name of a file in an existing directory")
    try:
        if path.exists() and not (path.is_file() and kinds.is_of_kind(path, ".html")):
            raise InputError(f"{name}: exists and is not a report of wavegrid; valid: another name, or remove it")
    except OSError as fault:
        raise InputError(f"{name}: cannot be read: {fault.strerror}; valid: another name") from None
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise EnvironmentFault("a report needs matplotlib, which is not installed; pip install matplotlib") from None
    return path


def write(path: Path, page: str) -> None:
    """Replace the file by a page, at once or not at all; raises EnvironmentFault."""
    store.write(path, page.encode(), store.process_token())
