"""Exact exchange: against pw.x 6.7 (tests/reference/exact_exchange), and against itself in other cells and layouts."""

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import program, read_result

REFERENCE = Path(__file__).parents[1] / "reference"
SILICON = np.array([[0, 5.13, 5.13], [5.13, 0, 5.13], [5.13, 5.13, 0]])
ATOMS = ["Si 0 0 0", "Si 0.26 0.25 0.25"]
EV = 27.211386


def run(folder: Path, *arguments: object, fails: bool = False, **given: object) -> dict:
    """Run silicon, with other settings where they are given, and return its result."""
    settings = {"cell": SILICON, "atoms": ATOMS, "ecut": 6, "xc": "PBE0", "bands": 6, "mesh": [2, 2, 2]}
    settings |= {"potential": "projections/Si.UPF", "exchange": "", "electrons": "", "basis": "", "scf": "", "rest": ""}
    settings |= {"output": "forces = true", "symmetry": "false", "tolerance": 1e-9} | given
    element = settings["atoms"][0].split()[0]
    atoms = [[one.split()[0], *map(float, one.split()[1:])] for one in settings["atoms"]]
    points = f"kpoints = {{ mesh = {list(settings['mesh'])} }}" if settings["mesh"] else ""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "in.toml"
    path.write_text(f"""
[structure]
cell = {np.asarray(settings["cell"]).tolist()}
unit = "bohr"
atoms = {json.dumps(atoms)}
coordinates = "fractional"
[basis]
ecut = "{settings["ecut"]} Ha"
{settings["basis"]}
[electrons]
xc = "{settings["xc"]}"
pseudopotentials = {{ {element} = "{REFERENCE / settings["potential"]}" }}
bands = {settings["bands"]}
{points}
{settings["electrons"]}
{"[electrons.exchange]" if settings["xc"] != "PBE" or settings["exchange"] else ""}
{settings["exchange"]}
[symmetry]
use = {settings["symmetry"]}
[scf]
energy_tolerance = "{settings["tolerance"]} Ha"
{settings["scf"]}
[output]
{settings["output"]}
{settings["rest"]}
""")
    answer = program("run", path, "--output", folder / "out", "--quiet", *arguments)
    if fails:
        return {"answer": answer}
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def levels(result: dict) -> np.ndarray:
    """Return the levels of the first spin, (k-points, bands), eV."""
    return EV * np.array(result["eigenvalues"][0])


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        (
            "al_pbe0",
            {
                "ecut": 8,
                "bands": 8,
                "cell": [[0, 3.8, 3.8], [3.8, 0, 3.8], [3.8, 3.8, 0]],
                "atoms": ["Al 0 0 0"],
                "potential": "pseudopotentials/Al.pz-vbc.UPF",
                "electrons": 'smearing = { kind = "gaussian", width = "0.01 Ha" }',
                "symmetry": "true",
            },
        ),
        ("si2_pbe0", {"ecut": 10, "symmetry": "true"}),
        (
            "si8_wigner_seitz",
            {
                "bands": 16,
                "ecut": 10,
                "mesh": None,
                "cell": np.diag([10.1, 10.26, 10.4]),
                "atoms": [
                    *("Si 0.01 0 0", "Si 0.5 0.5 0", "Si 0.5 0 0.5", "Si 0 0.5 0.5", "Si 0.25 0.25 0.25"),
                    *("Si 0.75 0.75 0.25", "Si 0.75 0.25 0.75", "Si 0.25 0.75 0.75"),
                ],
                "exchange": 'singularity = "wigner-seitz"',
            },
        ),
    ],
)
def test_pwx(name: str, settings: dict, tmp_path: Path) -> None:
    """pw.x has no symmetry."""
    expected = json.loads((REFERENCE / "exact_exchange" / f"{name}.json").read_text())
    result = run(tmp_path, "--ranks", 1, **settings)
    forces = np.array(expected["forces_Ha_bohr"])
    assert result["energy"]["free"] == pytest.approx(expected["energy_Ha"], abs=1e-5 * len(forces))
    assert result["energy"]["exchange"] == pytest.approx(expected["exact_exchange_Ha"], abs=2e-5 * len(forces))
    assert np.array(result["forces"]["total"]) == pytest.approx(forces, abs=2e-5)
    lowest = {"si2_pbe0": 4, "al_pbe0": 3, "si8_wigner_seitz": 16}[name]
    theirs = EV * np.array(expected["levels_Ha"])[:, :lowest]
    for ours in levels(result)[:, :lowest]:
        apart = np.abs((ours - ours[0]) - (theirs - theirs[:, :1])).max(axis=1)
        assert apart.min() < 2e-3  # eV, at one of their k-points


