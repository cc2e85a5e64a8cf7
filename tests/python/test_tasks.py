"""What is made of a result: bands, densities of states, files of the density, advice. Without the core."""

import io
from collections.abc import Callable
from pathlib import Path

import fake_core
import numpy as np
import pytest
from ase.io.cube import read_cube
from ase.io.xsf import read_xsf

from wavegrid.input import problem
from wavegrid.launch.job import Job
from wavegrid.plots import spectra
from wavegrid.results import advice, bands, density, dos, products
from wavegrid.units import BOHR_IN_ANGSTROM

KINDS = ("fermi-dirac", "gaussian", "methfessel-paxton", "cold")
PNG = b"\x89PNG"


def levels_of(*bands_of_k: list[float]) -> dict:
    """Return a result with these bands without spin at k-points of equal weight, the same on a path."""
    kpoints = [[0.1 * i, 0, 0, 1 / len(bands_of_k)] for i in range(len(bands_of_k))]
    eigenvalues = [list(bands_of_k)]
    path = {"kpoints": kpoints, "eigenvalues": eigenvalues, "error_bound": 0.0, "converged": True}
    return {"eigenvalues": eigenvalues, "kpoints": kpoints, "fermi_level": 0.0, "path": path, "converged": True}


PATH = {"x": [0.0, 0.5, 0.5], "labels": ["G", "X|K"], "label_x": [0.0, 0.5]}


def test_the_gap_of_an_insulator() -> None:
    result = levels_of([-0.5, -0.2, 0.3], [-0.4, -0.1, 0.2], [-0.3, -0.3, 0.1])
    found = bands.band_structure(result, PATH)
    assert found["band_gap"]["fundamental"] == pytest.approx(0.2)
    assert found["band_gap"]["direct"] == pytest.approx(0.3)
    assert (found["band_gap"]["valence_band_maximum_index"], found["band_gap"]["conduction_band_minimum_index"]) == (
        1,
        2,
    )
    assert spectra.plot_bands("Si", found).startswith(PNG)


def test_metals_and_full_bands_have_no_gap() -> None:
    assert "band_gap" not in bands.band_structure(levels_of([-0.5, -0.2, 0.3], [-0.4, 0.1, 0.2]), PATH)
    assert "band_gap" not in bands.band_structure(levels_of([-0.5, -0.2], [-0.4, -0.1]), PATH)
    crossing = levels_of([-0.5, 0.3], [-0.4, 0.2])
    crossing["path"] = crossing["path"] | {"eigenvalues": [[[-0.5, 0.3], [0.25, 0.2]]]}
    assert bands.gap(crossing) is None


