"""What is made of a result: bands, densities of states, files of the density, advice. Without the core."""

import io
import re
from collections.abc import Callable
from pathlib import Path

import fake_core
import numpy as np
import pytest
import scipy.integrate
from ase.build import bulk
from ase.io.cube import read_cube
from ase.io.xsf import read_xsf

from wavegrid.export import fields
from wavegrid.job.job import Job
from wavegrid.job.outputs import file_names
from wavegrid.job.prepare import prepare
from wavegrid.model.core_result import CoreResult
from wavegrid.model.spectra import BandGap
from wavegrid.plots import spectra
from wavegrid.rank import products
from wavegrid.results import advice, bands, closing, dos, gap
from wavegrid.results.ase_bands import ase_band_structure
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV

KINDS = ("fermi-dirac", "gaussian", "methfessel-paxton", "cold")
PNG = b"\x89PNG"


def levels_of(*bands_of_k: list[float]) -> CoreResult:
    """Return a result with these bands without spin at k-points of equal weight, the same on a path."""
    kpoints = [[0.1 * i, 0, 0, 1 / len(bands_of_k)] for i in range(len(bands_of_k))]
    eigenvalues = [list(bands_of_k)]
    path = {"kpoints": kpoints, "eigenvalues": eigenvalues, "error_bound": 0.0, "converged": True}
    occupations = [[[2 * k[3] * (level <= 0) for level in of_k] for k, of_k in zip(kpoints, bands_of_k, strict=True)]]
    return CoreResult.read({
        "eigenvalues": eigenvalues, "kpoints": kpoints, "fermi_level": 0.0, "path": path, "converged": True,
        "occupations": occupations,
    })  # fmt: skip


PATH = {"x": [0.0, 0.5, 0.5], "labels": ["G", "X|K"], "label_x": [0.0, 0.5]}


def test_the_gap_of_an_insulator() -> None:
    result = levels_of([-0.5, -0.2, 0.3], [-0.4, -0.1, 0.2], [-0.3, -0.3, 0.1])
    found = bands.band_structure(result, PATH)
    assert found.band_gap.fundamental == pytest.approx(0.2)
    assert found.band_gap.direct == pytest.approx(0.3)
    assert (found.band_gap.valence_band_maximum_index, found.band_gap.conduction_band_minimum_index) == (1, 2)
    assert spectra.plot_bands("Si", found).startswith(PNG)


def test_bands_are_those_of_ase() -> None:
    found = bands.band_structure(levels_of([-0.5, -0.2, 0.3], [-0.4, -0.1, 0.2], [-0.3, -0.3, 0.1]), PATH)
    theirs = ase_band_structure(bulk("Si"), found)
    assert theirs.path.path == "GX,K" and np.allclose(theirs.path.special_points["K"], [0.2, 0, 0])
    assert theirs.energies.shape == (1, 3, 3)
    assert theirs.subtract_reference().energies[0, 1, 1] == pytest.approx(0, abs=1e-12)  # the top of the valence bands
    assert theirs.get_labels()[2] == ["G", "X", "K"]


def test_metals_and_full_bands_have_no_gap() -> None:
    assert bands.band_structure(levels_of([-0.5, -0.2, 0.3], [-0.4, 0.1, 0.2]), PATH).band_gap is None
    assert bands.band_structure(levels_of([-0.5, -0.2], [-0.4, -0.1]), PATH).band_gap is None
    crossing = levels_of([-0.5, 0.3], [-0.4, 0.2])
    crossing.path.eigenvalues = [[[-0.5, 0.3], [0.25, 0.2]]]
    assert bands.gap(crossing) is None


def test_the_gap_lies_between_both_spins() -> None:
    result = levels_of([])
    result.eigenvalues = result.path.eigenvalues = [[[-0.5, -0.1, 0.4]], [[-0.4, 0.1, 0.5]]]
    assert bands.gap(result).fundamental == pytest.approx(0.2)
    result.fermi_level = [0.2, -0.2]  # a fixed moment
    assert bands.gap(result).valence_band_maximum == pytest.approx(-0.1)


