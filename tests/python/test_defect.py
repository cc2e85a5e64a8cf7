"""`wavegrid defect`: the model charge against known sums, and potentials that are known."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from ase.io import write
from ase.io.cube import read_cube
from conftest import invoke
from series_runs import run_text, text

from wavegrid.defect import command, runs
from wavegrid.defect.model_charge import ModelCharge
from wavegrid.units import HARTREE_IN_EV

LENGTH, EPSILON = 12.0, 4.0  # bohr


@pytest.mark.parametrize(
    ("cell", "madelung"),
    [(np.eye(3), 2.837297), (1 - np.eye(3), 2.888282), (np.ones((3, 3)) - 2 * np.eye(3), 2.888462)],
)
def test_the_correction_of_a_point_charge_is_that_of_the_lattice(cell: np.ndarray, madelung: float) -> None:
    """alpha q^2 / (2 eps L) of the cubic lattices, with L^3 the volume."""
    scaled = cell * 11.0
    length = abs(np.linalg.det(scaled)) ** (1 / 3)
    model = ModelCharge(scaled, 3.0 * np.eye(3), 2.0, 0.9)
    expected = madelung * 4 / (2 * 3.0 * length)
    assert model.point_correction() == pytest.approx(expected, rel=2e-5)
    gaussian = expected - np.pi * 4 * 0.9**2 / (3.0 * length**3)
    assert model.correction() == pytest.approx(gaussian, rel=2e-5)


def test_a_tensor_that_is_a_stretched_vacuum() -> None:
    """With eps = diag(a, b, c) energies are those of a stretched cell without a dielectric."""
    axes = np.array([2.0, 3.0, 5.0])
    cell = np.diag([10.0, 9.0, 8.0])
    model = ModelCharge(cell, np.diag(axes), 1.0, 0.35)
    stretched = ModelCharge(cell / np.sqrt(axes), np.eye(3), 1.0, 0.3)
    assert model.point_correction() == pytest.approx(stretched.point_correction() / np.sqrt(axes.prod()), rel=1e-4)


def test_the_model_potential_is_that_of_poissons_equation() -> None:
    model = ModelCharge(LENGTH * np.eye(3), EPSILON * np.eye(3), 2.0, 1.2)
    places = np.arange(400) / 400
    potential = model.potential((400, 8, 8), np.zeros(3)).mean(axis=(1, 2))
    assert potential.mean() == pytest.approx(0, abs=1e-12) and potential[0] == potential.min()
    second = (np.roll(potential, 1) - 2 * potential + np.roll(potential, -1)) / (LENGTH / 400) ** 2
    x = (places - np.round(places)) * LENGTH
    density = 2.0 / LENGTH**2 * np.exp(-((x / 1.2) ** 2)) / (np.sqrt(np.pi) * 1.2) - 2.0 / LENGTH**3
    assert np.abs(second - 4 * np.pi * density / EPSILON).max() < 1e-3


@pytest.fixture(scope="module")
def bulk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a potential."""
    folder = tmp_path_factory.mktemp("defect")
    run_text(folder, text('[output]\npotential = "electrostatic"\ncheckpoint = false\n'))
    return folder / "out"


def copied(run: Path, folder: Path, change: Callable[[dict, np.ndarray], np.ndarray | None]) -> Path:
    """Copy a run with changes of its result and of its potential."""
    folder.mkdir()
    result = json.loads((run / "result.json").read_text())
    with (run / "potential.cube").open() as file:
        content = read_cube(file)
    potential = change(result, content["data"])
    (folder / "result.json").write_text(json.dumps(result))
    values = content["data"] if potential is None else potential
    write(folder / "potential.cube", content["atoms"], data=values)
    return folder


