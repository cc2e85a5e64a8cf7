"""Degrees of freedom of dynamics, their temperature, constraints and continuation, driven by springs."""

from typing import Any

import numpy as np
import pytest
from ase import Atoms
from ase.build import bulk
from ase.calculators.lj import LennardJones
from ase.calculators.singlepoint import SinglePointCalculator
from ase.constraints import FixAtoms
from ase.units import kB

from wavegrid.crystal.degrees_of_freedom import DegreesOfFreedom, constraints
from wavegrid.crystal.fixed_coordinates import FixedCoordinates
from wavegrid.model.core_result import CoreResult
from wavegrid.motion.dynamics import Dynamics
from wavegrid.motion.relax import Relaxation
from wavegrid.results.result_warnings import remarks

SKEWED = [[6.0, 0, 0], [-3.0, 5.2, 0], [0.5, 0.3, 6.0]]
ALL, NONE = (True,) * 3, (False,) * 3
SETTINGS: dict[str, Any] = {
    "ensemble": "nve",
    "temperature": 300.0,
    "seed": 1,
    "momenta": None,
    "masses": None,
    "steps": 100,
    "timestep": 2.0,
    "thermostat_time": 20.0,
    "write_every": 1,
}


class Springs:
    """Every atom is bound to every other one at its first distance, in three directions, a little anharmonic."""

    def __init__(self, atoms: Atoms) -> None:
        self._start, self._strength = atoms.positions.copy(), 1.0 / len(atoms)

    def _pairs(self, atoms: Atoms) -> np.ndarray:
        away = atoms.positions - self._start
        return away[:, None] - away[None]

    def get_potential_energy(self, atoms: Atoms, force_consistent: bool = False) -> float:
        pairs = self._pairs(atoms)
        return float((0.25 * self._strength * pairs**2 + 0.0125 * pairs**4).sum())

    def get_forces(self, atoms: Atoms) -> np.ndarray:
        pairs = self._pairs(atoms)
        return -(self._strength * pairs + 0.1 * pairs**3).sum(axis=1)


def atoms_of(count: int, cell: list[list[float]] = SKEWED) -> Atoms:
    """Return atoms of two masses at random places."""
    places = np.random.default_rng(0).random((count, 3))
    return Atoms((["He", "Ne"] * count)[:count], scaled_positions=places, cell=cell, pbc=True)


def moved(count: int, fixed: FixedCoordinates | None = None, **settings: object) -> Dynamics:
    """Return dynamics of springs that have come to their end."""
    atoms = atoms_of(count)
    task = Dynamics(SETTINGS | settings, atoms, fixed, earlier=[])
    atoms.calc = Springs(atoms)
    task.run(lambda _: None)
    return task


def test_degrees_of_freedom() -> None:
    def degrees(fixed: FixedCoordinates | None, atoms: int) -> int:
        return DegreesOfFreedom.of(fixed, SKEWED, np.ones(atoms)).count()

    assert [degrees(None, atoms) for atoms in (1, 2, 4, 8)] == [0, 3, 9, 21]
    assert DegreesOfFreedom.of(None, SKEWED, np.ones(4), in_potential=True).count() == 12
    assert degrees(FixedCoordinates.of_atoms([1], 2), 2) == 3  # no momentum is conserved
    assert degrees(FixedCoordinates.of_atoms([1, 2], 2), 2) == 0
    assert degrees(FixedCoordinates([NONE] * 3, [(False, False, True)] * 3), 3) == 4  # in a plane, and it is conserved
    assert degrees(FixedCoordinates([(True, False, False), NONE], [NONE] * 2), 2) == 3
    assert degrees(FixedCoordinates([(True, False, False), (False, True, True)], [NONE] * 2), 2) == 3


@pytest.mark.parametrize("ensemble", ["nve", "langevin", "nose-hoover"])
def test_dynamics_start_at_the_temperature_without_momentum(ensemble: str) -> None:
    for count in (2, 4, 8):
        task = moved(count, ensemble=ensemble, steps=20)
        first = task.steps[0]
        assert first.temperature == pytest.approx(300.0)
        assert task.part().degrees_of_freedom == 3 * count - 3
        kinetic = first.kinetic_energy * 27.211386
        assert kinetic == pytest.approx((3 * count - 3) / 2 * kB * 300, rel=1e-6)
        assert np.abs(task._atoms.get_momenta().sum(axis=0)).max() < 1e-12
    again, other = (moved(4, ensemble=ensemble, steps=20, seed=seed).steps[-1] for seed in (1, 2))
    assert moved(4, ensemble=ensemble, steps=20).steps[-1].free_energy == again.free_energy != other.free_energy


