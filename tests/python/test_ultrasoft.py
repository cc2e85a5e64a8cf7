"""Ultrasoft potentials and PAW: layouts, solvers, derivatives, restarts, other programs; tests/reference/ultrasoft."""

import functools
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import EXAMPLES, program, read_result
from feature_inputs import POTENTIALS

from wavegrid.checkpoint.verify import verify

CELL = np.array([[0.1, 5.1, 5.2], [5.0, 0.2, 5.1], [5.3, 5.1, 0]])  # bohr; no operation but the identity
PLACE = np.array([0.26, 0.23, 0.27])
ULTRASOFT, KRESSE, BLOECHL = DATASETS = ("Si.UPF", "Si-paw.UPF", "Si-paw.xml")  # the last two by convention of xc
MESH = 'method = "realspace"\nspacing = "0.4 bohr"'
SPIN = 'spin = "collinear"\ninitial_magnetic_moments = { Si = 0.8 }'


def silicon(dataset: str) -> str:
    """Return the lines of [electrons] for a dataset."""
    return f'xc = "PBE"\npseudopotentials = {{ Si = "{POTENTIALS / "ultrasoft" / dataset}" }}'


def run(
    folder: Path,
    *options: object,
    dataset: str = ULTRASOFT,
    ecut: float = 5.0,
    density_ecut: float | None = 30.0,
    basis: str = "",
    electrons: str = "",
    cell: np.ndarray = CELL,
    place: np.ndarray = PLACE,
    mesh: str = "mesh = [2, 1, 2], shift = [0.5, 0, 0.5]",
    shift: np.ndarray | float = 0.0,
    scf: str = "",
    end: str = "",
) -> dict:
    """Run two silicon atoms with two k-points and forces and stress; return result.json.

    `place`: of the second atom, the first is at 0. `shift` (bohr): by half of it the first atom is moved back and the
    second forward.
    """
    folder.mkdir()
    half = shift @ np.linalg.inv(cell) / 2 if isinstance(shift, np.ndarray) else np.zeros(3)
    atoms = [["Si", *place] for place in ((-half).tolist(), (place + half).tolist())]
    (folder / "in.toml").write_text(
        f"""[structure]
cell = {cell.tolist()}
unit = "bohr"
coordinates = "fractional"
atoms = {json.dumps(atoms)}
[basis]
ecut = "{ecut!r} Ha"
{"" if density_ecut is None else f'density_ecut = "{density_ecut!r} Ha"'}
{basis}
[electrons]
{silicon(dataset)}
{electrons}
bands = 8
kpoints = {{ {mesh} }}
smearing = {{ kind = "gaussian", width = "0.02 Ha" }}
[output]
forces = true
stress = true
checkpoint = true
[scf]
energy_tolerance = "1e-11 Ha"
{scf}
{end}
"""
    )
    answer = program("run", folder / "in.toml", "--output", folder, "--quiet", *options)
    assert answer.returncode == 0, answer.stderr
    return read_result(folder)


def same(found: dict, expected: dict, energy: float = 1e-9) -> None:
    """Energies to 1e-9 Ha; forces and stress to the root of the error of the density."""
    assert found["energy"]["free"] == pytest.approx(expected["energy"]["free"], abs=energy)
    assert np.array(found["forces"]["total"]) == pytest.approx(np.array(expected["forces"]["total"]), abs=5e-6)
    assert np.array(found["stress"]["total"]) == pytest.approx(np.array(expected["stress"]["total"]), abs=1e-8)


Solved = Callable[[str], tuple[Path, dict]]


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Solved:
    """Return a function of a dataset: folder and result of a run on one rank, which is made once."""

    @functools.cache
    def on_one_rank(dataset: str) -> tuple[Path, dict]:
        folder = tmp_path_factory.mktemp("ultrasoft") / "one"
        return folder, run(folder, "--ranks", 1, dataset=dataset)

    return on_one_rank


