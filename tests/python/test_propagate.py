"""The task "propagate": its table, what it refuses, and the spectra that follow from it."""

import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import clean_environment, invoke, program, read_result, wait_for_the_lock

from wavegrid.errors import InputError
from wavegrid.files.propagation import Propagated, PropagationTable, read
from wavegrid.spectrum import response
from wavegrid.spectrum.absorption import absorption
from wavegrid.spectrum.dielectric import dielectric
from wavegrid.spectrum.harmonics import harmonics
from wavegrid.units import HARTREE_IN_EV

SODIUM = """\
[structure]
cell = [[12, 0, 0], [0, 12, 0], [0, 0, 15]]
coordinates = "cartesian"
unit = "bohr"
atoms = [["Na", 6, 6, 4.6], ["Na", 6, 6, 10.4]]
[basis]
{basis}
[electrons]
xc = "LDA-PW"
pseudopotentials = "gth-lda-q1"
{electrons}
[propagate]
time = "0.1 fs"
timestep = "10 as"
{propagate}
"""
WAVES, MESH = 'ecut = "3 Ha"', 'method = "realspace"\nspacing = "0.75 bohr"\nboundary = "free"'
KICK = "kick = { strength = 0.01, direction = [0, 0, 2] }"


def written(folder: Path, basis: str = WAVES, propagate: str = KICK, electrons: str = "") -> Path:
    """Write an input of the sodium dimer."""
    path = folder / "na2.toml"
    path.write_text(SODIUM.format(basis=basis, propagate=propagate, electrons=electrons))
    return path


def run(folder: Path, *options: object, **keys: str) -> dict:
    """Run the sodium dimer in a folder; return its result.json."""
    folder.mkdir(exist_ok=True)
    answer = program("run", written(folder, **keys), "--output", folder / "out", *options)
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out") | {"screen": answer.stdout}


@pytest.mark.parametrize("basis", [WAVES, MESH])
def test_the_table_has_each_step(tmp_path: Path, basis: str) -> None:
    result = run(tmp_path / "one", "--ranks", 1, basis=basis)
    part = result["propagation"]
    assert part["kick"] == {"momentum": [0.0, 0.0, 0.01], "gauge": "velocity" if basis == WAVES else "dipole"}
    assert (part["steps"], part["time"], part["timestep"]) == pytest.approx((10, 0.1, 0.01))
    assert part["last_energy"] == pytest.approx(part["first_energy"], abs=1e-7)
    assert part["lost_electrons"] < 1e-10
    assert "propagated 0.1 fs in 10 steps" in result["screen"]
    table = read(tmp_path / "one/out").columns
    assert table["step"] == list(range(11))
    assert table["energy"][0] == pytest.approx(result["energy"]["internal"] + 0.5 * 2 * 0.01**2, abs=1e-5)
    moved = "current_z" if basis == WAVES else "dipole_z"  # up, against the current
    assert table[moved][1] < (0 if basis == WAVES else table["dipole_z"][0]) - 1e-6
    assert np.ptp(table["dipole_x"]) < 1e-4
    assert (tmp_path / "one/out/propagate.png").exists()
    run(tmp_path / "three", "--ranks", 3, basis=basis)
    assert read(tmp_path / "three/out").columns[moved] == pytest.approx(table[moved], abs=1e-8)


def test_a_crystal_has_a_current(tmp_path: Path) -> None:
    keys = {"propagate": KICK, "electrons": "kpoints = { mesh = [2, 1, 1] }"}
    text = (
        written(tmp_path, **keys)
        .read_text()
        .replace("[0, 0, 15]", "[0, 0, 11.6]")
        .replace("4.6", "2.9")
        .replace("10.4", "8.7")
    )
    (tmp_path / "chain.toml").write_text(text)
    answer = program("run", tmp_path / "chain.toml", "--output", tmp_path / "out", "--ranks", 2)
    assert answer.returncode == 0, answer.stderr
    result = read_result(tmp_path / "out")
    assert result["propagation"]["kick"]["gauge"] == "velocity"
    assert len(result["kpoints"]) == 2  # k and -k differ
    found = read(tmp_path / "out")
    assert "dipole_z" not in found.columns
    assert found.columns["current_z"][0] == pytest.approx(-2 * 0.01 / found.volume, rel=0.1)
    assert invoke("spectrum", tmp_path / "out").exit_code == 0


