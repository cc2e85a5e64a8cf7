"""All remarks on an input."""

from wavegrid.plausibility import accuracy, cell, electrons, geometry, potentials, sampling
from wavegrid.plausibility.remark import Remark
from wavegrid.plausibility.setup import Setup


def remarks(setup: Setup) -> list[Remark]:
    """Return the remarks of all subjects."""
    subjects = (geometry, cell, sampling, electrons, potentials, accuracy)
    return [remark for subject in subjects for remark in subject.remarks(setup)]