def test_single_precision_of_pairs_changes_no_result(tmp_path: Path) -> None:
    """The last exchange is in double precision, and what the earlier ones leave is of second order in the energy."""
    mixed = run(tmp_path / "mixed", "--ranks", 1, tolerance=1e-8, ecut=5)
    double = run(tmp_path / "double", "--ranks", 1, tolerance=1e-8, ecut=5, scf='precision = "double"')
    assert mixed["exact_exchange"]["in_single"] >= 2
    assert mixed["exact_exchange"]["in_double"] >= 1
    assert double["exact_exchange"]["in_single"] == 0
    assert mixed["energy"]["free"] == pytest.approx(double["energy"]["free"], abs=2e-9)
    assert np.array(mixed["forces"]["total"]) == pytest.approx(np.array(double["forces"]["total"]), abs=3e-6)


def test_level_shift_of_full_bands_changes_no_result(tmp_path: Path) -> None:
    """Smeared by nearly nothing, bands have no shift; empty bands have the levels of V_x all the same."""
    at = {"ecut": 5, "tolerance": 1e-9, "mesh": [1, 1, 2]}
    full = run(tmp_path / "full", "--ranks", 1, **at)
    smeared = 'smearing = { kind = "fermi-dirac", width = "1e-4 Ha" }'
    other = run(tmp_path / "smeared", "--ranks", 1, electrons=smeared, **at)
    assert full["energy"]["free"] == pytest.approx(other["energy"]["free"], abs=2e-9)
    assert levels(full) == pytest.approx(levels(other), abs=1e-3)  # eV, that of empty bands
    assert np.array(full["forces"]["total"]) == pytest.approx(np.array(other["forces"]["total"]), abs=1e-5)
    outer = [one["exact_exchange"]["in_single"] + one["exact_exchange"]["in_double"] for one in (full, other)]
    assert outer[0] < outer[1]


def test_a_supercell_at_gamma_has_the_energy_of_the_mesh(tmp_path: Path) -> None:
    """Real bands, and complex ones at two points, with the interaction of the same supercell."""
    small = run(tmp_path / "k", "--ranks", 1, mesh=[1, 1, 2], basis="grid = [16, 16, 16]", bands=4, tolerance=1e-11)
    atoms = [
        f"Si {x} {y} {(float(z) + image) / 2}" for image in (0, 1) for _, x, y, z in (one.split() for one in ATOMS)
    ]
    cell = SILICON * np.array([[1], [1], [2]])
    large = run(
        tmp_path / "gamma",
        "--ranks",
        2,
        mesh=None,
        cell=cell,
        atoms=atoms,
        basis="grid = [16, 16, 32]",
        bands=8,
        tolerance=1e-11,
    )
    assert large["energy"]["free"] / 2 == pytest.approx(small["energy"]["free"], abs=1e-8)
    assert large["energy"]["exchange"] / 2 == pytest.approx(small["energy"]["exchange"], abs=1e-6)


