"""Relaxation and molecular dynamics: the tasks of the command, their trajectories, and how they continue."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import ase.io
import numpy as np
import pytest
from ase import Atoms
from conftest import invoke, program, wait_for_the_lock

from wavegrid.errors import InputError
from wavegrid.files import trajectory
from wavegrid.motion.geometries import Geometries, Solved
from wavegrid.motion.relax import Relaxation
from wavegrid.process import core_loader
from wavegrid.results.calculator import RankCalculator
from wavegrid.units import (
    BOHR_IN_ANGSTROM,
    FORCE_UNITS,
    HARTREE_IN_EV,
    HARTREE_PER_BOHR3_IN_GPA,
    parse_measure,
)

SILICON = """\
[structure]
cell = [[0, 2.7, 2.7], [2.7, 0, 2.7], [2.7, 2.7, 0]]
unit = "angstrom"
coordinates = "fractional"
atoms = [["Si", 0, 0, 0], ["Si", 0.26, 0.25, 0.245]]
[basis]
ecut = "5 Ha"
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
kpoints = { mesh = [2, 2, 2] }
[scf]
energy_tolerance = "TOLERANCE Ha"
"""
CELL = '[relax]\ncell = "free"\nforce_tolerance = "0.002 eV/angstrom"\nstress_tolerance = "0.01 GPa"\n'


def run(folder: Path, task: str, *options: str, ranks: int = 1, name: str = "si", tolerance: str = "1e-10") -> dict:
    """Run the input with these sections in a folder; return the content of result.json, with the exit code."""
    write_input(folder, task, name, tolerance)
    done = program("run", f"{name}.toml", "--ranks", ranks, *options, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    return json.loads((folder / name / "result.json").read_text()) | {
        "code": done.returncode,
        "screen": done.stdout,
        "err": done.stderr,
    }


def write_input(folder: Path, task: str, name: str, tolerance: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.toml").write_text(SILICON.replace("TOLERANCE", tolerance) + task)


def start(
    folder: Path, task: str, *options: str, ranks: int = 1, name: str = "si", tolerance: str = "1e-10"
) -> subprocess.Popen:
    write_input(folder, task, name, tolerance)
    return subprocess.Popen(
        [sys.executable, "-m", "wavegrid", "run", f"{name}.toml", "--ranks", str(ranks), *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_WAIT_POLICY": "passive"},
    )


def frames(path: Path) -> list:
    return ase.io.read(path, index=":")


@pytest.fixture(scope="module")
def relaxed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    folder = tmp_path_factory.mktemp("relaxed")
    return folder, run(folder, CELL)


def test_atoms_and_cell_relax_to_the_energy_of_a_new_calculation(relaxed: tuple[Path, dict]) -> None:
    folder, result = relaxed
    part = result["relaxation"]
    assert result["code"] == 0 and part["converged"]
    assert result["forces"]["largest"] < parse_measure("0.002 eV/angstrom", FORCE_UNITS)
    assert np.abs(result["stress"]["total_GPa"]).max() < 0.01
    assert abs(part["difference_from_new_run"]) < 1e-9
    assert part["geometries"][-1]["free_energy"] == pytest.approx(result["energy"]["free"], abs=1e-12)
    assert part["geometries"][0]["free_energy"] > part["geometries"][-1]["free_energy"]
    assert "relaxed in" in result["screen"].splitlines()[-1]
    assert "forces and stress, in these" in result["screen"]
    assert 0 < result["derivative_seconds"] < 0.5 * result["wall_seconds"]["total"]
    assert (folder / "si/relax.png").read_bytes().startswith(b"\x89PNG")
    last = frames(folder / "si/trajectory.extxyz")[-1]
    assert np.allclose(last.positions, np.array(result["structure"]["positions"]) * BOHR_IN_ANGSTROM, atol=1e-9)


def test_later_geometries_need_fewer_steps(relaxed: tuple[Path, dict]) -> None:
    steps = [one["scf_steps"] for one in relaxed[1]["relaxation"]["geometries"]]
    assert sum(steps[4:]) / len(steps[4:]) <= 0.5 * steps[0], steps


def test_the_pulay_stress_of_an_energy_that_falls_with_the_cutoff() -> None:
    """With F = -A ln E the pressure at a fixed cutoff is higher by 2 A / 3 V."""
    atoms = Atoms("Si", cell=np.eye(3) * 10.0 * BOHR_IN_ANGSTROM)
    settings = {
        "optimizer": "bfgs",
        "cell": "free",
        "fixed_atoms": None,
        "displace": None,
        "force_tolerance": 1.0,
        "stress_tolerance": 1.0,
    }
    task = Relaxation({**settings, "strain": None, "pressure": 0.0}, atoms, fresh=True)
    task.report(Solved(atoms, {"free_energy": -HARTREE_IN_EV, "forces": np.zeros((1, 3)), "stress": np.zeros(6)}, None))
    task.finish()
    task.check(SimpleNamespace(crystal=lambda _: {}), lambda _, factor: -1.0 - 0.5 * np.log(factor))
    part = task.part()
    assert part.pulay_pressure_GPa == pytest.approx(2 * 0.5 / (3 * 1000) * HARTREE_PER_BOHR3_IN_GPA)
    assert part.difference_from_new_run == pytest.approx(0.0, abs=1e-12)


def test_a_relaxation_that_was_cut_ends_where_the_whole_one_does(relaxed: tuple[Path, dict], tmp_path: Path) -> None:
    folder, whole = relaxed
    assert run(tmp_path, CELL + "max_steps = 3\n")["code"] == 1
    onward = run(tmp_path, CELL, "--restart", "si/trajectory.extxyz", ranks=2)
    assert onward["code"] == 0
    steps = [one["scf_steps"] for one in onward["relaxation"]["geometries"]]
    assert steps[:3] == [0, 0, 0] and all(steps[3:])
    assert len(steps) == len(whole["relaxation"]["geometries"]) == len(frames(tmp_path / "si/trajectory.extxyz"))
    assert np.allclose(onward["structure"]["cell"], whole["structure"]["cell"], atol=1e-4)
    assert np.allclose(onward["structure"]["positions"], whole["structure"]["positions"], atol=1e-4)


def test_a_killed_relaxation_continues(relaxed: tuple[Path, dict], tmp_path: Path) -> None:
    path = tmp_path / "si/trajectory.extxyz"
    child = start(tmp_path, CELL)
    while not (path.exists() and path.read_bytes().count(b"Lattice") >= 2) and child.poll() is None:
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    wait_for_the_lock(tmp_path / "si")
    path.write_bytes(path.read_bytes() + b"2\nLattice=")  # as if a frame had been cut
    onward = run(tmp_path, CELL, "--restart", "si/trajectory.extxyz")
    assert onward["relaxation"]["converged"]
    assert onward["energy"]["free"] == pytest.approx(relaxed[1]["energy"]["free"], abs=1e-8)


def test_the_other_optimizers_reach_the_same_minimum(relaxed: tuple[Path, dict], tmp_path: Path) -> None:
    other = run(tmp_path, CELL + 'optimizer = "lbfgs"\n')
    assert other["relaxation"]["converged"]
    assert other["energy"]["free"] == pytest.approx(relaxed[1]["energy"]["free"], abs=1e-6)
    rough = run(tmp_path, '[relax]\noptimizer = "fire"\nforce_tolerance = "0.1 eV/angstrom"\n', tolerance="1e-8")
    assert rough["relaxation"]["converged"]


def test_the_cell_changes_only_where_it_is_free(tmp_path: Path) -> None:
    """Only zz, under pressure, with an atom fixed to the cell; only the volume; only the shape."""
    before = np.array([[0, 2.7, 2.7], [2.7, 0, 2.7], [2.7, 2.7, 0]])

    def cell_after(name: str, section: str) -> np.ndarray:
        result = run(tmp_path, f"[relax]\n{section}\nmax_steps = 3\n", name=name, tolerance="1e-8")
        assert np.allclose(result["structure"]["fractional"][0], 0, atol=1e-9) or name != "mask"
        return np.array(result["structure"]["cell"]) * BOHR_IN_ANGSTROM

    mask = "strain = [false, false, true, false, false, false]"
    after = cell_after("mask", f'cell = "free"\n{mask}\npressure = "9 GPa"\nfixed_atoms = [1]')
    assert np.allclose(after[:, :2], before[:, :2], atol=1e-9) and after[0, 2] < 2.68
    after = cell_after("shape", 'cell = "isotropic"')
    assert np.allclose(after / after[0, 1], before / 2.7, atol=1e-7) and abs(after[0, 1] - 2.7) > 1e-3
    after = cell_after("volume", 'cell = "fixed-volume"')
    assert np.linalg.det(after) == pytest.approx(2 * 2.7**3, rel=1e-6) and np.abs(after - before).max() > 1e-3


def test_nothing_is_relaxed_on_a_density_that_did_not_converge(tmp_path: Path) -> None:
    result = run(tmp_path, "max_steps = 2\n[relax]\n")
    assert result["code"] == 1 and not result["relaxation"]["converged"] and not result["converged"]
    assert result["screen"].splitlines()[-1].startswith("not relaxed: the density of the last geometry")
    assert (tmp_path / "si/trajectory.extxyz").read_bytes() == b""


def test_displacements_leave_a_symmetric_structure(tmp_path: Path) -> None:
    result = run(tmp_path, '[relax]\ndisplace = "0.02 angstrom"\nmax_steps = 1\n')
    first = frames(tmp_path / "si/trajectory.extxyz")[0].positions
    assert 0 < np.abs(first - [[0, 0, 0], [2.7 * 0.495, 2.7 * 0.505, 2.7 * 0.51]]).max() < 0.1
    assert result["relaxation"]["geometries"][0]["scf_steps"] > 0


MD = '[md]\nensemble = "{}"\nsteps = {}\ntimestep = "1 fs"\ntemperature = "500 K"\nthermostat_time = "20 fs"\n'


def test_the_same_trajectory_on_every_number_of_ranks_and_a_small_drift(tmp_path: Path) -> None:
    found = {}
    for ranks, steps in ((3, 4), (2, 4), (1, 12)):
        result = run(tmp_path, MD.format("nve", steps), ranks=ranks, name=f"on{ranks}", tolerance="1e-13")
        found[ranks] = np.array([frame.positions for frame in frames(tmp_path / f"on{ranks}/trajectory.extxyz")])
        assert len(found[ranks]) == steps + 1
    assert abs(result["dynamics"]["drift"]) < 5e-4  # over 12 fs mostly the error of the integrator
    for ranks in (2, 3):
        assert np.abs(found[ranks] - found[1][:5]).max() < 1e-6 * BOHR_IN_ANGSTROM
    assert result["dynamics"]["steps"][-1]["time"] == 12.0
    assert (tmp_path / "on1/md.png").exists()


@pytest.mark.parametrize("ensemble", ["langevin", "nose-hoover"])
def test_dynamics_that_was_cut_goes_on_as_if_it_had_not_been(ensemble: str, tmp_path: Path) -> None:
    whole = run(tmp_path, MD.format(ensemble, 4), name="whole", tolerance="1e-13")
    run(tmp_path, MD.format(ensemble, 2), name="half", tolerance="1e-13")
    rest = run(tmp_path, MD.format(ensemble, 4), "--restart", "half/trajectory.extxyz", name="rest", tolerance="1e-13")
    one, two = (frames(tmp_path / f"{name}/trajectory.extxyz") for name in ("whole", "rest"))
    assert len(one) == len(two) == 5
    assert np.abs(one[-1].positions - two[-1].positions).max() < 1e-7
    assert np.abs(one[-1].get_momenta() - two[-1].get_momenta()).max() < 1e-6
    assert [step["step"] for step in rest["dynamics"]["steps"]] == [0, 1, 2, 3, 4]
    for name in ("free_energy", "temperature"):
        pairs = zip(whole["dynamics"]["steps"], rest["dynamics"]["steps"], strict=True)
        assert all(abs(one[name] - two[name]) < 1e-3 for one, two in pairs)
    assert "from file" in rest["screen"]
    files = {path: path.read_bytes() for path in (tmp_path / "rest").iterdir()}
    again = start(tmp_path, MD.format(ensemble, 4), "--restart", "rest/trajectory.extxyz", name="rest")
    assert "all 4 steps are done" in again.communicate(timeout=100)[1] and again.returncode == 2
    assert {path: path.read_bytes() for path in (tmp_path / "rest").iterdir()} == files
    if ensemble != "langevin":
        energies = [result["dynamics"]["steps"][-1]["conserved"] for result in (whole, rest)]
        assert energies[0] == pytest.approx(energies[1], abs=1e-8)


def test_a_signal_ends_dynamics_with_its_last_step(tmp_path: Path) -> None:
    path = tmp_path / "si/trajectory.extxyz"
    child = start(tmp_path, MD.format("nve", 10_000), tolerance="1e-9")
    while not (path.exists() and path.read_bytes().count(b"Lattice") >= 3) and child.poll() is None:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=100)
    assert child.returncode == 128 + signal.SIGINT, err
    result = json.loads((tmp_path / "si/result.json").read_text())
    assert result["dynamics"]["steps"][-1]["step"] == frames(path)[-1].info["step"]
    assert not result["dynamics"]["finished"]


def test_atoms_that_collide_are_refused() -> None:
    atoms = Atoms("Si2", positions=[[0, 0, 0], [0, 0, 0.3 * BOHR_IN_ANGSTROM]], cell=np.eye(3) * 6, pbc=True)
    problem = {"species": ["Si"], "atoms": [(0, 0, 0, 0), (0, 0.5, 0.5, 0.5)]}
    job = SimpleNamespace(file="in.toml", problem=problem)
    geometries = Geometries(
        core_loader.load(),
        None,
        job,
        known=[],
        on_step=print,
        report=print,
        grids=lambda _: {"grid": [1, 1, 1], "density_grid": None},
    )
    atoms.calc = RankCalculator(geometries.solve)
    with pytest.raises(
        InputError, match="in.toml: atoms 1 and 2 have come to a distance of 0.300 bohr; valid: from 0.5"
    ):
        atoms.get_forces()
    atoms.positions[1, 2] = np.nan
    with pytest.raises(InputError, match="positions or cell are not finite"):
        atoms.get_forces()


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("[relax]\nforce_tolerance = 0.01\n", "missing unit"),
        ('[relax]\nforce_tolerance = "0.01 eV/angstrm"\n', "did you mean 'eV/angstrom'?"),
        ('[relax]\npressure = "1 GPa"\n', "'pressure' with cell = \"fixed\""),
        ("[relax]\nstrain = [true, true, true, false, false, false]\n", "'strain' with cell = \"fixed\""),
        ("[relax]\nfixed_atoms = [5]\n", "there is no atom 5; valid: each atom from 1 to 4 once"),
        ("[md]\nfixed_atoms = [1, 2, 3, 4]\n", "all atoms are fixed"),
        ("[md]\n[relax]\n", 'a section [md] with [task] kind = "relax"'),
        ('[task]\nkind = "scf"\n[md]\n', 'a section [md] with [task] kind = "scf"'),
        ('[task]\nkind = "relaxation"\n', "did you mean 'relax'?"),
        ('[md]\nensemble = "nvt"\n', 'valid: "nve", "langevin", "nose-hoover" or "npt"'),
        ('[md]\nensemble = "nose-hoover"\ntemperature = "0 K"\n', "temperature = 0 K with the Nose-Hoover chain"),
        ('[md]\ntimestep = "1 ms"\n', "unknown unit 'ms'"),
    ],
)
def test_wrong_input_is_one_line(section: str, message: str, fake: None, write: Callable[..., Path]) -> None:
    path = write()
    path.write_text(path.read_text() + section)
    done = invoke("check", path)
    assert done.exit_code == 2
    assert message in done.output and len(done.output.strip().splitlines()) == 1


HELD = "H\n1.0\n4.0 0 0\n0 4.0 0\n0 0 4.0\nH\n2\nSelective dynamics\nCartesian\n1 1 1 F F F\n2 1 1 T T T\n"


def test_an_atom_of_selective_dynamics_stays_in_a_relaxation(tmp_path: Path) -> None:
    (tmp_path / "POSCAR").write_text(HELD)
    (tmp_path / "h2.toml").write_text(
        '[structure]\nfile = "POSCAR"\n[basis]\necut = "10 Ha"\n[electrons]\nxc = "LDA-PZ"\n'
        'pseudopotentials = "gth-lda"\n[relax]\nmax_steps = 3\n'
    )
    assert program("run", tmp_path / "h2.toml", "--ranks", "1", "--output", tmp_path / "h2").returncode == 1
    for frame in [*frames(tmp_path / "h2/trajectory.extxyz"), ase.io.read(tmp_path / "h2/result.extxyz")]:
        assert [one.index.tolist() for one in frame.constraints] == [[0]]
        assert frame.positions[0] == pytest.approx([1, 1, 1], abs=1e-9)
    assert frame.positions[1, 0] < 1.9


MOVING = """\
2
Lattice="3.6 0 0 0 3.6 0 0 0 3.6" Properties=species:S:1:pos:R:3:momenta:R:3 pbc="T T T"
He 0.0 0.0 0.0  0.08005204 0.0 0.0
He 1.8 1.8 1.8 -0.08005204 0.0 0.0
"""


def test_velocities_of_a_structure_start_the_dynamics(tmp_path: Path) -> None:
    (tmp_path / "v.extxyz").write_text(MOVING)
    (tmp_path / "v.toml").write_text(
        '[structure]\nfile = "v.extxyz"\n[basis]\necut = "8 Ha"\n[electrons]\nxc = "LDA-PZ"\n'
        'pseudopotentials = "gth-lda"\n[md]\nsteps = 1\n'
    )
    done = program("run", tmp_path / "v.toml", "--ranks", "1", "--output", tmp_path / "v")
    assert "velocities of the start, kinetic energy 0.0016010 eV, 12.39 K with 3 degrees" in done.stdout, done.stderr
    first = json.loads((tmp_path / "v/result.json").read_text())["dynamics"]["steps"][0]
    assert first["kinetic_energy"] * HARTREE_IN_EV == pytest.approx(0.0016010, abs=1e-7)
    assert first["temperature"] == pytest.approx(12.39, abs=0.005)
    start_of_run = frames(tmp_path / "v/trajectory.extxyz")[0]
    assert start_of_run.get_momenta() == pytest.approx(ase.io.read(tmp_path / "v.extxyz").get_momenta())


def test_wrong_trajectories_are_one_line(fake: None, write: Callable[..., Path], tmp_path: Path) -> None:
    path = write()
    path.write_text(path.read_text() + "[relax]\n")
    other = tmp_path / "trajectory.extxyz"

    def refused() -> str:
        done = invoke("run", path, "--restart", other, "--ranks", "1")
        assert done.exit_code == 2 and len(done.output.strip().splitlines()) == 1
        return done.output

    assert "no such file" in refused()
    other.write_text("")
    assert "no complete frame" in refused()
    other.write_text("no trajectory\n")
    assert "trajectory.extxyz:1: 'no trajectory' in the place of the number of atoms" in refused()
    other.write_text('1\nLattice="1 0 0 0 1 0 0 0 1" Properties=species:S:1:pos:R:3 pbc="T T T"\nH 0 0 0\n')
    assert "in the place of Properties with forces, and a step" in refused()


FRAME = (
    'Lattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3:forces:R:3 free_energy=1 step={}\n'
    "H 0 0 0 0 0 0\nH 0 0 1 0 0 0\n"
)
TITLE = FRAME.format(2).splitlines()[0]
FRAMES = "".join("2\n" + FRAME.format(step) for step in range(1, 6))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([(9, "")], "9: a blank line in the place of the number of atoms, 2"),
        ([(8, "H 0 0 1 0 0 0"), (8, "H 0 0 1 0 0 0")], "9: 'H 0 0 1 0 0 0' in the place of the number of atoms, 2"),
        ([(9, "2"), (10, FRAME.format(2).strip())], "10: 'step=2' in the place of a step after step 2"),
        ([(7, "")], "7: a blank line in the place of an atom with 7 columns"),
        ([(7, "H 0 0 1.0.0 0 0 0")], "7: 'H 0 0 1.0.0 0 0 0' in the place of an atom with 7 columns"),
        ([(7, "H 0 0 nan 0 0 0")], "7: 'H 0 0 nan 0 0 0' in the place of an atom with 7 columns"),
        ([(6, "Lattice=")], "6: 'Lattice=' in the place of Properties with forces, and a step"),
        *(
            ([(6, TITLE.replace("free_energy=1", title))], f"6: '{found}' in the place of {count} finite number")
            for title, found, count in (
                ("free_energy=abc", "free_energy=abc", 1),
                ("free_energy=nan", "free_energy=nan", 1),
                ('free_energy="1 2"', "free_energy=1 2", 1),
                ("free_energy=1 time=inf", "time=inf", 1),
                ('free_energy=1 thermostat="1 2 3 4 5"', "thermostat=1 2 3 4 5", 6),
                ('free_energy=1 thermostat="1 2 3 4 5 x"', "thermostat=1 2 3 4 5 x", 6),
            )
        ),
        ([(6, TITLE.replace(" free_energy=1", ""))], f"6: '{TITLE[:40]}' in the place of free_energy="),
        ([(6, TITLE.replace("9 0 0 0 9", "9 0 0 0 nan"))], "6: 'Lattice=9 0 0 0 nan 0 0 0 9' in the place of 9 finite"),
        ([(6, TITLE.replace("9 0 0 0 9", "9 0 0 9 0"))], "6: 'Lattice=9 0 0 9 0 0 0 0 9' in the place of three vec"),
        ([(5, "3")], "5: '3' in the place of the number of atoms, 2"),
    ],
)
def test_a_damaged_trajectory_is_refused_and_stays(
    lines: list[tuple[int, str]], message: str, fake: None, write: Callable[..., Path]
) -> None:
    path = write()
    path.write_text(path.read_text() + "[relax]\n")
    content = FRAMES.splitlines()
    for number, line in lines:
        if message.startswith(("9:", "10:")):
            content.insert(number - 1, line)
        else:
            content[number - 1] = line
    other = path.parent / "trajectory.extxyz"
    other.write_text("\n".join(content) + "\n")
    before = other.read_bytes()
    done = invoke("run", path, "--restart", other, "--ranks", "1")
    assert done.exit_code == 2 and f"trajectory.extxyz:{message}" in done.output, done.output
    assert len(done.output.strip().splitlines()) == 1 and other.read_bytes() == before


def test_blank_lines_at_the_end_are_no_damage(tmp_path: Path) -> None:
    (tmp_path / "t.extxyz").write_text(FRAMES + "\n \n")
    found = trajectory.read(tmp_path / "t.extxyz")
    assert len(found.atoms) == 5 and found.text.decode() == FRAMES and found.unfinished == 0
    assert len(trajectory.read(tmp_path / "t.extxyz", last_only=True).atoms) == 1


def test_a_cut_frame_is_dropped(tmp_path: Path) -> None:
    frame = f"1\n{FRAME.format(1)}".removesuffix("H 0 0 1 0 0 0\n").encode()
    for cut in (b"", b"1", b"1\n", frame[:20], frame[:-5]):
        (tmp_path / "t.extxyz").write_bytes(frame + cut.replace(b"step=1", b"step=2"))
        found = trajectory.read(tmp_path / "t.extxyz")
        assert len(found.atoms) == 1 and found.text == frame and found.unfinished == len(cut)


def test_an_older_trajectory_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "trajectory.extxyz"
    trajectory.Trajectory(path, b"").add(b"first")
    trajectory.Trajectory(path, b"").add(b"second")
    older, next_older = (tmp_path / f"trajectory.{number}.extxyz" for number in (1, 2))
    assert path.read_bytes() == b"second" and older.read_bytes() == b"first"
    trajectory.Trajectory(path, b"second").add(b" third")
    assert path.read_bytes() == b"second third" and not next_older.exists()
    trajectory.Trajectory(path, b"second")  # what it does not take over is kept
    assert path.read_bytes() == b"second" and next_older.read_bytes() == b"second third"
    assert older.read_bytes() == b"first" and trajectory.name_for_older(path).name == "trajectory.3.extxyz"
