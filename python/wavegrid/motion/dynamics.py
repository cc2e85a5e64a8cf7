"""Molecular dynamics by ASE's integrators. A run that continues a trajectory goes on as if it had not ended."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from ase import Atoms, units
from ase.constraints import FixAtoms
from ase.md import Langevin, VelocityVerlet
from ase.md.nose_hoover_chain import NoseHooverChainNVT
from ase.md.velocitydistribution import MaxwellBoltzmannDistribution, Stationary, force_temperature

from wavegrid.motion.calculator import Geometries, Solved
from wavegrid.units import HARTREE_IN_EV

_THERMOSTAT = "thermostat"  # in a frame: positions and momenta of the Nose-Hoover chain


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

    def __init__(self, settings: dict[str, Any], atoms: Atoms, *, last: Atoms | None) -> None:
        """Move `atoms`; `last`: the last frame of the trajectory that the run continues."""
        self._settings, self._atoms, self._last = settings, atoms, last
        fixed = [number - 1 for number in settings["fixed_atoms"] or []]
        if fixed:
            atoms.set_constraint(FixAtoms(fixed))
        if last is None:
            _draw_velocities(atoms, settings["temperature"], settings["seed"], rests=not fixed)
        else:
            atoms.set_momenta(last.get_momenta(), apply_constraint=False)
        self.step = 0 if last is None else int(last.info["step"])
        self.steps: list[dict[str, Any]] = []
        self._solved: list[Solved] = []  # since the last step

    def run(self, calculator: Geometries, report: Callable[[bool], None]) -> None:
        """Do the steps that are left; `report` is called after each, with whether its frame is to be written."""
        self._atoms.calc = calculator
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ASE's, of what it will change
            self._noise = _Noise(self._settings["seed"])
            self._integrator = self._make()
            self._atoms.get_forces()
            if self.step == 0:
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
        conserved = f"{last['conserved']:.9f}" if "conserved" in last else "-"
        head = [str(self.step), f"{last['time']:.3f}", f"{last['free_energy']:.9f}", f"{last['kinetic_energy']:.6f}"]
        return [*head, f"{last['temperature']:.2f}", conserved, str(last["scf_steps"]), f"{last['seconds']:.2f}"]

    def frame(self) -> dict[str, object]:
        """Return what a frame of the trajectory says of the last step."""
        found: dict[str, object] = {"step": self.step, "time": f"{self.steps[-1]['time']:.6f}"}
        if (chain := self._chain()) is not None:
            numbers = np.concatenate([chain._eta, chain._p_eta])
            found[_THERMOSTAT] = '"' + " ".join(repr(float(number)) for number in numbers) + '"'
        return found

    def part(self) -> dict[str, Any]:
        """Return the part of result.json."""
        settings, done = self._settings, self.steps
        found: dict[str, Any] = {name: settings[name] for name in ("ensemble", "timestep")}
        found |= {"finished": self.step >= settings["steps"], "steps": done}
        if done:
            found["mean_temperature"] = float(np.mean([step["temperature"] for step in done]))
        if (drift := self._drift()) is not None:
            found["drift"] = drift
        return found

    def _make(self) -> Any:
        settings = self._settings
        timestep, temperature = settings["timestep"] * units.fs, settings["temperature"]
        time = settings["thermostat_time"] * units.fs
        if settings["ensemble"] == "langevin":
            return Langevin(
                self._atoms, timestep, temperature_K=temperature, friction=1 / time, fixcm=False, rng=self._noise
            )
        if settings["ensemble"] == "nve":
            return VelocityVerlet(self._atoms, timestep)
        made = NoseHooverChainNVT(self._atoms, timestep, temperature_K=temperature, tdamp=time)
        if self._last is not None and _THERMOSTAT in self._last.info:
            state = np.array(self._last.info[_THERMOSTAT], dtype=float)
            made._thermostat._eta[:], made._thermostat._p_eta[:] = np.split(state, 2)
        return made

    def _chain(self) -> Any:
        return getattr(self._integrator, "_thermostat", None)

    def _record(self) -> None:
        atoms, solved = self._atoms, self._solved
        free = atoms.get_potential_energy(force_consistent=True)
        kinetic = atoms.get_kinetic_energy()
        conserved = {"nve": free + kinetic}.get(self._settings["ensemble"])
        if self._chain() is not None:
            conserved = self._integrator.get_conserved_energy()
        self.steps.append(
            {
                "step": self.step,
                "time": self.step * self._settings["timestep"],
                "free_energy": free / HARTREE_IN_EV,
                "kinetic_energy": kinetic / HARTREE_IN_EV,
                "temperature": float(atoms.get_temperature()),
                **({} if conserved is None else {"conserved": conserved / HARTREE_IN_EV}),
                "scf_steps": sum(one.result["scf_steps"] for one in solved if one.result),
                "seconds": sum(one.seconds for one in solved),
            }
        )
        solved.clear()

    def _drift(self) -> float | None:
        """Return the slope of the conserved energy, Ha per atom and ps."""
        pairs = [(step["time"] / 1000, step["conserved"]) for step in self.steps if "conserved" in step]
        if len(pairs) < 3:
            return None
        times, energies = np.array(pairs).T
        return float(np.polyfit(times, energies - energies[0], 1)[0] / len(self._atoms))


class _Noise:
    """Random numbers that depend on the seed and the step alone, not on the steps done before."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.begin(0)

    def begin(self, step: int) -> None:
        self._generator = np.random.default_rng([self._seed, step])

    def standard_normal(self, size: tuple[int, ...]) -> np.ndarray:
        return self._generator.standard_normal(size)


def _draw_velocities(atoms: Atoms, temperature: float, seed: int, *, rests: bool) -> None:
    """Draw velocities and scale them to a temperature; where nothing is fixed, without total momentum."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        MaxwellBoltzmannDistribution(atoms, temperature_K=temperature, rng=np.random.default_rng(seed))
        if rests:
            Stationary(atoms, preserve_temperature=False)
        if atoms.get_temperature() > 0:  # of few atoms a draw may be far off
            force_temperature(atoms, temperature)