def test_layouts_restart_and_path(tmp_path: Path) -> None:
    """Each rank has other bands; a restart begins with the exchange of the file; a path passes through the mesh."""
    spin = {"electrons": 'spin = "collinear"\ntotal_magnetisation = 0', "tolerance": 1e-10, "xc": "HSE06"}
    one = run(tmp_path / "one", "--ranks", 1, output="forces = true\ncheckpoint = true", **spin)
    groups = "[parallel]\nkpoint_groups = 2"
    two = run(tmp_path / "two", "--ranks", 3, rest=groups, **spin | {"electrons": ""})
    assert two["energy"]["free"] == pytest.approx(one["energy"]["free"], abs=1e-9)
    assert np.array(two["forces"]["total"]) == pytest.approx(np.array(one["forces"]["total"]), abs=1e-6)
    again = run(tmp_path / "again", "--ranks", 2, "--restart", tmp_path / "one/out/checkpoint.h5", **spin)
    assert again["energy"]["free"] == pytest.approx(one["energy"]["free"], abs=1e-9)
    assert again["scf_steps"] < one["scf_steps"] / 2
    path = 'path = "GX", points = 3'
    text = {"mesh": None, "electrons": f"kpoints = {{ mesh = [2, 2, 2], {path} }}"}
    along = run(tmp_path / "path", "--ranks", 2, rest='[task]\nkind = "bands"', **spin | text)
    found = EV * np.array(along["bands"]["eigenvalues"][0])
    gamma = min(range(len(one["kpoints"])), key=lambda i: np.linalg.norm(one["kpoints"][i][:3]))
    assert found[0][:4] == pytest.approx(levels(one)[gamma][:4], abs=1e-4)


def molecule(folder: Path, *arguments: object, fails: bool = False, **given: object) -> dict:
    """Run a molecule (bohr) on a mesh with free boundaries and return its result."""
    settings = {"atoms": [["H", 6, 6, 5.3], ["H", 6, 6, 6.7]], "xc": "HF", "spacing": 0.4, "radius": 6}
    settings |= {
        "electrons": "",
        "output": "forces = true",
        "rest": "",
        "tolerance": 1e-9,
        "boundary": "free",
        "region": "",
        "edge": 12,
    } | given
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "in.toml"
    region = settings["region"] or f'{{ kind = "spheres", radius = "{settings["radius"]} bohr" }}'
    path.write_text(f"""
[structure]
cell = {[[settings["edge"] * (i == j) for j in range(3)] for i in range(3)]}
unit = "bohr"
atoms = {json.dumps(settings["atoms"])}
coordinates = "cartesian"
[basis]
method = "realspace"
spacing = "{settings["spacing"]} bohr"
boundary = "{settings["boundary"]}"
{f"region = {region}" if settings["boundary"] == "free" else ""}
[electrons]
xc = "{settings["xc"]}"
pseudopotentials = "gth-pbe"
{settings["electrons"]}
[scf]
energy_tolerance = "{settings["tolerance"]} Ha"
[output]
{settings["output"]}
{settings["rest"]}
""")
    answer = program("run", path, "--output", folder / "out", "--quiet", *arguments)
    if fails:
        return {"answer": answer}
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def test_two_electrons_on_a_mesh_exchange_half_of_their_hartree_energy(tmp_path: Path) -> None:
    """With one band only, exchange takes the interaction of the electron with itself away."""
    one = molecule(tmp_path / "one", "--ranks", 1, spacing=0.6, radius=4.5)
    assert one["energy"]["exchange"] == pytest.approx(-one["energy"]["hartree"] / 2, abs=1e-9)
    groups = "[parallel]\nband_groups = 2"
    spin = 'spin = "collinear"\ntotal_magnetisation = 0'
    two = molecule(tmp_path / "two", "--ranks", 2, spacing=0.6, radius=4.5, rest=groups, electrons=spin)
    assert two["energy"]["free"] == pytest.approx(one["energy"]["free"], abs=1e-9)
    assert np.array(two["forces"]["total"]) == pytest.approx(np.array(one["forces"]["total"]), abs=1e-6)


def hydrogen(middle: float, half: float) -> list:
    """Return a molecule along z, bohr."""
    return [["H", middle, middle, middle - half], ["H", middle, middle, middle + half]]


def test_a_hybrid_molecule_on_a_mesh_restarts(tmp_path: Path) -> None:
    at = {"xc": "PBE0", "spacing": 0.5, "radius": 4.5}
    one = molecule(tmp_path / "one", "--ranks", 1, output="forces = true\ncheckpoint = true", **at)
    start = ("--ranks", 2, "--restart", tmp_path / "one/out/checkpoint.h5")
    again = molecule(tmp_path / "again", *start, rest="[parallel]\nband_groups = 2", **at)
    assert again["energy"]["free"] == pytest.approx(one["energy"]["free"], abs=1e-9)
    assert again["scf_steps"] < one["scf_steps"]


