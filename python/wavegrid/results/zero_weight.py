"""The levels at k-points of weight zero, which take no part in the density."""

from wavegrid.model.core_result import CoreResult, PathLevels
from wavegrid.model.spectra import LevelsAtWeightZero


def separate(result: CoreResult, count: int) -> None:
    """Move the last `count` points of `path` to the part `levels_at_weight_zero`."""
    path = result.path
    if count == 0 or path is None:
        return
    result.levels_at_weight_zero = LevelsAtWeightZero(
        kpoints=[point[:3] for point in path.kpoints[-count:]],
        eigenvalues=[of_spin[-count:] for of_spin in path.eigenvalues],
        error_bound=path.error_bound,
        converged=path.converged,
    )
    points = path.kpoints[:-count]
    levels = [of_spin[:-count] for of_spin in path.eigenvalues]
    result.path = None
    if points:
        result.path = PathLevels(
            kpoints=points, eigenvalues=levels, error_bound=path.error_bound, converged=path.converged
        )
    if result.projections is not None:  # of all points of the path
        result.projections.weights = result.projections.weights[: len(points)]