@pytest.mark.parametrize("ensemble", ["langevin", "nose-hoover"])
@pytest.mark.parametrize(("count", "steps"), [(2, 3600), (4, 2400), (8, 1800)])
def test_thermostats_keep_the_temperature_of_equipartition(ensemble: str, count: int, steps: int) -> None:
    """By 3 N degrees of freedom the mean would be 600, 400 and 343 K; the error is that of twelve blocks."""
    temperatures = [step.temperature for step in moved(count, ensemble=ensemble, steps=steps, timestep=3.0).steps]
    blocks = np.array(temperatures[-steps:]).reshape(12, -1).mean(axis=1)
    error = blocks.std() / np.sqrt(12)
    assert error < 15 and abs(blocks.mean() - 300.0) < 3.5 * error, (blocks.mean(), error)


@pytest.mark.parametrize("ensemble", ["nve", "langevin", "nose-hoover"])
def test_constraints_hold_in_dynamics(ensemble: str) -> None:
    """One atom does not move, one keeps its first fractional coordinate, one its z."""
    fixed = FixedCoordinates([ALL, (True, False, False), NONE, NONE], [NONE, NONE, (False, False, True), NONE])
    before = atoms_of(4)
    task = moved(4, fixed, ensemble=ensemble, steps=300)
    after = task._atoms
    change = after.positions - before.positions
    assert task.part().degrees_of_freedom == 7 and task.steps[0].temperature == pytest.approx(300.0)
    assert np.abs(change[0]).max() == 0 and abs(change[2, 2]) < 1e-12
    assert abs(after.get_scaled_positions(wrap=False) - before.get_scaled_positions(wrap=False))[1, 0] < 1e-12
    assert (np.abs(change[1:]).max(axis=1) > 0.05).all()
    if ensemble != "langevin":  # constraints do no work
        conserved = [step.conserved for step in task.steps]
        assert np.ptp(conserved) < 0.01 * max(step.kinetic_energy for step in task.steps)


@pytest.mark.parametrize("optimizer", ["bfgs", "fire"])
def test_constraints_hold_in_a_relaxation(optimizer: str) -> None:
    fixed = FixedCoordinates([ALL, (True, False, False), NONE], [NONE, NONE, (False, False, True)])
    atoms = atoms_of(3)
    springs = Springs(atoms)
    atoms.rattle(0.3, seed=1)
    before = atoms.copy()
    atoms.set_constraint(constraints(fixed))
    settings = {
        "optimizer": optimizer, "cell": "fixed", "displace": None, "force_tolerance": 1e-5, "max_steps": 200,
        "largest_step": 0.2,
    }  # fmt: skip
    task = Relaxation(settings, atoms, fixed, fresh=True)
    atoms.calc = springs
    optimiser = task._optimizer()
    assert optimiser.run(fmax=1e-4, steps=300)
    assert np.array_equal(atoms.positions[0], before.positions[0])
    scaled, old = atoms.get_scaled_positions(wrap=False), before.get_scaled_positions(wrap=False)
    assert scaled[1, 0] == pytest.approx(old[1, 0], abs=1e-12)
    assert atoms.positions[2, 2] == pytest.approx(before.positions[2, 2], abs=1e-12)
    raw = springs.get_forces(atoms)
    assert abs(raw[1] @ np.array(SKEWED[1:]).T).max() < 1e-2 < abs(raw[1]).max()  # what is left is a constraint force
    assert np.abs(raw[2, :2]).max() < 1e-2 < abs(raw[2, 2])


def test_fixed_fractional_coordinates_hold_while_the_cell_changes() -> None:
    atoms = bulk("Ar", "hcp", a=3.6, c=6.4)
    atoms.rattle(0.1, seed=2)
    before = atoms.get_scaled_positions(wrap=False)
    atoms.calc = LennardJones(sigma=3.2, epsilon=0.05, rc=6.5, smooth=True)
    settings = {
        "optimizer": "bfgs", "cell": "free", "displace": None, "largest_step": 0.2, "strain": None, "pressure": 0.0,
    }  # fmt: skip
    fixed = FixedCoordinates([ALL, (True, False, False)], [NONE] * 2)
    task = Relaxation(settings, atoms, fixed, fresh=True)
    assert task._optimizer().run(fmax=2e-3, steps=100)
    after = atoms.get_scaled_positions(wrap=False)
    assert np.abs(after - before)[[0, 0, 0, 1], [0, 1, 2, 0]].max() < 1e-12 < np.abs(after - before)[1, 1:].min()
    assert np.abs(atoms.get_stress()).max() < 1e-3