def test_exact_exchange_on_a_mesh_adds_nothing_to_the_error_of_forces(tmp_path: Path) -> None:
    """Forces are 1.6e-4 Ha/bohr away from differences of the energy at 0.4 bohr, with each functional."""
    step = 0.01  # bohr
    apart = {}
    for xc in ("PBE", "PBE0", "HF"):
        at = {"xc": xc, "edge": 9.6, "region": '{ kind = "cell" }', "tolerance": 1e-10}
        middle, *sides = (
            molecule(tmp_path / f"{xc}{number}", "--ranks", 2, atoms=hydrogen(4.8, 0.7 + move), **at)
            for number, move in enumerate((0, -step, step))
        )
        slope = (sides[1]["energy"]["free"] - sides[0]["energy"]["free"]) / (2 * step)
        forces = middle["forces"]["total"]
        apart[xc] = forces[1][2] - forces[0][2] + slope
    assert apart["PBE0"] == pytest.approx(apart["PBE"], abs=3e-5)
    assert apart["HF"] == pytest.approx(apart["PBE"], abs=3e-5)


def test_a_hybrid_molecule_on_a_mesh_relaxes(tmp_path: Path) -> None:
    """A session of geometries ends where a calculation of its own has the same energy and no forces."""
    at = {"xc": "PBE0", "spacing": 0.4, "radius": 5, "tolerance": 1e-9}
    relax = '[relax]\nforce_tolerance = "1e-3 Ha/bohr"'
    end = molecule(tmp_path / "relax", "--ranks", 2, rest=relax, **at)
    assert end["relaxation"]["converged"]
    atoms = [["H", *position] for position in end["structure"]["positions"]]
    own = molecule(tmp_path / "own", "--ranks", 1, atoms=atoms, **at)
    assert own["energy"]["free"] == pytest.approx(end["energy"]["free"], abs=1e-8)
    assert np.abs(np.array(own["forces"]["total"])).max() < 1.1e-3


def pyscf(name: str) -> dict:
    """Return what tests/reference/exact_exchange/molecules.py found with the same potentials."""
    return json.loads((REFERENCE / "exact_exchange" / "molecules.json").read_text())["molecules"][name]


def in_the_middle(atoms: list) -> list:
    return [[element, 6 + x, 6 + y, 6 + z] for element, x, y, z in atoms]


@pytest.mark.parametrize("name", ["H2 HF", "H2 PBE0"])
def test_hydrogen_on_a_mesh_has_the_energy_of_pyscf(name: str, tmp_path: Path) -> None:
    """At 0.3 bohr the mesh is 1.1e-3 Ha away."""
    expected = pyscf(name)
    settings = {"atoms": in_the_middle(expected["atoms_bohr"]), "xc": name.split()[1], "tolerance": 1e-7}
    result = molecule(tmp_path, "--ranks", 2, spacing=0.2, radius=7, **settings)
    found = expected["unc-aug-cc-pVQZ"]
    assert result["energy"]["free"] == pytest.approx(found["energy_Ha"], abs=2e-4)
    assert result["eigenvalues"][0][0][0] == pytest.approx(found["homo_Ha"], abs=5e-4)


def test_exact_exchange_changes_water_on_a_mesh_as_in_pyscf(tmp_path: Path) -> None:
    """The mesh is 5e-3 Ha away with both functionals."""
    settings = {"atoms": in_the_middle(pyscf("H2O PBE")["atoms_bohr"]), "spacing": 0.22, "tolerance": 1e-6}
    energy = {xc: molecule(tmp_path / xc, "--ranks", 2, xc=xc, **settings)["energy"]["free"] for xc in ("PBE", "PBE0")}
    expected = {xc: pyscf(f"H2O {xc}")["unc-aug-cc-pVQZ"]["energy_Ha"] for xc in energy}
    assert energy["PBE0"] - energy["PBE"] == pytest.approx(expected["PBE0"] - expected["PBE"], abs=5e-4)


