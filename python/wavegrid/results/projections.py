"""Projections onto the atoms: densities of states by atom and angular momentum, and Löwdin charges.

The core gives the share of each state in each channel (atom and l), averaged over what symmetry makes of the state; the
shares of a state add up to at most 1. P.-O. Löwdin, J. Chem. Phys. 18, 365 (1950), 10.1063/1.1747632.
"""

from collections.abc import Sequence

import numpy as np

from wavegrid.model.core_result import CoreResult
from wavegrid.model.spectra import DensityOfStates, Letter, ProjectedAtom, ProjectedOrbitals, Projections
from wavegrid.results import dos, tetrahedra
from wavegrid.results.gap import electrons_of_state

LETTERS: tuple[Letter, ...] = ("s", "p", "d", "f")
_HARMONICS = (  # in the order of src/basis/spherical_harmonics.hpp
    ("s",),
    ("py", "pz", "px"),
    ("dxy", "dyz", "dz2", "dxz", "dx2-y2"),
    ("fy(3x2-y2)", "fxyz", "fyz2", "fz3", "fxz2", "fz(x2-y2)", "fx(x2-3y2)"),
)
_DIGITS = 6  # of densities of states, 1/Ha: those of many atoms are most of result.json


def projections(
    result: CoreResult, of_dos: DensityOfStates, elements: list[str], valence: dict[str, float]
) -> Projections:
    """Return the part `dos.projections` of result.json.

    `result` of the core, with its `projections`; the part `dos`; the element of each atom; the valence charge of each
    element, in the core's order of species.
    """
    found = result.projections
    assert found is not None
    shares = np.moveaxis(np.asarray(found.weights), 0, 1)  # (spin, k-point, band, channel)
    occupations = np.array(result.occupations)
    electrons = np.einsum("skb,skbc->cs", occupations, shares)
    densities = _densities(result, of_dos, shares)
    orbitals: list[list[ProjectedOrbitals]] = [[] for _ in elements]
    of_atom = np.zeros((len(elements), len(occupations)))
    for channel, (atom, l, *m) in enumerate(found.channels):
        of_atom[atom] += electrons[channel]
        density = np.round(densities[channel], _DIGITS).tolist()
        orbitals[atom].append(
            ProjectedOrbitals(l=LETTERS[l], electrons=electrons[channel].tolist(), density_of_states=density)
        )
        if m:
            orbitals[atom][-1].harmonic = _name(l, m)
    atoms = []
    for element, of_element, by_spin in zip(elements, orbitals, of_atom, strict=True):
        charge = float(valence[element] - by_spin.sum())
        moment = float(by_spin[0] - by_spin[1]) if len(by_spin) == 2 else None
        atoms.append(ProjectedAtom(element=element, orbitals=of_element, charge=charge, magnetic_moment=moment))
    return Projections(
        orbitals={
            element: "file" if from_file else "pseudo-atom"
            for element, from_file in zip(valence, found.from_file, strict=True)
        },
        atoms=atoms,
        spilling=float(1 - of_atom.sum() / occupations.sum()),
    )


def _densities(result: CoreResult, of_dos: DensityOfStates, shares: np.ndarray) -> np.ndarray:
    """Return the densities of states (channel, spin, energy)."""
    energies = np.array(of_dos.energies)
    densities = np.zeros((shares.shape[-1], len(shares), len(energies)))
    if (table := result.tetrahedra) is not None:
        levels, _ = dos.levels_of(result)
        for (spin, n), _, density in tetrahedra.bands(levels, table, energies):
            densities[:, spin] += electrons_of_state(result) * shares[spin, :, n].T @ density
        return densities
    for index, near, _, density in dos.peaks(*dos.levels_of(result), energies, of_dos.broadening.width):
        densities[:, index[0], near] += np.outer(shares[index], density)
    return densities


def orbital_names(channels: Sequence[tuple[int, ...]]) -> list[str]:
    """Return the angular momentum or the harmonic of each channel of the core."""
    return [_name(l, m) if m else LETTERS[l] for _, l, *m in channels]


def _name(l: int, numbers: Sequence[int]) -> str:
    """Return px of a harmonic, p3/2 of a total angular momentum, and p3/2 -1/2 with its component along z."""
    if len(numbers) == 1:
        return _HARMONICS[l][numbers[0]]
    m, twice_j = numbers
    return f"{LETTERS[l]}{twice_j}/2" + ("" if m < 0 else f" {2 * m - twice_j:+d}/2")


def by_element(found: Projections) -> dict[str, np.ndarray]:
    """Return the densities of states (spin, energy) summed over the atoms of an element, by names such as "Si p"."""
    sums: dict[str, np.ndarray] = {}
    for atom in found.atoms:
        for orbitals in atom.orbitals:
            name = f"{atom.element} {orbitals.harmonic or orbitals.l}"
            sums[name] = sums.get(name, 0.0) + np.array(orbitals.density_of_states)
    return sums
