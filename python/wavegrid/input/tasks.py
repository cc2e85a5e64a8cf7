"""The task of an input file: what is computed, and the data that it needs."""

import importlib.util
from typing import Any

from wavegrid.base.text import counted
from wavegrid.crystal.fixed_coordinates import FixedCoordinates
from wavegrid.errors import EnvironmentFault
from wavegrid.input import series
from wavegrid.input.document import Document
from wavegrid.input.initial_state import InitialState
from wavegrid.input.locate import KeyPath
from wavegrid.input.models import (
    DIFFERENCE_TOLERANCE,
    DOS_WIDTH,
    HUBBARD_TOLERANCE,
    MD_TOLERANCE,
    PROPAGATE_TOLERANCE,
    WINDOW,
    Input,
    Relax,
)
from wavegrid.input.structure import Crystal
from wavegrid.model.names import TETRAHEDRA
from wavegrid.model.tasks import ANISOTROPY, HUBBARD_U, SECTIONS, SERIES, WITHOUT_PLOT
from wavegrid.units import ENERGY_UNITS, parse_measure

# Ha/bohr per root of Ha: the largest error of a force over the root of the energy's, in tests (docs/input.md), is 0.3;
# the tolerance of a relaxation leaves a tenth of the force tolerance to it.
_FORCE_ERROR = 3.0
# Keys of [task] and the kinds of tasks that have them.
_SPECTRA_KEYS = {
    "projections": ("bands", "dos"),
    "width": ("dos",),
    "broadening": ("dos",),
    "points": ("dos",),
    "window": ("bands", "dos"),
    "extrema": ("bands",),
    "shift": (HUBBARD_U,),
}
_WITH_FIXED_ATOMS = ("relax", "md")
_LEAST_TOLERANCE, _MOST_TOLERANCE = 1e-12, 1e-7  # Ha


def kind_of(spec: Input) -> str:
    """Return what an input asks for."""
    points = spec.electrons.kpoints
    if spec.task.kind is not None:
        return spec.task.kind
    if given := [kind for kind in SECTIONS if kind in spec.model_fields_set]:
        return given[0]
    return "bands" if points is not None and points.path is not None else "scf"


def describe(
    document: Document,
    spec: Input,
    path: dict[str, Any] | None,
    crystal: Crystal,
    notes: list[str],
    *,
    continued: bool = False,
) -> dict[str, Any]:
    """Return the task: its kind and the data that it needs.

    `path`: the band path; `continued`: dynamics go on from a trajectory, with its velocities.
    """
    kind, window = kind_of(spec), spec.task.window or usual_window()
    _check_sections(document, spec, kind)
    if kind not in WITHOUT_PLOT and importlib.util.find_spec("matplotlib") is None:
        raise EnvironmentFault(
            f'[task] kind = "{kind}" needs matplotlib, which is not installed; pip install matplotlib'
        )
    if kind == "md":
        from wavegrid.input import dynamics  # imports ASE

        kept = fixed(document, spec, crystal, [])
        in_potential = spec.external is not None and spec.external.potential is not None
        start = dynamics.start(document, spec.md, crystal, kept, notes, continued=continued, in_potential=in_potential)
        return {"kind": kind, **spec.md.model_dump(), **start}
    moves = kind == "propagate" and spec.propagate.ions
    notes += [] if moves else _unused(crystal.initial)
    if kind == "bands":
        return {"kind": kind, "path": path, "window": window}
    if kind == "dos":
        smearing = None if spec.electrons.smearing is None else spec.electrons.smearing.model_dump()
        figures = {"points": spec.task.points, "smearing": smearing, "window": window}
        return {"kind": kind, **_broadening(document, spec), **figures}
    if kind == "relax":
        _check_directions(document, spec, fixed(document, spec, crystal, []))
        return {"kind": kind, **spec.relax.model_dump()}
    if kind in SERIES:
        return {"kind": kind, **series.describe(document, spec, kind, crystal, notes)}
    if kind == "wannier":
        _check_guesses(document, spec)
        return {"kind": kind, **spec.wannier.model_dump()}
    if kind == ANISOTROPY:
        _check_anisotropy(document, spec)
        return {"kind": kind, **spec.anisotropy.model_dump()}
    if kind == HUBBARD_U:
        _check_shells(document, spec)
        return {"kind": kind, "shift": spec.task.shift}
    if kind == "propagate":
        _check_fields(document, spec)
        if moves and crystal.initial.fixed is not None:
            raise document.error(
                ("propagate", "ions"), f"ions = true with fixed atoms of {crystal.initial.source}; valid: none fixed"
            )
    return {"kind": kind}


