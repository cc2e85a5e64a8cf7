"""What `wavegrid plan` shows."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table

from wavegrid.base.text import duration
from wavegrid.job.job import Job
from wavegrid.planning import model
from wavegrid.planning.model import Nodes, Row


def as_json(job: Job, found: list[Row], nodes: Nodes) -> dict[str, Any]:
    """Return everything as plain data."""
    return {
        "network": asdict(nodes.network),
        "cores_per_node": nodes.cores,
        "memory_per_node": nodes.memory,
        "factor": model.FACTOR,
        **job.density_cutoff(),
        "rows": [asdict(row) for row in found],
        "advice": model.advice(found, nodes),
    }


def table(job: Job, found: list[Row], nodes: Nodes) -> Table:
    """Return a line for each number of nodes."""
    shown = Table(title=f"{job.title or job.file}: predicted for nodes of {nodes.cores} cores, {nodes.network.name}")
    for name in ("nodes", "ranks", "time", "communication", "efficiency", "messages per step", "GB per node"):
        shown.add_column(name, justify="right")
    shown.add_column("k-points x bands x grid")
    shown.add_column("partition")
    for row in found:
        shown.add_row(
            str(row.nodes),
            str(row.ranks),
            duration(row.seconds),
            f"{100 * row.communication / row.seconds:.0f}%",
            f"{100 * row.efficiency:.0f}%",
            str(row.messages),
            f"{row.bytes_per_node / 1e9:.2f}",
            row.layout(),
            row.partition,
        )
    return shown


def lines(job: Job, found: list[Row], nodes: Nodes) -> list[str]:
    """Return the sentences below the table."""
    density = job.density_cutoff()
    said = [f"cutoff of the density: {' Ha: '.join(map(str, density.values()))}"] if len(density) > 1 else []
    said += [f"from counted work and messages: times may be wrong by a factor of {model.FACTOR}, their ratios by less"]
    for name, part in (("k-point groups", "kpoint_groups"), ("band groups", "band_groups"), ("grid ranks", "columns")):
        used = [row.nodes for row in found if getattr(row, part) > 1]
        if used and used[0] > found[0].nodes:
            said.append(f"{name} from {used[0]} nodes on")
    slower = next((b.nodes for a, b in zip(found, found[1:], strict=False) if b.seconds > a.seconds), None)
    if slower:
        said.append(f"slower again from {slower} nodes on")
    return [*said, model.advice(found, nodes)]


def save(path: Path, job: Job, found: list[Row], nodes: Nodes) -> None:
    """Draw time and efficiency over the nodes."""
    from wavegrid.plots import files

    figure = files.new_figure(6.4, 4.2)
    axis = figure.subplots()
    counts = [row.nodes for row in found]
    axis.loglog(counts, [row.seconds for row in found], "o-", color="#08519c", markersize=4, label="predicted")
    axis.loglog(
        counts, [row.communication for row in found], "s--", color="#d94801", markersize=3, label="communication"
    )
    ideal = [found[0].seconds * counts[0] / count for count in counts]
    axis.loglog(counts, ideal, ":", color="grey", linewidth=1, label="ideal")
    low, high = ([row.seconds * by for row in found] for by in (1 / model.FACTOR, model.FACTOR))
    axis.fill_between(counts, low, high, color="#08519c", alpha=0.12, linewidth=0)
    axis.set_xticks(counts, [str(count) for count in counts])
    axis.set_xlabel(f"nodes of {nodes.cores} cores, {nodes.network.name}")
    axis.set_ylabel("seconds (predicted)")
    axis.set_title(job.title or Path(job.file).name, fontsize=11)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=9)
    files.save(figure, path)
