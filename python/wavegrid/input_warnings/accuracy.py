"""Remarks on tolerances that do not fit each other."""

import math
from collections.abc import Iterator

from wavegrid.input.tasks import kind_of
from wavegrid.input_warnings.remark import Remark
from wavegrid.input_warnings.setup import Setup
from wavegrid.units import HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM


def remarks(setup: Setup) -> Iterator[Remark]:
    """Warn of a relaxation whose forces have larger errors than its tolerance."""
    spec = setup.spec
    if kind_of(spec) != "relax" or "energy_tolerance" not in spec.scf.model_fields_set:
        return
    atoms, tolerance = len(setup.crystal.symbols), spec.relax.force_tolerance
    error = math.sqrt(spec.scf.energy_tolerance / atoms)
    if error > tolerance:
        unit = HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM
        yield Remark(
            "force_tolerance_below_error",
            f"with energy_tolerance = {spec.scf.energy_tolerance:.1e} Ha the errors of forces may reach about "
            f"{error * unit:.1g} eV/Angstrom, more than force_tolerance = {tolerance * unit:.1g} eV/Angstrom; leave it "
            f"out, or {atoms * tolerance**2:.0e} Ha or less",
        )
