"""Files for Wannier90, of checkpoints with and without symmetry."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from conftest import invoke, program

from wavegrid.export import wannier_kmesh

SILICON = """\
[structure]
cell = [[0, 5.1, 5.1], [5.1, 0, 5.1], [5.1, 5.1, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Si", 0, 0, 0], ["Si", 0.25, 0.25, 0.25]]
[basis]
ecut = "6 Ha"
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
bands = 6
kpoints = { mesh = [2, 2, 2] }
[symmetry]
use = SYMMETRY
[scf]
energy_tolerance = "1e-11 Ha"
"""
BONDS = ["f=0.125,0.125,0.125:s", "f=0.625,0.125,0.125:s", "f=0.125,0.625,0.125:s", "f=0.125,0.125,0.625:s"]


def run(folder: Path, symmetry: str) -> Path:
    """Run silicon and return its checkpoint."""
    folder.mkdir()
    (folder / "in.toml").write_text(SILICON.replace("SYMMETRY", symmetry))
    answer = program("run", folder / "in.toml", "--output", folder)
    assert answer.returncode == 0, answer.stderr
    return folder / "checkpoint.h5"


def export(file: Path, *more: object) -> Path:
    """Write the files and return their folder."""
    folder = file.parent / "wannier"
    answer = invoke("checkpoint", "export", file, "--wannier", folder, *more)
    assert answer.exit_code == 0, answer.output
    return folder


def matrices(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the table (k, b, 5) of an .mmn file and its matrices (k, b, m, n)."""
    lines = path.read_text().splitlines()[1:]
    bands, points, near = map(int, lines[0].split())
    size = bands**2 + 1
    blocks = [lines[1 + i * size : 1 + (i + 1) * size] for i in range(points * near)]
    table = np.array([block[0].split() for block in blocks], dtype=int).reshape(points, near, 5)
    values = np.array([[line.split() for line in block[1:]] for block in blocks], dtype=float)
    found = (values[..., 0] + 1j * values[..., 1]).reshape(points, near, bands, bands)
    return table, found.swapaxes(-1, -2)


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("silicon")
    return run(folder / "whole", "false"), run(folder / "irreducible", "true")


def test_irreducible_points_have_the_overlaps_of_all(checkpoints: tuple[Path, Path]) -> None:
    guesses = list(itertools.chain.from_iterable(("--projection", one) for one in BONDS))
    folders = [export(one, *guesses, "--wannier-bands", "1-4") for one in checkpoints]
    tables, found = zip(*(matrices(folder / "wannier90.mmn") for folder in folders), strict=True)
    assert (tables[0] == tables[1]).all()
    singular = [np.linalg.svd(one, compute_uv=False) for one in found]
    assert singular[1] == pytest.approx(singular[0], abs=1e-4)
    guessed = [np.loadtxt(folder / "wannier90.amn", skiprows=2)[:, 3:] @ [1, 1j] for folder in folders]
    singular = [np.linalg.svd(one.reshape(8, 4, 4), compute_uv=False) for one in guessed]
    assert singular[1] == pytest.approx(singular[0], abs=1e-4)
    assert min(map(np.min, singular)) > 0.5
    levels = [np.loadtxt(folder / "wannier90.eig") for folder in folders]
    assert levels[1] == pytest.approx(levels[0], abs=1e-3)
    # The four bonds are equal by symmetry: so are the diagonal overlaps of orthonormal guesses.
    left, _, right = np.linalg.svd(guessed[1].reshape(8, 4, 4).swapaxes(-1, -2))
    rotation = left @ right
    turned = [
        [rotation[k].conj().T @ found[1][k, b] @ rotation[tables[1][k, b, 1] - 1] for b in range(tables[1].shape[1])]
        for k in range(8)
    ]
    squares = np.abs(np.diagonal(np.array(turned), axis1=-2, axis2=-1)) ** 2
    assert (1 - squares).sum(axis=(0, 1)) == pytest.approx((1 - squares).sum() / 4, rel=1e-4)


def test_columns_of_the_density_matrix_span_the_bands(checkpoints: tuple[Path, Path]) -> None:
    folder = export(checkpoints[1], "--scdm", "4,8,3", "--unk")
    columns = np.loadtxt(folder / "wannier90.amn", skiprows=2)
    matrix = (columns[:, 3] + 1j * columns[:, 4]).reshape(8, 4, 6).swapaxes(-1, -2)
    for one in matrix:
        assert one.conj().T @ one == pytest.approx(np.eye(4), abs=1e-9)
    assert "num_wann = 4" in (folder / "wannier90.win").read_text()
    grid = list(map(int, re.split(r"\s+", (folder / "UNK00001.1").read_text().splitlines()[0])[:3]))
    values = np.loadtxt(folder / "UNK00001.1", skiprows=1) @ [1, 1j]
    rows = values.reshape(6, -1)
    assert rows.shape[1] == np.prod(grid)
    assert rows.conj() @ rows.T / rows.shape[1] == pytest.approx(np.eye(6), abs=1e-8)


def test_the_task_writes_what_the_checkpoint_has(tmp_path: Path) -> None:
    more = '[wannier]\nprojections = ["Si:s"]\nlast_band = 4\n'
    (tmp_path / "in.toml").write_text(SILICON.replace("SYMMETRY", "true") + more)
    for _ in range(2):  # files of ours are replaced, but for the .win
        answer = program("run", tmp_path / "in.toml", "--output", tmp_path / "out", "--ranks", 2)
        assert answer.returncode == 0, answer.stderr
        (tmp_path / "out/wannier90.win").open("a").write("dis_num_iter = 10\n")
    assert (tmp_path / "out/wannier90.win").read_text().count("dis_num_iter") == 2
    folder = export(tmp_path / "out/checkpoint.h5", "--projection", "Si:s", "--wannier-bands", "1-4")
    for kind in ("eig", "mmn", "amn"):
        name = f"wannier90.{kind}"
        assert (tmp_path / "out" / name).read_bytes() == (folder / name).read_bytes()
    (tmp_path / "in.toml").write_text(SILICON.replace("SYMMETRY", "true") + "[wannier]\nlast_band = 4\n")
    refused = invoke("check", tmp_path / "in.toml")
    assert refused.exit_code == 2
    assert "no first guesses; valid: projections, or scdm" in refused.stderr


def test_neighbours_are_complete() -> None:
    face_centred = 2 * np.pi * np.linalg.inv(np.array([[0, 5, 5], [5, 0, 5], [5, 5, 0.0]])).T
    assert len(wannier_kmesh.neighbours(np.array([4, 4, 4]), face_centred)) == 8
    assert len(wannier_kmesh.neighbours(np.array([3, 4, 5]), np.eye(3))) == 6
    hexagonal = 2 * np.pi * np.linalg.inv(np.array([[4, 0, 0], [-2, 2 * 3**0.5, 0], [0, 0, 7.0]])).T
    assert len(wannier_kmesh.neighbours(np.array([4, 4, 3]), hexagonal)) == 8


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "--wannier needs first guesses"),
        (["--scdm", "7"], "7 Wannier functions of 6 bands; valid: at most as many as bands"),
        (["--projection", "Si"], "projection 'Si'; valid: an element"),
        (["--projection", "Ge:s"], "there is no Ge"),
        (["--projection", "Si:f"], "there is no orbital f"),
        (["--scdm", "4,3"], "--scdm 4,3; valid: a number"),
        (["--scdm", "2", "--wannier-bands", "3-9"], "bands 3 to 9; valid: bands from 1 to 6"),
    ],
)
def test_what_is_not_there_is_refused(checkpoints: tuple[Path, Path], options: list[str], words: str) -> None:
    refused = invoke("checkpoint", "export", checkpoints[0], "--wannier", checkpoints[0].parent / "refused", *options)
    assert refused.exit_code == 2
    assert words in refused.stderr


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('projections = ["Si:sp3"]', "8 Wannier functions of the bands 1 to 6; valid: bands = 8 or more"),
        ("scdm = 5\nfirst_band = 3", "5 Wannier functions of the bands 3 to 6; valid: bands = 7 or more"),
        (
            'projections = ["f=0,0,0:s;p"]\nlast_band = 3',
            "4 Wannier functions of the bands 1 to 3; valid: last_band = 4",
        ),
    ],
)
def test_too_few_bands_are_refused_before_the_run(lines: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "in.toml"
    path.write_text(f"{SILICON.replace('SYMMETRY', 'false')}[wannier]\n{lines}\n")
    refused = invoke("check", path)
    assert refused.exit_code == 2 and words in refused.stderr
    path.write_text(path.read_text().replace("bands = 6\n", ""))
    if "last_band" not in lines:
        assert invoke("check", path).exit_code == 0
