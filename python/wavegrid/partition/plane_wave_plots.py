"""Plots partitions: sticks by owner, planes by row and column of the process grid, distribution of the loads."""

from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from wavegrid.base.text import counted
from wavegrid.errors import InputError
from wavegrid.partition.plane_waves import Row, Sphere
from wavegrid.plots import files

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

MOST_PANELS = 24
_HEAD, _ABOVE = 0.5, 0.72  # inches: the title of the page, the title of a panel
_GREY = (0.82, 0.82, 0.82)
_WHITE = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Panel:
    """One partition: the row of its figures and the core's map of who owns what."""

    figures: Row
    map: dict[str, Any]


def check(plot: Path, source: Path, panels: int, most: int = MOST_PANELS) -> None:
    """Refuse, before any work, a plot that could not be drawn, would replace `source` or has too many panels."""
    files.check(plot, source)
    if panels > most:
        raise InputError(
            f"--plot: {panels} partitions do not fit on a page; valid: rank counts times schemes up to {most}"
        )


def save(core: ModuleType, sphere: Sphere, rows: list[Row], plot: Path) -> None:
    """Draw the partitions of `rows` on one page and write it."""
    files.save(draw(core, sphere, rows), plot)


def draw(core: ModuleType, sphere: Sphere, rows: list[Row]) -> "Figure":
    """Return the partitions of `rows` (see `partition.figures`) on a page: schemes from top to bottom, ranks across."""
    panels = [Panel(row, core.partition_map(*sphere.arguments, row["scheme"], row["ranks"])) for row in rows]
    return _page(sphere, panels)


