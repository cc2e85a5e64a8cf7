"""The work of a run with plane waves.

The coefficients were fitted to 42 calculations of all kinds (docs/lab/runs.md).
"""

import math

from wavegrid.discretisation.work import STEPS, Work, scf_steps
from wavegrid.model.figures import Figures
from wavegrid.model.problem import Problem, field_grid

# Applications of H to a band to 1e-7 Ha: a + b log10(plane waves per band) + c log10(cutoff in Ha).
_TO_CONVERGE = (-8.2, 8.6, 17.6)
_LEAST = 10.0  # of these applications
_DECADES = 7.0  # of that tolerance
_OF_MANY = 0.73  # times as many with many bands, which are less accurate at first (decision 0013)
_MANY_BANDS = 64
_ON_PATH = 15.0  # applications of H to a band until it has converged in a fixed potential
_TRANSFORMS = 2.3  # FFTs of a band per application of H, those of the density included
# Seconds of an FFT over operations / rate: compact, mostly in single precision; at Gamma in pairs of bands, of which
# one is alone the more often the fewer bands there are: a + b / bands. Small boxes on one rank are measured instead.
_FFT_COMPLEX = 0.7
_FFT_GAMMA = (0.377, 1.48)
_PRODUCTS = 3.05  # the same for overlaps and rotations, per product of all bands with one
_NONLOCAL = 0.51  # the same for the products with all projectors and back
_PER_WAVE = 373.0  # operations per plane wave and application at the rate of FFTs: sums of bands, residuals
_OVERHEAD = 1.6e-5  # seconds per application: small blocks, calls
_OVERHEAD_IN_LANES = 5e-6  # where the transforms of small boxes are measured
_GRID = 3.1e-7  # seconds per grid point, spin and step: density, potential, mixing
_EXCHANGES = 5  # computations of exact exchange in the outer loop


def work(problem: Problem, figures: Figures, rates: dict[str, float]) -> Work:
    """Return the work of a run at the `rates` of a core: operations per second of `fft` and `gemm`, and, where it was
    measured, the seconds of one `transform` of a band.
    """
    spins, bands = problem["spins"], problem["bands"]
    steps = min(scf_steps(problem), problem["max_steps"])
    kpoint_groups, band_groups = figures["kpoint_groups"], figures["band_groups"]
    rounds = math.ceil(figures["kpoints"] * spins / kpoint_groups) * _to_converge(problem, figures)
    points, on_path = len(problem["band_path"]), bands + max(4, bands // 5)
    applications = rounds * bands + math.ceil(points * spins / kpoint_groups) * on_path * _ON_PATH
    of_loop = _GRID * steps * spins * math.prod(field_grid(problem))
    return Work(
        steps=steps,
        rounds=rounds,
        transforms=applications / band_groups * _TRANSFORMS,
        seconds=applications / band_groups * _application(problem, figures, rates)
        + (of_loop + _exact_exchange(problem, figures, rates)) / figures["ranks"],
    )


def _to_converge(problem: Problem, figures: Figures) -> float:
    """Return the applications of H to each band of a k-point in the whole loop: more with a wider spectrum."""
    bands, decades = problem["bands"], max(3 / STEPS, -math.log10(problem["energy_tolerance"]))
    waves = figures["plane_waves"] * (2 if figures["mode"] == "gamma" else 1)
    constant, per_band, of_cutoff = _TO_CONVERGE
    number = constant + per_band * max(0.0, math.log10(waves / bands)) + of_cutoff * math.log10(problem["ecut"])
    at_most = min(1.0, problem["max_steps"] / scf_steps(problem))
    return max(_LEAST, number) * decades / _DECADES * (_OF_MANY if bands >= _MANY_BANDS else 1) * at_most


def _application(problem: Problem, figures: Figures, rates: dict[str, float]) -> float:
    """Return the seconds of computing that one application of H to a band of a band group takes each of its ranks."""
    gamma, waves = figures["mode"] == "gamma", figures["max_plane_waves"]
    constant, alone = _FFT_GAMMA
    transform = constant + alone * figures["band_groups"] / problem["bands"] if gamma else _FFT_COMPLEX
    of_transform = rates.get("transform", transform * figures["transform"]["flops"] / rates["fft"])
    vectors = (_TRANSFORMS * of_transform + _PER_WAVE * waves / rates["fft"]) / problem["threads"]
    products = (4 if gamma else 8) * problem["bands"] * waves
    overhead = _OVERHEAD_IN_LANES if "transform" in rates else _OVERHEAD
    return vectors + (_PRODUCTS * products + _NONLOCAL * _projections(figures)) / rates["gemm"] + overhead


def _exact_exchange(problem: Problem, figures: Figures, rates: dict[str, float]) -> float:
    """Return the seconds of exact exchange, of all ranks together: two transforms of each pair of bands."""
    if "exact_exchange" not in figures["memory_parts"]:
        return 0.0
    given = problem.get("exchange") or {}
    mesh = given.get("kpoints") or (problem["kpoints"] or {}).get("mesh") or [1, 1, 1]
    occupied = figures["electrons"] / (1 if problem["spinors"] else 2)
    pairs = figures["kpoints"] * problem["spins"] * problem["bands"] * math.prod(mesh) * occupied
    if figures["mode"] == "gamma":  # each pair once, and two in one transform
        pairs /= 4
    points = math.prod(field_grid(problem))
    return _EXCHANGES * pairs * 2 * 5 * points * math.log2(points) / rates["fft"] / problem["threads"]


def _projections(figures: Figures) -> float:
    """Return the operations of a rank for the products of a band with the projectors of a k-point and back.

    A projector's number of 16 bytes is multiplied and added twice: 16 operations, half of them at Gamma.
    """
    of_kpoints = math.ceil(figures["kpoints"] / figures["kpoint_groups"])
    stored = figures["memory_parts"].get("projectors", 0) / of_kpoints
    return float(stored * (0.5 if figures["mode"] == "gamma" else 1))