def test_the_gap_lies_between_both_spins() -> None:
    result = levels_of([])
    result["eigenvalues"] = [[[-0.5, -0.1, 0.4]], [[-0.4, 0.1, 0.5]]]
    result["path"]["eigenvalues"] = result["eigenvalues"]
    assert bands.gap(result)["fundamental"] == pytest.approx(0.2)
    result["fermi_level"] = [0.2, -0.2]  # a fixed moment
    assert bands.gap(result)["valence_band_maximum"] == pytest.approx(-0.1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_broadening_is_the_derivative_of_its_occupation(kind: str) -> None:
    x = np.linspace(-6, 6, 2001)
    slope = np.gradient(dos.occupation(kind, x), x)
    assert dos.delta(kind, x)[1:-1] == pytest.approx(slope[1:-1], abs=2e-5)
    assert dos.occupation(kind, np.array([-40.0, 40.0])) == pytest.approx([0, 1], abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spins", [1, 2])
def test_the_states_up_to_the_fermi_level_are_the_electrons(kind: str, spins: int) -> None:
    rng = np.random.default_rng(5)
    width, fermi = 0.01, 0.05
    levels = np.sort(rng.uniform(-0.3, 0.3, (spins, 4, 9)), axis=2)
    weights = np.array([0.5, 0.25, 0.125, 0.125])
    result = {
        "eigenvalues": levels.tolist(), "fermi_level": fermi, "kpoints": [[0, 0, 0, w] for w in weights],
    }  # fmt: skip
    electrons = 2 / spins * (weights[None, :, None] * dos.occupation(kind, (fermi - levels) / width)).sum()
    found = dos.density_of_states(result, {"broadening": {"kind": kind, "width": width}, "points": 20001})
    energies, states = np.array(found["energies"]), np.array(found["density_of_states"])
    assert states.shape == (spins, 20001)
    inside = energies <= fermi
    integral = np.trapezoid(states[:, inside], energies[inside], axis=1).sum()
    assert integral == pytest.approx(electrons, abs=5e-3)  # the last interval is cut
    assert np.interp(fermi, energies, np.sum(found["integrated_density_of_states"], axis=0)) == pytest.approx(
        electrons, abs=1e-4
    )
    assert found["complete_below"] == pytest.approx(levels[:, :, -1].min())
    assert spectra.plot_dos("x", found).startswith(PNG)


@pytest.fixture
def job(write: Callable[..., Path]) -> Job:
    """Return the job of the good input."""
    return problem.prepare(fake_core, write())


def wave(shape: tuple[int, int, int], cell: np.ndarray) -> np.ndarray:
    """Return 3 electrons in a field that differs at every point."""
    index = np.arange(np.prod(shape)).reshape(shape)
    return 3 * (1 + 0.3 * np.sin(index)) / np.linalg.det(cell) / np.mean(1 + 0.3 * np.sin(index))


def test_a_cube_file_is_read_back(job: Job) -> None:
    job.density = "cube"
    cell = np.array(job.problem["cell"])
    field = wave((4, 5, 7), cell)
    made = products.finish(job, {"converged": True, "density": [field, -field]}, [])[1]
    assert list(made) == ["density.cube", "magnetisation.cube"]
    read = read_cube(io.StringIO(made["density.cube"].decode()))
    assert read["data"] == pytest.approx(field, rel=1e-8)
    assert read["data"].sum() * np.linalg.det(cell) / field.size == pytest.approx(3, abs=1e-7)
    assert read["atoms"].get_chemical_symbols() == ["Al"] * 4
    assert read["atoms"].cell.array == pytest.approx(cell * BOHR_IN_ANGSTROM, abs=1e-6)
    assert read["atoms"].get_scaled_positions()[1] == pytest.approx([0, 0.5, 0.5], abs=1e-6)


def test_an_xsf_file_is_read_back(job: Job) -> None:
    job.density = "xsf"
    cell = np.array(job.problem["cell"])
    field = wave((4, 5, 7), cell)
    text = density.files(job, {"density": [field]})["density.xsf"].decode()
    data, _, vectors, atoms = read_xsf(io.StringIO(text), read_data=True)
    assert vectors == pytest.approx(cell * BOHR_IN_ANGSTROM, abs=1e-6)
    assert data[:-1, :-1, :-1] == pytest.approx(field, rel=1e-8)
    assert data[-1, -1, -1] == pytest.approx(field[0, 0, 0], rel=1e-8)
    assert atoms.get_scaled_positions()[1] == pytest.approx([0, 0.5, 0.5], abs=1e-6)


def advise(job: Job, errors: list[float], **result) -> str:
    steps = [{"error_estimate": error} for error in errors]
    return advice.advice(steps, {"converged": False} | result, job.problem)


def test_advice_follows_the_course_of_the_steps(job: Job) -> None:
    falling = advise(job, [10.0 ** (-0.5 * i) for i in range(10)])
    assert "still falls by a factor of 3.2 per step" in falling
    assert "max_steps = 6" in falling  # 60 and some
    swinging = advise(job, [1e-2 * 3.0 ** (-1) ** i for i in range(10)])
    assert "oscillates" in swinging
    assert "beta = 0.5 instead of 1" in swinging
    assert "wider smearing" in swinging
    stalled = advise(job, [1e-3 * 0.98**i for i in range(10)])
    assert "no longer decreases" in stalled
    job.problem["smearing"] = None
    assert "should this be a metal" in advise(job, [1e-3 * 0.98**i for i in range(10)])
    few = advise(job, [1, 0.1], too_few_bands=True, num_bands=10, enough_bands=14)
    assert few.startswith("The highest of 10 bands is still occupied")
    assert "bands = 14" in few
    assert advise(job, []) == advise(job, [1e-3]) == "Raise [scf] max_steps."


def test_notes_say_what_a_run_has_changed(job: Job) -> None:
    used = job.problem["bands"]
    assert advice.notes({"num_bands": used, "at_rounding": False}, job.problem) == []
    raised, rounded = advice.notes({"num_bands": used + 8, "at_rounding": True, "error_estimate": 2e-16}, job.problem)
    assert raised == f"{used} bands left the highest one occupied: raised to {used + 8} during the run"
    assert "the error estimate fell to 2.0e-16 Ha" in rounded


def test_a_stopped_run_has_no_forces(job: Job) -> None:
    core = {"converged": False, "stopped": "SIGINT", "forces": {"total": [[0, 0, 0]]}, "stress": {}, "path": []}
    assert products.finish(job, core, []) == ({"converged": False, "stopped": "SIGINT"}, {})


def test_a_job_knows_the_names_of_its_files(job: Job) -> None:
    assert products.names(job) == ["result.json"]
    job.density, job.task = "cube", {"kind": "dos"}
    assert products.names(job) == ["result.json", "density.cube", "dos.png"]
    job.problem["spins"] = 2
    assert "magnetisation.cube" in products.names(job)
