"""Dynamics at constant temperature and pressure in a cell that changes: argon by a pair potential, and silicon."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ase.build import bulk
from ase.calculators.lj import LennardJones
from ase.calculators.singlepoint import SinglePointCalculator
from series_runs import refused, run_text, text

from wavegrid.motion.dynamics import Dynamics

SETTINGS: dict[str, Any] = {
    "ensemble": "npt",
    "temperature": 40.0,
    "seed": 1,
    "momenta": None,
    "masses": None,
    "steps": 100,
    "timestep": 4.0,
    "thermostat_time": 100.0,
    "barostat_time": 400.0,
    "pressure": 0.1,
    "cell": "free",
    "write_every": 1,
}


def moved(*, keeps: bool = False, earlier: list | None = None, **settings: object) -> tuple[Dynamics, list]:
    """Return dynamics of argon that have come to their end, and their frames if they are kept."""
    atoms = bulk("Ar", "fcc", a=5.3).repeat((2, 2, 2)) if not earlier else earlier[-1].copy()
    task = Dynamics(SETTINGS | settings, atoms, None, earlier=earlier or [])
    atoms.calc = LennardJones(sigma=3.4, epsilon=0.0104, rc=6.0, smooth=True)
    frames: list = []

    def keep(_: bool) -> None:
        if keeps:
            frame = atoms.copy()
            frame.info |= {name: str(value).strip('"').split() for name, value in task.frame().items()}
            frame.info |= {"step": task.step, "time": task.steps[-1].time}
            frame.calc = SinglePointCalculator(frame, **atoms.calc.results)
            frames.append(frame)

    task.run(keep)
    return task, frames


@pytest.mark.parametrize("cell", ["free", "isotropic"])
def test_energy_is_conserved(cell: str) -> None:
    """To the second order of the time step, while the cell breathes."""
    spreads = []
    for timestep, steps in ((10.0, 40), (5.0, 80)):
        part = moved(cell=cell, timestep=timestep, steps=steps)[0].part()
        conserved = np.array([step.conserved for step in part.steps])
        volumes = [step.volume for step in part.steps]
        spreads.append(float(np.ptp(conserved)))
        assert np.ptp(volumes) > 0.01 * np.mean(volumes)
        assert spreads[-1] < 0.02 * max(step.kinetic_energy for step in part.steps)
    assert spreads[1] < 0.4 * spreads[0]


def test_shapes() -> None:
    """An isotropic cell keeps its shape; the angles of a free one change, and the pressure is in the result."""
    free, isotropic = (moved(cell=cell, steps=40, temperature=60.0)[0] for cell in ("free", "isotropic"))
    angles = [task._atoms.cell.angles() for task in (free, isotropic)]
    assert np.ptp(angles[0]) > 0.1 and angles[1] == pytest.approx(60.0)
    part = free.part()
    assert part.pressure_GPa == 0.1 and part.mean_volume is not None and part.mean_pressure_GPa is not None
    assert len(free.cells()) == len(free.columns) == 10


@pytest.mark.parametrize("cell", ["free", "isotropic"])
def test_dynamics_that_were_cut_go_on(cell: str) -> None:
    whole = moved(cell=cell, steps=12)[0]
    first = moved(cell=cell, steps=5, keeps=True)[1]
    rest = moved(cell=cell, steps=12, earlier=first)[0]
    assert rest._atoms.cell.array == pytest.approx(whole._atoms.cell.array, abs=1e-9)
    assert rest._atoms.get_momenta() == pytest.approx(whole._atoms.get_momenta(), abs=1e-9)
    for one, other in zip(whole.steps, rest.steps, strict=True):
        assert one.conserved == pytest.approx(other.conserved, abs=1e-12)
        assert one.volume == pytest.approx(other.volume, rel=1e-10)


MD = """[md]
ensemble = "npt"
steps = {steps}
timestep = "2 fs"
temperature = "600 K"
thermostat_time = "50 fs"
barostat_time = "100 fs"
pressure = "1 GPa"
"""


def test_silicon_continues_on_other_ranks(tmp_path: Path) -> None:
    whole = run_text(tmp_path / "whole", text(MD.format(steps=4)))
    half = run_text(tmp_path / "half", text(MD.format(steps=2)), ranks=2)
    trajectory = tmp_path / "half/out/trajectory.extxyz"
    rest = run_text(tmp_path / "rest", text(MD.format(steps=4)), "--restart", trajectory, ranks=2)
    assert [step["step"] for step in rest["dynamics"]["steps"]] == list(range(5))
    assert len(half["dynamics"]["steps"]) == 3
    for one, other in zip(whole["dynamics"]["steps"], rest["dynamics"]["steps"], strict=True):
        assert one["volume"] == pytest.approx(other["volume"], rel=1e-6)
        assert one["conserved"] == pytest.approx(other["conserved"], abs=2e-6)
    volumes = [step["volume"] for step in whole["dynamics"]["steps"]]
    assert len(set(volumes)) == 5
    assert "mean pressure" in whole["screen"].splitlines()[-1]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('pressure = "1 GPa"\n', 'pressure with ensemble = "nve"; valid: ensemble = "npt"'),
        ('ensemble = "npt"\nfixed_atoms = [1]\n', 'ensemble = "npt" with fixed atoms'),
        ('ensemble = "npt"\ntemperature = "0 K"\n', "temperature = 0 K"),
        ('ensemble = "npt"\ncell = "fixed"\n', '"free" or "isotropic"'),
    ],
)
def test_what_does_not_fit_is_refused(lines: str, words: str, tmp_path: Path) -> None:
    assert words in refused(tmp_path, text(f"[md]\n{lines}"))