def mesh_gap(levels: list, occupations: list, residual: float = 1e-4, fermi: float = 0.0) -> BandGap | None:
    """Return the gap of these levels, [spin][k-point][band], on k-points of equal weight."""
    kpoints = [[0.1 * i, 0, 0, 1 / len(levels[0])] for i in range(len(levels[0]))]
    residuals = [[[residual] * len(of_k) for of_k in of_spin] for of_spin in levels]
    return gap.at_kpoints(CoreResult.read({
        "eigenvalues": levels, "occupations": occupations, "residuals": residuals, "kpoints": kpoints,
        "fermi_level": fermi,
    }))  # fmt: skip


def test_the_gap_on_the_mesh_is_reported_where_it_is_known() -> None:
    levels, full = [[[-0.5, -0.2, 0.3], [-0.4, -0.1, 0.4]]], [[[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]]]
    found = mesh_gap(levels, full)
    assert (found.fundamental, found.direct) == (pytest.approx(0.4), pytest.approx(0.5))
    assert (found.valence_band_maximum_index, found.conduction_band_minimum_index) == (1, 0)
    assert mesh_gap(levels, full, residual=1e-2) is None  # empty bands that are not accurate
    assert mesh_gap(levels, [[[1.0, 0.9, 0.0], [1.0, 1.0, 0.1]]]) is None  # a metal
    assert mesh_gap([[[-0.5, -0.2], [-0.4, -0.1]]], [[[1.0, 1.0], [1.0, 1.0]]]) is None  # no empty bands


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "converged in 7 steps: error 5.1e-08 Ha, largest residual 2.0e-05 Ha; Fermi level 8.1634 eV"),
        ({"at_rounding": True}, "^converged to rounding in 7 steps: error"),
        ({"fermi_level": [0.3, 0.2], "scf_steps": 1}, "in 1 step: .*; Fermi level up 8.1634 eV, down 5.4423 eV$"),
        ({"magnetisation": {"total": 2.37791}}, "; Fermi level 8.1634 eV; magnetisation 2.3779 mu_B$"),
        (
            {"band_gap": {"fundamental": 0.02, "direct": 0.1}, "kpoints": [0, 0]},
            "; gap 0.5442 eV, indirect, on the mesh; smallest direct gap 2.7211 eV$",
        ),
        ({"band_gap": {"fundamental": 0.1, "direct": 0.1}, "kpoints": [0, 0]}, "; gap 2.7211 eV, direct, on the mesh$"),
        ({"band_gap": {"fundamental": 0.1, "direct": 0.1}, "kpoints": [0]}, "; gap 2.7211 eV at the only k-point$"),
        (
            {"bands": {"band_gap": {"fundamental": 0.1, "direct": 0.1}, "kpoints": [0, 0]}},
            "; gap 2.7211 eV, direct, on the path$",
        ),
        (
            {"converged": False, "advice": "Raise it."},
            "^not converged in 7 steps: error 5.1e-08 Ha, tolerance 1.0e-09 Ha. Raise it.$",
        ),
    ],
)
def test_the_closing_line(more: dict, words: str) -> None:
    result = {
        "converged": True, "scf_steps": 7, "error_estimate": 5.1e-8, "fermi_level": 0.3,
        "residuals": [[[2e-5, 3e-2]]], "occupations": [[[2.0, 0.0]]], "at_rounding": False,
    }  # fmt: skip
    assert re.search(words, closing.line(CoreResult.read(result | more), 1e-9))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spins", [1, 2])
