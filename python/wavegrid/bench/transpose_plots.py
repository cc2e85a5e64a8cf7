"""The transposes as bars: a panel per case and number of ranks, a pair per transport, alone and in H applications."""

from pathlib import Path
from typing import TYPE_CHECKING

from wavegrid.base.text import counted
from wavegrid.bench.program import Row
from wavegrid.plots import files

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LOOK = {"isolated": ("#9ecae1", "alone, synchronised"), "scf": ("#08519c", "inside H applications")}


def draw(path: Path, rows: list[Row], blocks: dict[tuple[str, int], int]) -> None:
    """Plot the rows of `transpose.measure`; `blocks`: bands by case and ranks."""
    cases = list(dict.fromkeys(row["case"] for row in rows))
    counts = list(dict.fromkeys(row["ranks"] for row in rows))
    transports = list(dict.fromkeys(row["transport"] for row in rows))
    figure = files.new_figure(1.8 + 2.9 * len(counts), 1.9 + 2.5 * len(cases))
    axes = figure.subplots(len(cases), len(counts), sharex=True, squeeze=False)
    for line, case in zip(axes, cases, strict=True):
        for axis, ranks in zip(line, counts, strict=True):
            here = [row for row in rows if (row["case"], row["ranks"]) == (case, ranks)]
            _bars(axis, here, transports)
            bands = counted(blocks[case, ranks], "band")
            axis.set_title(f"{case}, {counted(ranks, 'rank')}, blocks of {bands}", fontsize=9)
        line[0].set_ylabel("ms per block of bands", fontsize=9)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False, fontsize=9)
    figure.suptitle(
        "All transposes of a block of bands\nbold: what auto took; lines: slowest minus fastest", fontsize=10
    )
    files.save(figure, path)


def _bars(axis: "Axes", rows: list[Row], transports: list[str]) -> None:
    contexts = [name for name in _LOOK if any(row["context"] == name for row in rows)]
    width = 0.8 / len(contexts)
    for index, context in enumerate(contexts):
        found = {row["transport"]: row for row in rows if row["context"] == context}
        present = [(place, found[name]) for place, name in enumerate(transports) if name in found]
        places = [place + (index - (len(contexts) - 1) / 2) * width for place, _ in present]
        heights = [row["median_us"] / 1e3 for _, row in present]
        spreads = [row["spread_us"] / 2e3 for _, row in present]
        colour, label = _LOOK[context]
        axis.bar(places, heights, width, color=colour, label=label, zorder=2)
        axis.errorbar(places, heights, spreads, fmt="none", ecolor="0.35", elinewidth=0.8, zorder=3)
    top = max(row["median_us"] for row in rows) / 1e3
    axis.set_ylim(0, 1.25 * top)  # a disturbed sample's line may leave the panel, the medians stay readable
    axis.set_xticks(range(len(transports)), transports, rotation=60, ha="right", rotation_mode="anchor", fontsize=7)
    axis.tick_params(axis="x", labelbottom=True)
    axis.tick_params(axis="y", labelsize=7)
    chosen = {row["transport"] for row in rows if row["chosen"]}
    for name, tick in zip(transports, axis.get_xticklabels(), strict=True):
        tick.set_fontweight("bold" if name in chosen else "normal")
    axis.grid(axis="y", color="0.9", zorder=0)
    axis.spines[["top", "right"]].set_visible(False)