def test_a_whole_atom_is_left_to_ase() -> None:
    assert [type(one) for one in constraints(FixedCoordinates.of_atoms([1], 2))] == [FixAtoms]


def test_velocities_of_the_structure_are_the_first_ones() -> None:
    given = np.array([[1.0, 0, 0], [0, 2.0, 0]])
    task = Dynamics(SETTINGS | {"momenta": given.tolist()}, atoms_of(2), earlier=[])
    masses = task._atoms.get_masses()
    centre = given.sum(axis=0) / masses.sum()
    assert task._atoms.get_momenta() == pytest.approx(given - masses[:, None] * centre)


@pytest.mark.parametrize("ensemble", ["nve", "langevin", "nose-hoover"])
def test_a_continuation_holds_the_whole_trajectory(ensemble: str) -> None:
    whole = moved(3, ensemble=ensemble, steps=12, write_every=2)
    atoms = atoms_of(3)
    half = Dynamics(SETTINGS | {"ensemble": ensemble, "steps": 6}, atoms, earlier=[])
    frames: list[Atoms] = []

    def keep(_: bool) -> None:
        frame = atoms.copy()
        frame.info = {name: _value(text) for name, text in half.frame().items()}
        frame.calc = SinglePointCalculator(frame, free_energy=atoms.get_potential_energy(force_consistent=True))
        frames.append(frame)

    atoms.calc = Springs(atoms)
    half.run(keep)
    begin = Atoms(atoms.symbols, positions=frames[-1].positions, cell=atoms.cell, pbc=True)
    rest = Dynamics(SETTINGS | {"ensemble": ensemble, "steps": 12}, begin, earlier=frames[::2])
    written: list[bool] = []
    begin.calc = Springs(atoms_of(3))
    rest.run(written.append)
    assert [step.step for step in rest.steps] == [0, 2, 4, 6, 7, 8, 9, 10, 11, 12]
    assert written == [False] * 4 + [True] * 6
    by_step = {step.step: step for step in whole.steps}
    for step in rest.steps:
        for name in ("time", "free_energy", "kinetic_energy", "temperature", "conserved"):
            assert getattr(step, name) == pytest.approx(getattr(by_step[step.step], name), abs=1e-9), (name, step.step)
    known = [step.temperature for step in rest.steps]
    weights = [1, 2, 2, 2, 1, 1, 1, 1, 1, 1]
    assert rest.part().mean_temperature == pytest.approx(np.average(known, weights=weights))


def _value(text: object) -> object:
    """Return a value of a frame as ASE reads it."""
    words = str(text).strip('"').split()
    return [float(word) for word in words] if len(words) > 1 else float(words[0])


def test_dynamics_that_heat_up_bring_a_warning() -> None:
    problem = {"smearing": {}, "atoms": [()] * 2, "energy_tolerance": 1e-9, "realspace": None}

    def names(**settings: object) -> list[str]:
        return [remark.name for remark in remarks(problem, CoreResult.read({"dynamics": moved(2, **settings).part()}))]

    assert names() == names(ensemble="langevin") == names(ensemble="nose-hoover") == []
    assert names(timestep=70.0) == ["dynamics_heated_up"]
    part = moved(2).part()
    part.steps[50].conserved += 0.1
    problem_found = [remark.name for remark in remarks(problem, CoreResult.read({"dynamics": part}))]
    assert problem_found == ["energy_of_dynamics_not_conserved"]


def test_a_relaxation_that_ends_above_its_start_brings_a_warning() -> None:
    problem = {"smearing": {}, "atoms": [()] * 2, "energy_tolerance": 1e-9, "realspace": None}
    for change, found in ((1e-3, ["relaxation_ended_above_its_start"]), (1e-7, []), (-1.0, [])):
        part = {"change_from_start": change, "geometries": [{}]}
        assert [remark.name for remark in remarks(problem, CoreResult.read({"relaxation": part}))] == found
