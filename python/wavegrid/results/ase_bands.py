"""Bands as ASE has them: a path with named points, and energies along it."""

import numpy as np
from ase import Atoms
from ase.dft.kpoints import BandPath
from ase.spectrum.band_structure import BandStructure

from wavegrid.model.spectra import Bands
from wavegrid.results.bands import zero_of_energy
from wavegrid.units import HARTREE_IN_EV


def ase_band_structure(atoms: Atoms, bands: Bands) -> BandStructure:
    """Return the bands of atoms: energies (spins, k, bands) in eV, the reference is the zero of our plots."""
    x = np.array(bands.x)
    points: dict[str, np.ndarray] = {}
    words = []
    for label, place in zip(bands.labels, bands.label_x, strict=True):
        found = np.flatnonzero(np.abs(x - place) < 1e-9)  # two where the path jumps
        for name, index in zip(label.split("|"), (found[0], found[-1]), strict=False):
            points.setdefault(name, np.array(bands.kpoints[index]))
        words.append(label.replace("|", ","))
    path = BandPath(atoms.cell, kpts=np.array(bands.kpoints), special_points=points, path="".join(words))
    energies = np.array(bands.eigenvalues) * HARTREE_IN_EV
    reference = zero_of_energy(bands.fermi_level, bands.band_gap) * HARTREE_IN_EV
    return BandStructure(path, energies, reference=reference)
