"""Remarks that only the numbers of a result allow. Ranks import this: no library."""

import math
from collections.abc import Iterator

from wavegrid.discretisation import choose
from wavegrid.input_warnings.remark import Remark
from wavegrid.model.core_result import CoreResult
from wavegrid.model.motion import Dynamics, EquationOfState, Relaxation
from wavegrid.model.problem import Problem
from wavegrid.model.series import ElasticConstants, Phonons, Vibrations
from wavegrid.results import advice
from wavegrid.results.gap import has_levels
from wavegrid.results.motion import IMAGINARY
from wavegrid.units import HARTREE_IN_EV, HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM

_CLOSED = 1e-4  # Ha; gaps below count as closed
_OCCUPIED = 1e-6  # of the largest occupation of a k-point
_UPHILL = 1e-6  # Ha per atom; smaller increases of an energy are rounding
_PEAK, _LOWEST_PEAK = 20, 6000  # times the temperature wanted, and K; three degrees of freedom reach it once in 1e12
_STRAINED = 0.02  # eV/Angstrom
_UNCERTAIN = 100.0  # 1/cm
_PRESSED = 1.0  # GPa
_LOST = 0.5  # of the largest kinetic energy


def remarks(problem: Problem, result: CoreResult) -> Iterator[Remark]:
    """Yield the remarks on a result of the core for its problem."""
    if problem["smearing"] is None and problem["occupations"] is None and has_levels(result):
        yield from _closed_gap(problem, result)
        yield from _moment_limited(problem, result)
    if result.relaxation is not None:
        yield from _uphill(problem, result.relaxation)
    if result.dynamics is not None:
        yield from _explosion(problem, result.dynamics)
    if result.equation_of_state is not None:
        yield from _curve(result.equation_of_state)
    if result.vibrations is not None:
        yield from _vibrations(result.vibrations)
    if result.phonons is not None:
        yield from _phonons(result.phonons)
    if result.elastic is not None:
        yield from _elastic(result.elastic)


def _closed_gap(problem: Problem, result: CoreResult) -> Iterator[Remark]:
    """With fixed occupations, an empty level that is not above all occupied ones shows a metal."""
    edges = _band_edges(result)
    if problem["total_magnetisation"] is None:  # the levels of both spins are filled to the same energy
        edges = [(max(top for top, _ in edges), min(bottom for _, bottom in edges))]
    gap = min(bottom - top for top, bottom in edges)
    if gap < _CLOSED:
        free = _has_free_moment(problem, result)
        held = ", or hold the moment of an atom or a molecule by total_magnetisation" if free else ""
        yield Remark(
            "gap_closed_with_fixed_occupations",
            f"the lowest empty level lies {abs(gap) * HARTREE_IN_EV:.3f} eV {'below' if gap < 0 else 'above'} the "
            "highest occupied one: this is no insulator, and fixed occupations give a wrong density; use smearing"
            + held,
        )


def _uphill(problem: Problem, relaxation: Relaxation) -> Iterator[Remark]:
    """A relaxation lowers the energy; where it did not, forces or stress are not those of this energy."""
    change = relaxation.change_from_start or 0.0
    if change > max(_UPHILL * len(problem["atoms"]), 10 * problem["energy_tolerance"]):
        finer = choose.from_problem(problem).finer_key
        of_cell = (
            f"; the stress is not that of this energy: use a {finer}, or [relax] strain to keep the cell along vacuum"
        )
        yield Remark(
            "relaxation_ended_above_its_start",
            f"the relaxation ended {change * HARTREE_IN_EV:.4f} eV above its start"
            + (of_cell if relaxation.geometries[-1].volume is not None else "; use a smaller energy_tolerance"),
        )


def _explosion(problem: Problem, dynamics: Dynamics) -> Iterator[Remark]:
    """Too large a time step feeds energy to the atoms: they heat up, and what should be conserved is not."""
    steps = dynamics.steps
    hottest = max((step.temperature for step in steps), default=0.0)
    expected = max(
        _LOWEST_PEAK, _PEAK * (dynamics.temperature or 0.0), _PEAK * (steps[0].temperature if steps else 0.0)
    )
    if not hottest <= expected:
        yield Remark(
            "dynamics_heated_up",
            f"the temperature of the dynamics reached {hottest:.3g} K: too large a time step, or a start that is far "
            "from a minimum of the energy; use a smaller [md] timestep, or relax the start",
        )
    kinetic = max((step.kinetic_energy for step in steps), default=0.0)
    conserved = [step.conserved for step in steps if step.conserved is not None]
    change = max(conserved) - min(conserved) if conserved else 0.0
    if change > max(_LOST * kinetic, _UPHILL * len(problem["atoms"])):
        yield Remark(
            "energy_of_dynamics_not_conserved",
            f"the conserved energy of the dynamics changed by {change * HARTREE_IN_EV:.3g} eV, the kinetic energy is "
            f"at most {kinetic * HARTREE_IN_EV:.3g} eV: use a smaller [md] timestep or a smaller energy_tolerance",
        )


