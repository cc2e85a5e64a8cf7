"""The extended XYZ file of a result, read by ASE."""

import io
from collections.abc import Callable
from pathlib import Path

import ase.io
import ase.units
import fake_core
import numpy as np
import pytest
from conftest import GOOD

from wavegrid.job.job import Job
from wavegrid.job.prepare import prepare
from wavegrid.model.core_result import CoreResult
from wavegrid.model.result import Result
from wavegrid.results import extxyz
from wavegrid.results.report import complete
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV

ENERGY = {"free": -8.1, "internal": -8.0, "entropy": -0.1}


@pytest.fixture
def job(write: Callable[..., Path]) -> Job:
    """Return the job of the good input."""
    return prepare(fake_core, write())


def content_of(job: Job, **more: object) -> Result:
    """Return result.json of a made-up result."""
    result = {"converged": True, "energy": ENERGY, "wall_seconds": {"total": 0.0}} | more
    return complete(fake_core, job, CoreResult.read(result), seconds=1.0, predicted_bytes=0)


def read(content: Result) -> ase.Atoms:
    return ase.io.read(io.StringIO(extxyz.render(content).decode()), format="extxyz")


def test_cell_and_atoms_are_in_the_result_and_read_back(job: Job) -> None:
    content = content_of(job)
    crystal = content.structure
    assert crystal.species == ["Al"] * 4
    assert np.array(crystal.cell) * BOHR_IN_ANGSTROM == pytest.approx(np.eye(3) * 4.05)
    assert crystal.fractional[1] == [0, 0.5, 0.5]
    assert np.array(crystal.positions[1]) * BOHR_IN_ANGSTROM == pytest.approx([0, 2.025, 2.025])
    atoms = read(content)
    assert (atoms.get_chemical_symbols(), atoms.pbc.tolist()) == (["Al"] * 4, [True] * 3)
    assert atoms.cell.array == pytest.approx(np.eye(3) * 4.05, abs=1e-9)
    assert atoms.get_scaled_positions()[1] == pytest.approx([0, 0.5, 0.5], abs=1e-9)


def test_energy_forces_and_stress_have_the_units_of_ase(job: Job) -> None:
    rng = np.random.default_rng(3)
    forces = rng.normal(size=(4, 3)) * 1e-2
    stress = rng.normal(size=(3, 3)) * 1e-4
    stress = stress + stress.T
    more = {"forces": {"total": forces.tolist()}, "stress": {"total": stress.tolist()}, "magnetisation": {"total": 1.5}}
    atoms = read(content_of(job, **more))
    assert atoms.get_potential_energy(force_consistent=True) == pytest.approx(-8.1 * HARTREE_IN_EV)
    assert atoms.get_potential_energy() == pytest.approx(-8.05 * HARTREE_IN_EV)  # Fermi-Dirac
    assert atoms.get_forces() == pytest.approx(forces * ase.units.Hartree / ase.units.Bohr, abs=1e-7)
    in_ase = stress * ase.units.Hartree / ase.units.Bohr**3
    assert atoms.get_stress(voigt=False) == pytest.approx(in_ase, abs=1e-8)
    assert atoms.get_magnetic_moment() == 1.5
    assert atoms.info["converged"]


@pytest.mark.parametrize(
    ("kind", "energy"), [("gaussian", -8.05), ("methfessel-paxton", -8.1 + 0.1 / 3), ("cold", -8.1), (None, -8.1)]
)
def test_the_energy_without_smearing(kind: str | None, energy: float, job: Job) -> None:
    job.problem["smearing"] = kind and {"kind": kind, "width": 0.01}
    assert content_of(job).energy.extrapolated == pytest.approx(energy)
    assert not read(content_of(job, converged=False)).info["converged"]


def test_a_result_is_a_structure_for_the_next_run(job: Job, write: Callable[..., Path]) -> None:
    """Cell and atoms stand in result.json also where the input names a file, here that of an earlier run."""
    inline = GOOD[GOOD.index("cell =") : GOOD.index("[basis]")]
    again = write(
        (inline, 'file = "earlier.extxyz"\nsupercell = [1,1,2]\n'),
        ("grid = [16,16,16]\n", ""),
        ("bands = 10", "bands = 20"),
    )
    (again.parent / "earlier.extxyz").write_bytes(extxyz.render(content_of(job)))
    first, second = (content_of(each).structure for each in (job, prepare(fake_core, again)))
    assert second.species == first.species * 2
    assert np.array(second.cell) == pytest.approx(np.array(first.cell) * [[1], [1], [2]], abs=1e-8)
    assert np.array(second.positions[:4]) == pytest.approx(np.array(first.positions), abs=1e-8)