PULSE = """[[propagate.laser]]
field = "0.01 Ha/bohr"
direction = [0, 0, 1]
frequency = "2 eV"
duration = "0.05 fs"
centre = "0.05 fs"
"""


def test_forces_excited_electrons_and_densities_are_observed(tmp_path: Path) -> None:
    asked = f"{KICK}\nforces = true\nexcited = true\ndensity_every = 5"
    run(tmp_path / "one", "--ranks", 2, basis=MESH, propagate=asked)
    table = read(tmp_path / "one/out").columns
    # Not corrected, since electrons in motion take momentum: what is left is the error of a coarse mesh.
    assert abs(table["force_1_z"][0] + table["force_2_z"][0]) < 3e-3
    assert 0 < table["excited"][0] < 1e-2
    names = [path.name for path in sorted((tmp_path / "one/out").glob("density_*"))]
    assert names == ["density_000000.cube", "density_000005.cube", "density_000010.cube"]
    refused = invoke("check", written(tmp_path, propagate=asked + "\nwrite_every = 2"))
    assert refused.exit_code == 2 and "densities each 5 steps" in refused.stderr


def test_a_pulse_is_in_the_table(tmp_path: Path) -> None:
    run(tmp_path / "one", "--ranks", 2, basis=MESH, propagate=PULSE)
    table = read(tmp_path / "one/out").columns
    assert max(table["field_z"]) == pytest.approx(0.01) and not any(table["field_x"])
    assert table["dipole_z"][-1] > table["dipole_z"][0] + 1e-4
    found = invoke("spectrum", tmp_path / "one/out")
    assert found.exit_code == 0 and "harmonic 1" in found.stdout


VELOCITIES = "2\nLattice='12 0 0 0 12 0 0 0 15' Properties=species:S:1:pos:R:3:momenta:R:3 pbc='T T T'\n"


def test_atoms_move_with_velocities_of_the_structure(tmp_path: Path) -> None:
    bohr = 0.529177210903
    lines = [f"Na {6 * bohr} {6 * bohr} {z * bohr} 0 0 {p}" for z, p in ((4.6, 3.0), (10.4, -3.0))]
    cell = VELOCITIES.replace("12", str(12 * bohr)).replace("15", str(15 * bohr)).replace("'", '"')
    (tmp_path / "na2.xyz").write_text(cell + "\n".join(lines) + "\n")
    text = written(tmp_path, propagate="ions = true\noccupations = true").read_text()
    start = text.index("[basis]")
    (tmp_path / "na2.toml").write_text('[structure]\nfile = "na2.xyz"\n' + text[start:])
    answer = program("run", tmp_path / "na2.toml", "--output", tmp_path / "out", "--ranks", 2)
    assert answer.returncode == 0, answer.stderr
    result, table = read_result(tmp_path / "out"), read(tmp_path / "out").columns
    assert result["propagation"]["propagator"] == "etrs"
    speed = 3.0 / 22.98976928  # Angstrom per ASE's unit of time, 10.18 fs
    moved = (table["position_1_z"][-1] - table["position_1_z"][0]) * bohr
    assert moved == pytest.approx(speed * 0.1 / 10.1805, rel=0.01)
    assert table["ion_kinetic"][0] == pytest.approx(2 * 0.5 * 3.0**2 / 22.98976928 / HARTREE_IN_EV, rel=1e-6)
    assert table["energy"][-1] == pytest.approx(table["energy"][0], abs=1e-6)
    assert table["band_1"][-1] == pytest.approx(2, abs=1e-3)


CASIDA = SODIUM.replace('[propagate]\ntime = "0.1 fs"\ntimestep = "10 as"', "[casida]")


