"""All remarks on an input."""

from wavegrid.input_warnings import accuracy, cell, electrons, geometry, potentials, sampling
from wavegrid.input_warnings.remark import Remark
from wavegrid.input_warnings.setup import Setup


def remarks(setup: Setup) -> list[Remark]:
    """Return the remarks of all subjects."""
    subjects = (geometry, cell, sampling, electrons, potentials, accuracy)
    return [remark for subject in subjects for remark in subject.remarks(setup)]
