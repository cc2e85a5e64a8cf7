"""`wavegrid check --forces`, `--egg-box` and `--converge`."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import invoke, program
from rich.console import Console

from wavegrid.checks import converge, forces, show
from wavegrid.checks.converge import Run
from wavegrid.checks.ranks import NotConverged, Ranks
from wavegrid.errors import EnvironmentFault, InputError
from wavegrid.input.basis.choose import from_basis
from wavegrid.input.document import read
from wavegrid.model.core_result import CoreResult
from wavegrid.process import core_loader
from wavegrid.units import HARTREE_IN_EV

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


LITHIUM_HYDRIDE = """\
[structure]
cell = [[7, 0, 0], [0, 7, 0], [0, 0, 7]]
unit = "bohr"
atoms = [["Li", 3.03, 3.11, 1.81], ["H", 3.33, 3.21, 4.77]]
coordinates = "cartesian"
[basis]
method = "realspace"
spacing = "0.5 bohr"
[electrons]
xc = "LDA-TETER"
pseudopotentials = { Li = "gth-lda-q1", H = "gth-lda" }
"""
SPHERES = """region = { kind = "spheres", radius = "4 bohr" }
boundary = "free"
"""


@pytest.fixture
def lithium_hydride(tmp_path: Path) -> Path:
    path = tmp_path / "lih.toml"
    path.write_text(LITHIUM_HYDRIDE)
    return path


@pytest.mark.parametrize(
    "text",
    [SILICON, SILICON.replace('ecut = "3 Ha"', 'method = "realspace"\nspacing = "0.4 bohr"'), LITHIUM_HYDRIDE],
    ids=["plane waves", "projectors on a mesh", "mesh"],
)
def test_forces_and_pressure_are_derivatives(silicon: Path, text: str) -> None:
    silicon.write_text(text.replace("0.5 bohr", "0.35 bohr"))
    answer = program("check", silicon, "--forces", "--ranks", 1, "--json")
    assert (answer.returncode, answer.stderr) == (0, "")
    content = json.loads(answer.stdout)
    assert content["passed"] and content["net_force"] > 1e-6
    names = [one["name"] for one in content["comparisons"]]
    assert [name[-1] for name in names[:-1]] == ["x", "y", "z"]  # the force on the other atom follows
    assert names[-1] == "pressure"
    for one in content["comparisons"]:
        assert abs(one["analytic"]) > 1e-3  # else the comparison says little
        assert abs(one["difference"]) < (2e-6 if one["unit"] == "Ha/bohr" else 0.025)
    assert sorted(path.name for path in silicon.parent.iterdir()) == ["si2.toml"]


def test_spheres_have_forces_and_no_pressure(lithium_hydride: Path) -> None:
    lithium_hydride.write_text(LITHIUM_HYDRIDE.replace("[electrons]", SPHERES + "[electrons]"))
    answer = program("check", lithium_hydride, "--forces", "--ranks", 1)
    assert (answer.returncode, answer.stderr) == (1, "")  # such small spheres change the energy with their points
    lines = answer.stdout.splitlines()
    assert [line.split(" (")[0] for line in lines[1:4]] == [f"force on H 2, {axis}" for axis in "xyz"]
    assert "differ from the derivative of the energy" in lines[4]
    assert lines[5].startswith("taken off the forces: a net force of")
    assert lines[6] == "valid: a smaller spacing, or a larger radius of the region in the input"


def test_one_atom_with_free_directions_has_nothing_to_compare(lithium_hydride: Path) -> None:
    one = LITHIUM_HYDRIDE.replace('["Li", 3.03, 3.11, 1.81], ', "").replace('"H", 3.33, 3.21, 4.77', '"H", 3, 3, 3')
    one = one.replace("[electrons]", '[electrons]\nspin = "collinear"')
    lithium_hydride.write_text(one.replace("[electrons]", 'boundary = "free"\n[electrons]'))
    answer = invoke("check", lithium_hydride, "--forces")
    assert answer.exit_code == 2
    assert answer.stderr.count("\n") == 1
    assert "--forces with one atom and free directions" in answer.stderr


def test_the_egg_box_effect_is_smaller_at_a_finer_spacing(lithium_hydride: Path) -> None:
    found = []
    for spacing in ("0.5", "0.35"):
        lithium_hydride.write_text(LITHIUM_HYDRIDE.replace("0.5 bohr", f"{spacing} bohr"))
        answer = program("check", lithium_hydride, "--egg-box", "--ranks", 1, "--json")
        assert (answer.returncode, answer.stderr) == (1, "")
        found.append(json.loads(answer.stdout))
    coarse, fine = found
    assert not coarse["passed"] and not fine["passed"]
    assert coarse["energy_difference"] > 3 * fine["energy_difference"] > 6 * fine["limit"]
    assert coarse["force_difference"] > 1.5 * fine["force_difference"] > 0
    assert [one["points"] for one in fine["positions"]] == [8000] * 4
    energies = [one["energy"] for one in fine["positions"]]
    assert max(energies) - min(energies) == fine["energy_difference"]
    assert sorted(path.name for path in lithium_hydride.parent.iterdir()) == ["lih.toml"]


def test_plane_waves_have_a_small_egg_box_effect(silicon: Path) -> None:
    silicon.write_text(SILICON.replace("3 Ha", "8 Ha"))
    answer = program("check", silicon, "--egg-box", "--ranks", 1)
    assert (answer.returncode, answer.stderr) == (0, "")
    lines = answer.stdout.splitlines()
    assert lines[0].startswith("moved by (spacings)") and len(lines) == 6
    assert lines[2].startswith("0.5, 0.5, 0.5")
    assert lines[-1].startswith("the position between the points changes the energy by up to")
    assert "(limit 1e-05)" in lines[-1]


def test_spheres_follow_the_atoms(lithium_hydride: Path) -> None:
    lithium_hydride.write_text(LITHIUM_HYDRIDE.replace("[electrons]", SPHERES + "[electrons]"))
    answer = program("check", lithium_hydride, "--egg-box", "--ranks", 2)
    assert (answer.returncode, answer.stderr) == (1, "")
    lines = answer.stdout.splitlines()
    points = [line[22:32] for line in lines[1:5]]
    assert len(set(points)) > 1
    assert lines[-2:] == [
        "the spheres follow the atoms: what their points change is a part of it",
        "valid: a smaller spacing, or a larger radius of the region in the input",
    ]


def test_an_atom_must_not_come_too_near_to_a_free_boundary(lithium_hydride: Path) -> None:
    cell = LITHIUM_HYDRIDE.replace("[electrons]", 'boundary = "free"\n[electrons]').replace("4.77", "4.9")
    lithium_hydride.write_text(cell.replace("1.81", "2.1"))
    answer = program("check", lithium_hydride, "--egg-box", "--ranks", 1)
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert "lih.toml: with all atoms moved by (0.5, 0.5, 0.5) spacings: atom 2 lies 1.85 bohr inside" in answer.stderr


def test_check_names_the_egg_box_effect_of_meshes(lithium_hydride: Path, silicon: Path) -> None:
    line = f"error by the position of the atoms between points: wavegrid check {lithium_hydride} --egg-box"
    assert line in invoke("check", lithium_hydride).stdout
    assert "--egg-box" not in invoke("check", silicon).stdout


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


@pytest.mark.parametrize("finer", [{"basis": {"ecut": "4 Ha"}}, {"electrons": {"kpoints": {"mesh": [3, 3, 3]}}}])
def test_a_calculation_begins_with_the_one_before(silicon: Path, finer: dict) -> None:
    silicon.write_text(SILICON + "kpoints = { mesh = [2, 2, 2] }\n")
    document = read(silicon)[0]
    data = {
        name: table | finer.get(name, {}) if isinstance(table, dict) else table for name, table in document.data.items()
    }
    with Ranks(core_loader.load(), document, ranks=1, threads=1) as ranks:
        tolerance = {"energy_tolerance": 1e-10}
        first = ranks.solve_next(ranks.job(), "first", **tolerance)
        found = ranks.solve_next(ranks.job(data), "finer", **tolerance)
        expected = ranks.solve(ranks.job(data), "anew", **tolerance)
    assert first.restart is None and found.restart is not None and expected.restart is None
    assert found.energy.free == pytest.approx(expected.energy.free, abs=1e-9)
    assert found.h_applications < expected.h_applications


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


@pytest.mark.parametrize(
    ("text", "pressure"),
    [
        (SILICON.replace('ecut = "3 Ha"', 'method = "realspace"\nspacing = "0.6 bohr"'), True),
        (LITHIUM_HYDRIDE.replace("[electrons]", f"{SPHERES}[electrons]"), False),
    ],
    ids=["crystal", "free"],
)
def test_a_spacing_converges(text: str, pressure: bool, silicon: Path) -> None:
    """With the pressure of a crystal, which test_forces_and_pressure_are_derivatives compares."""
    silicon.write_text(text)
    answer = program("check", silicon, "--converge", "spacing", "--tolerance", "900 meV", "--ranks", 1, "--json")
    assert (answer.returncode, answer.stderr) == (0, "")
    content = json.loads(answer.stdout)
    assert content["recommended"].startswith("spacing = ") and content["ended_early"] is None
    assert all((run["pressure"] is not None) == pressure for run in content["runs"])


def test_a_series_of_spacings_scales_all_three(tmp_path: Path) -> None:
    path = tmp_path / "si2.toml"
    three = 'method = "realspace"\nspacing = ["0.4 bohr", "0.5 bohr", "0.25 angstrom"]'
    path.write_text(SILICON.replace('ecut = "3 Ha"', three))
    document, spec = read(path)
    found = list(from_basis(spec.basis).series(document.data))
    assert [text for text, _, _ in found[:2]] == [
        'spacing = ["0.5 bohr", "0.625 bohr", "0.5905 bohr"]',
        'spacing = ["0.4 bohr", "0.5 bohr", "0.4724 bohr"]',
    ]
    assert [size for _, size, _ in found[:2]] == pytest.approx([0.625, 0.5])
    assert found[1][2]["basis"]["spacing"] == ["0.4 bohr", "0.5 bohr", "0.4724 bohr"]


class Meshes:
    """Ranks that solve meshes of k-points, except for some."""

    document = SimpleNamespace(data={"electrons": {"kpoints": {"mesh": [2, 2, 2]}}})

    def __init__(self, faults: dict[int, Exception], energies: list[float]) -> None:
        self.faults, self.energies = faults, iter(energies)

    def job(self, data: dict | None = None) -> SimpleNamespace:
        mesh = [2, 2, 2] if data is None else data["electrons"]["kpoints"]["mesh"]
        return SimpleNamespace(problem={"atoms": [0], "energy_tolerance": 1e-6, "kpoints": {"mesh": mesh}})

    def has_stress(self) -> bool:
        return True

    def solve_next(self, job: SimpleNamespace, *_: object, **__: object) -> CoreResult:
        if (fault := self.faults.get(job.problem["kpoints"]["mesh"][0])) is not None:
            raise fault
        values = {"energy": {"free": next(self.energies)}, "forces": {"total": [[0.0] * 3]}}
        return CoreResult.read(values | {"stress": {"pressure": 0.0}})


def test_a_series_begins_after_a_mesh_that_is_refused() -> None:
    found = converge.runs(Meshes({1: InputError("of no use")}, [0.0] * 3), "kpoints", 1.0, lambda _: None)
    assert [run.setting for run in found.runs] == ["mesh = [2, 2, 2]", "mesh = [3, 3, 3]", "mesh = [4, 4, 4]"]
    assert found.fault is None
    with pytest.raises(InputError, match="again"):
        converge.runs(Meshes({1: InputError("of no use"), 2: InputError("again")}, []), "kpoints", 1.0, lambda _: None)


@pytest.mark.parametrize("fault", [NotConverged("error 1e-3 Ha"), EnvironmentFault("error: too large")])
def test_a_series_that_fails_later_keeps_its_runs(fault: Exception) -> None:
    """It is not converged, and the reason is printed with what was found."""
    found = converge.runs(Meshes({4: fault}, [0.0, 0.1, 0.2]), "kpoints", 1.0, lambda _: None)
    assert [run.energy for run in found.runs] == pytest.approx([0.0, 0.1 * HARTREE_IN_EV, 0.2 * HARTREE_IN_EV])
    assert found.fault is fault and converge.recommended(found.runs, 1.0) is None
    printed = StringIO()
    show.verdict(Console(file=printed), converge.KPOINTS, None, found, 1.0)
    assert printed.getvalue() == f"not converged to 1 meV per atom in 3 runs; the next one failed: {fault}\n"


def test_k_points_need_a_periodic_direction(lithium_hydride: Path) -> None:
    lithium_hydride.write_text(LITHIUM_HYDRIDE.replace("[electrons]", f"{SPHERES}[electrons]"))
    answer = invoke("check", lithium_hydride, "--converge", "kpoints")
    assert answer.exit_code == 2
    assert "--converge kpoints without a periodic direction" in answer.stderr


def test_meshes_grow_where_there_is_more_than_one_point() -> None:
    meshes = converge.meshes([4, 4, 1], [True] * 3)
    assert meshes[:4] == [[2, 2, 1], [3, 3, 1], [4, 4, 1], [5, 5, 1]]
    assert len({tuple(mesh) for mesh in meshes}) == len(meshes)
    assert converge.meshes([1, 1, 1], [True] * 3)[1] == [2, 2, 2]
    assert converge.meshes([1, 1, 1], [True, True, False])[1] == [2, 2, 1]


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
        (["--forces", "--egg-box", "--converge", "ecut"], "--forces and --egg-box and --converge together; valid: one"),
        (["--forces", "--atoms", "0"], "--atoms 0"),
        (["--egg-box", "--plot", "a.png"], "--plot without --converge"),
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