def test_excitations_are_written(tmp_path: Path) -> None:
    (tmp_path / "na2.toml").write_text(CASIDA.format(basis=WAVES, electrons="bands = 12", propagate=""))
    answer = program("run", tmp_path / "na2.toml", "--output", tmp_path / "out", "--ranks", 2)
    assert answer.returncode == 0, answer.stderr
    part = read_result(tmp_path / "out")["casida"]
    assert part["spin"] == "singlet" and part["pairs"] == 11
    lowest = part["lowest"][0]
    assert lowest["strengths"][2] > 0.5 > max(lowest["strengths"][:2])
    rows = np.loadtxt(tmp_path / "out/casida.csv", delimiter=",", skiprows=2)
    assert rows.shape == (11, 9) and rows[0, 0] == pytest.approx(lowest["energy"] * HARTREE_IN_EV)
    assert (tmp_path / "out/casida.png").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("LDA-PW", "PBE"), "is no LDA"),
        (("bands = 12", 'smearing = { kind = "fermi-dirac", width = "0.1 eV" }'), "with smearing"),
        (("bands = 12", "kpoints = { mesh = [2, 1, 1] }"), "with k-points"),
        (("[0, 0, 15]", "[0, 0, 11.6]"), "does not end along all lattice vectors"),
        (("bands = 12", 'bands = 12\nspin = "collinear"'), "triplets of a calculation with two spins"),
    ],
)
def test_what_has_no_excitations_is_refused_by_name(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    text = CASIDA.format(basis=WAVES, electrons="bands = 12", propagate='spin = "triplet"')
    assert change[0] in text
    (tmp_path / "na2.toml").write_text(text.replace(*change).replace("gth-lda-q1", "gth-lda-q1"))
    answer = invoke("check", tmp_path / "na2.toml")
    assert answer.exit_code == 2 and words in answer.stderr, answer.stderr


LONGER = ('time = "0.1 fs"', 'time = "0.16 fs"')
OFTEN = 'kick = { strength = 0.01, direction = [0, 0, 2] }\n[output]\ncheckpoint = { every = "1 steps" }'


# Without determinism two ground states differ by what their tolerance leaves: of a mesh the core's tests show 1e-10.
@pytest.mark.parametrize(("basis", "parallel", "same"), [(WAVES, "deterministic = true", 1e-10), (MESH, "", 1e-6)])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_that_was_ended_goes_on(tmp_path: Path, basis: str, parallel: str, same: float, number: int) -> None:
    path = written(tmp_path, basis=basis, propagate=f"{OFTEN}\n[parallel]\n{parallel}")
    path.write_text(path.read_text().replace(*LONGER))
    whole = program("run", path, "--output", tmp_path / "whole", "--ranks", 2)
    assert whole.returncode == 0, whole.stderr
    out = tmp_path / "out"
    command = [sys.executable, "-m", "wavegrid", "run", path, "--ranks", "2", "--output", out]
    child = subprocess.Popen(list(map(str, command)), env=clean_environment(), stdout=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while not (out / "propagation.h5").exists() and time.monotonic() < until:
        time.sleep(0.01)
    child.send_signal(number)
    child.wait(timeout=120)
    wait_for_the_lock(out)
    if number == signal.SIGTERM:
        assert child.returncode == 128 + number
        stopped = read_result(out)
        assert stopped["stopped"] == "SIGTERM" and 1 <= stopped["propagation"]["steps"] < 16
    again = program("run", path, "--output", out, "--ranks", 3, "--restart", out / "propagation.h5")
    assert again.returncode == 0, again.stderr
    assert "continues" in again.stdout
    table, expected = read(out).columns, read(tmp_path / "whole").columns
    assert table["step"] == list(range(17))
    for name in expected:
        assert table[name] == pytest.approx(expected[name], abs=same), name
    ended = program("run", path, "--output", out, "--ranks", 1, "--restart", out / "propagation.h5")
    assert ended.returncode == 0 and read(out).columns == table  # nothing is left to do


def test_a_state_of_another_input_is_refused_by_name(tmp_path: Path) -> None:
    run(tmp_path / "one", "--ranks", 1, basis=MESH)
    state = tmp_path / "one/out/propagation.h5"
    for change, words in (
        (("10 as", "20 as"), "the time step of the state: 0.01 fs, of the input: 0.02 fs"),
        (("0.01, dir", "0.02, dir"), "the kick of the state"),
        (("LDA-PW", "LDA-PZ"), "the functional of the state: "),
        (("0.75 bohr", "0.7 bohr"), "the basis of the state"),
        (("6, 4.6", "6, 4.5"), "the atoms of the state"),
        (('time = "0.1 fs"', 'time = "0.05 fs"'), "10 steps are done, the input has 5"),
    ):
        path = written(tmp_path, basis=MESH)
        assert change[0] in path.read_text()
        path.write_text(path.read_text().replace(*change))
        answer = program("run", path, "--restart", state)
        assert answer.returncode == 2 and words in answer.stderr, answer.stderr
    for spoil, words in (
        (lambda: state.with_name("propagation.csv").unlink(), "cannot be read"),
        (lambda: state.write_bytes(b"no HDF5"), "is not the state of a propagation"),
    ):
        spoil()
        answer = program("run", written(tmp_path, basis=MESH), "--restart", state)
        assert answer.returncode == 2 and words in answer.stderr, answer.stderr


def test_a_step_that_is_too_long_is_refused_with_one_that_would_do(tmp_path: Path) -> None:
    path = written(tmp_path, propagate=KICK.replace("0.01", "0.1") + '\npropagator = "etrs"')
    path.write_text(path.read_text().replace('"10 as"', '"0.19 fs"').replace('"0.1 fs"', '"4 fs"'))
    answer = program("run", path, "--output", tmp_path / "out", "--ranks", 1)
    assert answer.returncode == 2
    assert "is too long" in answer.stderr and "valid: about" in answer.stderr, answer.stderr


SILICON = """\
[structure]
cell = [[0, 5.13, 5.13], [5.13, 0, 5.13], [5.13, 5.13, 0]]
coordinates = "fractional"
unit = "bohr"
atoms = [["Si", 0, 0, 0], ["Si", 0.25, 0.25, 0.25]]
[basis]
{basis}
[electrons]
xc = "LDA-PW"
pseudopotentials = "gth-lda"
kpoints = {{ mesh = [2, 2, 2], shift = [0.5, 0.5, 0.5] }}
[propagate]
time = "0.5 fs"
timestep = "10 as"
[[propagate.laser]]
field = "0.008 Ha/bohr"
direction = [1, 1, 0]
frequency = "3 eV"
duration = "0.25 fs"
centre = "0.25 fs"
envelope = "sin2"
"""


def test_a_pulse_in_silicon_does_the_work_that_is_gained(tmp_path: Path) -> None:
    path = tmp_path / "si.toml"
    path.write_text(SILICON.format(basis='ecut = "4 Ha"'))
    answer = program("run", path, "--output", tmp_path / "out", "--ranks", 2)
    assert answer.returncode == 0, answer.stderr
    found = read(tmp_path / "out")
    assert found.lasers[0]["gauge"] == "velocity"
    table, step = found.columns, found.columns["time"][1]
    power = sum(np.array(table[f"field_{axis}"]) * np.array(table[f"current_{axis}"]) for axis in "xyz")
    weights = np.tile([4.0, 2.0], len(power) // 2 + 1)[: len(power) - 2]
    work = found.volume * step / 3 * (power[0] + power[-1] + np.sum(weights * power[1:-1]))
    gained = table["energy"][-1] - table["energy"][0]
    assert gained > 5e-3
    assert work == pytest.approx(gained, abs=1e-5)
    spectrum = invoke("spectrum", tmp_path / "out", "--plot", tmp_path / "s.png")
    assert spectrum.exit_code == 0, spectrum.stderr
    assert "harmonic 1: 1.00e+00 of the first" in spectrum.stdout and (tmp_path / "s.png").exists()
    assert (tmp_path / "out/spectrum.csv").read_text().splitlines()[1] == "energy_eV,order,power"


@pytest.mark.parametrize("name", ["dipole", "current"])
def test_harmonics_are_those_of_the_signal(tmp_path: Path, name: str) -> None:
    """Of x = cos(wt) + 0.01 cos(3wt): the third has 81 times 1e-4 of the power of the first."""
    w, about = 0.1, {"kick": None, "lasers": [{"frequency": 0.1}], "electrons": 1.0, "volume": 2.0}
    with PropagationTable(tmp_path / "propagation.csv", about) as table:
        for step in range(4001):
            t = 0.25 * step
            place, speed = np.cos(w * t) + 0.01 * np.cos(3 * w * t), -w * (np.sin(w * t) + 0.03 * np.sin(3 * w * t))
            values = [place, 0, 0] if name == "dipole" else [speed / 2, 0, 0]
            report = {"stage": "propagation", "done": step, "time": t, "energy": 0.0, "electrons": 1.0, name: values}
            table.add(report)  # type: ignore[arg-type]
    found = harmonics(read(tmp_path), np.arange(1.0, 2001) * 0.01 / HARTREE_IN_EV)
    strengths = dict(found.strengths())
    assert strengths[3] == pytest.approx(81e-4, rel=1e-2)
    assert strengths[2] < 1e-4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"propagate": "kick = { direction = [0, 0, 0] }"}, "direction = [0, 0, 0]; valid: three numbers"),
        ({"propagate": 'propagator = "magnus4"\nions = true'}, "magnus4 with moving atoms"),
        ({"propagate": "ions = true", "electrons": 'dispersion = "d3-bj"'}, "which is of atoms that stand"),
        ({"propagate": PULSE.replace("[0, 0, 1]", "[0, 0, 0]")}, "direction = [0, 0, 0]; valid: three numbers"),
        ({"propagate": PULSE.replace("frequency", "frequenci")}, "did you mean 'frequency'?"),
        ({"propagate": PULSE.replace('frequency = "2 eV"', "")}, "[propagate.laser] lacks 'frequency'"),
        ({"propagate": KICK + "\nabsorber = { width = '3 bohr' }"}, "an absorber without a boundary"),
        ({"propagate": "tolerance = 1"}, "tolerance = 1: above 0.001"),
        ({"propagate": KICK + '\n[scf]\nprecision = "mixed"'}, 'with precision = "mixed"'),
        ({"propagate": "ions = true\n[symmetry]\nuse = true"}, "ions = true with symmetry, which atoms that move"),
        ({"propagate": KICK + '\n[task]\nkind = "relax"'}, "a section [propagate] with [task] kind"),
    ],
)
def test_what_cannot_be_propagated_is_refused_by_name(tmp_path: Path, change: dict[str, str], words: str) -> None:
    answer = invoke("check", written(tmp_path, **change))
    assert answer.exit_code == 2
    assert words in answer.stderr, answer.stderr


