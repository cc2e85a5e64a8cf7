"""Draws what `wavegrid trace` prints: the traffic as a heat map, the phases of each rank as bars."""

from pathlib import Path

import numpy as np

from wavegrid.errors import InputError
from wavegrid.partition_picture import load_matplotlib, write
from wavegrid.trace_report import PHASES

MOST_RANKS = 4096
_COLOURS = ("#3b6ea5", "#c8452f", "#d9a441", "#7aa457", "#9466a8", "0.8")


def save(figures: dict, picture: Path) -> None:
    """Draw the figures of `trace_report.read`. The picture replaces an older one at once, or not at all."""
    ranks = len(figures["ranks"])
    if ranks > MOST_RANKS:
        raise InputError(f"--picture: {ranks} ranks are too many to draw; valid: up to {MOST_RANKS}")
    pyplot = load_matplotlib()
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.6), layout="constrained", facecolor="white")
    _traffic(figure, left, figures["traffic"], ranks)
    _phases(right, figures["ranks"])
    run = figures["run"]
    figure.suptitle(f"{run.get('title', '')}, {ranks} ranks, {run.get('transport')}", fontsize=11)
    write(pyplot, figure, picture)


def _traffic(figure, axis, traffic: list[list[int]], ranks: int) -> None:
    megabytes = np.full((ranks, ranks), np.nan)  # (from, to); nothing sent stays white
    for start, end, size, _ in traffic:
        megabytes[start, end] = size / 1e6
    image = axis.imshow(megabytes, cmap="viridis_r", vmin=0, interpolation="nearest")
    axis.set_title("MB sent", fontsize=10)
    axis.set_xlabel("to rank", fontsize=9)
    axis.set_ylabel("from rank", fontsize=9)
    for side in (axis.xaxis, axis.yaxis):
        side.get_major_locator().set_params(integer=True)
    figure.colorbar(image, ax=axis, shrink=0.85)


def _phases(axis, rows: list[dict]) -> None:
    ranks = [row["rank"] for row in rows]
    left = np.zeros(len(rows))
    for name, colour in zip(PHASES, _COLOURS, strict=True):
        width = np.array([row["seconds"][name] for row in rows])
        axis.barh(ranks, width, left=left, color=colour, label=name.replace("_", " "))
        left += width
    axis.invert_yaxis()
    axis.yaxis.get_major_locator().set_params(integer=True)
    axis.set_title("seconds by phase", fontsize=10)
    axis.set_ylabel("rank", fontsize=9)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=len(PHASES))
