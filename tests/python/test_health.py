"""`wavegrid check --forces` and `--converge`."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import invoke, program

from wavegrid.errors import InputError
from wavegrid.health import converge, forces
from wavegrid.health.converge import Run
from wavegrid.input.document import read

SILICON = """\
title = "Si2"
[structure]
cell = [[0, 5.13, 5.13], [5.13, 0, 5.13], [5.13, 5.13, 0]]
unit = "bohr"
atoms = [["Si", 0, 0, 0], ["Si", 0.26, 0.23, 0.28]]
coordinates = "fractional"
[basis]
ecut = "3 Ha"
[electrons]
xc = "LDA_XC_TETER93"
pseudopotentials = "gth-lda"
"""


@pytest.fixture
def silicon(tmp_path: Path) -> Path:
    path = tmp_path / "si2.toml"
    path.write_text(SILICON)
    return path


def test_forces_and_pressure_are_derivatives(silicon: Path) -> None:
    answer = program("check", silicon, "--forces", "--atoms", 1, "--ranks", 1, "--json")
    assert (answer.returncode, answer.stderr) == (0, "")
    content = json.loads(answer.stdout)
    assert content["passed"]
    names = [one["name"] for one in content["comparisons"]]
    assert [name[-1] for name in names[:-1]] == ["x", "y", "z"]
    assert names[-1] == "pressure"
    for one in content["comparisons"]:
        assert abs(one["analytic"]) > 1e-2  # else the comparison says little
        assert abs(one["difference"]) < (6e-5 if one["unit"] == "Ha/bohr" else 1e-2)
    assert sorted(path.name for path in silicon.parent.iterdir()) == ["si2.toml"]


def test_the_cutoff_converges_with_a_plot(silicon: Path) -> None:
    plot = silicon.parent / "ecut.png"
    arguments = ("--converge", "ecut", "--tolerance", "600 meV", "--plot", plot, "--ranks", 1)
    answer = program("check", silicon, *arguments)
    assert (answer.returncode, answer.stderr) == (0, "")
    lines = answer.stdout.splitlines()
    assert lines[0].startswith("setting")
    assert lines[1].startswith('ecut = "1.536 Ha"')
    assert "recommended: ecut" in lines[-1]
    assert plot.read_bytes().startswith(b"\x89PNG")


def run_of(energy: float, before: float | None) -> Run:
    change = None if before is None else (energy - before) * 1e3
    return Run("x", 1.0, energy, 0.1, 0.2, change)


def series_of(*energies: float) -> list[Run]:
    return [run_of(now, before) for now, before in zip(energies, (None, *energies), strict=False)]


def test_a_series_ends_after_two_small_changes_and_recommends_the_first_that_is_enough() -> None:
    assert not converge.converged(series_of(0.0, 0.0001), 1.0)
    assert not converge.converged(series_of(0.0, 0.01, 0.0101), 1.0)
    done = series_of(1.0, 0.1, 0.0005, 0.0, 0.0001)
    assert converge.converged(done, 1.0)
    assert converge.recommended(done, 1.0) is done[2]
    assert converge.recommended(done[:2], 1.0) is None
    crossing = series_of(0.0, 0.1, 0.0, 0.0002)  # the first only seems converged
    assert converge.recommended(crossing, 200.0) is crossing[0]
    assert not converge.converged(crossing, 1.0)


def test_a_spacing_converges_without_pressures(silicon: Path) -> None:
    text = SILICON.replace('ecut = "3 Ha"', 'method = "realspace"\nspacing = "0.6 bohr"')
    silicon.write_text(text)
    answer = program("check", silicon, "--converge", "spacing", "--tolerance", "900 meV", "--ranks", 1, "--json")
    assert (answer.returncode, answer.stderr) == (0, "")
    content = json.loads(answer.stdout)
    assert content["recommended"].startswith("spacing = ") and content["runs"][0]["pressure"] is None


def test_a_series_of_spacings_scales_all_three(tmp_path: Path) -> None:
    path = tmp_path / "si2.toml"
    three = 'method = "realspace"\nspacing = ["0.4 bohr", "0.5 bohr", "0.25 angstrom"]'
    path.write_text(SILICON.replace('ecut = "3 Ha"', three))
    found = list(converge._spacings(SimpleNamespace(document=read(path)[0])))
    assert [text for text, _, _ in found[:2]] == [
        'spacing = ["0.5 bohr", "0.625 bohr", "0.5905 bohr"]',
        'spacing = ["0.4 bohr", "0.5 bohr", "0.4724 bohr"]',
    ]
    assert [size for _, size, _ in found[:2]] == pytest.approx([0.625, 0.5])
    assert found[1][2]["basis"]["spacing"] == ["0.4 bohr", "0.5 bohr", "0.4724 bohr"]


def test_a_series_begins_after_a_spacing_that_is_refused() -> None:
    class Coarse:
        document = SimpleNamespace(data={"electrons": {"kpoints": {"mesh": [2, 2, 2]}}})

        def job(self, data: dict | None = None) -> SimpleNamespace:
            if data is not None and data["electrons"]["kpoints"]["mesh"] == [1, 1, 1]:
                raise InputError("of no use")
            return SimpleNamespace(problem={"atoms": [0], "energy_tolerance": 1e-6, "kpoints": {"mesh": [2, 2, 2]}})

        def solve(self, *_: object, **__: object) -> dict:
            return {"energy": {"free": 0.0}, "forces": {"total": [[0.0] * 3]}, "stress": {"pressure": 0.0}}

    found = converge.runs(Coarse(), "kpoints", 1.0, lambda _: None)
    assert [run.setting for run in found] == ["mesh = [2, 2, 2]", "mesh = [3, 3, 3]", "mesh = [4, 4, 4]"]


def test_meshes_grow_where_there_is_more_than_one_point() -> None:
    meshes = converge.meshes([4, 4, 1])
    assert meshes[:4] == [[2, 2, 1], [3, 3, 1], [4, 4, 1], [5, 5, 1]]
    assert len({tuple(mesh) for mesh in meshes}) == len(meshes)
    assert converge.meshes([1, 1, 1])[1] == [2, 2, 2]


def test_the_atoms_of_least_symmetry_come_first() -> None:
    atoms = [[0, 0, 0, 0], [0, 0.5, 0.5, 0], [0, 0.13, 0.27, 0.4], [0, 0.5, 0, 0.5]]
    job = SimpleNamespace(problem={"atoms": atoms, "species": ["Al"]})
    none = np.zeros((4, 3))
    assert forces.least_symmetric(job, none, 2)[0] == 2
    pushed = none.copy()
    pushed[3] = [0.1, 0.2, 0.3]
    assert set(forces.least_symmetric(job, pushed, 2)) == {2, 3}
    assert len(forces.least_symmetric(job, none, 9)) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--converge", "xc"], "--converge xc: unknown setting; valid: ecut, kpoints, spacing"),
        (["--converge", "spacing"], '--converge spacing with [basis] method = "planewaves"; valid: --converge ecut'),
        (["--converge", "kpoint"], "did you mean 'kpoints'?"),
        (["--converge", "ecut", "--tolerance", "1"], "--tolerance '1': missing unit; valid: an energy such as '1 meV'"),
        (["--converge", "ecut", "--plot", "a.txt"], "--plot a.txt: unknown file format"),
        (["--forces", "--converge", "ecut"], "--forces and --converge together"),
        (["--forces", "--atoms", "0"], "--atoms 0"),
        (["--atoms", "2"], "--atoms without --forces"),
        (["--tolerance", "1 meV"], "--tolerance without --converge"),
    ],
)
def test_bad_arguments(arguments: list[str], message: str, write: Callable[..., Path]) -> None:
    answer = invoke("check", write(), *arguments)
    assert answer.exit_code == 2
    assert message in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_a_list_of_k_points_has_no_series(write: Callable[..., Path]) -> None:
    path = write(("bands = 10", "bands = 10\nkpoints = { list = [[0, 0, 0]] }"))
    answer = invoke("check", path, "--converge", "kpoints")
    assert answer.exit_code == 2
    assert "a list of k-points; valid for --converge kpoints: a mesh or a spacing" in answer.stderr