def hybrid(folder: Path, propagate: str) -> Path:
    """Write the chain of the dimer with two k-points and a hybrid functional."""
    path = written(folder, propagate=propagate, electrons="kpoints = { mesh = [2, 1, 1] }")
    path.write_text(path.read_text().replace("LDA-PW", "PBE0").replace("[0, 0, 15]", "[0, 0, 11.6]"))
    return path


def test_exponentials_of_hybrids_are_refused(tmp_path: Path) -> None:
    answer = invoke("check", hybrid(tmp_path, f'propagator = "etrs"\n{KICK}'))
    assert answer.exit_code == 2
    assert "exponentials with exact exchange" in answer.stderr


def test_hybrids_take_the_midpoint_rule_with_all_k_points(tmp_path: Path) -> None:
    answer = program("run", hybrid(tmp_path, KICK), "--output", tmp_path / "out", "--ranks", 2)
    assert answer.returncode == 0, answer.stderr
    result = read_result(tmp_path / "out")
    assert result["propagation"]["propagator"] == "crank-nicolson"
    assert len(result["kpoints"]) == 2  # k and -k differ
    assert result["propagation"]["last_energy"] == pytest.approx(result["propagation"]["first_energy"], abs=1e-7)


def test_a_dipole_kick_along_a_periodic_direction_is_refused(tmp_path: Path) -> None:
    kick = 'kick = { direction = [0, 0, 1], gauge = "dipole" }'
    text = written(tmp_path, propagate=kick).read_text().replace("[0, 0, 15]", "[0, 0, 11.6]")
    (tmp_path / "chain.toml").write_text(text)
    answer = invoke("check", tmp_path / "chain.toml")
    assert answer.exit_code == 2
    assert "a kick in the dipole gauge along lattice vector 3, where the crystal is periodic" in answer.stderr