def _curve(part: EquationOfState) -> Iterator[Remark]:
    """A curve is extrapolated where its minimum is outside; atoms that forces act on would move at each volume."""
    if part.fit is not None and not part.fit.minimum_in_range:
        yield Remark(
            "equation_of_state_without_minimum",
            "the minimum of the equation of state lies outside its volumes, and volume and bulk modulus are "
            "extrapolated; move [eos] volumes",
        )
    force = max((one.largest_force for one in part.volumes), default=0.0) * HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM
    if force > _STRAINED:
        yield Remark(
            "equation_of_state_with_forces",
            f"the largest force of the equation of state is {force:.3f} eV/Angstrom: the fractional coordinates stay, "
            'and the atoms would move at each volume; relax each of them by [relax] cell = "fixed-volume"',
        )


def _elastic(part: ElasticConstants) -> Iterator[Remark]:
    """Constants are those of a crystal without stress, whose atoms are relaxed, and which is stable."""
    pressure = max(map(abs, part.cells[0].stress_GPa or []), default=0.0) if part.cells else 0.0
    if pressure > _PRESSED:
        yield Remark(
            "elastic_constants_under_stress",
            f"the cell without strain has a stress of {pressure:.2f} GPa, by which the constants differ from those of "
            'the relaxed crystal; relax it by [relax] cell = "free"',
        )
    if not all(cell.relaxed for cell in part.cells):
        yield Remark(
            "strained_cells_not_relaxed",
            "atoms of strained cells are not relaxed to [elastic] force_tolerance; raise max_steps, or relax = false "
            "for constants with clamped atoms",
        )
    if part.stable is False:
        yield Remark(
            "crystal_not_stable",
            "a combination of elastic constants is negative: the crystal is not stable, or the stresses are too "
            "inaccurate; lower [scf] energy_tolerance",
        )


def _unrelaxed(residual_force: float | None) -> str:
    """Return what a force (Ha/bohr) without displacements means, "" where it is small."""
    force = (residual_force or 0.0) * HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM
    if force <= _STRAINED:
        return ""
    return f"a force of {force:.3f} eV/Angstrom acts on an atom without displacement; relax the structure before"


def _phonons(part: Phonons) -> Iterator[Remark]:
    """Frequencies are those of a relaxed crystal that is stable."""
    if words := _unrelaxed(part.residual_force):
        yield Remark("phonons_of_unrelaxed_atoms", words)
    if (part.lowest_frequency_THz or 0.0) < -IMAGINARY:
        yield Remark(
            "imaginary_frequencies",
            f"frequencies are imaginary, up to {-(part.lowest_frequency_THz or 0.0):.2f} THz: the structure is not "
            "stable, or not relaxed, or the supercell is too small",
        )


def _vibrations(part: Vibrations) -> Iterator[Remark]:
    """Modes are those of relaxed atoms; a mesh has to be fine enough for them."""
    if words := _unrelaxed(part.residual_force):
        yield Remark("vibrations_of_unrelaxed_atoms", words)
    errors = [mode.egg_box_error_per_cm or 0.0 for mode in part.modes or []]
    if max(errors, default=0.0) > _UNCERTAIN:
        yield Remark(
            "vibrations_on_a_coarse_mesh",
            f"by the egg-box effect of the mesh a frequency may be wrong by {max(errors):.0f} 1/cm; use a smaller "
            "spacing",
        )


def _moment_limited(problem: Problem, result: CoreResult) -> Iterator[Remark]:
    """With fixed occupations and a free moment, a full highest band of a spin may keep the moment small."""
    if result.moment_limited:
        yield Remark(
            "moment_limited_by_bands",
            f"the highest of {result.num_bands} bands of a spin is full: with more bands the moment may be larger "
            f"and the energy lower; {advice.more_bands(problem)}, or hold the moment by total_magnetisation",
        )


def _has_free_moment(problem: Problem, result: CoreResult) -> bool:
    return problem["total_magnetisation"] is None and len(result.occupations) == 2


def _band_edges(result: CoreResult) -> list[tuple[float, float]]:
    """Return for each spin the highest occupied and the lowest empty level (Ha) on the mesh and the band path.

    They are infinite where no band is occupied or none is empty.
    """
    edges = []
    for spin, electrons in enumerate(result.occupations):
        filled = max(sum(share > _OCCUPIED * max(of_k) for share in of_k) if max(of_k) > 0 else 0 for of_k in electrons)
        levels = list(result.eigenvalues[spin])
        if result.path is not None:
            levels += result.path.eigenvalues[spin]
        top = max(of_k[filled - 1] for of_k in levels) if filled else -math.inf
        bottom = min(of_k[filled] if filled < len(of_k) else math.inf for of_k in levels)
        edges.append((top, bottom))
    return edges
