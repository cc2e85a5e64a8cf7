"""The levels at k-points of weight zero, which take no part in the density."""

from typing import Any


def separate(result: dict[str, Any], count: int) -> dict[str, Any]:
    """Return the core's result with its last `count` points of "path" in the part `levels_at_weight_zero`."""
    if count == 0 or "path" not in result:
        return result
    path = result["path"]
    apart = {
        "kpoints": [point[:3] for point in path["kpoints"][-count:]],
        "eigenvalues": [of_spin[-count:] for of_spin in path["eigenvalues"]],
        "error_bound": path["error_bound"],
        "converged": path["converged"],
    }
    rest = {
        "kpoints": path["kpoints"][:-count],
        "eigenvalues": [of_spin[:-count] for of_spin in path["eigenvalues"]],
    }
    result = result | {"path": path | rest, "levels_at_weight_zero": apart}
    if not rest["kpoints"]:
        del result["path"]
    if "projections" in result:  # of all points of the path
        found = result["projections"]
        result["projections"] = found | {"weights": found["weights"][: len(rest["kpoints"])]}
    return result
