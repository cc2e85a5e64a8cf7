"""Plots partitions of meshes: a plane of points by owner with the ghost points of one part, and all parts in space."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wavegrid.base.text import counted
from wavegrid.partition.mesh import Mesh, Row
from wavegrid.plots import files

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PANELS = 12
_MOST_DRAWN = 20_000  # points in a panel in space


def save(mesh: Mesh, rows: list[Row], plot: Path) -> None:
    """Draw the partitions of `rows` (see `mesh.figures`) on one page and write it."""
    files.save(draw(mesh, rows), plot)


def draw(mesh: Mesh, rows: list[Row]) -> "Figure":
    """Return the page: a line for each partition, the plane on the left and the parts in space on the right."""
    figure = files.new_figure(11, 0.6 + 4.9 * len(rows))
    title = f"{mesh.title}: {counted(mesh.graph.num_points, 'point')}, differences of order {mesh.order}"
    files.set_title(figure, title)
    points = np.asarray(mesh.graph.points())
    for line, row in enumerate(rows):
        plane = figure.add_subplot(len(rows), 2, 2 * line + 1)
        space = figure.add_subplot(len(rows), 2, 2 * line + 2, projection="3d")
        _draw_plane(plane, mesh, points, row)
        _draw_space(space, mesh, points, row)
    return figure


def _colours(parts: int) -> Any:
    """Return a colour for each part; neighbouring numbers differ."""
    from matplotlib import colormaps

    hues = colormaps["tab20" if parts > 10 else "tab10"]
    return np.array([hues(part % hues.N) for part in range(parts)])


def _plane(mesh: Mesh, points: np.ndarray) -> tuple[int, int]:
    """Return the direction across which the atoms extend least, and the plane of points through their middle."""
    middle = mesh.positions.mean(axis=0)
    extent = np.abs((mesh.positions - middle) @ np.linalg.inv(mesh.steps)).max(axis=0)
    direction = int(np.argmin(extent))
    index = (middle @ np.linalg.inv(mesh.steps))[direction]
    layers = np.unique(points[:, direction])
    return direction, int(layers[np.argmin(np.abs(layers - index))])


def _ghosts(mesh: Mesh, points: np.ndarray, owner: np.ndarray, part: int) -> np.ndarray:
    """Return the points of other parts within the reach of the differences of `part`, along the steps of the mesh."""
    place = {tuple(point): number for number, point in enumerate(points.tolist())}
    found = set()
    for point in points[owner == part].tolist():
        for axis in range(3):
            for move in (*range(-(mesh.order // 2), 0), *range(1, mesh.order // 2 + 1)):
                other = list(point)
                other[axis] += move
                number = place.get(tuple(other))
                if number is not None and owner[number] != part:
                    found.add(number)
    return np.array(sorted(found), dtype=int)


def _draw_plane(axis: "Axes", mesh: Mesh, points: np.ndarray, row: Row) -> None:
    direction, index = _plane(mesh, points)
    owner = np.asarray(row["owner"])
    inside = points[:, direction] == index
    across, up = _flat(mesh, direction)
    shown = points[inside] @ mesh.steps
    colours = _colours(row["ranks"])
    size = max(1.0, (260.0 / np.sqrt(1.3 * inside.sum())) ** 2)  # points of the panel's side over those of the plane
    axis.scatter(shown @ across, shown @ up, c=colours[owner[inside]], s=size, marker="s", linewidths=0)
    here, counts = np.unique(owner[inside], return_counts=True)
    part = int(here[np.argmax(counts)])
    ghosts = _ghosts(mesh, points[inside], owner[inside], part)
    if len(ghosts):
        at = shown[ghosts]
        axis.scatter(at @ across, at @ up, c="black", s=size * 0.15, marker="o", linewidths=0)
    for position in mesh.positions:
        axis.plot(position @ across, position @ up, "o", color="white", markeredgecolor="black", markersize=6)
    axis.set_aspect("equal")
    axis.set_xlabel("bohr", fontsize=8)
    axis.set_title(
        f"{row['scheme']}, {counted(row['ranks'], 'rank')}: plane {index} of direction {direction + 1}\n"
        f"black: ghost points of rank {part} in this plane; circles: atoms",
        fontsize=9,
    )
    axis.tick_params(labelsize=7)
    axis.spines[["top", "right"]].set_visible(False)


def _flat(mesh: Mesh, direction: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two orthogonal unit vectors in the plane of the other two steps."""
    one, two = (mesh.steps[d] for d in range(3) if d != direction)
    across = one / np.linalg.norm(one)
    up = two - (two @ across) * across
    return across, up / np.linalg.norm(up)


def _draw_space(axis: Any, mesh: Mesh, points: np.ndarray, row: Row) -> None:
    chosen = np.arange(len(points))
    if len(chosen) > _MOST_DRAWN:
        chosen = np.random.default_rng(1).choice(chosen, _MOST_DRAWN, replace=False)
    shown = points[chosen] @ mesh.steps
    axis.scatter(*shown.T, c=_colours(row["ranks"])[np.asarray(row["owner"])[chosen]], s=2, linewidths=0)
    axis.set_title(
        f"{row['points']} points, max/mean {row['imbalance']:.3f}, edge cut {row['edge_cut']}\n"
        f"ghosts {row['ghosts_mean']:.0f} (most {row['ghosts_max']}), "
        f"neighbours {row['neighbours_mean']:.1f} (most {row['neighbours_max']})",
        fontsize=9,
    )
    axis.tick_params(labelsize=6)
    axis.set_aspect("equal")
