"""Plots the output of `wavegrid trace`: the traffic as a heat map, the phases of each rank as bars."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wavegrid.errors import InputError
from wavegrid.plots import files
from wavegrid.trace.summary import PHASES, RankTimes, Timeline, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_RANKS = 4096
_COLOURS = ("#3b6ea5", "#c8452f", "#d9a441", "#7aa457", "#9466a8", "0.8")


def save(figures: Timeline, plot: Path) -> None:
    """Draw the figures of `summary.read` and write them; raises InputError where they are of too many ranks."""
    files.save(draw(figures), plot)


def draw(figures: Timeline) -> "Figure":
    """Return the plot of the figures of `summary.read`; raises InputError where they are of too many ranks."""
    ranks = len(figures["ranks"])
    if ranks > MOST_RANKS:
        raise InputError(f"{ranks} ranks are too many to draw; valid: up to {MOST_RANKS}")
    figure = files.new_figure(11, 4.6)
    left, right = figure.subplots(1, 2)
    _traffic(figure, left, figures["traffic"], ranks)
    _phases(right, figures["ranks"])
    files.set_title(figure, title(figures))
    return figure


def _traffic(figure: "Figure", axis: "Axes", traffic: list[list[int]], ranks: int) -> None:
    megabytes = np.full((ranks, ranks), np.nan)  # (from, to); nothing sent stays white
    for start, end, size, _ in traffic:
        megabytes[start, end] = size / 1e6
    image = axis.imshow(megabytes, cmap="viridis_r", vmin=0, interpolation="nearest")
    axis.set_title("bytes sent from rank to rank" if traffic else "no messages", fontsize=10)
    axis.set_xlabel("to rank", fontsize=9)
    axis.set_ylabel("from rank", fontsize=9)
    for side in (axis.xaxis, axis.yaxis):
        files.whole_numbers(side, ranks)
    if traffic:
        figure.colorbar(image, ax=axis, shrink=0.85, label="MB")


def _phases(axis: "Axes", rows: list[RankTimes]) -> None:
    ranks = [row["rank"] for row in rows]
    left = np.zeros(len(rows))
    for name, colour in zip(PHASES, _COLOURS, strict=True):
        width = np.array([row["seconds"][name] for row in rows])
        axis.barh(ranks, width, left=left, color=colour, label=name.replace("_", " "))
        left += width
    axis.invert_yaxis()
    files.whole_numbers(axis.yaxis, len(rows))
    axis.set_title("time by phase", fontsize=10)
    axis.set_xlabel("seconds", fontsize=9)
    axis.set_ylabel("rank", fontsize=9)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=len(PHASES))
