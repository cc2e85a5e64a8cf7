"""The volumes of an equation of state, each of which begins with density and wave functions of those before."""

import numpy as np
from ase import Atoms

from wavegrid.model import motion as model
from wavegrid.model.core_result import CoreResult
from wavegrid.model.motion import VolumeEnergy
from wavegrid.model.tasks import Task
from wavegrid.motion.geometries import Solved
from wavegrid.motion.series import SCF_COLUMNS, Solve, scf_cells
from wavegrid.results import equation_of_state
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV, HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM


class EquationOfState:
    """The volumes from the largest to the smallest, and what result.json says of them.

    All have the cutoff of the input and the FFT grid of the largest volume. The number of plane waves follows the
    volume, so that the curve is that of separate calculations: with a fixed number of plane waves it would lack the
    pressure of Pulay (motion/relax.py).
    """

    columns = [
        ("volume (A^3)", 12),
        ("free energy (Ha)", 16),
        ("max. force (eV/A)", 17),
        *SCF_COLUMNS,
    ]

    def __init__(self, settings: Task, atoms: Atoms) -> None:
        """Compute `atoms`, which have the largest volume, at each of the ratios `settings["volumes"]`."""
        self._atoms, self._ratios = atoms, list(reversed(settings["volumes"]))
        self.volumes: list[VolumeEnergy] = []

    def run(self, solve: Solve) -> None:
        """Solve each volume."""
        largest = self._atoms.cell.array.copy()
        for ratio in self._ratios:
            self._atoms.set_cell(largest * (ratio / self._ratios[0]) ** (1 / 3), scale_atoms=True)
            solve(self._atoms)

    def report(self, solved: Solved) -> list[str]:
        """Take a volume into account; return the cells of its line."""
        energy, volume = solved.results["free_energy"] / HARTREE_IN_EV, solved.atoms.get_volume()
        force = float(np.linalg.norm(solved.results["forces"], axis=1).max())
        entry = VolumeEnergy(
            volume=volume / BOHR_IN_ANGSTROM**3,
            free_energy=energy,
            largest_force=force / HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM,
            scf_steps=solved.result.scf_steps if solved.result else 0,
            seconds=solved.seconds,
        )
        if (moment := solved.results.get("magmom")) is not None:
            entry.magnetisation = float(moment)
        self.volumes.append(entry)
        return [f"{volume:.4f}", f"{energy:.9f}", f"{force:.5f}", *scf_cells(solved)]

    def frame(self) -> dict[str, object]:
        """Return what a frame of the trajectory says of the last volume."""
        done = len(self.volumes)
        return {"step": done, "volume_ratio": repr(self._ratios[done - 1])}

    def remaining(self) -> int:
        """Return the number of volumes that are left."""
        return len(self._ratios) - len(self.volumes)

    def add_to(self, result: CoreResult) -> None:
        """Add the part of result.json: the volumes in ascending order, and the curves where all are there."""
        part = result.equation_of_state = model.EquationOfState(volumes=self.volumes[::-1])
        if self.remaining() > 0:
            return
        volumes = [one.volume for one in part.volumes]
        energies = [one.free_energy for one in part.volumes]
        if (curve := equation_of_state.fit(volumes, energies)) is not None:
            part.fit = curve.as_part()
            vinet = equation_of_state.fit_vinet(curve, volumes, energies)
            part.vinet = None if vinet is None else vinet.as_part()