def test_exact_exchange_changes_a_periodic_mesh_as_plane_waves(tmp_path: Path) -> None:
    """Both are 1e-3 Ha away from their limits, with each functional."""
    at = {"cell": np.diag([8.0, 8.0, 8.0]), "atoms": ["H 0.5 0.5 0.4125", "H 0.5 0.5 0.5875"], "ecut": 45, "bands": 1}
    at |= {"potential": "crystals/pseudopotentials/H-q1-pbe.gth", "mesh": None, "tolerance": 1e-7}
    on_mesh = {"atoms": [["H", 4, 4, 3.3], ["H", 4, 4, 4.7]], "edge": 8, "boundary": "periodic", "tolerance": 1e-7}
    apart = {}
    for xc in ("PBE", "PBE0", "HSE06"):
        waves = run(tmp_path / f"waves-{xc}", "--ranks", 1, xc=xc, **at)
        mesh = molecule(tmp_path / f"mesh-{xc}", "--ranks", 2, xc=xc, spacing=0.25, **on_mesh)
        apart[xc] = mesh["energy"]["free"] - waves["energy"]["free"]
    assert apart["PBE0"] == pytest.approx(apart["PBE"], abs=3e-4)
    assert apart["HSE06"] == pytest.approx(apart["PBE"], abs=3e-4)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"xc": "HSE06"}, "a screened interaction with a free boundary"),
        ({"output": "stress = true", "boundary": "periodic"}, "stress on a mesh"),
        ({"electrons": "kpoints = { mesh = [1, 1, 2] }", "boundary": "periodic"}, "complex bands on a mesh"),
        ({"electrons": 'exchange = { singularity = "spherical" }'}, "where there is none"),
        ({"electrons": 'exchange = { ecut = "20 Ha" }'}, "a cutoff of pairs"),
    ],
)
def test_what_does_not_fit_on_a_mesh_is_named(settings: dict, message: str, tmp_path: Path) -> None:
    answer = molecule(tmp_path, "--ranks", 1, fails=True, **settings)["answer"]
    assert answer.returncode == 2
    assert message in answer.stderr


@pytest.mark.parametrize("singularity", ["auto", "wigner-seitz"])
def test_stress_is_the_derivative_of_the_energy(singularity: str, tmp_path: Path) -> None:
    at = {"tolerance": 1e-12, "ecut": 6.2, "basis": "grid = [18, 18, 18]"}
    at |= {"exchange": f'singularity = "{singularity}"'}
    middle = run(tmp_path / "middle", "--ranks", 2, output="stress = true\ncheckpoint = true", **at)
    step = 2e-5
    strain = np.diag([0, 0, step])
    start = ("--ranks", 2, "--restart", tmp_path / "middle/out/checkpoint.h5")
    sides = [
        run(tmp_path / f"side{sign}", *start, cell=SILICON @ (np.eye(3) + sign * strain), **at) for sign in (-1, 1)
    ]
    assert {str(one["plane_waves"]) for one in sides} == {str(middle["plane_waves"])}
    slope = (sides[1]["energy"]["free"] - sides[0]["energy"]["free"]) / (2 * step)
    assert middle["stress"]["total"][2][2] == pytest.approx(slope / abs(np.linalg.det(SILICON)), abs=2e-8)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"exchange": "kpoints = [2, 2, 3]"}, "divisors"),
        ({"exchange": "kpoints = [1, 1, 2]", "symmetry": "true"}, "without the symmetry"),
        ({"xc": "HSE06", "exchange": 'singularity = "spherical"'}, "does not diverge"),
        ({"xc": "B3LYP", "exchange": "fraction = 0.3"}, "cannot be set"),
        ({"xc": "PBE", "exchange": "fraction = 0.3"}, "a hybrid"),
        ({"xc": "HSE06", "exchange": 'singularity = "wigner-seitz"'}, "does not diverge"),
        ({"exchange": 'singularity = "cell"'}, "wigner-seitz"),
    ],
)
def test_what_does_not_fit_is_named(settings: dict, message: str, tmp_path: Path) -> None:
    answer = run(tmp_path, "--ranks", 1, fails=True, **settings)["answer"]
    assert answer.returncode == 2
    assert message in answer.stderr