def fixed(document: Document, spec: Input, crystal: Crystal, notes: list[str]) -> FixedCoordinates | None:
    """Return what atoms keep: as the input says, else as the structure does; None where all move."""
    kind, atoms, structure_fixed = kind_of(spec), len(crystal.symbols), crystal.initial.fixed
    numbers = getattr(spec, kind).fixed_atoms if kind in _WITH_FIXED_ATOMS else None
    if numbers is None:
        if structure_fixed is not None and kind in _WITH_FIXED_ATOMS:
            notes.append(f"{crystal.initial.source}: {_counts(structure_fixed)}")
        return structure_fixed
    _check_numbers(document, kind, numbers, atoms)
    found = FixedCoordinates.of_atoms(numbers, atoms)
    if structure_fixed not in (None, found):
        notes.append(f"{crystal.initial.source}: not used: constraints, replaced by [{kind}] fixed_atoms")
    return found if found.any() else None


def _counts(kept: FixedCoordinates) -> str:
    """Return how many atoms are fixed, as a note says it."""
    words = [f"{counted(len(whole), 'atom')} fixed"] if (whole := kept.whole()) else []
    words += [f"{counted(len(partial), 'atom')} fixed along some directions"] if (partial := kept.partial()) else []
    return ", ".join(words)


def usual_window() -> list[float]:
    """Return the energies that plots show by default, Ha from the Fermi level or the middle of the gap."""
    return [parse_measure(energy, ENERGY_UNITS) for energy in WINDOW]


def energy_tolerance(spec: Input, atoms: int) -> float:
    """Return the tolerance of the energy, Ha: as given, else what the task needs.

    The energy's error is that of all atoms together, the force's that of one.
    """
    kind = kind_of(spec)
    if "energy_tolerance" in spec.scf.model_fields_set or kind not in (*SECTIONS, "born", HUBBARD_U):
        return spec.scf.energy_tolerance
    if kind == HUBBARD_U:
        return HUBBARD_TOLERANCE
    if kind in ("propagate", "born"):
        return PROPAGATE_TOLERANCE
    if kind == "md":
        return MD_TOLERANCE
    if kind == "eos":
        return spec.scf.energy_tolerance
    if kind in ("relax", "neb"):
        force = (spec.relax if kind == "relax" else spec.neb).force_tolerance
        return min(_MOST_TOLERANCE, max(_LEAST_TOLERANCE, atoms * (force / _FORCE_ERROR) ** 2))
    return DIFFERENCE_TOLERANCE


def _broadening(document: Document, spec: Input) -> dict[str, Any]:
    """Return kind and width of the broadening of a density of states."""
    smearing = spec.electrons.smearing
    width = None if smearing is None else smearing.width
    kind = spec.task.broadening or (
        "gaussian" if smearing is None or smearing.kind not in TETRAHEDRA else smearing.kind
    )
    if kind not in TETRAHEDRA:
        return {"broadening": kind, "width": spec.task.width or width or DOS_WIDTH}
    if spec.task.width is not None:
        raise document.error(("task", "width"), f'width with "{kind}"; valid: without it, or broadening = "gaussian"')
    points = spec.electrons.kpoints
    if points is None or points.list is not None:
        raise document.error(("task", "broadening"), f'"{kind}" needs a mesh of k-points; valid: one, or "gaussian"')
    return {"broadening": kind, "width": 0.0}


def _check_sections(document: Document, spec: Input, kind: str) -> None:
    """Refuse what belongs to another task."""
    for name, kinds in _SPECTRA_KEYS.items():
        if name in spec.task.model_fields_set and kind not in kinds:
            valid = " or ".join(f'"{one}"' for one in kinds)
            raise document.error(
                ("task", name), f"'{name}' with kind = \"{kind}\"; valid: with kind = {valid}, or no {name}"
            )
    for name in SECTIONS:
        if name in spec.model_fields_set and name != kind:
            raise document.error(
                (name,), f'a section [{name}] with [task] kind = "{kind}"; valid: kind = "{name}", or no [{name}]'
            )
    if kind == "relax":
        _check_cell(document, spec.relax)


def _check_fields(document: Document, spec: Input) -> None:
    """Refuse directions that are none."""
    kick = spec.propagate.kick
    given: list[tuple[KeyPath, list[float]]] = [] if kick is None else [(("propagate", "kick"), kick.direction)]
    given += [(("propagate", "laser", i), one.direction) for i, one in enumerate(spec.propagate.laser)]
    for key, direction in given:
        if not any(direction):
            raise document.error((*key, "direction"), "direction = [0, 0, 0]; valid: three numbers that are not all 0")