def test_the_electrons_are_counted_exactly_and_no_density_is_negative(kind: str, spins: int) -> None:
    rng = np.random.default_rng(5)
    width, fermi = 0.01, 0.05
    levels = np.sort(rng.uniform(-0.3, 0.3, (spins, 4, 9)), axis=2)
    weights = np.array([0.5, 0.25, 0.125, 0.125])
    points = [[0, 0, 0, w] for w in weights]
    result = CoreResult.read({"eigenvalues": levels.tolist(), "fermi_level": fermi, "kpoints": points})
    electrons = 2 / spins * (weights[None, :, None] * dos.occupation(kind, (fermi - levels) / width)).sum()
    found = dos.density_of_states(result, dos_task(kind, width))
    assert found.electrons_at_fermi_level == pytest.approx(electrons, abs=1e-12)
    energies, states = np.array(found.energies), np.array(found.density_of_states)
    assert (states.min() >= 0, states.shape) == (True, (spins, len(energies)))
    assert np.diff(energies) == pytest.approx(0.02 / HARTREE_IN_EV)
    integral = scipy.integrate.cumulative_trapezoid(states, energies, axis=1, initial=0)
    assert found.integrated_density_of_states == pytest.approx(integral, abs=1e-3)
    assert found.complete_below == pytest.approx(levels[:, :, -1].min())
    assert spectra.plot_dos("x", found).startswith(PNG)


def dos_task(kind: str | None, width: float, points: int | None = None) -> dict:
    return {"width": width, "points": points, "smearing": kind and {"kind": kind, "width": width}}


def test_deep_levels_have_a_range_of_their_own() -> None:
    """Semicore of both spins at -58 and -60 eV, a flat band at -17 eV, bands from -6 to 4 eV."""
    levels = np.array([[[-58, -17, -6, 1], [-58.1, -17.1, -3, 4]], [[-60, -17, -5, 2], [-60, -17, -2, 5]]])
    in_hartree = (levels / HARTREE_IN_EV).tolist()
    result = CoreResult.read({"eigenvalues": in_hartree, "fermi_level": 0.0, "kpoints": [[0, 0, 0, 0.5]] * 2})
    found = dos.density_of_states(result, dos_task(None, 0.1 / HARTREE_IN_EV))
    energies = np.array(found.energies) * HARTREE_IN_EV
    edges = [(energies[start], energies[stop - 1]) for start, stop in found.ranges]
    assert np.array(edges) == pytest.approx(np.array([[-60.6, -57.4], [-17.7, -16.4], [-6.6, 1.6]]), abs=0.03)
    assert found.electrons_at_fermi_level == pytest.approx(6)
    assert np.sum(found.integrated_density_of_states, axis=0)[-1] == pytest.approx(6.5)  # the level at 1 eV
    assert spectra.plot_dos("x", found).startswith(PNG)
    few = dos.density_of_states(result, dos_task(None, 0.1 / HARTREE_IN_EV, points=77))
    assert few.ranges[-1] == (found.ranges[-1][0], len(few.energies))
    assert len(few.energies) - few.ranges[-1][0] == 77


@pytest.fixture
def job(write: Callable[..., Path]) -> Job:
    """Return the job of the good input."""
    return prepare(fake_core, write())


def wave(shape: tuple[int, int, int], cell: np.ndarray) -> np.ndarray:
    """Return 3 electrons in a field that differs at every point."""
    index = np.arange(np.prod(shape)).reshape(shape)
    return 3 * (1 + 0.3 * np.sin(index)) / np.linalg.det(cell) / np.mean(1 + 0.3 * np.sin(index))


def test_a_cube_file_is_read_back(job: Job) -> None:
    job.density = "cube"
    cell = np.array(job.problem["cell"])
    field = wave((4, 5, 7), cell)
    made = products.finish(job, CoreResult.read({"stopped": "SIGINT", "density": [field, -field]}), [])
    assert list(made) == ["density.cube", "magnetisation.cube"]
    read = read_cube(io.StringIO(made["density.cube"]().decode()))
    assert read["data"] == pytest.approx(field, rel=1e-8)
    assert read["data"].sum() * np.linalg.det(cell) / field.size == pytest.approx(3, abs=1e-7)
    assert read["atoms"].get_chemical_symbols() == ["Al"] * 4
    assert read["atoms"].cell.array == pytest.approx(cell * BOHR_IN_ANGSTROM, abs=1e-6)
    assert read["atoms"].get_scaled_positions()[1] == pytest.approx([0, 0.5, 0.5], abs=1e-6)