def oscillating(path: Path, axis: int, energy: float, electrons: float = 2.0) -> Propagated:
    """Write and read a table of charges on a spring after a kick: x = N k/w sin(wt)."""
    momentum = [0.001 * (i == axis) for i in range(3)]
    with PropagationTable(
        path, {"kick": {"momentum": momentum}, "lasers": [], "electrons": electrons, "volume": 50.0}
    ) as table:
        for step in range(4001):
            moment = 0.2 * step
            place = electrons * 0.001 / energy * np.sin(energy * moment)
            speed = electrons * 0.001 * np.cos(energy * moment)
            along = [float(i == axis) for i in range(3)]
            report = {"stage": "propagation", "done": step, "total": 4000, "groups": 1, "seconds": 0.0}
            report |= {"time": moment, "energy": 0.0, "electrons": electrons}
            report |= {"dipole": [0.3 - x * place for x in along], "current": [-x * speed / 50 for x in along]}
            table.add(report)  # type: ignore[arg-type]
    return read(path)


ENERGIES = np.arange(1.0, 4001) * 0.01 / HARTREE_IN_EV


@pytest.mark.parametrize("kind", ["polynomial", "gaussian", "exponential"])
def test_a_spring_absorbs_at_its_frequency_with_the_sum_rule(tmp_path: Path, kind: response.Window) -> None:
    run = oscillating(tmp_path / "a.csv", 0, 0.3)
    found = absorption([run], ENERGIES, kind, 0.01)
    assert found.peaks()[0][0] == pytest.approx(0.3, abs=1e-3)
    assert found.sum_rule() == pytest.approx(1, abs=0.02)
    solid = dielectric(run, ENERGIES, kind, 0.01)
    assert solid.sum_rule() == pytest.approx(1, abs=0.02)
    plasma = 4 * np.pi * 2 / 50
    low = int(np.argmin(abs(ENERGIES - 0.1)))
    assert solid.epsilon[low].real == pytest.approx(1 + plasma / (0.3**2 - ENERGIES[low] ** 2), rel=0.01)
    assert abs(solid.epsilon[100].imag) < 0.1  # at 1 eV, near the damping of 0.27 eV