@pytest.mark.parametrize(
    ("dataset", "ranks", "parallel"),
    [
        (ULTRASOFT, 2, "kpoint_groups = 2"),
        (ULTRASOFT, 3, "rows = 1\ncolumns = 3"),
        (KRESSE, 2, "band_groups = 2"),
        (KRESSE, 5, ""),
        (BLOECHL, 2, "kpoint_groups = 2"),
        (BLOECHL, 3, "rows = 3\ncolumns = 1"),
    ],
)
def test_every_layout_gives_the_same(solved: Solved, dataset: str, ranks: int, parallel: str, tmp_path: Path) -> None:
    again = run(tmp_path / "run", "--ranks", ranks, dataset=dataset, end=f"[parallel]\n{parallel}")
    same(again, solved(dataset)[1])


@pytest.mark.parametrize(
    ("dataset", "scf"),
    [
        (ULTRASOFT, 'eigensolver = "davidson"'),
        (ULTRASOFT, 'precision = "mixed"'),
        (KRESSE, 'eigensolver = "rmm-diis"'),
        (BLOECHL, 'eigensolver = "chebyshev"'),
        (BLOECHL, 'precision = "mixed"'),
    ],
)
def test_every_solver_gives_the_same(solved: Solved, dataset: str, scf: str, tmp_path: Path) -> None:
    same(run(tmp_path / "run", "--ranks", 1, dataset=dataset, scf=scf), solved(dataset)[1])


@pytest.mark.parametrize(
    ("dataset", "cell", "places"),
    [
        (ULTRASOFT, [9, 9.5, 8], [[4, 4, 4], [4, 4.3, 8.3]]),
        (BLOECHL, [8, 8, 8], [[1, 1, 1], [5, 5, 1.2], [5, 1.1, 5], [0.8, 5, 5]]),
    ],
)
def test_direct_minimisation_has_the_energy_of_mixing(
    dataset: str, cell: list[float], places: list[list[float]], tmp_path: Path
) -> None:
    fixed = f"kpoints = {{ mesh = [1, 1, 1] }}\nbands = {2 * len(places)}"

    def energy(name: str, scf: str) -> float:
        folder = tmp_path / name
        folder.mkdir()
        text = f"""[structure]
cell = {np.diag(cell).tolist()}
unit = "bohr"
coordinates = "cartesian"
atoms = {json.dumps([["Si", *place] for place in places])}
[basis]
ecut = "4 Ha"
density_ecut = "20 Ha"
[electrons]
{silicon(dataset)}
{fixed}
[scf]
energy_tolerance = "1e-9 Ha"
{scf}
"""
        (folder / "in.toml").write_text(text)
        answer = program("run", folder / "in.toml", "--output", folder, "--quiet", "--ranks", 1)
        assert answer.returncode == 0, answer.stderr
        return read_result(folder)["energy"]["free"]

    assert energy("direct", 'method = "direct"') == pytest.approx(energy("mixing", ""), abs=1e-8)


@pytest.mark.parametrize("dataset", [ULTRASOFT, BLOECHL])
def test_deterministic_runs_agree_to_the_last_bit(dataset: str, tmp_path: Path) -> None:
    """On one and three ranks."""
    end = "[parallel]\ndeterministic = true"
    one, three = (run(tmp_path / str(ranks), "--ranks", ranks, dataset=dataset, end=end) for ranks in (1, 3))
    for name in ("energy", "forces", "stress", "eigenvalues"):
        assert json.dumps(one[name]) == json.dumps(three[name]), name


@pytest.mark.parametrize("dataset", [ULTRASOFT, KRESSE])
def test_a_checkpoint_continues_on_other_ranks_and_cutoffs(solved: Solved, dataset: str, tmp_path: Path) -> None:
    folder, expected = solved(dataset)
    assert verify(folder / "checkpoint.h5")["norm_error"] is None
    again = run(tmp_path / "ranks", "--ranks", 2, "--restart", folder / "checkpoint.h5", dataset=dataset)
    assert again["scf_steps"] <= 2
    assert again["restart"].get("matrices") == ("taken" if dataset == KRESSE else None)
    same(again, expected)
    other = run(tmp_path / "other", "--ranks", 1, dataset=dataset, ecut=4.0, density_ecut=24.0)
    back = run(tmp_path / "back", "--ranks", 1, "--restart", tmp_path / "other/checkpoint.h5", dataset=dataset)
    same(back, expected)
    assert abs(other["energy"]["free"] - expected["energy"]["free"]) > 1e-5


