"""Magnetic moments of any direction, without another code: symmetry, invariances, held directions, anisotropy."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from ase import Atoms
from ase.units import Bohr
from conftest import invoke, program, read_result

from wavegrid import Session
from wavegrid.ase import WaveGrid
from wavegrid.errors import InputError
from wavegrid.input.document import read
from wavegrid.job.prepare import prepare_document
from wavegrid.motion.anisotropy import turn
from wavegrid.process import core_loader

SPINORS = Path(__file__).parents[1] / "reference" / "spinors"
HALF = math.sqrt(0.75)
TRIANGLE = """\
[structure]
cell = [[12, 0, 0], [-6, 10.392304845413264, 0], [0, 0, 6]]
unit = "bohr"
coordinates = "fractional"
atoms = [["H", 0.27, 0, 0.5], ["H", 0, 0.27, 0.5], ["H", -0.27, -0.27, {height}]]
[basis]
ecut = "8 Ha"
[electrons]
xc = "LDA-PW"
pseudopotentials = "gth-lda"
spin = "noncollinear"
initial_magnetic_moments = {moments}
smearing = {{ kind = "fermi-dirac", width = "0.003 Ha" }}
kpoints = {{ mesh = {mesh} }}
bands = 8
{electrons}
[symmetry]
use = {symmetry}
[scf]
energy_tolerance = "1e-11 Ha"
[output]
forces = true
stress = true
"""
OUTWARDS = np.array([[1, 0, 0], [-0.5, HALF, 0], [-0.5, -HALF, 0]])


def triangle(
    moments: np.ndarray, *, symmetry: str = "false", mesh: str = "[1, 1, 1]", electrons: str = "", height: float = 0.5
) -> str:
    """Return the input of three atoms of hydrogen."""
    return TRIANGLE.format(
        moments=np.array(moments).tolist(), symmetry=symmetry, mesh=mesh, electrons=electrons, height=height
    )


def run(folder: Path, name: str, text: str, ranks: int = 1, restart: str = "") -> dict:
    """Return the result of an input."""
    (folder / f"{name}.toml").write_text(text)
    words = ["run", f"{name}.toml", "--ranks", str(ranks), *(["--restart", restart] if restart else [])]
    done = program(*words, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return read_result(folder / name)


def assert_same(ours: dict, other: dict, force: float = 1e-6, stress: float = 1e-8) -> None:
    """Compare energies to 1e-9 Ha."""
    assert ours["energy"]["free"] == pytest.approx(other["energy"]["free"], abs=1e-9)
    assert np.array(ours["forces"]["total"]) == pytest.approx(np.array(other["forces"]["total"]), abs=force)
    assert np.array(ours["stress"]["total"]) == pytest.approx(np.array(other["stress"]["total"]), abs=stress)


@pytest.mark.parametrize("ranks", [1, 2])
def test_symmetry_changes_nothing(tmp_path: Path, ranks: int) -> None:
    """Of a triangle of moments at angles of 120 degrees, which no axis has in common."""
    some = run(tmp_path, "some", triangle(OUTWARDS, symmetry="true", mesh="[2, 2, 1]"), ranks)
    every = run(tmp_path, "all", triangle(OUTWARDS, mesh="[2, 2, 1]"))
    assert len(some["kpoints"]) < len(every["kpoints"]) == 4
    assert "with time reversal" in some["kpoints_description"]
    assert_same(some, every)
    found = np.array(some["atomic_charges"]["magnetic_moment_vectors"])
    assert found == pytest.approx(np.linalg.norm(found[0]) * OUTWARDS, abs=1e-5)
    assert np.linalg.norm(found[0]) > 0.3
    assert found == pytest.approx(np.array(every["atomic_charges"]["magnetic_moment_vectors"]), abs=1e-4)


def test_all_moments_may_turn_together(tmp_path: Path) -> None:
    """Without spin-orbit coupling, also those of different directions."""
    rotation = turn(np.array([0.3, -0.5, 0.8]), np.array([-0.9, 0.1, 0.2]))
    one = run(tmp_path, "one", triangle(OUTWARDS))
    other = run(tmp_path, "other", triangle(OUTWARDS @ rotation.T))
    assert_same(one, other)
    ours, theirs = (np.array(each["atomic_charges"]["magnetic_moment_vectors"]) for each in (one, other))
    assert theirs == pytest.approx(ours @ rotation.T, abs=1e-4)


ARSENIC = f"""\
[structure]
cell = [[9, 0, 0], [0, 9, 0], [0, 0, 7.5]]
unit = "bohr"
coordinates = "fractional"
atoms = [["As", 0, 0, 0]]
[basis]
ecut = "6 Ha"
[electrons]
xc = "LDA-PW"
pseudopotentials = {{ As = "{SPINORS / "As.hgh"}" }}
spin = "noncollinear"
spin_orbit = true
initial_magnetic_moments = {{ As = [0, 0, 3] }}
smearing = {{ kind = "fermi-dirac", width = "0.005 Ha" }}
kpoints = {{ mesh = [2, 2, 2] }}
bands = 10
[symmetry]
use = true
[scf]
energy_tolerance = "1e-10 Ha"
[output]
forces = true
stress = true
"""


def test_symmetry_with_spin_orbit_coupling_changes_nothing(tmp_path: Path) -> None:
    """Moments turn with the crystal; bands of all k-points follow from those of the irreducible ones."""
    first = run(tmp_path, "few", ARSENIC + "checkpoint = true\n")
    again = run(tmp_path, "all", ARSENIC.replace("use = true", "use = false"), restart="few/checkpoint.h5")
    assert len(first["kpoints"]) == 6
    assert len(again["kpoints"]) == 8
    assert_same(again, first, stress=5e-8)
    assert again["restart"]["kpoints_rotated"] > 0
    assert (again["restart"]["kpoints_missing"], again["restart"]["bands_random"]) == (0, 0)
    assert again["scf_steps"] <= 2
    verified = invoke("checkpoint", "verify", str(tmp_path / "few/checkpoint.h5"))
    assert verified.exit_code == 0, verified.output


def test_forces_and_stress_of_a_magnet_with_spin_orbit_coupling_are_derivatives(tmp_path: Path) -> None:
    """In a cell that is scaled, the cutoff scales so that the plane waves stay the same."""
    text = ARSENIC.replace('atoms = [["As", 0, 0, 0]]', 'atoms = [["As", 0, 0, {first}], ["As", 0, 0, {z}]]')
    text = text.replace("[9, 0, 0], [0, 9, 0], [0, 0, 7.5]", "[{a}, 0, 0], [0, {a}, 0], [0, 0, {c}]")
    for old, new in {
        'ecut = "6 Ha"': 'ecut = "{ecut} Ha"\ngrid = [24, 24, 40]',
        "mesh = [2, 2, 2]": "mesh = [1, 1, 1]",
        "bands = 10": "bands = 18",
        "use = true": "use = false",
        "1e-10": "1e-11",
    }.items():
        assert old in text
        text = text.replace(old, new)

    def at(name: str, z: float = 0.48, scale: float = 1.0) -> dict:
        places = {"a": 9 * scale, "c": 15 * scale, "ecut": 6 / scale**2, "z": z, "first": 0.48 - z}
        given = text
        for key, value in places.items():
            given = given.replace(f"{{{key}}}", f"{value:.12f}")
        return run(tmp_path, name, given)

    middle, step, strain = at("middle"), 0.0005, 0.0005
    ends = [at(f"z{sign:+d}", z=0.48 + sign * step) for sign in (-1, 1)]
    slope = (ends[1]["energy"]["free"] - ends[0]["energy"]["free"]) / (2 * 15 * step)
    pull = middle["forces"]["total"][1][2] - middle["forces"]["total"][0][2]
    assert pull == pytest.approx(-slope, abs=1e-6)
    assert abs(slope) > 1e-4
    ends = [at(f"s{sign:+d}", scale=1 + sign * strain) for sign in (-1, 1)]
    slope = (ends[1]["energy"]["free"] - ends[0]["energy"]["free"]) / (2 * strain)
    assert np.trace(middle["stress"]["total"]) == pytest.approx(slope / (9 * 9 * 15), abs=1e-7)
    assert middle["magnetisation"]["total"] > 3


def canted(angle: float) -> np.ndarray:
    """Return moments of the triangle that open by an angle out of its plane."""
    return np.cos(angle) * OUTWARDS + np.sin(angle) * np.array([[0, 0, 1.0]] * 3)


def test_directions_that_are_held_have_torques(tmp_path: Path) -> None:
    """They are derivatives of the energy; forces and stress contain the penalty."""
    held = 'constrain = { penalty = "0.2 Ha", radius = "1.5 bohr" }'
    angle, step = 0.6, 0.02
    at = {
        shift: run(tmp_path, f"at{number}", triangle(canted(angle + shift), electrons=held))
        for number, shift in enumerate((-step, 0.0, step))
    }
    slope = (at[step]["energy"]["free"] - at[-step]["energy"]["free"]) / (2 * step)
    moments, torques = (
        np.array(at[0.0]["atomic_charges"][name]) for name in ("magnetic_moment_vectors", "magnetic_torques")
    )
    axes = np.cross(OUTWARDS, [0, 0, 1.0])  # each moment turns around its own
    assert (torques * axes).sum() == pytest.approx(-slope, rel=1e-3)
    assert abs(slope) > 1e-3
    assert at[0.0]["energy"]["constraint"] > 0
    lean = np.arctan2(moments[:, 2], np.linalg.norm(moments[:, :2], axis=1))
    assert lean == pytest.approx(angle, abs=0.1)


def test_forces_and_stress_of_held_moments_are_derivatives(tmp_path: Path) -> None:
    held = 'constrain = { penalty = "0.2 Ha", radius = "1.5 bohr" }'
    step = 0.004  # of the height, 6 bohr
    text = triangle(canted(0.6), electrons=held, height=0.53)
    middle = run(tmp_path, "middle", text)
    ends = [
        run(tmp_path, f"end{sign:+d}", triangle(canted(0.6), electrons=held, height=0.53 + sign * step))
        for sign in (-1, 1)
    ]
    slope = (ends[1]["energy"]["free"] - ends[0]["energy"]["free"]) / (2 * 6 * step)
    assert middle["forces"]["total"][2][2] == pytest.approx(-slope, abs=2e-6)
    assert np.abs(middle["forces"]["terms"]["constraint"]).max() > 1e-6


def test_anisotropy_by_the_force_theorem_is_that_of_full_runs(tmp_path: Path) -> None:
    text = ARSENIC.replace("forces = true\nstress = true\n", "")
    text += "[anisotropy]\ndirections = [[0, 0, 1], [1, 0, 0]]\nmeshes = [[2, 2, 2], [2, 2, 3]]\n"
    found = run(tmp_path, "turned", text, ranks=2)["anisotropy"]
    z, x = found["directions"]
    full = x["free_energy"] - z["free_energy"]
    theorem = x["force_theorem"][0] - z["force_theorem"][0]
    assert abs(full) > 1e-6
    assert theorem == pytest.approx(full, rel=0.1)
    assert z["force_theorem"][1] != z["force_theorem"][0]
    assert found["kpoints"] == ["2 x 2 x 2", "2 x 2 x 3"]
    assert x["direction"] == [1, 0, 0]
    assert np.abs(x["magnetisation"]).argmax() == 0


def test_a_path_of_directions_returns_to_itself(tmp_path: Path) -> None:
    """Held moments that turn by 360 degrees, each from the state before, whose spinors then have the other sign."""
    text = ARSENIC.replace("forces = true\nstress = true\n", "checkpoint = true\n").replace("use = true", "use = false")
    text = text.replace("[2, 2, 2]", "[1, 1, 2]").replace("1e-10", "1e-11")
    text = text.replace("bands = 10", 'bands = 10\nconstrain = { penalty = "0.1 Ha", radius = "1.8 bohr" }')
    found, restart = [], ""
    for step in range(7):
        angle = step * math.pi / 3
        moment = [3 * math.sin(angle), 0, 3 * math.cos(angle)]
        found.append(run(tmp_path, f"step{step}", text.replace("[0, 0, 3]", str(moment)), restart=restart))
        restart = f"step{step}/checkpoint.h5"
    energies = [one["energy"]["free"] for one in found]
    assert energies[6] == pytest.approx(energies[0], abs=1e-9)
    assert energies[1:6] == pytest.approx(energies[5:0:-1], abs=1e-9)  # the crystal is its own mirror image
    assert energies[3] == pytest.approx(energies[0], abs=1e-9)  # time reversal
    assert energies[1] - energies[0] < -1e-6
    moments = [np.array(one["atomic_charges"]["magnetic_moment_vectors"]) for one in found]
    assert moments[6] == pytest.approx(moments[0], abs=1e-5)
    assert moments[3] == pytest.approx(-moments[0], abs=1e-5)
    levels = [np.array(one["eigenvalues"])[..., :6] for one in found]
    assert levels[6] == pytest.approx(levels[0], abs=1e-6)


def test_an_anisotropy_goes_on(tmp_path: Path) -> None:
    """With the energies that it has, on other ranks; other moments are another run."""
    text = (
        ARSENIC.replace("forces = true\nstress = true\n", "").replace("[2, 2, 2]", "[2, 1, 1]").replace("1e-10", "1e-9")
    )
    text += "[anisotropy]\ndirections = [[0, 0, 1], [1, 0, 0]]\n"
    first = run(tmp_path, "whole", text)["anisotropy"]
    table = tmp_path / "whole/anisotropy.json"
    done = json.loads(table.read_text())
    assert len(done["energies"]) == 4
    done["energies"] = done["energies"][:3]
    table.write_text(json.dumps(done))
    again = run(tmp_path, "again", text, ranks=2, restart="whole/checkpoint.h5")
    assert any("continues after 3 energies" in note for note in again["notes"])
    one, other = first["directions"], again["anisotropy"]["directions"]
    assert other[0] == one[0]
    assert other[1]["force_theorem"] == one[1]["force_theorem"]
    assert other[1]["free_energy"] == pytest.approx(one[1]["free_energy"], abs=2e-8)
    assert len(json.loads((tmp_path / "again/anisotropy.json").read_text())["energies"]) == 4
    path = tmp_path / "other.toml"
    path.write_text(text.replace("[0, 0, 3]", "[0, 0, 2]"))
    notes = prepare_document(core_loader.load(), *read(path), restart=str(tmp_path / "whole/checkpoint.h5")).notes
    assert not any("continues" in note for note in notes)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            'spin = "noncollinear"',
            'spin = "collinear"',
            'constrain with spin = "collinear"; valid: spin = "noncollinear"',
        ),
        ("[1.0, 0.0, 0.0], [-0.5", "[1.0, 0.0], [-0.5", "valid"),
        ('penalty = "1 Ha"', 'penalty = "-1 Ha"', "not above zero; valid: an energy from 1e-06"),
    ],
)
def test_what_cannot_be_held_is_refused(tmp_path: Path, old: str, new: str, words: str) -> None:
    text = triangle(OUTWARDS, electrons='constrain = { penalty = "1 Ha" }').replace(old, new)
    if "collinear" in new and "non" not in new:
        text = text.replace(str(OUTWARDS.tolist()), "{ H = 1 }")
    path = tmp_path / "in.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        prepare_document(core_loader.load(), *read(path))


def test_an_anisotropy_needs_moments_that_feel_the_crystal(tmp_path: Path) -> None:
    path, task = tmp_path / "in.toml", '[task]\nkind = "anisotropy"\n'
    given = ARSENIC.replace("forces = true\nstress = true\n", "checkpoint = true\n").replace("[0, 0, 3]", "3")
    for old, new, words in [
        ("spin_orbit = true\n", "", "without spin-orbit coupling; valid: spin_orbit = true"),
        ("checkpoint = true", "checkpoint = false", "checkpoint = false; valid: with one"),
        (task, f"{task}[anisotropy]\ndirections = [[0, 0, 1], [0, 0, 0]]\n", "not all 0"),
    ]:
        path.write_text((given + task).replace(old, new))
        with pytest.raises(InputError, match=words):
            prepare_document(core_loader.load(), *read(path))


def test_a_band_path_that_moments_make_special_is_named(tmp_path: Path) -> None:
    path = tmp_path / "in.toml"
    text = ARSENIC.replace("mesh = [2, 2, 2]", 'mesh = [2, 2, 2], path = "GX"').replace("[0, 0, 3]", "[3, 0, 0]")
    path.write_text(text + '[task]\nkind = "bands"\n')
    notes = prepare_document(core_loader.load(), *read(path)).notes
    assert any("the moments leave 8 of 16 rotations of the crystal" in note for note in notes)


def test_parts_by_j_add_up_to_those_by_l(tmp_path: Path) -> None:
    text = ARSENIC.replace("forces = true\nstress = true\n", "").replace("1e-10", "1e-7") + '[task]\nkind = "dos"\n'
    electrons = {}
    for kind in ("l", "j", "jm"):
        result = run(tmp_path, kind, f'{text}projections = "{kind}"\n')
        electrons[kind] = {
            part.get("harmonic") or part["l"]: part["electrons"][0]
            for part in result["dos"]["projections"]["atoms"][0]["orbitals"]
        }
    assert {"s1/2", "p1/2", "p3/2"} == set(electrons["j"])
    assert electrons["j"]["p1/2"] + electrons["j"]["p3/2"] == pytest.approx(electrons["l"]["p"], abs=1e-5)
    for name, whole in electrons["j"].items():
        assert sum(part for one, part in electrons["jm"].items() if one.startswith(name)) == pytest.approx(
            whole, abs=1e-5
        )
    assert electrons["jm"]["s1/2 +1/2"] > electrons["jm"]["s1/2 -1/2"] + 1e-4  # the moment is along z


def test_exact_exchange_of_spinors_is_that_of_other_bands(tmp_path: Path) -> None:
    """Without spin, with two spins, and along an axis that is none of them."""
    mesh = "kpoints = { mesh = [2, 1, 1] }"
    bare = """\
