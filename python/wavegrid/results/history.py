"""The SCF steps of a run, for result.json."""

import math
from typing import Any

_NAMES = ("step", "free_energy", "h_applications", "seconds", "single_precision", "total_magnetisation")


def scf_history(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what is kept of the core's reports of the steps; an error that is not known yet is left out."""
    kept = []
    for step in steps:
        kept.append({name: step[name] for name in _NAMES if name in step})
        error = step.get("error_estimate") or 0.0
        if 0 < error < math.inf:
            kept[-1]["error_estimate"] = error
    return kept
