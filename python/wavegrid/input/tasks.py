"""The task of an input file: what is computed, and the data that it needs."""

import importlib.util
from typing import Any

from wavegrid.errors import EnvironmentFault
from wavegrid.input.document import Document
from wavegrid.input.models import DOS_WIDTH, MD_TOLERANCE, WINDOW, Input, Md, Relax
from wavegrid.launch.job import MOTION
from wavegrid.units import ENERGY_UNITS, parse_measure

# Ha/bohr per root of Ha: the largest error of a force over the root of the energy's, in tests (docs/input.md), is 0.3;
# the tolerance of a relaxation leaves a tenth of the force tolerance to it.
_FORCE_ERROR = 3.0
# Keys of [task] and the kinds of tasks that have them.
_OF_SPECTRA = {"width": ("dos",), "points": ("dos",), "window": ("bands", "dos")}
_LEAST_TOLERANCE, _MOST_TOLERANCE = 1e-12, 1e-7  # Ha


def kind_of(spec: Input) -> str:
    """Return what an input asks for."""
    points = spec.electrons.kpoints
    if spec.task.kind is not None:
        return spec.task.kind
    if given := [kind for kind in MOTION if kind in spec.model_fields_set]:
        return given[0]
    return "bands" if points is not None and points.path is not None else "scf"


def describe(document: Document, spec: Input, path: dict[str, Any] | None, atoms: int) -> dict[str, Any]:
    """Return the task: its kind and the data that it needs; `path`: the band path, `atoms`: how many there are."""
    kind, window = kind_of(spec), spec.task.window or usual_window()
    _check_sections(document, spec, kind)
    if kind != "scf" and importlib.util.find_spec("matplotlib") is None:
        raise EnvironmentFault(
            f'[task] kind = "{kind}" needs matplotlib, which is not installed; pip install matplotlib'
        )
    if kind == "bands":
        return {"kind": kind, "path": path, "window": window}
    if kind == "dos":
        smearing = None if spec.electrons.smearing is None else spec.electrons.smearing.model_dump()
        width = spec.task.width or (DOS_WIDTH if smearing is None else smearing["width"])
        return {"kind": kind, "width": width, "points": spec.task.points, "smearing": smearing, "window": window}
    if kind in MOTION:
        settings: Relax | Md = getattr(spec, kind)
        _check_fixed(document, spec, kind, settings.fixed_atoms or [], atoms)
        return {"kind": kind, **settings.model_dump()}
    return {"kind": kind}


def usual_window() -> list[float]:
    """Return the energies that plots show by default, Ha from the Fermi level or the middle of the gap."""
    return [parse_measure(energy, ENERGY_UNITS) for energy in WINDOW]


def energy_tolerance(spec: Input, atoms: int) -> float:
    """Return the tolerance of the energy, Ha: as given, else what the task needs.

    The energy's error is that of all atoms together, the force's that of one.
    """
    kind = kind_of(spec)
    if "energy_tolerance" in spec.scf.model_fields_set or kind not in MOTION:
        return spec.scf.energy_tolerance
    if kind == "md":
        return MD_TOLERANCE
    return min(_MOST_TOLERANCE, max(_LEAST_TOLERANCE, atoms * (spec.relax.force_tolerance / _FORCE_ERROR) ** 2))


def _check_sections(document: Document, spec: Input, kind: str) -> None:
    """Refuse what belongs to another task."""
    for name, kinds in _OF_SPECTRA.items():
        if name in spec.task.model_fields_set and kind not in kinds:
            valid = " or ".join(f'"{one}"' for one in kinds)
            raise document.error(
                ("task", name), f"'{name}' with kind = \"{kind}\"; valid: with kind = {valid}, or no {name}"
            )
    for name in MOTION:
        if name in spec.model_fields_set and name != kind:
            raise document.error(
                (name,), f'a section [{name}] with [task] kind = "{kind}"; valid: kind = "{name}", or no [{name}]'
            )
    if kind == "relax":
        _check_cell(document, spec.relax)


def _check_cell(document: Document, relax: Relax) -> None:
    """Refuse what only cells that can change have."""
    needs = {"strain": ("free",), "pressure": ("free", "isotropic"), "stress_tolerance": ("free", "isotropic")}
    needs["stress_tolerance"] += ("fixed-volume",)
    for name, cells in needs.items():
        if name in relax.model_fields_set and relax.cell not in cells:
            valid = " or ".join(f'"{cell}"' for cell in cells)
            raise document.error(
                ("relax", name), f"'{name}' with cell = \"{relax.cell}\"; valid: cell = {valid}, or no {name}"
            )
    if relax.strain is not None and not any(relax.strain):
        raise document.error(("relax", "strain"), 'no component is free; valid: at least one true, or cell = "fixed"')


def _check_fixed(document: Document, spec: Input, kind: str, fixed: list[int], atoms: int) -> None:
    seen: set[int] = set()
    for index, number in enumerate(fixed):
        if number > atoms or number in seen:
            found = f"there is no atom {number}" if number > atoms else f"atom {number} twice"
            raise document.error((kind, "fixed_atoms", index), f"{found}; valid: each atom from 1 to {atoms} once")
        seen.add(number)
    if fixed and kind == "md" and spec.md.ensemble == "nose-hoover":  # it counts 3 degrees for each atom
        raise document.error(
            (kind, "fixed_atoms"), 'fixed_atoms with the Nose-Hoover chain; valid: ensemble = "nve" or "langevin"'
        )
    if len(fixed) == atoms and kind == "md":
        raise document.error((kind, "fixed_atoms"), "all atoms are fixed; valid: at least one that moves")
