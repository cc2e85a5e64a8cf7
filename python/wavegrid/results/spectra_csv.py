"""Bands and densities of states as tables of comma-separated values, energies in eV, for spreadsheets and scripts."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from wavegrid.model.part import FermiLevel
from wavegrid.model.spectra import Bands, DensityOfStates, Projections
from wavegrid.results.gap import fermi_levels
from wavegrid.units import HARTREE_IN_EV

_SPINS = ("_up", "_down")


def bands(found: Bands) -> bytes:
    """Return one line for each point of the path: length in 1/bohr, k in units of the reciprocal vectors, levels."""
    levels = np.array(found.eigenvalues) * HARTREE_IN_EV
    names = [f"band{n + 1}{spin}" for spin in _suffixes(len(levels)) for n in range(levels.shape[2])]
    columns: list[Any] = [found.x, *np.array(found.kpoints).T, *np.moveaxis(levels, 2, 1).reshape(-1, levels.shape[1])]
    return _table("bands", found.fermi_level, ["x", "k1", "k2", "k3", *names], columns)


def dos(found: DensityOfStates) -> bytes:
    """Return one line for each energy: states per eV and cell, states below, and the part of each atom by orbital."""
    energies = np.array(found.energies) * HARTREE_IN_EV
    suffixes = _suffixes(len(found.density_of_states))
    names = ["energy", *(f"dos{spin}" for spin in suffixes), *(f"states_below{spin}" for spin in suffixes)]
    per_ev = [np.array(one) / HARTREE_IN_EV for one in found.density_of_states]
    columns: list[Any] = [energies, *per_ev, *found.integrated_density_of_states]
    if found.projections is not None:
        for name, values in _parts(found.projections, suffixes):
            names.append(name)
            columns.append(values)
    return _table("density of states", found.fermi_level, names, columns)


def _parts(found: Projections, suffixes: Sequence[str]) -> Iterable[tuple[str, np.ndarray]]:
    for number, atom in enumerate(found.atoms, 1):
        for orbitals in atom.orbitals:
            name = f"{atom.element}{number}_{orbitals.harmonic or orbitals.l}"
            for spin, values in zip(suffixes, orbitals.density_of_states, strict=True):
                yield f"{name}{spin}", np.array(values) / HARTREE_IN_EV


def _suffixes(spins: int) -> Sequence[str]:
    return ("",) if spins == 1 else _SPINS


def _table(what: str, fermi: FermiLevel, names: Sequence[str], columns: Iterable[Any]) -> bytes:
    levels = ", ".join(f"{level * HARTREE_IN_EV:.6f}" for level in fermi_levels(fermi, 1))
    lines = [f"# {what} by wavegrid; eV, Fermi level {levels}", ",".join(names)]
    lines += [",".join(f"{value:.8g}" for value in row) for row in zip(*columns, strict=True)]
    return "\n".join(lines).encode() + b"\n"
