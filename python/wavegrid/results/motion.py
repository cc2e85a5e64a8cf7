"""The last line of a run of many geometries."""

from wavegrid.base.text import counted
from wavegrid.model.motion import Dynamics, EquationOfState, Relaxation
from wavegrid.model.result import Result
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV, HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM

_SHOWN = 4e-6  # Ha, 0.0001 eV


def part_name(content: Result) -> str | None:
    """Return the name of the part of many geometries; None for a run of one geometry."""
    parts = {
        "relaxation": content.relaxation,
        "dynamics": content.dynamics,
        "equation of state": content.equation_of_state,
    }
    return next((name for name, part in parts.items() if part is not None), None)


def line(content: Result) -> str | None:
    """Return the line for a result; None for a run of one geometry."""
    if content.relaxation is not None:
        return _of_relaxation(content, content.relaxation)
    if content.dynamics is not None:
        return _of_dynamics(content, content.dynamics)
    if content.equation_of_state is not None:
        return _of_equation_of_state(content, content.equation_of_state)
    return None


def _of_relaxation(content: Result, part: Relaxation) -> str:
    count = counted(len(part.geometries), "geometry", "geometries")
    if not content.converged:
        return f"not relaxed: the density of the last geometry did not converge, after {count}{_advice(content)}"
    last = part.geometries[-1]
    force = last.largest_force * HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM
    state = "relaxed" if part.converged else "not relaxed"
    words = [f"{state} in {count}: largest force {force:.5f} eV/Angstrom"]
    if last.stress_deviation_GPa is not None:
        words.append(f"stress {last.stress_deviation_GPa:.4f} GPa from the pressure")
    if part.change_from_start is not None and part.change_from_start > _SHOWN:
        words.append(f"energy {part.change_from_start * HARTREE_IN_EV:.4f} eV above the start")
    if part.difference_from_new_run is not None:
        words.append(f"energy {abs(part.difference_from_new_run):.0e} Ha from that of a new calculation")
    if part.pulay_pressure_GPa is not None:
        words.append(f"Pulay stress about {part.pulay_pressure_GPa:.2f} GPa")
    if not part.converged:
        words.append("continue by --restart with the trajectory and a larger [relax] max_steps")
    return ", ".join(words)


def _of_dynamics(content: Result, part: Dynamics) -> str:
    if not content.converged:
        return f"ended: the density of the last geometry did not converge, after {_time(part)}{_advice(content)}"
    words = [f"molecular dynamics of {_time(part)}"]
    if part.mean_temperature is not None:
        words.append(f"mean temperature {part.mean_temperature:.1f} K")
    if part.drift is not None:
        words.append(f"drift of the conserved energy {part.drift:.1e} Ha per atom and ps")
    return ", ".join(words)


def _of_equation_of_state(content: Result, part: EquationOfState) -> str:
    count = counted(len(part.volumes), "volume")
    if not content.converged:
        return f"ended: the density of the last volume did not converge, after {count}{_advice(content)}"
    if part.fit is None:
        return f"no equation of state: the energies of {count} have no minimum; move [eos] volumes"
    return (
        f"equation of state of {count}: V0 {part.fit.volume * BOHR_IN_ANGSTROM**3:.4f} A^3, "
        f"B0 {part.fit.bulk_modulus_GPa:.2f} GPa, B' {part.fit.bulk_modulus_derivative:.2f}, largest distance from the "
        f"curve {part.fit.largest_deviation * HARTREE_IN_EV * 1e3:.1g} meV"
    )


def _time(part: Dynamics) -> str:
    return f"{part.steps[-1].time:g} fs" if part.steps else "0 fs"


def _advice(content: Result) -> str:
    return f". {content.advice}" if content.advice is not None else ""
