"""The band structure of a run: energies along the path, and the band gap of an insulator."""

from typing import Any

from wavegrid.results import gap as gaps


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
    """Return the gap along the path, or None for a metal and where there are no empty bands."""
    if "occupations" in result and gaps.is_metal(result):
        return None
    return gaps.find(result["eigenvalues"], result["path"]["eigenvalues"], result["fermi_level"])


def zero_of_energy(result: dict[str, Any], found: dict[str, Any] | None = None) -> float:
    """Return the energy (Ha) that plots take as zero: the top of the valence bands, else the Fermi level."""
    if found is not None:
        return found["valence_band_maximum"]
    return max(gaps.fermi_levels(result["fermi_level"], 1))
