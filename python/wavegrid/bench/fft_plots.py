"""The benchmark's ratios as bars: a panel per mode and layout, a group per case, a bar per library and bands."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from wavegrid.base.text import counted
from wavegrid.bench.program import Row
from wavegrid.plots import files

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TOP = 2.0  # ratios above are cut off and written out, so that one disturbed sample does not flatten the rest
_COLOURS = {
    "wavegrid": ("#08519c", "#6baed6", "#c6dbef"),
    "wavegrid single": ("#00441b", "#41ab5d", "#a1d99b"),
    "spfft": ("#a63603", "#fd8d3c", "#fdd0a2"),
}


def draw(path: Path, rows: list[Row]) -> None:
    """Plot the rows of `fft.measure`."""
    modes = _values(rows, "mode")
    layouts = list(dict.fromkeys((row["ranks"], row["threads"]) for row in rows))
    figure = files.new_figure(1.6 + 3.6 * len(layouts), 1.4 + 2.6 * len(modes))
    axes = figure.subplots(len(modes), len(layouts), sharey=True, squeeze=False)
    for line, mode in zip(axes, modes, strict=True):
        for axis, (ranks, threads) in zip(line, layouts, strict=True):
            here = [row for row in rows if (row["mode"], row["ranks"], row["threads"]) == (mode, ranks, threads)]
            _bars(axis, here)
            axis.set_title(f"{mode}, {counted(ranks, 'rank')} of {counted(threads, 'thread')}", fontsize=10)
        line[0].set_ylabel("time / time of the dense pair", fontsize=9)
    axes[0][0].set_ylim(0, min(_TOP, 1.05 * max(row["ratio_to_dense"] for row in rows)))
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False, fontsize=9)
    figure.suptitle(
        "Time of one H application per band over that of FFTW's dense in-place complex pair (one rank, one thread)",
        fontsize=11,
    )
    files.save(figure, path)


def _bars(axis: "Axes", rows: list[Row]) -> None:
    cases, kinds = _values(rows, "case"), _kinds(rows)
    width = 0.8 / len(kinds)
    for index, (library, bands, colour) in enumerate(kinds):
        ratio = {
            row["case"]: row["ratio_to_dense"] for row in rows if (row["library"], row["bands"]) == (library, bands)
        }
        places = [place + (index - (len(kinds) - 1) / 2) * width for place in range(len(cases))]
        heights = [ratio[case] for case in cases]
        bars = axis.bar(places, heights, width, color=colour, label=f"{library}, {counted(bands, 'band')}", zorder=2)
        cut = [f"{height:.1f}" if height > _TOP else "" for height in heights]
        for bar, text in zip(bars, cut, strict=True):
            axis.text(bar.get_x() + width / 2, _TOP, text, ha="center", va="top", color="white", fontsize=7)
    axis.set_xticks(range(len(cases)), [_label(rows, case) for case in cases], fontsize=8)
    axis.grid(axis="y", color="0.9", zorder=0)
    axis.spines[["top", "right"]].set_visible(False)


def _kinds(rows: list[Row]) -> list[tuple[str, int, str]]:
    """Return (library, bands, colour), the largest block of bands in the strongest colour."""
    counts = sorted(_values(rows, "bands"), reverse=True)
    libraries = [name for name in _COLOURS if name in _values(rows, "library")]
    return [
        (library, bands, _COLOURS[library][min(index, len(_COLOURS[library]) - 1)])
        for library in libraries
        for index, bands in enumerate(counts)
    ]


def _label(rows: list[Row], case: str) -> str:
    row = next(row for row in rows if row["case"] == case)
    return f"{row['n']}³\nradius {row['radius']:g}"


def _values(rows: list[Row], key: str) -> list[Any]:
    return list(dict.fromkeys(row[key] for row in rows))