def check(tmp_path: Path, basis: str, potentials: str, xc: str = "PBE") -> tuple[dict, str]:
    """Return figures and screen of `wavegrid check` on a silicon and an aluminium atom."""
    (tmp_path / "in.toml").write_text(
        f"""[structure]
cell = {CELL.tolist()}
unit = "bohr"
coordinates = "fractional"
atoms = [["Si", 0, 0, 0], ["Al", 0.5, 0.5, 0.5]]
[basis]
{basis}
[electrons]
xc = "{xc}"
pseudopotentials = {potentials}
smearing = {{ kind = "gaussian", width = "0.01 Ha" }}
"""
    )
    answer = program("check", tmp_path / "in.toml", "--json")
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout), " ".join(program("check", tmp_path / "in.toml").stdout.split())


def files(silicon: str, aluminium: str) -> str:
    """Return the table of pseudopotentials with two files of tests/reference/ultrasoft, or shipped entries."""
    paths = [name if name.startswith("gth") else str(POTENTIALS / "ultrasoft" / name) for name in (silicon, aluminium)]
    return f'{{ Si = "{paths[0]}", Al = "{paths[1]}" }}'


@pytest.mark.parametrize(
    ("ecut", "potentials", "density_ecut", "reason"),
    [
        (6.0, files("gth-pbe", "gth-pbe"), None, ""),
        (6.0, files("Si.UPF", "gth-pbe"), 30.0, "5 ecut, for Si (hint of the file)"),  # 12 and 60 Ha
        (6.0, files("Si-paw.xml", "Al.UPF"), pytest.approx(103.8, abs=0.1), "17.3 ecut, for Si (estimated)"),
        (30.0, files("Si-paw.xml", "gth-pbe"), 120.0, "4 ecut, enough for Si"),
    ],
)
def test_the_cutoff_of_the_density_is_that_of_the_datasets(
    tmp_path: Path, ecut: float, potentials: str, density_ecut: float | None, reason: str
) -> None:
    figures, shown = check(tmp_path, f'ecut = "{ecut} Ha"', potentials)
    assert (figures["density_ecut"], figures["density_ecut_reason"]) == (density_ecut, reason)
    assert (figures["density_grid"] is None) == (density_ecut is None)
    assert not [warning for warning in figures["warnings"] if warning["name"] == "density_cutoff"]
    if density_ecut is not None:
        assert f"why {figures['density_ecut']:g} Ha for the density: {reason}" in shown


@pytest.mark.parametrize(("given", "warned", "noted"), [(20, True, False), (29, False, True), (30, False, False)])
def test_a_cutoff_of_the_density_that_is_too_low(tmp_path: Path, given: int, warned: bool, noted: bool) -> None:
    """Of 30 Ha that the file recommends for 6 Ha."""
    basis = f'ecut = "6 Ha"\ndensity_ecut = "{given} Ha"'
    figures, _ = check(tmp_path, basis, files("Si.UPF", "gth-pbe"))
    words = "too low for the augmentation charge; recommended: 30 Ha, 5 ecut, for Si (hint of the file)"
    assert any(words in warning["message"] for warning in figures["warnings"]) == warned
    assert any(words in note for note in figures["notes"]) == noted


def test_results_and_other_cutoffs_have_the_default(tmp_path: Path) -> None:
    """An equation of state with a recommended ratio: grids follow the cell, and the file holds cutoff and reason."""
    folder = tmp_path / "default"
    given = run(tmp_path / "given", "--ranks", 1)
    found = run(folder, "--ranks", 1, density_ecut=None)
    assert (found["density_ecut"], found["density_ecut_reason"]) == (25.0, "5 ecut, for Si (hint of the file)")
    assert given["density_ecut"] == 30.0
    assert "density_ecut_reason" not in given
    plan = json.loads(program("plan", folder / "in.toml", "--nodes", "1", "--json").stdout)
    assert plan["density_ecut"] == 25.0
    eos = '[task]\nkind = "eos"\n[eos]\nvolumes = [0.95, 0.97, 1.0, 1.02, 1.04]'
    moved = run(tmp_path / "eos", "--ranks", 1, density_ecut=None, end=eos)
    assert moved["density_ecut"] == 25.0
    assert moved["density_grid"] > moved["grid"]


