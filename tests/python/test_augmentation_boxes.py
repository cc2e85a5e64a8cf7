"""The augmentation charge in boxes around the atoms: against reciprocal space, layouts, derivatives, the choice."""

import dataclasses
import functools
import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import invoke
from test_ultrasoft import BLOECHL, CELL, KRESSE, SPIN, ULTRASOFT, run, same

BOXES = 'augmentation = "boxes"'


@pytest.mark.parametrize(("dataset", "electrons"), [(ULTRASOFT, ""), (KRESSE, SPIN), (BLOECHL, "")])
def test_boxes_differ_by_about_their_error(dataset: str, electrons: str, tmp_path: Path) -> None:
    """Boxes larger than the cell; the error is that of the first bands."""
    in_boxes, exact = (
        run(tmp_path / str(n), "--ranks", 1, dataset=dataset, basis=basis, electrons=electrons)
        for n, basis in enumerate((BOXES, ""))
    )
    assert exact["augmentation"] == {"kind": "reciprocal", "reason": "set in the input"}
    used = in_boxes["augmentation"]
    assert used["kind"] == "boxes"
    error = 2 * used["error_estimate"]  # of two atoms
    assert 0 < abs(in_boxes["energy"]["free"] - exact["energy"]["free"]) < 2 * error + 1e-9 < 2e-4
    np.testing.assert_allclose(in_boxes["forces"]["total"], exact["forces"]["total"], atol=2 * error + 1e-7)


def test_few_atoms_are_not_compared(tmp_path: Path) -> None:
    used = run(tmp_path / "run", "--ranks", 1, basis='augmentation = "auto"')["augmentation"]
    assert used == {"kind": "reciprocal", "reason": "automatic: too few atoms for boxes to save time"}


@pytest.mark.parametrize(
    ("ranks", "parallel"),
    [
        (2, "kpoint_groups = 2"),
        (2, "band_groups = 2"),
        (3, "rows = 3\ncolumns = 1"),
        (4, "kpoint_groups = 2\nband_groups = 2"),
        (7, "rows = 7\ncolumns = 1"),
    ],
)
def test_every_layout_gives_the_same(ranks: int, parallel: str, tmp_path: Path) -> None:
    one = run(tmp_path / "one", "--ranks", 1, dataset=KRESSE, basis=BOXES)
    same(run(tmp_path / "n", "--ranks", ranks, dataset=KRESSE, basis=BOXES, end=f"[parallel]\n{parallel}"), one)


def test_deterministic_runs_agree_to_the_last_bit(tmp_path: Path) -> None:
    end = "[parallel]\ndeterministic = true"
    one, three = (
        run(tmp_path / str(ranks), "--ranks", ranks, dataset=BLOECHL, basis=BOXES, end=end) for ranks in (1, 3)
    )
    for name in ("energy", "forces", "stress", "eigenvalues"):
        assert json.dumps(one[name]) == json.dumps(three[name]), name


@pytest.mark.parametrize(("dataset", "electrons"), [(ULTRASOFT, SPIN), (BLOECHL, "")])
def test_forces_and_stress_are_derivatives(dataset: str, electrons: str, tmp_path: Path) -> None:
    """Of the free energy in boxes; of the stress as far as the functions in them follow the cell."""
    again = functools.partial(run, dataset=dataset, electrons=electrons, basis=BOXES)
    found = again(tmp_path / "at", "--ranks", 2)
    step, shift = 2e-3, np.array([0.4, -0.7, 0.5])  # bohr
    free = [again(tmp_path / f"m{n}", "--ranks", 2, shift=n * step * shift)["energy"]["free"] for n in (-1, 1)]
    slope = -(free[1] - free[0]) / (2 * step)
    assert np.dot(found["forces"]["total"][1], shift) == pytest.approx(slope, abs=1e-6)
    free = []
    for side in (-1, 1):
        scale = 1 + side * step / 2
        cutoffs = {"ecut": 5.0 / scale**2 * (1 + 1e-12), "density_ecut": 30.0 / scale**2 * (1 + 1e-12)}
        free.append(again(tmp_path / f"s{side}", "--ranks", 2, cell=CELL * scale, **cutoffs)["energy"]["free"])
    slope = (free[1] - free[0]) / step / abs(np.linalg.det(CELL))
    assert np.trace(found["stress"]["total"]) == pytest.approx(slope, abs=2e-6)


def test_an_unknown_form_is_one_line(write: Callable[..., Path]) -> None:
    done = invoke("check", write(("[basis]\n", '[basis]\naugmentation = "spheres"\n')))
    assert done.exit_code == 2
    assert 'augmentation = "spheres"' in done.output
    assert "boxes" in done.output


@dataclasses.dataclass
class Drawn:
    """A calculation drawn at random: what its result depends on, and what it must not depend on."""

    dataset: str
    electrons: str
    mesh: str
    ranks: int
    scf: str
    parallel: str
    restarted: bool


def drawn(seed: int) -> Drawn:
    """Return the calculation of a seed."""
    choose = random.Random(seed).choice
    mesh = choose(["mesh = [2, 1, 2], shift = [0.5, 0, 0.5]", "mesh = [2, 1, 1]", "mesh = [1, 1, 3]"])
    layouts = [
        (k, bands, rows, columns)
        for k in (1, 2)
        for bands in (1, 2)
        for rows in (1, 2, 3)
        for columns in (1, 2, 3)
        if 1 < k * bands * rows * columns <= 6
    ]
    k, bands, rows, columns = choose(layouts)
    layout = f"kpoint_groups = {k}\nband_groups = {bands}\nrows = {rows}\ncolumns = {columns}\n"
    return Drawn(
        dataset=choose([ULTRASOFT, KRESSE, BLOECHL]),
        electrons=choose(["", SPIN]),
        mesh=mesh,
        ranks=k * bands * rows * columns,
        scf=choose(["", 'precision = "mixed"', *(f'eigensolver = "{name}"' for name in ("davidson", "rmm-diis"))]),
        parallel=layout + choose(["", "deterministic = true", 'partition = "cyclic"', 'transport = "pairwise"']),
        restarted=choose([False, True]),
    )


@pytest.fixture(scope="module")
def on_one_rank(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str, str], tuple[Path, dict]]:
    """Return a function of dataset, electrons and k-points: folder and result, each run made once."""

    @functools.cache
    def solved(dataset: str, electrons: str, mesh: str) -> tuple[Path, dict]:
        folder = tmp_path_factory.mktemp("boxes") / "one"
        return folder, run(folder, "--ranks", 1, dataset=dataset, electrons=electrons, mesh=mesh, basis=BOXES)

    return solved


@pytest.mark.parametrize("seed", range(8))
def test_random_combinations_give_the_same(
    seed: int, on_one_rank: Callable[[str, str, str], tuple[Path, dict]], tmp_path: Path
) -> None:
    case = drawn(seed)
    folder, expected = on_one_rank(case.dataset, case.electrons, case.mesh)
    options = ("--restart", folder / "checkpoint.h5") if case.restarted else ()
    found = run(
        tmp_path / "run", "--ranks", case.ranks, *options, dataset=case.dataset, electrons=case.electrons,
        mesh=case.mesh, basis=BOXES, scf=case.scf, end=f"[parallel]\n{case.parallel}",
    )  # fmt: skip
    assert found["augmentation"]["kind"] == "boxes"
    same(found, expected)
