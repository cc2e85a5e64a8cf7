"""The images of a reaction path between two minima, by ASE's nudged elastic band.

G. Henkelman, H. Jonsson, J. Chem. Phys. 113, 9978 (2000), 10.1063/1.1323224 (tangents); with B. P. Uberuaga, 9901,
10.1063/1.1329672 (climbing image).
"""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from ase import Atoms
from ase.mep import NEB
from ase.optimize import BFGS, FIRE

from wavegrid.crystal.degrees_of_freedom import constraints
from wavegrid.crystal.fixed_coordinates import FixedCoordinates
from wavegrid.model.core_result import CoreResult
from wavegrid.model.series import PathImage, ReactionPath
from wavegrid.model.tasks import Task
from wavegrid.motion.geometries import Solved
from wavegrid.motion.series import SCF_COLUMNS, Solve, SolveTogether, scf_cells
from wavegrid.results.calculator import RankCalculator
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV, HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM


class _Band(NEB):
    """ASE's band, whose images are prepared before it asks for their forces."""

    prepare: Callable[[], None]

    def get_forces(self) -> np.ndarray:
        self.prepare()
        forces: np.ndarray = super().get_forces()  # type: ignore[no-untyped-call]
        return forces


class Barrier:
    """The ends, then in each step of the optimiser all images between them, one after the other or in groups of ranks.

    The highest image climbs from the first step on.
    """

    columns = [
        ("step", 5),
        ("image", 5),
        ("free energy (Ha)", 16),
        ("above first (eV)", 16),
        ("band force (eV/A)", 17),
        *SCF_COLUMNS,
    ]

    def __init__(
        self, settings: Task, atoms: Atoms, fixed: FixedCoordinates | None, together: SolveTogether, groups: int
    ) -> None:
        """Begin with the images of `settings["images"]`, fractional coordinates; `atoms`: the first one.

        `groups`: of ranks, which `together` uses.
        """
        self._settings, self._together, self._groups = settings, together, groups
        self._images = []
        for places in settings["images"]:
            image = atoms.copy()
            image.set_scaled_positions(places)
            image.set_constraint(constraints(fixed))
            self._images.append(image)
        self._energies: list[float | None] = [None] * len(self._images)
        self._forces = [0.0] * len(self._images)  # of the band, eV/Angstrom, in the last complete step
        self._image = self._count = self._steps = 0
        self._converged = False

    def run(self, solve: Solve) -> None:
        """Relax the band."""
        for number, image in enumerate(self._images):
            image.calc = RankCalculator(partial(self._solve, solve, number))
        self._prepare([0, len(self._images) - 1])
        settings = self._settings
        tolerance = settings["force_tolerance"] * HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ASE's, of what it will change
            make: Any = _Band
            band = make(self._images, k=settings["spring"], climb=settings["climb"], method="improvedtangent")
            band.prepare = partial(self._prepare, list(range(1, len(self._images) - 1)))
            optimizer: Any = {"bfgs": BFGS, "fire": FIRE}[settings["optimizer"]](band, logfile=None)
            for _ in optimizer.irun(fmax=0.0, steps=settings["max_steps"] - 1):
                self._steps += 1
                forces = band.get_forces().reshape(len(self._images) - 2, -1, 3)
                self._forces[1:-1] = np.linalg.norm(forces, axis=2).max(axis=1).tolist()
                self._converged = max(self._forces) <= tolerance
                if self._converged:
                    break

    def _prepare(self, numbers: list[int]) -> None:
        """Solve those of some images that have moved, together."""
        moved = [n for n in numbers if self._images[n].calc.calculation_required(self._images[n], ["forces"])]

        def begin(place: int) -> None:
            self._image = moved[place]

        places = [self._images[n] for n in moved]
        for image, results in zip(places, self._together(places, begin) if places else [], strict=True):
            image.calc.atoms, image.calc.results = image.copy(), results

    def _solve(self, solve: Solve, number: int, atoms: Atoms) -> dict[str, Any]:
        self._image = number
        return solve(atoms)

    def report(self, solved: Solved) -> list[str]:
        """Take a geometry into account; return the cells of its line."""
        self._count += 1
        energy = solved.results["free_energy"]
        self._energies[self._image] = energy
        above = energy - (self._energies[0] or 0.0)
        force = max(self._forces)
        cells = [str(self._steps), str(self._image), f"{energy / HARTREE_IN_EV:.9f}", f"{above:.4f}"]
        return [*cells, f"{force:.4f}" if force else "-", *scf_cells(solved)]

    def frame(self) -> dict[str, object]:
        """Return what a frame of the trajectory says of the last geometry."""
        return {"step": self._count, "image": self._image, "optimizer_step": self._steps}

    def remaining(self) -> None:
        """Return None: the number of steps is not known."""

    def add_to(self, result: CoreResult) -> None:
        """Add the part of result.json."""
        places = np.array([image.positions for image in self._images])
        lengths = np.linalg.norm(np.diff(places, axis=0), axis=(1, 2)) / BOHR_IN_ANGSTROM
        distances = np.concatenate([[0.0], np.cumsum(lengths)]).tolist()
        part = result.reaction_path = ReactionPath(
            converged=self._converged, steps=self._steps, geometries=self._count, groups=self._groups, images=[]
        )
        energies = [energy / HARTREE_IN_EV for energy in self._energies if energy is not None]
        if len(energies) < len(self._images):
            return
        part.images = [
            PathImage(
                distance=distance,
                free_energy=energy,
                largest_force=force / HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM,
                fractional=image.get_scaled_positions(wrap=False).tolist(),
            )
            for distance, energy, force, image in zip(distances, energies, self._forces, self._images, strict=True)
        ]
        part.highest_image = int(np.argmax(energies))
        part.barrier_eV = (max(energies) - energies[0]) * HARTREE_IN_EV
        part.reverse_barrier_eV = (max(energies) - energies[-1]) * HARTREE_IN_EV