def crystal(
    folder: Path, cell: str, atoms: str, cutoffs: tuple[int, int], file: Path, electrons: str, xc: str = "PBE"
) -> dict:
    """Run a crystal of one element on two ranks; return result.json."""
    (folder / "in.toml").write_text(
        f"""[structure]
cell = {cell}
unit = "bohr"
coordinates = "fractional"
atoms = {atoms}
[basis]
ecut = "{cutoffs[0]} Ha"
density_ecut = "{cutoffs[1]} Ha"
[electrons]
xc = "{xc}"
pseudopotentials = {{ {file.name.partition(".")[0]} = "{file}" }}
{electrons}
[output]
forces = true
stress = true
"""
    )
    answer = program("run", folder / "in.toml", "--output", folder, "--quiet", "--ranks", 2)
    assert answer.returncode == 0, answer.stderr
    return read_result(folder)


DIAMOND = Path("/usr/share/espresso/pseudo/C.pbe-rrkjus.UPF")
JTH = Path("/usr/share/abinit/psp/Pseudodojo_paw_pbe_standard")
NICKEL = Path("/usr/share/espresso/pseudo/Ni.pbe-spn-kjpaw_psl.1.0.0.UPF")
ALUMINIUM = Path("/usr/share/abinit/psp/Pseudodojo_paw_pw_standard/Al.xml")


@pytest.mark.skipif(not DIAMOND.is_file(), reason="quantum-espresso-data is not installed")
def test_diamond_is_that_of_pw(tmp_path: Path) -> None:
    """Of pw.x 6.7; the file's projectors of s change sign from point to point, so that energies depend on the rule."""
    cell = "[[0, 3.37, 3.37], [3.37, 0, 3.37], [3.37, 3.37, 0]]"
    atoms = '[["C", 0, 0, 0], ["C", 0.26, 0.25, 0.24]]'
    found = crystal(tmp_path, cell, atoms, (30, 180), DIAMOND, "bands = 8\nkpoints = { mesh = [2, 2, 2] }")
    assert found["energy"]["free"] == pytest.approx(-22.53705864 / 2, abs=2e-4)
    assert found["forces"]["total"][1] == pytest.approx([0.03887376 / 2, -0.00150532 / 2, -0.03887376 / 2], abs=5e-6)
    assert found["stress"]["pressure"] == pytest.approx(312.16e-1 / 29421.02648, abs=1e-6)  # GPa in Ha/bohr^3


@pytest.mark.skipif(not NICKEL.is_file(), reason="quantum-espresso-data is not installed")
def test_nickel_is_that_of_pw(tmp_path: Path) -> None:
    """Of pw.x 6.7, whose gradients in the core are off by 5e-4 Ha (decision 0032)."""
    cell = "[[0, 3.325, 3.325], [3.325, 0, 3.325], [3.325, 3.325, 0]]"
    electrons = """bands = 16
kpoints = { mesh = [3, 3, 3] }
spin = "collinear"
initial_magnetic_moments = { Ni = 1.5 }
smearing = { kind = "gaussian", width = "0.01 Ha" }"""
    found = crystal(tmp_path, cell, '[["Ni", 0, 0, 0]]', (20, 120), NICKEL, electrons)
    assert found["energy"]["free"] == pytest.approx(-428.62438979 / 2, abs=6e-4)
    assert found["magnetisation"]["total"] == pytest.approx(1.11, abs=5e-3)