def test_an_xsf_file_is_read_back(job: Job) -> None:
    job.density = "xsf"
    cell = np.array(job.problem["cell"])
    field = wave((4, 5, 7), cell)
    text = fields.files(job, CoreResult.read({"density": [field]}))["density.xsf"]().decode()
    data, _, vectors, atoms = read_xsf(io.StringIO(text), read_data=True)
    assert vectors == pytest.approx(cell * BOHR_IN_ANGSTROM, abs=1e-6)
    assert data[:-1, :-1, :-1] == pytest.approx(field, rel=1e-8)
    assert data[-1, -1, -1] == pytest.approx(field[0, 0, 0], rel=1e-8)
    assert atoms.get_scaled_positions()[1] == pytest.approx([0, 0.5, 0.5], abs=1e-6)


@pytest.mark.parametrize("periodic", [[True, False, True], [False, False, False]])
def test_a_density_on_a_mesh_lies_in_the_box_of_its_points(job: Job, periodic: list[bool]) -> None:
    cell, first, field = np.array(job.problem["cell"]), [0, -3, -2], np.arange(4.0 * 5 * 7).reshape(4, 5, 7) + 1
    job.problem |= {"grid": [8, 9, 10], "realspace": {"periodic": periodic}}
    result = CoreResult.read({"density": [field], "density_first": first})
    origin = np.array([0, -3 / 9, -2 / 10]) @ cell * BOHR_IN_ANGSTROM
    vectors = np.array([[4 / 8], [5 / 9], [7 / 10]]) * cell * BOHR_IN_ANGSTROM
    job.density = "cube"
    cube = read_cube(io.StringIO(fields.files(job, result)["density.cube"]().decode()))
    assert cube["origin"] == pytest.approx(origin, abs=1e-6)
    assert cube["atoms"].cell.array == pytest.approx(vectors, abs=1e-6)
    assert cube["data"] == pytest.approx(field)
    assert cube["atoms"].positions[1] == pytest.approx(np.array([0, 0.5, 0.5]) @ cell * BOHR_IN_ANGSTROM, abs=1e-6)
    job.density = "xsf"
    text = fields.files(job, result)["density.xsf"]().decode()
    data, found, spanned, atoms = read_xsf(io.StringIO(text), read_data=True)
    assert found == pytest.approx(origin, abs=1e-6)
    assert spanned == pytest.approx(vectors, abs=1e-6)
    assert data[:-1, :-1, :-1] == pytest.approx(field)
    assert data[:, -1, :].max() == 0
    assert data[-1, 0, 0] == (field[0, 0, 0] if periodic[0] else 0)
    assert atoms.pbc.all() == any(periodic)


def advise(job: Job, errors: list[float], **result) -> str:
    steps = [{"error_estimate": error} for error in errors]
    usual = {"converged": False, "too_few_bands": False, "preconditioner": "none"}
    return advice.advice(steps, CoreResult.read(usual | result), job.problem, job.input)


def test_a_vanished_magnetisation_is_noted(job: Job) -> None:
    def notes(absolute: float, total: float | None = None) -> str:
        problem = job.problem | {"total_magnetisation": total}
        unchanged = {"num_bands": problem["bands"], "at_rounding": False, "converged": True}
        result = CoreResult.read(unchanged | {"magnetisation": {"total": 0.0, "absolute": absolute}})
        return " ".join(advice.notes(result, problem))

    assert notes(0.1) == notes(1e-5) == notes(1e-5, 0.0) == ""  # it began at zero
    job.problem["initial_magnetic_moments"] = [1.0, -1.0]
    assert "0.003 mu_B are left, of 2 mu_B at the start; a state with moments may be lower" in notes(3e-3)
    assert "mu_B are left" in notes(1e-5, 0.0)  # an antiferromagnet with a fixed total
    assert notes(1.5) == notes(1e-5, 2.0) == ""
    job.problem |= {"initial_magnetic_moments": [], "initial_moment_vectors": [[0.0, 3.0, 4.0]]}
    assert "of 5 mu_B at the start" in notes(3e-3)


