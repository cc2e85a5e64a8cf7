"""Fields as files for visualisation: Gaussian's cube, XCrySDen's XSF, VASP's CHGCAR and LOCPOT."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from wavegrid.crystal.elements import ELEMENTS
from wavegrid.discretisation import choose
from wavegrid.export import vasp
from wavegrid.export.core_charge import Table, superposed
from wavegrid.files.names import VASP
from wavegrid.job.job import Job
from wavegrid.job.outputs import density_names, potential_names, step_file, step_format
from wavegrid.model.core_result import CoreResult
from wavegrid.model.part import Vector
from wavegrid.model.problem import field_grid
from wavegrid.model.reports import Activity
from wavegrid.units import BOHR_IN_ANGSTROM

_WORDS = {  # of units
    "electrons/bohr^3": "electrons_per_bohr3",
    "Ha": "in_hartree",
    "bohr^-3/2": "per_bohr_to_1.5",
    "bohr^-3": "per_bohr3",
    "1": "",
}


class Field(NamedTuple):
    """Values (nx, ny, nz) at the points origin + i vectors[0] / nx + ..., bohr, with name and unit."""

    name: str
    unit: str
    values: np.ndarray
    origin: np.ndarray
    vectors: np.ndarray  # rows
    periodic: list[bool]  # along each vector; the field is zero outside along the others


def files(job: Job, result: CoreResult) -> dict[str, Callable[[], bytes]]:
    """Return name and content of each file of density, magnetisation and potential, in the job's formats."""
    found: dict[str, Callable[[], bytes]] = {}
    if job.density is not None and result.density is not None:
        names = density_names(len(result.density))
        found |= _files(job, result.density, result.density_first, names, "electrons/bohr^3", job.density)
    if job.potential is not None and result.potential is not None:
        names = potential_names(job)
        found |= _files(job, result.potential, result.potential_first, names, "Ha", job.potential)
    return found


def density_of(job: Job, result: CoreResult) -> Field:
    """Return the density of electrons."""
    assert result.density is not None
    unit = "electrons/bohr^3"
    return next(iter(boxes(job, result.density[:1], result.density_first, ["density"], unit)))


def core_charge(job: Job, tables: Mapping[str, Table | None], grid: Sequence[int] | None = None) -> bytes:
    """Return the charge of core electrons, of tables by element, as VASP's AECCAR0; `grid`: without one the job's."""
    problem = job.problem
    of_atoms = [tables[problem["species"][species]] for species, *_ in problem["atoms"]]
    places = [place for _, *place in problem["atoms"]]
    field = superposed(np.array(problem["cell"]), places, of_atoms, grid or field_grid(problem))
    return _vasp(job, [field], "chgcar")


def at_step(job: Job, report: Activity) -> dict[str, bytes]:
    """Return name and content of each file of a density in time, if the report of a step has one."""
    if "density" not in report:
        return {}
    kind = step_format(job)
    names = density_names(len(report["density"]))
    fields = boxes(job, report["density"], report["density_first"], names, "electrons/bohr^3")
    return {step_file(field.name, report["done"], kind): render(job, field, kind) for field in fields}


def _files(
    job: Job, components: list[Any], first: Vector | None, names: Sequence[str], unit: str, kind: str
) -> dict[str, Callable[[], bytes]]:
    """Return name and content of the files of a field: one for each component, or VASP's with all."""
    fields = list(boxes(job, components, first, names, unit))
    if kind in VASP:
        return {kind.upper(): partial(_vasp, job, [field.values for field in fields], kind)}
    return {f"{field.name}.{kind}": partial(render, job, field, kind) for field in fields}


def _vasp(job: Job, fields: list[np.ndarray], kind: str) -> bytes:
    atoms, cell = job.problem["atoms"], np.array(job.problem["cell"])
    symbols = [job.problem["species"][species] for species, *_ in atoms]
    return vasp.render(job.title, cell, symbols, np.array([place for _, *place in atoms]), fields, kind)


def boxes(job: Job, components: list[Any], first: Vector | None, names: Sequence[str], unit: str) -> Iterable[Field]:
    """Yield the components by their names, in the box of their points."""
    discretisation = choose.from_problem(job.problem)
    for name, values in zip(names, map(np.asarray, components), strict=False):
        origin, vectors, periodic = discretisation.field_box(job.problem, first, values.shape)
        yield Field(name, unit, values, np.array(origin), np.array(vectors), periodic)


def render(job: Job, field: Field, kind: str) -> bytes:
    """Return a field in a format, "cube" or "xsf"."""
    lines = _cube(job, field) if kind == "cube" else _xsf(job, field)
    return "\n".join(lines).encode() + b"\n"


def _cube(job: Job, field: Field) -> list[str]:
    """Lengths in bohr, the field as it is, z fastest, six values on a line, a new line after each row along z."""
    shape = field.values.shape
    lines = [f"{' '.join(job.title.split())}", f"{field.name}, {field.unit}, by wavegrid"]
    lines.append(_row(len(job.problem["atoms"]), field.origin))
    steps = field.vectors / np.array(shape)[:, None]
    lines += [_row(count, step) for count, step in zip(shape, steps, strict=True)]
    for symbol, position in _atoms(job):
        number = ELEMENTS[symbol].number
        lines.append(_row(number, [float(number), *position]))
    for row in field.values.reshape(-1, shape[2]):
        lines += _numbers(row)
    return lines


def _xsf(job: Job, field: Field) -> list[str]:
    """Lengths in Angstrom; a general grid: the first point of each axis, or zero, is repeated at its end, x fastest."""
    vectors = [_row(None, vector * BOHR_IN_ANGSTROM) for vector in field.vectors]
    atoms = list(_atoms(job))
    lines = [f"# {' '.join(job.title.split())}", f"# {field.name}, by wavegrid"]
    lines += ["CRYSTAL", "PRIMVEC", *vectors, "PRIMCOORD", f"{len(atoms)} 1"] if any(field.periodic) else ["ATOMS"]
    lines += [_row(ELEMENTS[symbol].number, np.array(place) * BOHR_IN_ANGSTROM) for symbol, place in atoms]
    whole = field.values
    for axis, periodic in enumerate(field.periodic):
        ends = [(0, int(axis == other)) for other in range(3)]
        whole = np.pad(whole, ends, mode="wrap" if periodic else "constant")
    lines += [
        "BEGIN_BLOCK_DATAGRID_3D",
        f"{field.name}_{_WORDS[field.unit]}".strip("_"),
        f"BEGIN_DATAGRID_3D_{field.name}",
    ]
    lines += [" ".join(map(str, whole.shape)), _row(None, field.origin * BOHR_IN_ANGSTROM), *vectors]
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
