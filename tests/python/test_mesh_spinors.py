"""Wave functions of two components on meshes: against collinear spin, plane waves, other layouts, differences."""

from pathlib import Path

import numpy as np
import pytest
from conftest import program, read_result

SPINORS = Path(__file__).parents[1] / "reference" / "spinors"
MESH = """\
[basis]
method = "realspace"
spacing = "{spacing} bohr"
order = 8
boundary = {boundary}
"""
OXYGEN = """\
[structure]
cell = [[7, 0, 0], [0, 7, 0], [0, 0, 8]]
unit = "bohr"
coordinates = "cartesian"
atoms = [["O", 3.5, 3.5, 2.8], ["O", 3.7, 3.5, 5.1]]
{basis}
[electrons]
xc = "{xc}"
pseudopotentials = "gth-{family}"
smearing = {{ kind = "fermi-dirac", width = "0.01 Ha" }}
bands = {bands}
{spin}
[scf]
energy_tolerance = "1e-11 Ha"
[output]
forces = true
stress = {stress}
"""
GAAS = f"""\
[structure]
cell = [[0, 5.34, 5.34], [5.34, 0, 5.34], [5.34, 5.34, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Ga", 0, 0, 0], ["As", {{place}}, 0.25, 0.25]]
{{basis}}
[electrons]
xc = "TETER"
pseudopotentials = {{{{ Ga = "{SPINORS / "Ga.hgh"}", As = "{SPINORS / "As.hgh"}" }}}}
spin_orbit = true
kpoints = {{{{ mesh = {{mesh}} }}}}
bands = 12
[scf]
energy_tolerance = "1e-11 Ha"
[output]
forces = true
stress = true
"""
ARSENIC = f"""\
[structure]
cell = [[9, 0, 0], [0, 9, 0], [0, 0, 7.5]]
unit = "bohr"
coordinates = "fractional"
atoms = [["As", 0, 0, 0]]
{{basis}}
[electrons]
xc = "LDA-PW"
pseudopotentials = {{{{ As = "{SPINORS / "As.hgh"}" }}}}
spin = "noncollinear"
spin_orbit = true
initial_magnetic_moments = {{{{ As = [0, 0, 3] }}}}
smearing = {{{{ kind = "fermi-dirac", width = "0.005 Ha" }}}}
kpoints = {{{{ mesh = [2, 2, 2] }}}}
bands = 10
[symmetry]
use = {{symmetry}}
[scf]
energy_tolerance = "1e-10 Ha"
[output]
forces = true
stress = true
"""
WAVES = '[basis]\necut = "{} Ha"\n'


def mesh(spacing: float, boundary: str = '"periodic"') -> str:
    """Return the section of a mesh."""
    return MESH.format(spacing=spacing, boundary=boundary)


def gaas(basis: str, kpoints: str = "[2, 2, 2]", place: float = 0.26) -> str:
    """Return the input of GaAs with one atom displaced."""
    return GAAS.format(basis=basis, mesh=kpoints, place=place)