def test_advice_follows_the_course_of_the_steps(job: Job) -> None:
    falling = advise(job, [10.0 ** (-0.5 * i) for i in range(10)])
    assert "still falls by a factor of 3.2 per step" in falling
    assert "max_steps = 6" in falling  # 60 and some
    swinging = advise(job, [1e-2 * 3.0 ** (-1) ** i for i in range(10)])
    assert "oscillates" in swinging
    assert "beta = 0.5 instead of 1" in swinging
    assert 'mixing preconditioner = "kerker" or beta' in swinging
    assert "wider smearing" in swinging
    job.input = {"electrons": {"smearing": {"kind": "cold", "width": "0.2 eV"}}}
    tried = [{"step": 9, "what": "ldos instead of none preconditioner"}, {"step": 20, "what": "mixing parameter 0.300"}]
    twice = advise(job, [1e-2 * 3.0 ** (-1) ** i for i in range(10)], scf_changes=tried)
    assert "beta" not in twice
    assert twice.startswith('The error oscillates: try [scf] mixing preconditioner = "kerker", a wider smearing')
    assert 'width = "0.4 eV"' in twice
    stalled = advise(job, [1e-3 * 0.98**i for i in range(10)])
    assert "no longer decreases" in stalled
    job.problem["smearing"] = None
    stalled = advise(job, [1e-3 * 0.98**i for i in range(10)])
    assert 'method = "direct" or, should this be a metal' in stalled
    job.problem |= {"spins": 2, "total_magnetisation": None}
    assert "total_magnetisation" in advise(job, [1e-3 * 0.98**i for i in range(10)])
    job.problem["may_add_bands"] = False
    limited = advise(job, [1, 0.1], moment_limited=True)
    assert limited == "Leave [electrons] bands out or raise it, or hold the moment by total_magnetisation."
    job.problem["method"] = "direct"
    assert 'method = "mixing"' in advise(job, [1e-3 * 0.98**i for i in range(10)])
    few = advise(job, [1, 0.1], too_few_bands=True, num_bands=10, enough_bands=14)
    assert few.startswith("The highest of 10 bands is still occupied")
    assert few.endswith("set [electrons] bands = 14, or leave it out.")
    job.problem["may_add_bands"] = True
    few = advise(job, [1, 0.1], too_few_bands=True, num_bands=10, enough_bands=14)
    assert few.endswith("bands = 14, or raise [scf] max_steps, so that the run can add bands.")
    limited = advise(job, [1, 0.1], moment_limited=True)
    assert limited.startswith("Raise [scf] max_steps, so that the run can add bands, or hold the moment")
    assert advise(job, []) == advise(job, [1e-3]) == "Raise [scf] max_steps."


def test_notes_say_what_a_run_has_changed(job: Job) -> None:
    used = job.problem["bands"]
    assert advice.notes(CoreResult.read({"num_bands": used, "at_rounding": False}), job.problem) == []
    changed = CoreResult.read({"num_bands": used + 8, "at_rounding": True, "error_estimate": 2e-16})
    raised, rounded = advice.notes(changed, job.problem)
    assert raised == f"{used} bands left the highest one occupied: raised to {used + 8} during the run"
    assert "the error estimate fell to 2.0e-16 Ha" in rounded


def test_a_stopped_run_has_no_forces(job: Job) -> None:
    core = {"converged": False, "stopped": "SIGINT", "forces": {"total": [[0, 0, 0]]}, "stress": {}}
    result = CoreResult.read(core)
    assert products.finish(job, result, []) == {}
    assert result.written() == {"converged": False, "stopped": "SIGINT"}


def test_a_job_knows_the_names_of_its_files(job: Job) -> None:
    assert file_names(job) == ["result.json", "result.extxyz"]
    job.density, job.task = "cube", {"kind": "dos"}
    assert file_names(job) == ["result.json", "result.extxyz", "density.cube", "dos.csv", "dos.png"]
    job.problem["spins"] = 2
    assert "magnetisation.cube" in file_names(job)
