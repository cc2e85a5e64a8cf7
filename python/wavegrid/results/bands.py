"""The band structure of a run: energies along the path, and the band gap of an insulator."""

from typing import Any

import numpy as np

_DEGENERATE = 1e-6  # Ha; levels this near to each other count as equal


def band_structure(result: dict[str, Any], path: dict[str, Any]) -> dict[str, Any]:
    """Return the part `bands` of result.json.

    `result`: the core's, with "path" (kpoints with eigenvalues by spin, k-point, band, Ha) and the mesh's eigenvalues;
    `path`: x and label_x (1/bohr) and labels, as `kpoints.choose` made them.
    """
    bands = {
        "kpoints": [point[:3] for point in result["path"]["kpoints"]],
        "x": path["x"],
        "labels": path["labels"],
        "label_x": path["label_x"],
        "eigenvalues": result["path"]["eigenvalues"],
        "error_bound": result["path"]["error_bound"],
        "converged": result["path"]["converged"],
        "fermi_level": result["fermi_level"],
    }
    found = gap(result)
    return bands if found is None else bands | {"band_gap": found}


def gap(result: dict[str, Any]) -> dict[str, Any] | None:
    """Return the gap along the path, or None for a metal and where there are no empty bands.

    The number of filled bands of each spin is counted on the mesh; it is the same at all k-points of an insulator.
    """
    mesh, path = (np.array(part["eigenvalues"]) for part in (result, result["path"]))  # (spins, k, bands)
    tops, bottoms = [], []
    for spin, fermi in enumerate(_levels(result["fermi_level"], len(mesh))):
        counts = {int(n) for n in (mesh[spin] <= fermi + _DEGENERATE).sum(axis=1)}
        filled = counts.pop()
        if counts or filled >= mesh.shape[2]:
            return None
        if filled:
            tops.append(path[spin][:, filled - 1])
        bottoms.append(path[spin][:, filled])
    if not tops:
        return None
    top, bottom = np.max(tops, axis=0), np.min(bottoms, axis=0)  # by k-point, of both spins
    width = float(bottom.min() - top.max())
    if width <= 0:
        return None
    return {
        "fundamental": width,
        "direct": float((bottom - top).min()),
        "valence_band_maximum": float(top.max()),
        "valence_band_maximum_index": int(np.argmax(top > top.max() - _DEGENERATE)),  # the first of equal ones
        "conduction_band_minimum": float(bottom.min()),
        "conduction_band_minimum_index": int(np.argmax(bottom < bottom.min() + _DEGENERATE)),
    }


def zero_of_energy(result: dict[str, Any], found: dict[str, Any] | None = None) -> float:
    """Return the energy (Ha) that plots take as zero: the top of the valence bands, else the Fermi level."""
    if found is not None:
        return found["valence_band_maximum"]
    return max(_levels(result["fermi_level"], 1))


def _levels(fermi: float | list[float], spins: int) -> list[float]:
    """The Fermi level of each spin; with a fixed magnetisation there are two."""
    return list(fermi) if isinstance(fermi, list) else [fermi] * spins