[structure]
cell = [[6, 0, 0], [0, 6.5, 0], [0, 0, 7]]
unit = "bohr"
coordinates = "cartesian"
atoms = [["{element}", 0, 0, 0]]
[basis]
ecut = "8 Ha"
[electrons]
xc = "PBE0"
pseudopotentials = "gth-pbe"
{electrons}
[scf]
energy_tolerance = "1e-9 Ha"
[output]
stress = true
"""
    found = {}
    for name, element, electrons in [
        ("scalar", "He", "bands = 2"),
        ("spinors", "He", "bands = 4\nspin_orbit = true"),
        ("up", "H", 'bands = 2\nspin = "collinear"\ninitial_magnetic_moments = { H = 1 }'),
        ("across", "H", 'bands = 4\nspin = "noncollinear"\ninitial_magnetic_moments = { H = [0.6, 0, 0.8] }'),
    ]:
        width = 'smearing = { kind = "gaussian", width = "0.01 Ha" }\n' if element == "H" else ""
        text = bare.format(element=element, electrons=f"{mesh}\n{width}{electrons}")
        found[name] = run(tmp_path, name, text, ranks=2 if name in ("spinors", "across") else 1)
    for one, other in (("scalar", "spinors"), ("up", "across")):
        assert found[one]["energy"]["exchange"] == pytest.approx(found[other]["energy"]["exchange"], abs=1e-5)
        assert found[one]["energy"]["free"] == pytest.approx(found[other]["energy"]["free"], abs=3e-9)
        stresses = (np.array(found[name]["stress"]["total"]) for name in (one, other))
        assert next(stresses) == pytest.approx(next(stresses), abs=1e-7)


def test_calculator_and_session_have_the_moments_and_bands_of_spinors() -> None:
    """On two ranks: the bands are orthonormal over both components, and their spins are those of the moments."""
    atoms = Atoms("H", cell=np.array([6, 6.5, 7]) * Bohr, pbc=True, magmoms=[[0.6, 0, 0.8]])
    tables = {
        "basis": {"ecut": "8 Ha"},
        "electrons": {
            "xc": "LDA-PW",
            "pseudopotentials": "gth-lda",
            "spin": "noncollinear",
            "smearing": {"kind": "gaussian", "width": "0.01 Ha"},
            "kpoints": {"mesh": [2, 1, 1]},
            "bands": 3,
        },
    }
    with WaveGrid(**tables, ranks=2) as atoms.calc:
        atoms.get_potential_energy()
        moments = atoms.get_magnetic_moments()
    assert moments.shape == (1, 3)
    assert moments[0] / np.linalg.norm(moments[0]) == pytest.approx([0.6, 0, 0.8], abs=1e-4)
    with Session(ranks=2, **tables) as session:
        session.solve(atoms)
        for bands in session.bands():
            psi = bands.coefficients
            assert (psi.conj() * bands.weights) @ psi.T == pytest.approx(np.eye(3), abs=1e-8)
            first = {tuple(row): i for i, row in reversed(list(enumerate(bands.rows.tolist())))}
            second = {tuple(row): i for i, row in enumerate(bands.rows.tolist())}
            up, down = (psi[0, [places[row] for row in first]] for places in (first, second))
            cross = 2 * (up.conj() * down).sum()
            spin = [cross.real, cross.imag, (abs(up) ** 2 - abs(down) ** 2).sum()]
            assert spin == pytest.approx([0.6, 0, 0.8], abs=1e-3)