def _page(sphere: Sphere, panels: list[Panel]) -> "Figure":
    """Return the figure: one row per scheme, and in it one panel per rank count."""
    ranks = list(dict.fromkeys(panel.figures["ranks"] for panel in panels))
    across, down = len(ranks), -(-len(panels) // len(ranks))
    sticks = np.array(panels[0].map["owner"]) >= 0
    view = _View.of(sticks)
    spread = _common_spread(panels)
    width, height = 7.4 * across, view.height * down
    figure = files.new_figure(width, _HEAD + height, constrained=False)
    head, body = figure.subfigures(2, 1, height_ratios=(_HEAD, height), squeeze=False)[:, 0]
    title = f"{sphere.title}: {panels[0].figures['plane_waves']} plane waves on {sticks.sum()} sticks, grid "
    title += " x ".join(map(str, sphere.grid))
    head.text(0.52 / width, 0.25, title, fontsize=14, fontweight="bold", **files.PLAIN)
    cells = body.subfigures(down, across, squeeze=False)
    for number, panel in enumerate(panels):  # by rank count, then by scheme
        _draw_panel(cells[number % down][number // down], panel, view, spread)
    return figure


@dataclass(frozen=True)
class _View:
    """The part of the (gz, gy) plane that holds sticks."""

    y: np.ndarray  # gy of each shown place, rising
    z: np.ndarray  # gz likewise

    @classmethod
    def of(cls, sticks: np.ndarray) -> "_View":
        y, z = (_frequencies(np.asarray(sticks.any(axis=axis))) for axis in (0, 1))
        return cls(y, z)

    @property
    def map_height(self) -> float:
        """Height of the sticks' map in inches, so that squares look square unless that makes the page absurd."""
        return 4.0 * min(1.1, max(0.3, len(self.z) / len(self.y)))

    @property
    def height(self) -> float:
        """Height of a whole panel in inches."""
        return self.map_height + _ABOVE + 1.05

    @property
    def extent(self) -> tuple[float, float, float, float]:
        return self.y[0] - 0.5, self.y[-1] + 0.5, self.z[0] - 0.5, self.z[-1] + 0.5


def _frequencies(populated: np.ndarray) -> np.ndarray:
    """Return every frequency from the lowest to the highest one that is populated."""
    n = len(populated)
    g = np.fft.fftfreq(n, 1 / n).round().astype(int)[populated]
    return np.arange(g.min(), g.max() + 1)


def _common_spread(panels: list[Panel]) -> np.ndarray:
    """Return the edges of the load histogram (load over mean), the same for all panels."""
    loads = np.concatenate([np.array(panel.map["load"]) / panel.figures["mean"] for panel in panels])
    margin = max(0.02, 0.06 * (loads.max() - loads.min()))
    return np.linspace(min(loads.min(), 1) - margin, max(loads.max(), 1) + margin, 41)


def _draw_panel(cell: "SubFigure", panel: Panel, view: _View, spread: np.ndarray) -> None:
    """Draw one partition: sticks, the strips of planes to the right and below them, the loads."""
    row = panel.figures
    colours = _Colours(row["rows"], row["columns"])
    left, top = 0.07, 1 - _ABOVE / view.height
    grid = cell.add_gridspec(
        2, 3, width_ratios=(1, 0.035, 0.62), height_ratios=(1, 0.13 / view.map_height), wspace=0.05,
        hspace=0.8 / view.map_height, left=left, right=0.98, top=top, bottom=0.42 / view.height,
    )  # fmt: skip
    sticks, rows = cell.add_subplot(grid[0, 0]), cell.add_subplot(grid[0, 1])
    columns, loads = cell.add_subplot(grid[1, 0]), cell.add_subplot(grid[0, 2])
    loads.set_position(loads.get_position().translated(0.065, 0).shrunk(0.84, 1))
    name = f"auto: {row['partition']}" if "partition" in row else row["scheme"]
    title = f"{name}, {counted(row['ranks'], 'rank')} as {row['rows']} x {row['columns']}"
    cell.text(left, top + 0.36 / view.height, title, fontsize=11.5, fontweight="bold")
    first, second = (f"{number / 1e3:.0f}" for number in row["bytes"])
    messages = f"{row['messages'][0]} + {row['messages'][1]} messages, {first} + {second} kB"
    cell.text(left, top + 0.15 / view.height, messages + " in the first + second transpose", fontsize=8.5, color="0.35")
    _draw_sticks(sticks, panel, view, colours)
    _draw_strips(rows, columns, panel, view, colours)
    _draw_loads(loads, panel, spread)


def _draw_sticks(axis: "Axes", panel: Panel, view: _View, colours: "_Colours") -> None:
    owner = np.array(panel.map["owner"])[np.ix_(view.z, view.y)]  # negative frequencies count from the end, as in FFTs
    image = np.array([[colours.of_rank(rank) if rank >= 0 else _WHITE for rank in line] for line in owner])
    axis.imshow(image, origin="lower", extent=view.extent, aspect="auto", interpolation="nearest")
    axis.set_ylabel("gz", fontsize=9)
    axis.set_xlabel("gy;  each square is a stick of plane waves along x, its colour the rank", fontsize=8, labelpad=1)
    _plain(axis)


def _draw_strips(rows: "Axes", columns: "Axes", panel: Panel, view: _View, colours: "_Colours") -> None:
    """Draw which row holds which xy-plane between the transposes, and which column which yz-plane after the first."""
    of_z = np.array(panel.map["row_of_z"])[view.z]
    image = np.array([[colours.of_row(row) if row >= 0 else _WHITE] for row in of_z])
    rows.imshow(image, origin="lower", extent=(0, 1, *view.extent[2:]), aspect="auto", interpolation="nearest")
    rows.set_title("row", fontsize=8, pad=3)
    of_x = panel.map["column_of_x"]
    image = np.array([[colours.of_column(column) for column in of_x]])
    columns.imshow(image, extent=(-0.5, len(of_x) - 0.5, 0, 1), aspect="auto", interpolation="nearest")
    columns.set_xlabel("yz-plane x, by column of the process grid", fontsize=8, labelpad=1)
    for axis in (rows, columns):
        _plain(axis)
        axis.set_yticks([])
    rows.set_xticks([])


def _draw_loads(axis: "Axes", panel: Panel, edges: np.ndarray) -> None:
    row = panel.figures
    relative = np.array(panel.map["load"]) / row["mean"]
    axis.hist(relative, bins=edges.tolist(), color="#3b6ea5", edgecolor="white", linewidth=0.4)
    axis.axvline(1, color="0.35", linewidth=0.9, linestyle=(0, (4, 3)))
    axis.axvline(row["imbalance"], color="#c8452f", linewidth=1.2)
    axis.set_xlim(edges[0], edges[-1])
    axis.set_title(f"max / mean = {row['imbalance']:.3f}", fontsize=9.5, color="#c8452f", pad=4)
    axis.set_xlabel("plane waves / mean", fontsize=8, labelpad=1)
    axis.set_ylabel("ranks", fontsize=8, labelpad=1)
    files.whole_numbers(axis.yaxis)
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(labelsize=7.5, length=2.5)


def _plain(axis: "Axes") -> None:
    axis.spines[:].set_visible(False)
    axis.tick_params(labelsize=7.5, length=2.5, color="0.6")


class _Colours:
    """Colours of ranks: the hue shows the row, the lightness the column; with one row, the hue shows the column."""

    def __init__(self, rows: int, columns: int):
        """Take a process grid of rows x columns."""
        self._rows, self._columns = rows, columns

    def of_rank(self, rank: int) -> tuple[float, float, float]:
        row, column = divmod(rank, self._columns)
        if row >= self._rows:
            return _GREY  # a rank that holds sticks but no planes
        if self._rows == 1:
            return self.of_column(column)
        return _oklch(self._lightness(column), 0.12, self._hue(row, self._rows))

    def of_row(self, row: int) -> tuple[float, float, float]:
        return _GREY if self._rows == 1 else _oklch(0.68, 0.13, self._hue(row, self._rows))

    def of_column(self, column: int) -> tuple[float, float, float]:
        if self._rows == 1:
            return _oklch((0.62, 0.74, 0.84)[column % 3], 0.12, self._hue(column, self._columns))
        return _oklch(self._lightness(column), 0, 0)

    def _lightness(self, column: int) -> float:
        return 0.68 if self._columns == 1 else 0.46 + 0.44 * column / (self._columns - 1)

    @staticmethod
    def _hue(index: int, count: int) -> float:
        return 2 * np.pi * index / count + 0.5


def _oklch(lightness: float, chroma: float, hue: float) -> tuple[float, float, float]:
    """Return sRGB of a colour in the perceptual space OKLCH (B. Ottosson 2020), so that hues look equally bright."""
    a, b = chroma * np.cos(hue), chroma * np.sin(hue)
    root = np.array(
        [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.291485548]]
    )
    linear = (
        np.array(
            [
                [4.0767416621, -3.3077115913, 0.2309699292],
                [-1.2684380046, 2.6097574011, -0.3413193965],
                [-0.0041960863, -0.7034186147, 1.7076147010],
            ]
        )
        @ (root @ (lightness, a, b)) ** 3
    )
    light = np.clip(linear, 0, 1)
    return tuple(np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055))
