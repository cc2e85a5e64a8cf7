"""The cylinder of Hoefler et al. 2008 divided into parts: ghosts compared with the fitted formula, and neighbours."""

from pathlib import Path

from wavegrid.bench.program import Row
from wavegrid.plots import files


def draw(path: Path, rows: list[Row]) -> None:
    """Plot the rows of the case octopus of `halo.measure`."""
    figure = files.new_figure(10, 4.2)
    sizes, neighbours = figure.subplots(1, 2)
    for number, order in enumerate(dict.fromkeys(row["order"] for row in rows)):
        here = sorted((row for row in rows if row["order"] == order), key=lambda row: row["parts"])
        parts = [row["parts"] for row in here]
        colour = f"C{number}"
        sizes.plot(parts, [row["ghosts_mean"] for row in here], "o", color=colour, label=f"order {order}, mean")
        sizes.plot(parts, [row["ghosts_max"] for row in here], "^", color=colour, alpha=0.5, label="most")
        if all("model" in row for row in here):
            sizes.plot(parts, [row["model"] for row in here], "-", color=colour, label="Eq. (3), fitted")
        neighbours.plot(parts, [row["neighbours_mean"] for row in here], "o-", color=colour, label=f"order {order}")
        neighbours.plot(parts, [row["neighbours_max"] for row in here], "^--", color=colour, alpha=0.5, label="most")
    for axis, name in ((sizes, "ghost points per part"), (neighbours, "neighbours per part")):
        axis.set_xscale("log", base=2)
        axis.set_xlabel("parts")
        axis.set_title(name, fontsize=10)
        axis.legend(fontsize=8, frameon=False)
        axis.grid(color="0.9")
        axis.spines[["top", "right"]].set_visible(False)
    sizes.set_yscale("log")
    figure.suptitle(f"A cylinder of {rows[0]['points']} points divided by METIS", fontsize=11)
    files.save(figure, path)
