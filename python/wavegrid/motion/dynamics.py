"""Molecular dynamics by ASE's integrators. A run that continues a trajectory goes on as if it had not ended."""

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from ase import Atoms, units
from ase.md import Langevin, VelocityVerlet
from ase.md.nose_hoover_chain import NoseHooverChainNVT, NoseHooverChainThermostat

from wavegrid.crystal.degrees_of_freedom import DegreesOfFreedom, FixedCentre, constraints
from wavegrid.crystal.fixed_coordinates import FixedCoordinates
from wavegrid.model import motion as model
from wavegrid.model.motion import DynamicsStep
from wavegrid.model.tasks import Task
from wavegrid.motion.geometries import Solved
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV

if TYPE_CHECKING:
    from wavegrid.motion.variable_cell import CellDynamics

_THERMOSTAT = "thermostat"  # in a frame: positions and momenta of the Nose-Hoover chain
_BAROSTAT = "barostat"  # in a frame: those of its chain, and the rates of the cell
_GPA = units.GPa
_CELL_COLUMNS = [("volume (A^3)", 12), ("pressure (GPa)", 14)]


class Dynamics:
    """The steps of a run of molecular dynamics, and what result.json says of them."""

    columns = [
        ("step", 7),
        ("time (fs)", 10),
        ("free energy (Ha)", 18),
        ("kinetic (Ha)", 12),
        ("temperature (K)", 15),
        ("conserved (Ha)", 18),
        ("SCF steps", 9),
        ("seconds", 8),
    ]

    def __init__(
        self,
        settings: Task,
        atoms: Atoms,
        fixed: FixedCoordinates | None = None,
        *,
        earlier: list[Atoms],
        in_potential: bool = False,
    ) -> None:
        """Move `atoms`; `fixed`: what they keep, `earlier`: the frames of the trajectory that the run continues.

        `in_potential`: they are in a potential that is fixed in space.
        """
        self._settings, self._atoms = settings, atoms
        self._degrees = DegreesOfFreedom.of(
            fixed, atoms.cell.array.tolist(), atoms.get_masses(), in_potential=in_potential
        )
        atoms.set_constraint(constraints(fixed))
        self._cell: CellDynamics | None = None
        if settings["ensemble"] == "npt":
            self.columns = [*Dynamics.columns[:-2], *_CELL_COLUMNS, *Dynamics.columns[-2:]]
        self._earlier, self._last = earlier, earlier[-1] if earlier else None
        atoms.set_momenta(self._first_momenta(), apply_constraint=False)
        self.step = 0 if self._last is None else int(self._last.info["step"])
        self.steps: list[DynamicsStep] = []
        self._solved: list[Solved] = []  # since the last step

    def _first_momenta(self) -> np.ndarray:
        if self._last is not None:
            found: np.ndarray = self._last.get_momenta()
            return found
        if self._settings["momenta"] is not None:
            return self._degrees.of_momenta(np.array(self._settings["momenta"]))
        return self._degrees.random_momenta(self._settings["temperature"], self._settings["seed"])

    def run(self, report: Callable[[bool], None]) -> None:
        """Do the steps that are left; `report` is called after each, with whether its frame is to be written."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ASE's, of what it will change
            self._noise = _Noise(self._settings["seed"])
            self._integrator = self._make()
            self._atoms.get_forces()
            for frame in self._earlier:
                self._recall(frame)
                report(False)
            if not self._earlier:
                self._record()
                report(True)
            while self.step < self._settings["steps"]:
                self._noise.begin(self.step)
                self._integrator.step()
                self.step += 1
                self._record()
                report(self.step % self._settings["write_every"] == 0 or self.step == self._settings["steps"])

    def report(self, solved: Solved) -> list[str]:
        """Remember what a geometry needed; its line follows when the step is done."""
        self._solved.append(solved)
        return []

    def cells(self) -> list[str]:
        """Return the line of the last step."""
        last = self.steps[-1]
        conserved = f"{last.conserved:.9f}" if last.conserved is not None else "-"
        head = [str(last.step), f"{last.time:.3f}", f"{last.free_energy:.9f}", f"{last.kinetic_energy:.6f}"]
        steps = str(last.scf_steps) if last.scf_steps else "from file"
        of_cell = []
        if last.volume is not None and last.pressure_GPa is not None:
            of_cell = [f"{last.volume * BOHR_IN_ANGSTROM**3:.4f}", f"{last.pressure_GPa:.3f}"]
        return [*head, f"{last.temperature:.2f}", conserved, *of_cell, steps, f"{last.seconds:.2f}"]

    def frame(self) -> dict[str, object]:
        """Return what a frame of the trajectory says of the last step."""
        found: dict[str, object] = {"step": self.step, "time": f"{self.steps[-1].time:.6f}"}
        if (chain := self._chain()) is not None:
            found[_THERMOSTAT] = _text(np.concatenate([chain._eta, chain._p_eta]))
        if self._cell is not None:
            found[_BAROSTAT] = _text(self._cell.state())
        return found

    def part(self) -> model.Dynamics:
        """Return the part of result.json."""
        settings, done = self._settings, self.steps
        found = model.Dynamics(
            ensemble=settings["ensemble"],
            timestep=settings["timestep"],
            temperature=settings["temperature"],
            degrees_of_freedom=self._degrees.count(),
            finished=self.step >= settings["steps"],
            steps=done,
            drift=self._drift(),
        )
        if self._cell is not None:
            found.pressure_GPa = settings["pressure"]
        if done:
            # of an earlier run only every so many steps are in its trajectory
            weights = np.diff([step.step for step in done], prepend=done[0].step - 1)
            found.mean_temperature = float(np.average([step.temperature for step in done], weights=weights))
            if self._cell is not None:
                found.mean_volume = float(np.average([step.volume for step in done], weights=weights))
                found.mean_pressure_GPa = float(np.average([step.pressure_GPa for step in done], weights=weights))
        return found

    def _make(self) -> Any:
        settings = self._settings
        timestep, temperature = settings["timestep"] * units.fs, settings["temperature"]
        time = settings["thermostat_time"] * units.fs
        if settings["ensemble"] == "langevin":
            if len(self._degrees.translations):
                self._atoms.set_constraint([*self._atoms.constraints, FixedCentre(self._degrees.translations)])
            return Langevin(
                self._atoms, timestep, temperature_K=temperature, friction=1 / time, fixcm=False, rng=self._noise
            )
        if settings["ensemble"] == "nve":
            return VelocityVerlet(self._atoms, timestep)
        if settings["ensemble"] == "npt":
            from wavegrid.motion import variable_cell

            self._cell = variable_cell.make(
                self._atoms,
                timestep,
                cell=settings["cell"],
                temperature=temperature,
                time=time,
                pressure=settings["pressure"] * _GPA,
                cell_time=settings["barostat_time"] * units.fs,
                degrees=self._degrees.count(),
            )
            return self._cell
        return _NoseHoover(self._atoms, timestep, temperature_K=temperature, tdamp=time, degrees=self._degrees.count())

    def _chain(self) -> Any:
        return getattr(self._integrator, "_thermostat", None)

    def _recall(self, frame: Atoms) -> None:
        """Take a step of the trajectory that the run continues, with the state of its thermostat."""
        assert frame.calc is not None
        if (chain := self._chain()) is not None and _THERMOSTAT in frame.info:
            chain._eta[:], chain._p_eta[:] = np.split(np.array(frame.info[_THERMOSTAT], dtype=float), 2)
        if self._cell is not None and _BAROSTAT in frame.info:
            self._cell.recall(np.array(frame.info[_BAROSTAT], dtype=float))
        step = int(frame.info["step"])
        time = float(frame.info.get("time", step * self._settings["timestep"]))
        self._solved.clear()
        self._append(step, time, frame)

    def _record(self) -> None:
        """Take the step that was done."""
        step, time = (self.steps[-1].step, self.steps[-1].time) if self.steps else (0, 0.0)
        time += (self.step - step) * self._settings["timestep"]
        self._append(self.step, time, self._atoms)

    def _append(self, step: int, time: float, atoms: Atoms) -> None:
        free_energy = atoms.get_potential_energy(force_consistent=True)
        kinetic = self._degrees.kinetic_energy(atoms.get_momenta())
        conserved = {"nve": free_energy + kinetic}.get(self._settings["ensemble"])
        if (chain := self._chain()) is not None:
            conserved = free_energy + kinetic + chain.get_thermostat_energy()
        volume = pressure = None
        if self._cell is not None:
            assert conserved is not None
            volume = atoms.get_volume()
            conserved += self._cell.cell_energy(volume)
            stress = atoms.get_stress(voigt=False, include_ideal_gas=True)
            pressure = -float(np.trace(stress)) / 3 / _GPA
        self.steps.append(
            DynamicsStep(
                step=step,
                time=time,
                free_energy=free_energy / HARTREE_IN_EV,
                kinetic_energy=kinetic / HARTREE_IN_EV,
                temperature=self._degrees.temperature(kinetic),
                conserved=None if conserved is None else conserved / HARTREE_IN_EV,
                volume=None if volume is None else volume / BOHR_IN_ANGSTROM**3,
                pressure_GPa=pressure,
                scf_steps=sum(one.result.scf_steps for one in self._solved if one.result),
                seconds=sum(one.seconds for one in self._solved),
            )
        )
        self._solved.clear()

    def _drift(self) -> float | None:
        """Return the slope of the conserved energy, Ha per atom and ps."""
        pairs = [(step.time / 1000, step.conserved) for step in self.steps if step.conserved is not None]
        if len(pairs) < 3:
            return None
        times, energies = np.array(pairs).T
        return float(np.polyfit(times, energies - energies[0], 1)[0] / len(self._atoms))


def _text(numbers: np.ndarray) -> str:
    """Return numbers as a frame has them, to the last digit."""
    return '"' + " ".join(repr(float(number)) for number in numbers) + '"'


class _NoseHoover(NoseHooverChainNVT):
    """ASE's chain, which counts 3 degrees of freedom for each atom, with those that there are, and with constraints."""

    def __init__(self, atoms: Atoms, timestep: float, *, temperature_K: float, tdamp: float, degrees: int) -> None:
        super().__init__(atoms, timestep, temperature_K=temperature_K, tdamp=tdamp)
        self._thermostat = NoseHooverChainThermostat(
            num_atoms_global=degrees / 3,  # type: ignore[arg-type]  # it takes this times 3
            masses=self.masses,
            temperature_K=temperature_K,
            tdamp=tdamp,
        )

    def _get_forces(self) -> np.ndarray:
        """Return the forces along the directions in which atoms move, so that momenta stay along them."""
        self._update_atoms()
        forces: np.ndarray = self.atoms.get_forces()
        return forces


class _Noise:
    """Random numbers that depend on the seed and the step alone, not on the steps done before."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.begin(0)

    def begin(self, step: int) -> None:
        self._generator = np.random.default_rng([self._seed, step])

    def standard_normal(self, size: tuple[int, ...]) -> np.ndarray:
        return self._generator.standard_normal(size)
