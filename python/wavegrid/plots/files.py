"""The file of a plot: checked before any work, written at once or not at all."""

import contextlib
import functools
import io
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wavegrid.errors import EnvironmentFault, InputError
from wavegrid.files import kinds, store

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".pdf", ".svg")
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}  # of a text by the user: a $ in it begins no formula
_VALID_NAME = "valid: a name that ends in .png, .pdf or .svg"
_PAD = 0.08  # inches of white around axes
_TITLE_SIZE, _TITLE_LINE = 11, 10  # points, and characters in an inch at that size


def check(plot: Path, source: Path | None = None) -> None:
    """Refuse, before any work, a plot that could not be drawn or would replace `source`, the command's input.

    Raises InputError for the name, EnvironmentFault where matplotlib is missing.
    """
    if plot.suffix.lower() not in SUFFIXES:
        raise InputError(f"--plot {plot}: unknown file format; {_VALID_NAME}")
    if plot.is_dir():
        raise InputError(f"--plot {plot}: is a directory; valid: the name of a file")
    if not plot.parent.is_dir():
        raise InputError(f"--plot {plot}: no directory '{plot.parent}'; valid: a name in an existing directory")
    if source is not None and plot.exists() and source.exists() and plot.samefile(source):
        raise InputError(f"--plot {plot}: is the input file; valid: another name")
    try:
        if plot.exists() and not (plot.is_file() and kinds.is_of_kind(plot, plot.suffix.lower())):
            raise InputError(f"--plot {plot}: exists and is not a plot; valid: another name, or remove it")
    except OSError as fault:
        raise InputError(f"--plot {plot}: cannot be read: {fault.strerror}; valid: another name") from None
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise EnvironmentFault(
            "--plot needs matplotlib, which is not installed; install it: pip install matplotlib"
        ) from None


@functools.cache
def _shown_in_notebooks() -> "type[Figure]":
    """Return a class of figures that a notebook shows without pyplot."""
    from matplotlib.figure import Figure

    class NotebookFigure(Figure):
        """A figure that is its own representation."""

        def _repr_png_(self) -> bytes:
            return png(self)

    return NotebookFigure


def new_figure(width: float, height: float, *, constrained: bool = True) -> "Figure":
    """Return an empty figure of a size in inches that needs no screen."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=_PAD, h_pad=_PAD) if constrained else None
    figure = _shown_in_notebooks()(figsize=(width, height), layout=layout, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def whole_numbers(axis: "Axis", count: int | None = None) -> None:
    """Label an axis at whole numbers only, where `count` says so those of 0 to count - 1."""
    from matplotlib.ticker import MaxNLocator

    if count == 1:  # the locator would divide a range that holds one whole number
        axis.set_ticks([0])
        return
    axis.set_major_locator(MaxNLocator(nbins="auto", steps=[1, 2, 5, 10], integer=True))


def set_title(place: "Axes | Figure", title: str) -> None:
    """Write the title of an axis or a figure: plain text, in several lines where it is wider than the figure."""
    from matplotlib.figure import Figure

    figure = place if isinstance(place, Figure) else place.figure
    assert isinstance(figure, Figure)
    lines = textwrap.fill(title, int(figure.get_figwidth() * _TITLE_LINE))
    (place.suptitle if isinstance(place, Figure) else place.set_title)(lines, fontsize=_TITLE_SIZE, **PLAIN)


@contextlib.contextmanager
def _without_font_warnings() -> Iterator[None]:
    """A character that no font of matplotlib has is drawn as a box; nobody has to act."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from")
        yield


def png(figure: "Figure") -> bytes:
    """Return a figure as the content of a PNG file."""
    buffer = io.BytesIO()
    with _without_font_warnings():
        figure.savefig(buffer, dpi=150, format="png")
    return buffer.getvalue()


def save(figure: "Figure", plot: Path) -> None:
    """Write a figure in place of an older plot, or leave that as it is; raises EnvironmentFault."""
    buffer = io.BytesIO()
    with _without_font_warnings():
        figure.savefig(buffer, dpi=150, format=plot.suffix[1:].lower())
    try:
        store.replace(plot, buffer.getvalue(), store.process_token(), synced=False)
    except OSError as fault:
        raise EnvironmentFault(f"the plot cannot be written to '{plot}': {fault.strerror}") from None