def _check_anisotropy(document: Document, spec: Input) -> None:
    """Refuse an anisotropy without spin-orbit coupling or moments, and directions that are none."""
    electrons, points = spec.electrons, spec.electrons.kpoints
    words = f'kind = "{ANISOTROPY}"'
    if electrons.spin != "noncollinear":
        raise document.error(("task", "kind"), f'{words} with spin = "{electrons.spin}"; valid: spin = "noncollinear"')
    if not electrons.spin_orbit:
        raise document.error(("task", "kind"), f"{words} without spin-orbit coupling; valid: spin_orbit = true")
    if spec.output.checkpoint is None:
        raise document.error(("output", "checkpoint"), f"{words} with checkpoint = false; valid: with one")
    for index, direction in enumerate(spec.anisotropy.directions):
        if not any(direction):
            key: KeyPath = ("anisotropy", "directions", index)
            raise document.error(key, "direction = [0, 0, 0]; valid: three numbers that are not all 0")
    if spec.anisotropy.meshes is not None and points is not None and points.list is not None:
        raise document.error(("anisotropy", "meshes"), "meshes with a list of k-points; valid: a mesh of k-points")


def _check_shells(document: Document, spec: Input) -> None:
    """Refuse a U by linear response without shells or a checkpoint."""
    words = f'kind = "{HUBBARD_U}"'
    if spec.electrons.hubbard is None:
        raise document.error(
            ("task", "kind"), f'{words} without [electrons.hubbard]; valid: its shells, with u = "0 eV" or another one'
        )
    if spec.output.checkpoint is None:
        raise document.error(("output", "checkpoint"), f"{words} with checkpoint = false; valid: with one")


def _check_guesses(document: Document, spec: Input) -> None:
    """Refuse Wannier functions without first guesses, with two kinds of them, and without a checkpoint."""
    given = spec.wannier
    if bool(given.projections) == (given.scdm is not None):
        words = "two kinds of" if given.projections else "no"
        named = [name for name in ("projections", "scdm") if name in given.model_fields_set]
        raise document.error(("wannier", *named[:1]), f"{words} first guesses; valid: projections, or scdm")
    if spec.output.checkpoint is None:
        raise document.error(("output", "checkpoint"), "Wannier functions with checkpoint = false; valid: with one")


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


def _check_numbers(document: Document, kind: str, numbers: list[int], atoms: int) -> None:
    seen: set[int] = set()
    for index, number in enumerate(numbers):
        if number > atoms or number in seen:
            found = f"there is no atom {number}" if number > atoms else f"atom {number} twice"
            raise document.error((kind, "fixed_atoms", index), f"{found}; valid: each atom from 1 to {atoms} once")
        seen.add(number)


def _check_directions(document: Document, spec: Input, kept: FixedCoordinates | None) -> None:
    """Refuse what leaves nothing to relax, and directions that the optimiser or the changing cell has no place for."""
    if kept is not None and len(kept.whole()) == len(kept.fractional) and spec.relax.cell == "fixed":
        key = ("relax", "fixed_atoms") if spec.relax.fixed_atoms else ("relax",)
        raise document.error(
            key, "all atoms are fixed, and the cell is; valid: at least one atom that moves, or a cell"
        )
    partial = kept.partial() if kept is not None else []
    if partial and spec.relax.optimizer == "lbfgs":
        raise document.error(
            ("relax", "optimizer"),
            f'optimizer = "lbfgs" with atom {partial[0] + 1} fixed along single directions; valid: "bfgs", "fire", or '
            "whole atoms fixed",
        )
    along_axes = [index for index in partial if kept is not None and any(kept.cartesian[index])]
    if along_axes and spec.relax.cell != "fixed":
        raise document.error(
            ("relax", "cell"),
            f'cell = "{spec.relax.cell}" with atom {along_axes[0] + 1} fixed along Cartesian axes that are no lattice '
            'vectors; valid: cell = "fixed", or atoms fixed along lattice vectors',
        )


def _unused(initial: InitialState) -> list[str]:
    """Return the note on what only dynamics use."""
    moving = initial.momenta is not None and any(map(any, initial.momenta))
    names = [name for name, given in (("velocities", moving), ("masses", initial.masses)) if given]
    return [f"{initial.source}: not used: {' and '.join(names)}, which only dynamics have"] if names else []