def test_three_kicks_are_averaged(tmp_path: Path) -> None:
    runs = [oscillating(tmp_path / f"{axis}.csv", axis, energy) for axis, energy in enumerate((0.2, 0.3, 0.3))]
    found = absorption(runs, ENERGIES, "polynomial", 0)
    alone = absorption(runs[:1], ENERGIES, "polynomial", 0)
    (first, strength), (second, twice) = found.peaks()
    assert (first, second) == pytest.approx((0.2, 0.3), abs=2e-4)
    assert strength == pytest.approx(alone.peaks()[0][1] / 3, rel=1e-3)
    assert twice == pytest.approx(2 * strength, rel=0.02)
    with pytest.raises(InputError, match="3 runs, whose kicks have 2 of 3 directions with the 1 rotations"):
        absorption([runs[0], runs[0], runs[1]], ENERGIES, "polynomial", 0)
    with pytest.raises(InputError, match="2 runs"):
        absorption(runs[:2], ENERGIES, "polynomial", 0)


def test_rotations_of_the_structure_are_kicks(tmp_path: Path) -> None:
    """A rotation of y to z makes two kicks three; of x, y and z one kick."""
    runs = [oscillating(tmp_path / f"{axis}.csv", axis, energy) for axis, energy in enumerate((0.2, 0.3, 0.3))]
    three = absorption(runs, ENERGIES, "polynomial", 0)
    quarter = [[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]
    half = [[1.0, 0, 0], [0, -1, 0], [0, 0, -1]]
    turned = [replace(one, rotations=[np.eye(3).tolist(), quarter, half, np.array(quarter).T.tolist()]) for one in runs]
    two = absorption(turned[:2], ENERGIES, "polynomial", 0)
    assert three.averaged and two.averaged
    assert abs(two.strength - three.strength).max() < 1e-10 * three.strength.max()
    assert not absorption(turned[:1], ENERGIES, "polynomial", 0).averaged
    cyclic = [[0, 0, 1.0], [1, 0, 0], [0, 1, 0]]
    all_axes = [np.eye(3).tolist(), cyclic, np.array(cyclic).T.tolist()]
    one = absorption([replace(runs[0], rotations=all_axes)], ENERGIES, "polynomial", 0)
    alone = absorption(runs[:1], ENERGIES, "polynomial", 0)
    assert one.averaged and not alone.averaged
    assert abs(one.strength - alone.strength).max() < 1e-10 * alone.strength.max()


def rotating(path: Path, axis: int, strength: float) -> Propagated:
    """Write and read the moment of one excitation of 0.3 Ha, whose transition moments are along x, after a kick."""
    about = {"kick": {"momentum": [0.001 * (i == axis) for i in range(3)]}, "lasers": [], "electrons": 2, "volume": 50}
    with PropagationTable(path, about) as table:
        for step in range(2001):
            moment = -2 * 0.001 * strength * np.cos(0.3 * 0.2 * step) * (axis == 0)
            report = {"stage": "propagation", "done": step, "time": 0.2 * step, "energy": 0.0, "electrons": 2}
            report |= {"dipole": [0.0, 0.0, 0.0], "magnetic_moment": [moment, 0.0, 0.0]}
            table.add(report)  # type: ignore[arg-type]
    return read(path)


def test_a_magnetic_moment_gives_the_rotatory_strength(tmp_path: Path) -> None:
    """The integral over a line is its strength; a mirror image in the structure leaves none."""
    runs = [rotating(tmp_path / f"{axis}.csv", axis, 0.7) for axis in range(3)]
    found = absorption(runs, ENERGIES, "polynomial", 0).rotation
    assert found is not None
    assert response.integral(found, ENERGIES) == pytest.approx(0.7, rel=0.01)
    assert ENERGIES[found.argmax()] == pytest.approx(0.3, abs=1e-3)
    mirror = [np.eye(3).tolist(), np.diag([-1.0, 1, 1]).tolist()]
    flat = absorption([replace(one, rotations=mirror) for one in runs], ENERGIES, "polynomial", 0).rotation
    assert flat is not None and abs(flat).max() < 1e-12
    assert absorption(runs[:1], ENERGIES, "polynomial", 0).rotation is None


@pytest.mark.parametrize("basis", ['ecut = "4 Ha"'])
def test_operations_that_keep_the_field_reduce_the_k_points(tmp_path: Path, basis: str) -> None:
    """A kick along a cubic axis leaves fewer than the 8 points of a mesh of silicon, and changes nothing."""
    text = SILICON.format(basis=basis)
    text = text[: text.index("[[propagate.laser]]")].replace('"0.5 fs"', '"0.06 fs"')
    text += 'kick = { strength = 0.01, direction = [0, 0, 1] }\n[scf]\nenergy_tolerance = "1e-12 Ha"\n'
    currents, counts = [], []
    for name, symmetry in (("with", ""), ("without", "[symmetry]\nuse = false\n")):
        path = tmp_path / f"{name}.toml"
        path.write_text(text + symmetry)
        answer = program("run", path, "--output", tmp_path / name, "--ranks", 1)
        assert answer.returncode == 0, answer.stderr
        table = read(tmp_path / name).columns
        currents.append(np.array([table[f"current_{axis}"] for axis in "xyz"]))
        counts.append(len(read_result(tmp_path / name)["kpoints"]))
    assert counts[0] < counts[1] == 8
    assert abs(currents[0] - currents[1]).max() < 1e-6 * abs(currents[1]).max()


def test_a_table_that_a_kill_has_cut_is_read_to_its_last_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "propagation.csv"
    oscillating(path, 0, 0.3)
    path.write_text(path.read_text()[:-5])
    assert len(read(tmp_path).columns["time"]) == 4000


def test_the_command_writes_table_and_plot(tmp_path: Path) -> None:
    oscillating(tmp_path / "propagation.csv", 0, 0.3)
    answer = invoke("spectrum", tmp_path, "--max", "20", "--plot", tmp_path / "s.png")
    assert answer.exit_code == 0, answer.stderr
    assert "peak at 8.1645 eV" in answer.stdout and "sum rule: 1.000" in answer.stdout
    rows = np.loadtxt(tmp_path / "spectrum.csv", delimiter=",", skiprows=2)
    assert rows.shape == (2000, 3) and rows[np.argmax(rows[:, 1]), 0] == pytest.approx(8.16)
    assert (tmp_path / "s.png").stat().st_size > 1000
    for arguments, words in (
        ((tmp_path / "none",), "cannot be read"),
        ((tmp_path / "s.png",), "is not the table of a propagation"),
        ((tmp_path, "--window", "hann"), "valid: polynomial, gaussian, exponential"),
    ):
        refused = invoke("spectrum", *arguments)
        assert refused.exit_code == 2 and words in refused.stderr, refused.stderr