@pytest.mark.skipif(not JTH.is_dir(), reason="abinit-data is not installed")
def test_nickel_oxide_is_an_antiferromagnet(tmp_path: Path) -> None:
    """examples/nio_paw.toml with fewer k-points: moments and gap of PBE."""
    text = (EXAMPLES / "nio_paw.toml").read_text().replace("[3,3,3]", "[2,2,2]")
    (tmp_path / "in.toml").write_text(text)
    answer = program("run", tmp_path / "in.toml", "--ranks", 2, "--output", tmp_path / "out")
    assert answer.returncode == 0, answer.stderr
    result = read_result(tmp_path / "out")
    up, down, *oxygen = result["atomic_charges"]["magnetic_moments"]
    assert up == pytest.approx(-down, abs=1e-3)
    assert 1.1 < up < 1.5
    assert np.abs(oxygen).max() < 1e-3
    assert 0.5 < result["band_gap"]["fundamental"] * 27.2114 < 2
    assert result["scf_steps"] < 15
    assert "ecut, for Ni (estimated)" in result["density_ecut_reason"]


@pytest.mark.skipif(not ALUMINIUM.is_file(), reason="abinit-data is not installed")
def test_aluminium_is_that_of_abinit(tmp_path: Path) -> None:
    """Of ABINIT 9.6.2, to 4e-8 Ha per atom: it moves by 3e-8 on a finer radial mesh; projectors end with kinks."""
    cell = "[[7.5, 0, 0], [0, 7.5, 0], [0, 0, 7.5]]"
    atoms = '[["Al", 0.01, 0, 0], ["Al", 0, 0.5, 0.5], ["Al", 0.5, 0, 0.5], ["Al", 0.5, 0.49, 0.02]]'
    electrons = """bands = 14
kpoints = { mesh = [2, 2, 2] }
smearing = { kind = "gaussian", width = "0.01 Ha" }"""
    found = crystal(tmp_path, cell, atoms, (12, 120), ALUMINIUM, electrons, "LDA-PW")
    assert found["energy"]["free"] == pytest.approx(-8.4444697392722, abs=3e-7)


@pytest.mark.parametrize(
    ("dataset", "electrons"), [(ULTRASOFT, ""), (ULTRASOFT, SPIN), (KRESSE, SPIN), (BLOECHL, ""), (BLOECHL, SPIN)]
)
def test_forces_and_stress_are_derivatives(dataset: str, electrons: str, tmp_path: Path) -> None:
    """Of the free energy, by central differences; the stress at fixed plane waves."""
    again = functools.partial(run, dataset=dataset, electrons=electrons)
    found = again(tmp_path / "at", "--ranks", 2)
    volume, step = abs(np.linalg.det(CELL)), 2e-3
    shift = np.array([0.4, -0.7, 0.5])  # bohr
    free = []
    for side in (-1, 1):
        moved = again(tmp_path / f"moved{side}", "--ranks", 2, shift=side * step * shift)
        free.append(moved["energy"]["free"])
    slope = -(free[1] - free[0]) / (2 * step)
    assert np.dot(found["forces"]["total"][1], shift) == pytest.approx(slope, abs=1e-6)  # the sum of forces is 0
    free = []
    for side in (-1, 1):
        scale = 1 + side * step / 2
        free.append(
            again(
                tmp_path / f"scaled{side}",
                "--ranks",
                2,
                cell=CELL * scale,
                ecut=5.0 / scale**2 * (1 + 1e-12),
                density_ecut=30.0 / scale**2 * (1 + 1e-12),
            )["energy"]["free"]
        )
    slope = (free[1] - free[0]) / step / volume
    assert np.trace(found["stress"]["total"]) == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize("dataset", [KRESSE, BLOECHL])
def test_symmetry_changes_nothing(dataset: str, tmp_path: Path) -> None:
    """A trigonal crystal, whose matrices rho_ij turn with the atoms."""
    cell = np.array([[0, 5.1, 5.1], [5.1, 0, 5.1], [5.1, 5.1, 0]])
    with_symmetry, without = (
        run(
            tmp_path / use,
            "--ranks",
            2,
            dataset=dataset,
            cell=cell,
            place=np.array([0.23, 0.23, 0.23]),
            mesh="mesh = [2, 2, 2]",
            electrons=SPIN,
            end=f"[symmetry]\nuse = {use}",
        )
        for use in ("true", "false")
    )
    assert len(with_symmetry["kpoints"]) < len(without["kpoints"])
    same(with_symmetry, without)