def test_a_potential_that_is_known(bulk: Path, tmp_path: Path) -> None:
    """That of the model charge, 0.01 Ha higher, needs the correction of the model and 2 * 0.01 Ha."""

    def charge(result: dict, potential: np.ndarray) -> np.ndarray:
        result["input"]["electrons"]["charge"] = 2
        model = ModelCharge(np.array(result["structure"]["cell"]), 5.0 * np.eye(3), 2.0)
        return potential + 0.01 + model.potential(potential.shape, np.full(3, 0.25))

    charged = copied(bulk, tmp_path / "charged", charge)
    answer = invoke("defect", bulk, charged, "--epsilon", "5", "--at", "0.25,0.25,0.25", "--json")
    assert answer.exit_code == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert found["alignment_eV"] == pytest.approx(0.01 * HARTREE_IN_EV, abs=2e-5)
    assert found["correction_eV"] == pytest.approx(found["images_eV"] + 0.02 * HARTREE_IN_EV, abs=5e-5)
    assert found["energy_difference_eV"] == 0 and found["alignment_scatter_eV"] < 1e-4
    plot = tmp_path / "plot.png"
    shown = invoke("defect", bulk, charged, "--epsilon", "5", "--at", "0.25,0.25,0.25", "--plot", plot)
    assert "correction (Freysoldt and others)" in shown.stdout and plot.read_bytes().startswith(b"\x89PNG")


def test_two_grids_agree() -> None:
    def wave(*counts: int) -> np.ndarray:
        x, y = np.meshgrid(*(2 * np.pi * np.arange(count) / count for count in counts), indexing="ij")
        return np.cos(x) + 0.3 * np.sin(3 * y) + np.cos(x - 2 * y)

    for shape in ((20, 27), (30, 30), (31, 24), (54, 21)):
        assert np.allclose(runs.resampled(wave(30, 27), shape), wave(*shape))


def test_the_site_is_that_of_the_atom_that_is_missing(bulk: Path, tmp_path: Path) -> None:
    def vacancy(result: dict, potential: np.ndarray) -> None:
        result["input"]["electrons"]["charge"] = -1
        for name in ("species", "positions", "fractional"):
            result["structure"][name] = result["structure"][name][:1]

    charged = copied(bulk, tmp_path / "charged", vacancy)
    found = command.correct(bulk, charged, np.diag([4.0] * 3), None, 1.0)
    assert np.allclose(found.site, 0.25) and found.charge == -1


def test_what_does_not_belong_together_is_refused(bulk: Path, tmp_path: Path) -> None:
    def refusal(*arguments: object) -> str:
        answer = invoke("defect", *arguments)
        assert answer.exit_code == 2
        return answer.stderr

    def charged(result: dict, potential: np.ndarray) -> None:
        result["input"]["electrons"]["charge"] = 1

    def without(result: dict, potential: np.ndarray) -> None:
        result["input"]["output"] = {}

    defect = copied(bulk, tmp_path / "charged", charged)
    assert "is neutral" in refusal(bulk, bulk, "--epsilon", "3")
    assert "the perfect crystal, which is neutral" in refusal(defect, defect, "--epsilon", "3")
    assert "has all atoms of" in refusal(bulk, defect, "--epsilon", "3")
    assert "--epsilon none" in refusal(bulk, defect, "--epsilon", "none")
    assert "--at 1,2" in refusal(bulk, defect, "--epsilon", "3", "--at", "1,2")
    assert "no potential was written" in refusal(bulk, copied(bulk, tmp_path / "no", without), "--epsilon", "3")
    assert "result.json" in refusal(bulk, tmp_path / "nothing", "--epsilon", "3")


def test_a_level_of_the_defect_inside_a_band_is_named(bulk: Path, tmp_path: Path) -> None:
    def charge(shift: float | None) -> Callable[[dict, np.ndarray], None]:
        def change(result: dict, _: np.ndarray) -> None:
            result["input"]["electrons"]["charge"] = 2
            if shift is None:
                return
            for levels, occupations in zip(result["eigenvalues"], result["occupations"], strict=True):
                for of_k, shares in zip(levels, occupations, strict=True):
                    of_k.append(max(map(max, levels)) + shift)
                    shares.append(0.0)
            for of_spin in result["residuals"]:
                for of_k in of_spin:
                    of_k.append(0.0)

        return change

    options = ("--epsilon", "4", "--at", "0,0,0")
    for name, shift, words in (
        ("unknown", None, "the charged cell has no empty bands"),
        ("inside", -0.01, "the level of the defect is in a band"),
    ):
        answer = invoke("defect", bulk, copied(bulk, tmp_path / name, charge(shift)), *options)
        assert answer.exit_code == 0, answer.output
        assert words in answer.stdout
    answer = invoke("defect", bulk, copied(bulk, tmp_path / "above", charge(0.2)), *options)
    assert answer.exit_code == 0, answer.output
    assert "level" not in answer.stdout and "bands" not in answer.stdout
