"""The density as files for visualisation: Gaussian's cube and XCrySDen's XSF."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from wavegrid.crystal.elements import ELEMENTS
from wavegrid.discretisation import choose
from wavegrid.job.job import Job
from wavegrid.model.core_result import CoreResult
from wavegrid.units import BOHR_IN_ANGSTROM

_NAMES = ("density", "magnetisation")  # components in the core's order


class Box(NamedTuple):
    """Where the points of a field lie: at origin + i vectors[0] / nx + ..., bohr."""

    origin: np.ndarray
    vectors: np.ndarray  # rows
    periodic: list[bool]  # along each vector; the field is zero outside along the others


def files(job: Job, result: CoreResult) -> dict[str, Callable[[], bytes]]:
    """Return name and content of each file of the job's format: the density, and with spin the magnetisation."""
    return {
        f"{name}.{job.density}": partial(render, job, np.asarray(field), _box(job, result), name)
        for name, field in zip(_NAMES, [] if result.density is None else result.density, strict=False)
    }


def _box(job: Job, result: CoreResult) -> Box:
    """Return where the points of the density lie."""
    origin, vectors, periodic = choose.from_problem(job.problem).field_box(job.problem, result)
    return Box(np.array(origin), np.array(vectors), periodic)


def render(job: Job, field: np.ndarray, box: Box, name: str) -> bytes:
    """Return a field (nx, ny, nz), electrons/bohr^3, in the job's format."""
    lines = _cube(job, field, box, name) if job.density == "cube" else _xsf(job, field, box, name)
    return "\n".join(lines).encode() + b"\n"


def _cube(job: Job, field: np.ndarray, box: Box, name: str) -> list[str]:
    """Lengths in bohr, the field as it is, z fastest, six values on a line, a new line after each row along z."""
    lines = [f"{' '.join(job.title.split())}", f"{name}, electrons/bohr^3, by wavegrid"]
    lines.append(_row(len(job.problem["atoms"]), box.origin))
    steps = box.vectors / np.array(field.shape)[:, None]
    lines += [_row(count, step) for count, step in zip(field.shape, steps, strict=True)]
    for symbol, position in _atoms(job):
        number = ELEMENTS[symbol].number
        lines.append(_row(number, [float(number), *position]))
    for row in field.reshape(-1, field.shape[2]):
        lines += _numbers(row)
    return lines


def _xsf(job: Job, field: np.ndarray, box: Box, name: str) -> list[str]:
    """Lengths in Angstrom; a general grid: the first point of each axis, or zero, is repeated at its end, x fastest."""
    vectors = [_row(None, vector * BOHR_IN_ANGSTROM) for vector in box.vectors]
    atoms = list(_atoms(job))
    lines = [f"# {' '.join(job.title.split())}", f"# {name}, by wavegrid"]
    lines += ["CRYSTAL", "PRIMVEC", *vectors, "PRIMCOORD", f"{len(atoms)} 1"] if any(box.periodic) else ["ATOMS"]
    lines += [_row(ELEMENTS[symbol].number, np.array(place) * BOHR_IN_ANGSTROM) for symbol, place in atoms]
    whole = field
    for axis, periodic in enumerate(box.periodic):
        ends = [(0, int(axis == other)) for other in range(3)]
        whole = np.pad(whole, ends, mode="wrap" if periodic else "constant")
    lines += ["BEGIN_BLOCK_DATAGRID_3D", f"{name}_electrons_per_bohr3", f"BEGIN_DATAGRID_3D_{name}"]
    lines += [" ".join(map(str, whole.shape)), _row(None, box.origin * BOHR_IN_ANGSTROM), *vectors]
    lines += _numbers(whole.ravel(order="F"))
    return [*lines, "END_DATAGRID_3D", "END_BLOCK_DATAGRID_3D"]


def _atoms(job: Job) -> Iterable[tuple[str, np.ndarray]]:
    """Symbol and place (bohr) of each atom."""
    cell = np.array(job.problem["cell"])
    for species, *position in job.problem["atoms"]:
        yield job.problem["species"][species], np.array(position) @ cell


def _row(count: int | None, numbers: Iterable[float]) -> str:
    head = "" if count is None else f"{count:5d}"
    return head + "".join(f"{number:14.8f}" for number in numbers)


def _numbers(values: np.ndarray, per_line: int = 6) -> list[str]:
    cells = [f"{value:16.8E}" for value in values.tolist()]
    return ["".join(cells[i : i + per_line]) for i in range(0, len(cells), per_line)]
