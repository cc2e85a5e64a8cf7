"""The last line of a run of many geometries."""

from collections.abc import Callable
from typing import Any

from wavegrid.base.text import counted
from wavegrid.model.motion import Dynamics, EquationOfState, FittedCurve, Relaxation
from wavegrid.model.result import Result
from wavegrid.model.series import ElasticConstants, Phonons, ReactionPath, Vibrations
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV, HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM

_SHOWN = 4e-6  # Ha, 0.0001 eV
IMAGINARY = 0.1  # THz; smaller imaginary frequencies are those of rounding and interpolation
_MODES_SHOWN = 9  # the highest
_NO_CONSTANT, _SAME_CONSTANT = 0.05, 1e-3  # GPa; smaller constants and differences are those of symmetry


def part_name(content: Result) -> str | None:
    """Return the name of the part of many geometries; None for a run of one geometry."""
    return next((name for name, part, _ in _parts(content) if part is not None), None)


def line(content: Result) -> str | None:
    """Return the line for a result; None for a run of one geometry."""
    return next((say(content, part) for _, part, say in _parts(content) if part is not None), None)


def _parts(content: Result) -> list[tuple[str, Any, Callable[[Result, Any], str]]]:
    """Return name, part and line of each task of many geometries."""
    return [
        ("relaxation", content.relaxation, _of_relaxation),
        ("dynamics", content.dynamics, _of_dynamics),
        ("equation of state", content.equation_of_state, _of_equation_of_state),
        ("elastic constants", content.elastic, _of_elastic),
        ("phonons", content.phonons, _of_phonons),
        ("vibrations", content.vibrations, _of_vibrations),
        ("reaction path", content.reaction_path, _of_reaction_path),
    ]


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
    if part.mean_volume is not None and part.mean_pressure_GPa is not None:
        volume = part.mean_volume * BOHR_IN_ANGSTROM**3
        words.append(f"mean volume {volume:.3f} A^3, mean pressure {part.mean_pressure_GPa:.2f} GPa")
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
        f"equation of state of {count}: {_curve(part.fit)}, largest distance from the curve "
        f"{part.fit.largest_deviation * HARTREE_IN_EV * 1e3:.1g} meV"
        + ("" if part.vinet is None else f"; Vinet {_curve(part.vinet)}")
    )


def _curve(fit: FittedCurve) -> str:
    return (
        f"V0 {fit.volume * BOHR_IN_ANGSTROM**3:.4f} A^3, B0 {fit.bulk_modulus_GPa:.2f} GPa, "
        f"B' {fit.bulk_modulus_derivative:.2f}"
    )


def _of_elastic(content: Result, part: ElasticConstants) -> str:
    count = counted(len(part.cells), "cell")
    if part.constants_GPa is None:
        return f"ended after {count}: no elastic constants{_advice(content)}"
    c = part.constants_GPa
    named = {f"C{i + 1}{j + 1}": c[i][j] for i in range(6) for j in range(i, 6)}
    shown: dict[str, float] = {}
    for name, value in named.items():  # each independent one once
        if abs(value) > _NO_CONSTANT and not any(abs(value - other) < _SAME_CONSTANT for other in shown.values()):
            shown[name] = value
    words = ", ".join(f"{name} {value:.1f}" for name, value in list(shown.items())[: part.independent])
    if part.bulk_modulus_GPa is None or part.shear_modulus_GPa is None:
        return f"elastic constants of {count}: {words} GPa; not stable"
    return (
        f"elastic constants of {count}: {words} GPa; stable; polycrystal: bulk modulus "
        f"{part.bulk_modulus_GPa[-1]:.1f} GPa, shear modulus {part.shear_modulus_GPa[-1]:.1f} GPa"
    )


def _of_phonons(content: Result, part: Phonons) -> str:
    count = counted(part.displacements, "displacement")
    if part.bands is None or part.thermal is None:
        return f"ended early: no phonons of {count}{_advice(content)}"
    lowest, highest = part.lowest_frequency_THz or 0.0, max(map(max, part.bands.frequencies_THz))
    words = f"phonons of {count}: up to {highest:.2f} THz, zero-point energy {part.thermal.zero_point_energy_eV:.4f} eV"
    return words + (f"; imaginary frequencies, {-lowest:.2f} THz" if lowest < -IMAGINARY else "")


def _of_vibrations(content: Result, part: Vibrations) -> str:
    if part.modes is None:
        return f"ended early: no vibrations{_advice(content)}"
    shown = ", ".join(f"{mode.frequency_per_cm:.0f}" for mode in part.modes[-_MODES_SHOWN:])
    words = [f"vibrations of {counted(len(part.atoms), 'atom')}: {shown} 1/cm"]
    words.append(f"zero-point energy {part.zero_point_energy_eV or 0.0:.4f} eV")
    if part.rigid_per_cm:
        words.append(f"rigid motion up to {max(map(abs, part.rigid_per_cm)):.0f} 1/cm, projected out")
    errors = [mode.egg_box_error_per_cm or 0.0 for mode in part.modes]
    if part.egg_box_energy is not None:
        words.append(f"error by the mesh at most about {max(errors, default=0.0):.0f} 1/cm")
    return ", ".join(words)


def _of_reaction_path(content: Result, part: ReactionPath) -> str:
    if part.barrier_eV is None or part.reverse_barrier_eV is None:
        return f"ended early: not all images were computed{_advice(content)}"
    state = "converged" if part.converged else "not converged"
    words = (
        f"reaction path {state} in {counted(part.steps, 'step')}: barrier {part.barrier_eV:.4f} eV, from the other end "
    )
    words += f"{part.reverse_barrier_eV:.4f} eV, image {part.highest_image}"
    more = "; continue by --restart with the trajectory and a larger [neb] max_steps"
    return words if part.converged else words + more


def _time(part: Dynamics) -> str:
    return f"{part.steps[-1].time:g} fs" if part.steps else "0 fs"


def _advice(content: Result) -> str:
    return f". {content.advice}" if content.advice is not None else ""