def refusal(tmp_path: Path, electrons: str, basis: str = 'ecut = "6 Ha"') -> str:
    """Return the message with which `wavegrid check` refuses a silicon crystal."""
    (tmp_path / "in.toml").write_text(
        f"""[structure]
cell = {CELL.tolist()}
unit = "bohr"
coordinates = "fractional"
atoms = [["Si", 0, 0, 0], ["Si", {", ".join(map(str, PLACE.tolist()))}]]
[basis]
{basis}
[electrons]
{electrons}
"""
    )
    answer = program("check", tmp_path / "in.toml")
    assert answer.returncode == 2, answer.stdout
    return answer.stderr


def test_inputs_of_pw_x_with_paw_xml(tmp_path: Path) -> None:
    check(tmp_path, 'ecut = "6 Ha"', files("Si-paw.xml", "gth-pbe"))  # writes the input
    answer = program("compare", tmp_path / "in.toml", "--input-for", "qe", "--output", tmp_path / "qe")
    assert answer.returncode == 2
    assert "Si-paw.xml: pw.x reads no PAW XML" in answer.stderr


def _without(file: str, section: str) -> str:
    """Return a file of tests/reference/ultrasoft without a section."""
    text = (POTENTIALS / "ultrasoft" / file).read_text()
    return re.sub(rf"<{section}[ >].*?</{section}>|<{section}[^>]*/>", "", text, flags=re.DOTALL)


@pytest.mark.parametrize(
    ("file", "section", "words"),
    [
        ("Si-paw.UPF", "PP_PAW", "without <PP_PAW>"),
        ("Si-paw.UPF", "PP_AE_NLCC", "<PP_PAW> has no <PP_AE_NLCC>"),
        ("Si-paw.UPF", "PP_FULL_WFC", "without <PP_FULL_WFC>"),
        ("Si-paw.UPF", "PP_AUGMENTATION", "<PP_NONLOCAL> has no <PP_AUGMENTATION>"),
        ("Si-paw.xml", "ae_core_density", "without <ae_core_density>"),
        ("Si-paw.xml", "shape_function", "without <shape_function>"),
        ("Si-paw.xml", "projector_function", "there is no <projector_function> of the state 'Si1'"),
        ("Si-paw.xml", "paw_dataset", "this is no pseudopotential of a known format; valid are UPF"),
    ],
)
def test_a_dataset_that_lacks_a_section(tmp_path: Path, file: str, section: str, words: str) -> None:
    path = tmp_path / file
    path.write_text(_without(file, section))
    message = refusal(tmp_path, f'xc = "PBE"\npseudopotentials = {{ Si = "{file}" }}')
    assert f"{path}:" in message
    assert words in message


@pytest.mark.parametrize(
    ("electrons", "basis", "words"),
    [
        (silicon(KRESSE), 'ecut = "6 Ha"\ndensity_ecut = "5 Ha"', "density_ecut = 5 Ha is below ecut = 6 Ha; valid"),
        (silicon(KRESSE), MESH, 'is PAW, which is not available with [basis] method = "realspace"; valid'),
        (silicon(ULTRASOFT), MESH, 'is ultrasoft, which is not available with [basis] method = "realspace"; valid'),
        (silicon(BLOECHL).replace("PBE", "R2SCAN"), 'ecut = "6 Ha"', "is PAW, and R2SCAN is a meta-GGA, which would"),
    ],
)
def test_what_datasets_do_not_work_with(tmp_path: Path, electrons: str, basis: str, words: str) -> None:
    assert words in refusal(tmp_path, electrons, basis)


def test_the_dataset_of_another_functional_brings_a_warning(tmp_path: Path) -> None:
    figures, _ = check(tmp_path, 'ecut = "6 Ha"', files("Si-paw.xml", "Al.UPF"), xc="LDA-PW")
    (warning, _) = [one for one in figures["warnings"] if one["name"] == "pseudopotential_functional"]
    assert "the pseudopotential of Si was made with GGA_X_PBE+GGA_C_PBE" in warning["message"]