def run(folder: Path, name: str, text: str, ranks: int = 1, restart: str = "") -> dict:
    """Return the result of an input."""
    (folder / f"{name}.toml").write_text(text)
    words = ["run", f"{name}.toml", "--ranks", str(ranks), *(["--restart", restart] if restart else [])]
    done = program(*words, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return read_result(folder / name)


def forces(result: dict) -> np.ndarray:
    """Return the forces (atoms, 3), Ha/bohr."""
    return np.array(result["forces"]["total"])


def stress(result: dict) -> np.ndarray:
    """Return the stress (3, 3), Ha/bohr^3."""
    return np.array(result["stress"]["total"])


@pytest.mark.parametrize(
    ("boundary", "xc", "family"),
    [
        ('"periodic"', "LDA-PW", "lda"),
        ('["periodic", "periodic", "free"]', "LDA-PW", "lda"),
        ('"free"', "PBE", "pbe"),
    ],
)
def test_moments_along_any_axis_are_those_of_collinear_spin(
    tmp_path: Path, boundary: str, xc: str, family: str
) -> None:
    """Spinors along z, and along another axis: energies, forces and stress."""
    axis = np.array([2, -1, 2]) / 3
    kinds = {
        "collinear": ('spin = "collinear"\ninitial_magnetic_moments = { O = 1 }', 10),
        "z": ('spin = "noncollinear"\ninitial_magnetic_moments = { O = [0, 0, 1] }', 20),
        "axis": (f'spin = "noncollinear"\ninitial_magnetic_moments = {{ O = {axis.tolist()} }}', 20),
    }
    settings = {"basis": mesh(0.4, boundary), "xc": xc, "family": family, "stress": str(boundary != '"free"').lower()}
    found = {
        name: run(tmp_path, name, OXYGEN.format(spin=spin, bands=bands, **settings))
        for name, (spin, bands) in kinds.items()
    }
    for name in ("z", "axis"):
        assert found[name]["energy"]["free"] == pytest.approx(found["collinear"]["energy"]["free"], abs=1e-9)
        assert forces(found[name]) == pytest.approx(forces(found["collinear"]), abs=1e-6)
        if "stress" in found["collinear"]:
            assert stress(found[name]) == pytest.approx(stress(found["collinear"]), abs=1e-8)
    turned = np.array(found["axis"]["magnetisation"]["vector"])
    assert turned == pytest.approx(found["collinear"]["magnetisation"]["total"] * axis, abs=1e-4)


def test_gaas_becomes_that_of_plane_waves(tmp_path: Path) -> None:
    """Levels, forces and stress with spin-orbit coupling as the spacing decreases; levels are Kramers pairs."""
    waves = run(tmp_path, "waves", gaas(WAVES.format(24)))
    theirs = np.array(waves["eigenvalues"][0][0])
    errors = {}
    for spacing in (0.6, 0.4):
        ours = run(tmp_path, f"mesh{spacing}", gaas(mesh(spacing)))
        levels = np.array(ours["eigenvalues"][0][0])
        assert levels[:8:2] == pytest.approx(levels[1:8:2], abs=1e-10)
        errors[spacing] = [
            abs((levels[7] - levels[3]) - (theirs[7] - theirs[3])),
            np.abs(levels[:8] - levels[7] - theirs[:8] + theirs[7]).max(),
            np.abs(forces(ours) - forces(waves)).max(),
            np.abs(stress(ours) - stress(waves)).max(),
        ]
    assert theirs[7] - theirs[3] > 0.01
    for error, limit in zip(errors[0.6] + errors[0.4], (5e-5, 2e-4, 1e-4, 2e-4, 1e-6, 2e-4, 2e-6, 2e-6), strict=True):
        assert error < limit


def test_forces_are_derivatives(tmp_path: Path) -> None:
    """With spin-orbit coupling, but for the force on the whole crystal that a mesh has and that is taken off."""
    step, place = 0.0005, 0.26
    middle = run(tmp_path, "middle", gaas(mesh(0.5)))
    ends = [run(tmp_path, f"end{s:+d}", gaas(mesh(0.5), place=place + s * step)) for s in (-1, 1)]
    slope = (ends[1]["energy"]["free"] - ends[0]["energy"]["free"]) / (2 * step)
    vector = np.array([0, 5.34, 5.34])
    error = (forces(middle)[1] @ vector + slope) / np.linalg.norm(vector)
    assert abs(error) < 2e-5
    assert abs(slope) > 0.01


@pytest.mark.parametrize(
    ("ranks", "layout"), [(2, "band_groups = 2"), (2, "kpoint_groups = 2"), (3, ""), (3, "band_groups = 3")]
)
@pytest.mark.parametrize("magnetic", [True, False])
def test_the_energy_does_not_depend_on_the_layout(tmp_path: Path, magnetic: bool, ranks: int, layout: str) -> None:
    text = ARSENIC.format(basis=mesh(0.6), symmetry="true") if magnetic else gaas(mesh(0.6), "[2, 1, 1]")
    ours = run(tmp_path, "one", text)
    split = run(tmp_path, "more", f"{text}[parallel]\n{layout}\n", ranks=ranks)
    assert split["energy"]["free"] == pytest.approx(ours["energy"]["free"], abs=1e-9)
    assert forces(split) == pytest.approx(forces(ours), abs=1e-6)
    assert stress(split) == pytest.approx(stress(ours), abs=5e-8)


def test_symmetry_and_restarts(tmp_path: Path) -> None:
    """With all k-points from the irreducible ones, of the mesh itself; plane waves from it, and it from plane waves."""
    few = run(tmp_path, "few", ARSENIC.format(basis=mesh(0.5), symmetry="true") + "checkpoint = true\n")
    text = ARSENIC.format(basis=mesh(0.5), symmetry="false")
    every = run(tmp_path, "all", text, ranks=2, restart="few/checkpoint.h5")
    assert len(few["kpoints"]) == 6
    assert len(every["kpoints"]) == 8
    assert every["energy"]["free"] == pytest.approx(few["energy"]["free"], abs=1e-9)
    assert stress(every) == pytest.approx(stress(few), abs=5e-8)
    assert every["restart"]["kpoints_rotated"] > 0
    assert (every["restart"]["kpoints_missing"], every["restart"]["bands_random"]) == (0, 0)
    assert every["scf_steps"] <= 2
    waves = ARSENIC.format(basis=WAVES.format(6), symmetry="true") + "checkpoint = true\n"
    there = run(tmp_path, "there", waves, restart="few/checkpoint.h5")
    back = run(tmp_path, "back", text.replace("use = false", "use = true"), restart="there/checkpoint.h5")
    assert there["restart"]["bands_random"] == 0
    assert back["energy"]["free"] == pytest.approx(few["energy"]["free"], abs=1e-9)
    assert back["scf_steps"] < few["scf_steps"]


def test_held_directions_and_spins_of_bands(tmp_path: Path) -> None:
    """The torque is the derivative of the energy; a path has the spins of its states."""
    text = ARSENIC.format(basis=mesh(0.6), symmetry="false").replace("[2, 2, 2]", "[1, 1, 1]")
    text = text.replace("bands = 10", 'bands = 10\nconstrain = { penalty = "0.2 Ha", radius = "1.8 bohr" }')
    angle, step = 0.5, 0.05
    at = {}
    for number, shift in enumerate((-step, 0.0, step)):
        moment = (3 * np.array([np.sin(angle + shift), 0, np.cos(angle + shift)])).tolist()
        at[shift] = run(tmp_path, f"at{number}", text.replace("[0, 0, 3]", str(moment)))
    slope = (at[step]["energy"]["free"] - at[-step]["energy"]["free"]) / (2 * step)
    torque = np.array(at[0.0]["atomic_charges"]["magnetic_torques"][0])
    assert torque[1] == pytest.approx(-slope, rel=0.01)
    assert abs(slope) > 1e-5
    path = text[: text.index("[output]")].replace("mesh = [1, 1, 1]", 'mesh = [1, 1, 1], path = "GX", points = 2')
    bands = run(tmp_path, "bands", path + '[task]\nkind = "bands"\n')["bands"]
    assert np.array(bands["spins"])[0, 0] == pytest.approx([0, 0, 1], abs=0.05)


def test_anisotropy_by_the_force_theorem_is_that_of_full_runs(tmp_path: Path) -> None:
    text = ARSENIC.format(basis=mesh(0.5), symmetry="true").replace("forces = true\nstress = true\n", "")
    text += "[anisotropy]\ndirections = [[0, 0, 1], [1, 0, 0]]\n"
    z, x = run(tmp_path, "turned", text, ranks=2)["anisotropy"]["directions"]
    full = x["free_energy"] - z["free_energy"]
    assert abs(full) > 1e-5
    assert x["force_theorem"][0] - z["force_theorem"][0] == pytest.approx(full, rel=0.1)
    assert np.abs(x["magnetisation"]).argmax() == 0
