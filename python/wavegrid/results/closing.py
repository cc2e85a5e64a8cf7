"""The last line of a run: whether it converged, how well, and what a reader looks for first."""

from wavegrid.base.text import counted
from wavegrid.model.part import ByState, KPoint, Vector
from wavegrid.model.propagation import Propagation
from wavegrid.model.result import Result
from wavegrid.model.spectra import BandGap
from wavegrid.results import motion
from wavegrid.results.gap import fermi_levels
from wavegrid.units import HARTREE_IN_EV

_OCCUPIED = 1e-3  # electrons; levels with fewer do not count for the residual


def ended_well(result: Result) -> bool:
    """Return whether the loop converged, and of a relaxation the geometry too; a series has its result."""
    relaxed = result.relaxation is None or result.relaxation.converged
    has_minimum = result.equation_of_state is None or result.equation_of_state.fit is not None
    has_constants = result.elastic is None or result.elastic.constants_GPa is not None
    has_bands = result.phonons is None or result.phonons.bands is not None
    has_modes = result.vibrations is None or result.vibrations.modes is not None
    has_path = result.reaction_path is None or result.reaction_path.converged
    has_response = result.hubbard_response is None or result.hubbard_response.bare is not None
    return all((result.converged, relaxed, has_minimum, has_constants, has_bands, has_modes, has_path, has_response))


def line(result: Result, tolerance: float | None = None) -> str:
    """Return the line for the result of a loop that came to its end; `tolerance` of the energy, Ha."""
    if (of_many := motion.line(result)) is not None:
        return of_many
    steps = counted(result.scf_steps, "step")
    if not result.converged:
        words = f"not converged in {steps}{_error(result)}"
        words += "" if tolerance is None else f", tolerance {tolerance:.1e} Ha"
        return f"{words}. {result.advice}" if result.advice is not None else words
    if result.propagation is not None:
        return _propagation(result.propagation)
    if result.born is not None and result.born.dielectric is not None:
        mean = sum(result.born.dielectric[i][i] for i in range(3)) / 3
        return f"Born charges of {counted(len(result.born.charges or []), 'atom')}, dielectric constant {mean:.4f}"
    how = "converged to rounding" if result.at_rounding else "converged"
    return "; ".join([f"{how} in {steps}{_error(result)}{_residual(result)}", *_electrons(result)])


def _propagation(part: Propagation) -> str:
    return (
        f"propagated {part.time:.4g} fs in {counted(part.steps, 'step')}: the energy rose by "
        f"{part.last_energy - part.first_energy:.1e} Ha, {part.iterations:.1f} potentials for a step"
    )


def _error(result: Result) -> str:
    return f": error {result.error_estimate:.1e} Ha" if result.error_estimate is not None else ""


def _residual(result: Result) -> str:
    """The largest residual of the occupied states, where they are known."""
    pairs = zip(_flat(result.residuals), _flat(result.occupations), strict=True)
    found = [residual for residual, occupation in pairs if abs(occupation) > _OCCUPIED]
    return f", largest residual {max(found):.1e} Ha" if found else ""


def _flat(states: ByState) -> list[float]:
    return [value for of_spin in states for of_k in of_spin for value in of_k]


def _electrons(result: Result) -> list[str]:
    """The gap or the Fermi level, and with spin the magnetisation."""
    words = []
    if result.bands is not None and result.bands.band_gap is not None:
        words.append(_gap(result.bands.band_gap, "on the path", result.bands.kpoints))
    elif result.band_gap is not None:
        words.append(_gap(result.band_gap, "on the mesh", result.kpoints))
    else:
        levels = fermi_levels(result.fermi_level, 1)
        names = ("Fermi level",) if len(levels) == 1 else ("Fermi level up", "down")
        words.append(", ".join(f"{name} {e * HARTREE_IN_EV:.4f} eV" for name, e in zip(names, levels, strict=True)))
    if result.magnetisation is not None:
        words.append(f"magnetisation {result.magnetisation.total:.4f} mu_B")
    return words


def _gap(found: BandGap, where: str, points: list[Vector] | list[KPoint]) -> str:
    width, direct = found.fundamental * HARTREE_IN_EV, found.direct * HARTREE_IN_EV
    if len(points) == 1:
        return f"gap {width:.4f} eV at the only k-point"
    if direct - width < 5e-5:
        return f"gap {width:.4f} eV, direct, {where}"
    return f"gap {width:.4f} eV, indirect, {where}; smallest direct gap {direct:.4f} eV"
