"""The SCF steps of a run, for result.json."""

import math

from wavegrid.model.reports import Step
from wavegrid.model.run_statistics import ScfStep

_NAMES = ("step", "free_energy", "h_applications", "seconds", "single_precision", "total_magnetisation")


def scf_history(steps: list[Step]) -> list[ScfStep]:
    """Return what is kept of the core's reports of the steps; an error that is not known yet is left out."""
    kept = []
    for step in steps:
        kept.append(ScfStep.read({name: value for name, value in step.items() if name in _NAMES}))
        error = step.get("error_estimate") or 0.0
        if 0 < error < math.inf:
            kept[-1].error_estimate = error
    return kept
