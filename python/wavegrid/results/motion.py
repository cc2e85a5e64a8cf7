"""The last line of a run of many geometries."""

from typing import Any

from wavegrid.text import counted
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV, HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM

PARTS = {"relax": "relaxation", "md": "dynamics", "eos": "equation_of_state"}  # of result.json, by the kind of task
_SHOWN = 4e-6  # Ha, 0.0001 eV


def line(content: dict[str, Any]) -> str | None:
    """Return the line for the content of result.json; None for a run of one geometry."""
    if "relaxation" in content:
        return _of_relaxation(content, content["relaxation"])
    if "dynamics" in content:
        return _of_dynamics(content, content["dynamics"])
    if "equation_of_state" in content:
        return _of_equation_of_state(content, content["equation_of_state"])
    return None


def _of_relaxation(content: dict[str, Any], part: dict[str, Any]) -> str:
    count = counted(len(part["geometries"]), "geometry", "geometries")
    if not content["converged"]:
        return f"not relaxed: the density of the last geometry did not converge, after {count}{_advice(content)}"
    last = part["geometries"][-1]
    force = last["largest_force"] * HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM
    state = "relaxed" if part["converged"] else "not relaxed"
    words = [f"{state} in {count}: largest force {force:.5f} eV/Angstrom"]
    if "stress_deviation_GPa" in last:
        words.append(f"stress {last['stress_deviation_GPa']:.4f} GPa from the pressure")
    if part.get("change_from_start", 0.0) > _SHOWN:
        words.append(f"energy {part['change_from_start'] * HARTREE_IN_EV:.4f} eV above the start")
    if "difference_from_new_run" in part:
        words.append(f"energy {abs(part['difference_from_new_run']):.0e} Ha from that of a new calculation")
    if "pulay_pressure_GPa" in part:
        words.append(f"Pulay stress about {part['pulay_pressure_GPa']:.2f} GPa")
    if not part["converged"]:
        words.append("continue by --restart with the trajectory and a larger [relax] max_steps")
    return ", ".join(words)


def _of_dynamics(content: dict[str, Any], part: dict[str, Any]) -> str:
    if not content["converged"]:
        return f"ended: the density of the last geometry did not converge, after {_time(part)}{_advice(content)}"
    words = [f"molecular dynamics of {_time(part)}"]
    if "mean_temperature" in part:
        words.append(f"mean temperature {part['mean_temperature']:.1f} K")
    if "drift" in part:
        words.append(f"drift of the conserved energy {part['drift']:.1e} Ha per atom and ps")
    return ", ".join(words)


def _of_equation_of_state(content: dict[str, Any], part: dict[str, Any]) -> str:
    count = counted(len(part["volumes"]), "volume")
    if not content["converged"]:
        return f"ended: the density of the last volume did not converge, after {count}{_advice(content)}"
    if (found := part.get("fit")) is None:
        return f"no equation of state: the energies of {count} have no minimum; move [eos] volumes"
    return (
        f"equation of state of {count}: V0 {found['volume'] * BOHR_IN_ANGSTROM**3:.4f} A^3, "
        f"B0 {found['bulk_modulus_GPa']:.2f} GPa, B' {found['bulk_modulus_derivative']:.2f}, largest distance from the "
        f"curve {found['largest_deviation'] * HARTREE_IN_EV * 1e3:.1g} meV"
    )


def _time(part: dict[str, Any]) -> str:
    return f"{part['steps'][-1]['time']:g} fs" if part["steps"] else "0 fs"


def _advice(content: dict[str, Any]) -> str:
    return f". {content['advice']}" if "advice" in content else ""
