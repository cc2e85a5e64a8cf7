"""What to change where a run has not converged, derived from the errors of its steps."""

import math
import re
from typing import Any

from wavegrid.model.core_result import CoreResult
from wavegrid.model.names import TETRAHEDRA
from wavegrid.model.problem import Problem
from wavegrid.model.reports import Step
from wavegrid.units import HARTREE_IN_EV

_LATEST = 8  # steps that count
_OSCILLATES = 0.3  # share of the latest steps whose error rose
_NO_MOMENT = 1e-3  # electrons: a smaller absolute magnetisation is none
_LOST = 0.01  # of all initial moments: less is left of a magnetisation that vanishes, at usual tolerances
_STALLS = 0.9  # mean factor per step above which the error does not fall


def advice(steps: list[Step], result: CoreResult, problem: Problem, given: dict[str, Any]) -> str:
    """Return one or two sentences on what to change in the input.

    `steps`: what the core reported of each SCF step (error_estimate in Ha); `problem`: its input; `given`: the input
    file as it was read, in whose units values are named.
    """
    errors = [step["error_estimate"] for step in steps[-_LATEST - 1 :] if 0 < (step["error_estimate"] or 0) < math.inf]
    ratios = [later / earlier for earlier, later in zip(errors, errors[1:], strict=False)]
    if result.too_few_bands:  # the cause of slow convergence, too
        return _too_few_bands(result, problem)
    if result.moment_limited:
        words = more_bands(problem)
        return f"{words[0].upper()}{words[1:]}, or hold the moment by total_magnetisation."
    return _by_course(errors, ratios, result, problem, given) if ratios else "Raise [scf] max_steps."


def notes(result: CoreResult, problem: Problem) -> list[str]:
    """Return what a user should know of a run that has changed its input."""
    found = []
    used = result.num_bands
    if used > problem["bands"]:
        found.append(f"{problem['bands']} bands left the highest one occupied: raised to {used} during the run")
    found += [f"after step {change.step} {change.what}" for change in result.scf_changes]
    if result.at_rounding:
        found.append(
            f"converged to rounding: the error estimate fell to {result.error_estimate:.1e} Ha, "
            f"an energy_tolerance of {problem['energy_tolerance']:g} Ha is below what double precision can reach"
        )
    return found + _lost_magnetisation(result, problem)


def _lost_magnetisation(result: CoreResult, problem: Problem) -> list[str]:
    """Say where a free magnetisation has vanished: zero is a solution always, but often not the lowest one."""
    started = sum(map(abs, problem["initial_magnetic_moments"]))
    started += sum(math.hypot(*vector) for vector in problem["initial_moment_vectors"])
    held = problem["total_magnetisation"]
    if result.magnetisation is None or not result.converged or held or not started:
        return []
    left = result.magnetisation.absolute
    if left > max(_NO_MOMENT, _LOST * started):
        return []
    return [
        f"the magnetisation has vanished: {left:.1g} mu_B are left, of {started:g} mu_B at the start; a state with "
        "moments may be lower: compare runs with larger initial_magnetic_moments, and with less mixing: [scf] mixing = "
        "{ beta = 0.3 }"
    ]


def more_bands(problem: Problem) -> str:
    """Return in words how the input gives a run more bands: a default is raised by the loop itself, given its steps."""
    if problem["may_add_bands"]:
        return "raise [scf] max_steps, so that the run can add bands"
    return "leave [electrons] bands out or raise it"


def _too_few_bands(result: CoreResult, problem: Problem) -> str:
    other = more_bands(problem) if problem["may_add_bands"] else "leave it out"
    return (
        f"The highest of {result.num_bands} bands is still occupied, so the energy is too high: "
        f"set [electrons] bands = {result.enough_bands}, or {other}."
    )


def _by_course(
    errors: list[float], ratios: list[float], result: CoreResult, problem: Problem, given: dict[str, Any]
) -> str:
    factor = (errors[-1] / errors[0]) ** (1 / len(ratios))
    rising = sum(ratio > 1 for ratio in ratios) / len(ratios)
    if rising < _OSCILLATES and factor < _STALLS:
        return _more_steps(errors[-1], factor, problem)
    if problem["method"] == "direct":
        return 'The energy falls too slowly for direct minimisation: try [scf] method = "mixing".'
    course = "no longer decreases" if rising < _OSCILLATES else "oscillates"
    return f"The error {course}: try {_mixing(result, problem)}{_occupations(problem, given)}."


def _mixing(result: CoreResult, problem: Problem) -> str:
    """Return a preconditioner that the run has not used; a smaller mixing parameter if it has not tried that either."""
    changes = " ".join(change.what for change in result.scf_changes)
    used = {result.preconditioner, *re.findall(r"(\w+) (?:instead of|preconditioner)", changes)}
    fitting = ("kerker", "ldos") if problem["smearing"] is not None else ("dielectric",)
    keys = [f'preconditioner = "{name}"' for name in fitting if name not in used][:1]
    beta = problem["mixing"]["beta"]
    if "mixing parameter" not in changes:
        keys.append(f"beta = {beta / 2:g} instead of {beta:g}")
    words = " or ".join(f"[scf] mixing {key}" if i == 0 else key for i, key in enumerate(keys))
    return f"{words}, " if keys else ""


def _more_steps(error: float, factor: float, problem: Problem) -> str:
    missing = max(1, math.ceil(math.log(problem["energy_tolerance"] / error) / math.log(factor)))
    total = problem["max_steps"] + math.ceil(1.3 * missing)
    return (
        f"The error still falls by a factor of {1 / factor:.2g} per step: about {missing} more are needed, so set "
        f"[scf] max_steps = {total} or a larger energy_tolerance."
    )


def _occupations(problem: Problem, given: dict[str, Any]) -> str:
    if problem["occupations"] is not None:
        return "[scf] mixing with a smaller beta, or other occupations, of levels that do not change their order"
    if problem["smearing"] is None:
        smearing = '[electrons] smearing = { kind = "fermi-dirac", width = "0.2 eV" }'
        if len(problem["atoms"]) == 1 and problem["spins"] == 2:
            smearing += ", which spreads the electrons of a partly filled shell evenly"
        free = problem["spins"] == 2 and problem["total_magnetisation"] is None
        moment = ", a moment held by [electrons] total_magnetisation" if free else ""
        return f'method = "direct"{moment} or, should this be a metal or an open shell, {smearing}'
    kind, width = problem["smearing"]["kind"], problem["smearing"]["width"]
    others = (
        "another [scf] eigensolver, or other initial_magnetic_moments"
        if problem["spins"] == 2
        else "another eigensolver"
    )
    if kind in TETRAHEDRA:
        return f'a smearing such as {{ kind = "cold", width = "0.2 eV" }}, or {others}'
    return f'a wider smearing such as width = "{_wider(width, given)}", or {others}'


def _wider(width: float, given: dict[str, Any]) -> str:
    """Return twice the width (Ha) of the smearing in the unit of the input, eV where it has none."""
    smearing = given.get("electrons", {}).get("smearing")
    written = smearing.get("width") if isinstance(smearing, dict) else None
    if isinstance(written, str) and len(written.split()) == 2:
        number, unit = written.split()
        return f"{2 * float(number):.3g} {unit}"
    return f"{2 * width * HARTREE_IN_EV:.2g} eV"
