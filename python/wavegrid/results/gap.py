"""Band gaps, from levels of all k-points. Plain lists: a run that only prints one does not import numpy."""

from wavegrid.model.core_result import CoreResult
from wavegrid.model.part import ByState, FermiLevel
from wavegrid.model.result import Result
from wavegrid.model.spectra import BandGap

DEGENERATE = 1e-6  # Ha; levels this near to each other count as equal
_CERTAIN = 1e-4  # Ha; largest estimated error of a level that counts
_DISTANCE = 0.1  # Ha; to the neighbours of a level, in the estimate |residual|^2 / distance of its error
NO_LEVELS = "levels: not computed, since there are more than 1000 local orbitals; the edges of the gap are"
_PARTIAL = 1e-3  # share of a full band; between it and the rest, levels are partly occupied: a metal


def fermi_levels(fermi: FermiLevel, spins: int) -> list[float]:
    """Return the Fermi level of each spin; with a fixed magnetisation there are two."""
    return list(fermi) if isinstance(fermi, list | tuple) else [fermi] * spins


def find(mesh: ByState, levels: ByState, fermi: FermiLevel) -> BandGap | None:
    """Return the gap of levels (Ha, ascending), or None for a metal and where there are no empty bands.

    The number of filled bands of each spin is counted on the mesh; it is the same at all k-points of an insulator.
    """
    tops, bottoms = [], []
    for spin, highest in enumerate(fermi_levels(fermi, len(mesh))):
        counts = {sum(level <= highest + DEGENERATE for level in of_k) for of_k in mesh[spin]}
        filled = counts.pop()
        if counts or filled >= len(mesh[spin][0]):
            return None
        if filled:
            tops.append([of_k[filled - 1] for of_k in levels[spin]])
        bottoms.append([of_k[filled] for of_k in levels[spin]])
    if not tops:
        return None
    top = [max(of_k) for of_k in zip(*tops, strict=True)]  # by k-point, of both spins
    bottom = [min(of_k) for of_k in zip(*bottoms, strict=True)]
    width = min(bottom) - max(top)
    if width <= 0:
        return None
    return BandGap(
        fundamental=width,
        direct=min(low - high for low, high in zip(bottom, top, strict=True)),
        valence_band_maximum=max(top),
        valence_band_maximum_index=next(k for k, level in enumerate(top) if level > max(top) - DEGENERATE),
        conduction_band_minimum=min(bottom),
        conduction_band_minimum_index=next(k for k, level in enumerate(bottom) if level < min(bottom) + DEGENERATE),
    )


def at_kpoints(result: CoreResult, *, accurate: bool = False) -> BandGap | None:
    """Return the gap on the k-points of the loop, or None where it is not known.

    That is: for a metal, without empty bands, and where the loop, which converges occupied bands, left the lowest empty
    ones inaccurate. `accurate`: where the bands of all these k-points were solved again ("path"), take those.
    """
    if is_metal(result):
        return None
    levels = result.eigenvalues
    if accurate and result.path is not None:
        return find(levels, result.path.eigenvalues, result.fermi_level)
    found = find(levels, levels, result.fermi_level)
    if found is None:
        return None
    edges = (found.valence_band_maximum, found.conduction_band_minimum)
    near = [
        residual
        for of_spin, of_residuals in zip(levels, result.residuals, strict=True)
        for of_k, of_r in zip(of_spin, of_residuals, strict=True)
        for level, residual in zip(of_k, of_r, strict=True)
        if any(abs(level - edge) < DEGENERATE for edge in edges)
    ]
    return found if max(near) ** 2 / _DISTANCE < _CERTAIN else None


def has_levels(result: Result) -> bool:
    """Return whether the states were computed one by one: large systems by purification have the edges of the gap."""
    return bool(result.eigenvalues[0][0])


def electrons_of_state(result: Result) -> int:
    """Return how many electrons a full state holds."""
    return 1 if result.spinors or len(result.eigenvalues) == 2 else 2


def is_metal(result: Result) -> bool:
    """Return whether a level is occupied in part."""
    full = [point[3] * electrons_of_state(result) for point in result.kpoints]
    return any(
        _PARTIAL < occupation / most < 1 - _PARTIAL
        for of_spin in result.occupations
        for most, of_k in zip(full, of_spin, strict=True)
        for occupation in of_k
    )
