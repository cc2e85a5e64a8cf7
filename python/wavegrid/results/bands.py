"""The band structure of a run: energies along the path, and the band gap of an insulator."""

import numpy as np

from wavegrid.model.core_result import CoreResult, StateWeights
from wavegrid.model.part import FermiLevel
from wavegrid.model.spectra import BandGap, BandParts, Bands
from wavegrid.model.tasks import BandPath
from wavegrid.results import effective_masses
from wavegrid.results import gap as gaps
from wavegrid.results.projections import orbital_names


def band_structure(result: CoreResult, path: BandPath) -> Bands:
    """Return the part `bands` of result.json.

    `result`: with `path` (kpoints with eigenvalues by spin, k-point, band, Ha) and the mesh's eigenvalues;
    `path`: x and label_x (1/bohr) and labels, as `kpoints.choose` made them.
    """
    assert result.path is not None
    found = Bands(
        kpoints=[point[:3] for point in result.path.kpoints],
        x=path["x"],
        labels=path["labels"],
        label_x=path["label_x"],
        eigenvalues=result.path.eigenvalues,
        error_bound=result.path.error_bound,
        converged=result.path.converged,
        fermi_level=result.fermi_level,
        band_gap=gap(result),
    )
    if masses := effective_masses.at_edges(found):
        found.effective_masses = masses
    if result.extrema:
        found.extrema = result.extrema
    if result.projections is not None:
        found.projections = _parts(result.projections)
    if result.spins is not None:
        found.spins = np.round(np.asarray(result.spins)[: len(found.kpoints)], 4).tolist()
    return found


def _parts(found: StateWeights) -> BandParts:
    """Return the projections along the path, to four digits."""
    weights = np.round(np.moveaxis(np.asarray(found.weights), 0, 1), 4)  # (spin, point, band, channel)
    return BandParts(
        atoms=[channel[0] + 1 for channel in found.channels],
        orbitals=orbital_names(found.channels),
        weights=weights.tolist(),
    )


def gap(result: CoreResult) -> BandGap | None:
    """Return the gap along the path, or None for a metal and where there are no empty bands."""
    assert result.path is not None
    if gaps.is_metal(result):
        return None
    return gaps.find(result.eigenvalues, result.path.eigenvalues, result.fermi_level)


def zero_of_energy(fermi: FermiLevel, found: BandGap | None = None) -> float:
    """Return the energy (Ha) that plots take as zero: the top of the valence bands, else the Fermi level."""
    if found is not None:
        return found.valence_band_maximum
    return max(gaps.fermi_levels(fermi, 1))
