"""The potential across a slab, the levels of the vacuum around it, and the files of potentials."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from ase.io.cube import read_cube
from conftest import invoke, program, read_result

from wavegrid.api.result import load
from wavegrid.errors import InputError
from wavegrid.model.core_result import CoreResult
from wavegrid.results import vacuum

CELL = [[5, 0, 0], [0, 5, 0], [0, 0, 30]]
SLAB = """\
[structure]
cell = [[5, 0, 0], [0, 5, 0], [0, 0, 30]]
unit = "bohr"
coordinates = "cartesian"
atoms = {atoms}
[basis]
{basis}
[electrons]
xc = "{xc}"
pseudopotentials = "gth-lda"
{electrons}kpoints = {{ mesh = [2, 2, 1] }}
smearing = {{ kind = "gaussian", width = "0.02 Ha" }}
[scf]
energy_tolerance = "1e-9 Ha"
[output]
{output}
{more}
"""
WAVES = 'ecut = "6 Ha"'
LITHIUM = '[["Li", 0, 0, 15]]'
POLAR = '[["Li", 0, 0, 14], ["H", 0, 0, 17]]'


def run(
    folder: Path,
    atoms: str = LITHIUM,
    basis: str = WAVES,
    output: str = "",
    more: str = "",
    ranks: int = 1,
    xc: str = "LDA-PW",
    electrons: str = "",
) -> dict:
    """Run a layer and return its result.json."""
    folder.mkdir()
    text = SLAB.format(atoms=atoms, basis=basis, output=output, more=more, xc=xc, electrons=electrons)
    (folder / "in.toml").write_text(text)
    answer = program("run", folder / "in.toml", "--ranks", ranks, "--output", folder / "out", "--quiet")
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def cube(folder: Path, name: str) -> np.ndarray:
    """Return the field of a cube file."""
    with (folder / "out" / name).open() as file:
        return read_cube(file)["data"]


def problem(atoms: Sequence[float], points: int = 30, free: bool = False) -> dict:
    """Return what is read of the problem of atoms at fractional heights."""
    return {
        "average_axis": 2,
        "grid": [1, 1, points],
        "density_grid": None,
        "cell": CELL,
        "atoms": [[0, 0, 0, place] for place in atoms],
        "realspace": {"periodic": [True, True, not free]} if free else None,
    }


def vacuum_of(
    atoms: Sequence[float], potential: Sequence[float], first: int = 0, free: bool = False
) -> vacuum.Vacuum | None:
    """Return the vacuum of a potential on 30 planes."""
    content = {"potential_average": list(potential), "potential_average_first": first, "fermi_level": -0.1}
    return vacuum.around_slab(problem(atoms, free=free), CoreResult.read(content))


@pytest.mark.parametrize("move", [0, 7, 14, 22, 29])
def test_levels_are_those_on_both_sides_wherever_the_slab_is(move: int) -> None:
    potential = np.r_[[-5.0] * 3, np.full(13, 0.5), np.full(14, 0.2)]  # atoms on planes 0 to 2
    potential[15] = 9  # the middle of the vacuum
    atoms = [(place + move) / 30 for place in (0, 1, 2)]
    found = vacuum_of(atoms, np.roll(potential, move).tolist())
    assert found is not None
    assert found.levels == pytest.approx((0.2, 0.5))
    assert found.unevenness == pytest.approx((0, 0))
    assert found.work_functions == pytest.approx((0.3, 0.6))
    assert found.x == pytest.approx(range(30))
    assert vacuum.note(found) == ""


def test_on_a_free_mesh_levels_are_those_before_its_ends() -> None:
    potential = [0.4] * 9 + [-5.0] * 4 + [0.1, 0.1, 0.1, 0.1, 0.3, 0.2, 0.2]
    found = vacuum_of([0.3, 0.35], potential, first=1, free=True)
    assert found is not None
    assert found.levels == pytest.approx((0.4, 0.2), abs=0.03)
    assert found.unevenness[1] == pytest.approx(0.2)
    assert "varies by 5.44 eV" in vacuum.note(found)


def test_without_points_in_the_vacuum_there_are_no_levels() -> None:
    found = CoreResult.read({"potential_average": [0.0, 1.0], "fermi_level": -0.1})
    assert vacuum.around_slab(problem([0.0], points=2), found) is None
    assert vacuum.around_slab(problem([0.0]) | {"average_axis": None}, CoreResult.read({})) is None


def test_planes_are_means_of_the_potential_and_the_same_on_any_ranks(tmp_path: Path) -> None:
    deterministic = "[parallel]\ndeterministic = true"
    one = run(tmp_path / "one", output='potential = "electrostatic"', more=deterministic)
    found = one["vacuum"]
    assert found["potential"] == pytest.approx(cube(tmp_path / "one", "potential.cube").mean(axis=(0, 1)), abs=1e-8)
    assert found["axis"] == 3
    assert found["work_functions"][0] == pytest.approx(found["work_functions"][1], abs=1e-5)
    assert found["work_functions"][0] == pytest.approx(found["levels"][0] - one["fermi_level"], abs=1e-12)
    assert (tmp_path / "one/out/potential.png").stat().st_size > 3000
    for ranks in (2, 3):
        assert run(tmp_path / str(ranks), more=deterministic, ranks=ranks)["vacuum"] == found


def test_a_mesh_has_the_work_function_of_plane_waves(tmp_path: Path) -> None:
    waves = run(tmp_path / "waves", basis='ecut = "12 Ha"')
    mesh = run(
        tmp_path / "mesh",
        basis='method = "realspace"\nspacing = "0.4 bohr"\nboundary = ["periodic", "periodic", "free"]',
        ranks=2,
    )
    assert mesh["vacuum"]["levels"] == pytest.approx([0, 0], abs=2e-3)
    assert mesh["vacuum"]["work_functions"] == pytest.approx(waves["vacuum"]["work_functions"], abs=3e-3)


def test_the_step_across_a_polar_layer_is_that_of_its_dipole(tmp_path: Path) -> None:
    result = run(
        tmp_path / "polar", POLAR, output='density = "cube"', more="[external]\naxis = 3\ndipole_correction = true"
    )
    lower, upper = result["vacuum"]["levels"]
    density = cube(tmp_path / "polar", "density.cube")
    heights = np.arange(density.shape[2]) * 30 / density.shape[2]
    electrons = density.mean(axis=(0, 1)) * 25 * 30 / density.shape[2]
    dipole = 1 * 14 + 1 * 17 - electrons @ heights  # of ions of charge 1
    assert upper - lower == pytest.approx(-4 * np.pi * dipole / 25, abs=2e-4)
    assert abs(upper - lower) > 0.01


def test_the_total_potential_has_the_exchange_of_each_spin_too(tmp_path: Path) -> None:
    spin = 'spin = "collinear"\ninitial_magnetic_moments = { Li = 0.5 }\n'
    found = {}
    for kind, names in (
        ("total", ("potential_up.cube", "potential_down.cube")),
        ("electrostatic", ("potential.cube",)),
    ):
        folder = tmp_path / kind
        run(folder, output=f'potential = "{kind}"\ndensity = "cube"', electrons=spin, xc="LDA_X", ranks=2)
        found[kind] = [cube(folder, name) for name in names]
        density, moment = cube(folder, "density.cube"), cube(folder, "magnetisation.cube")
    for potential, sign in zip(found["total"], (1, -1), strict=True):
        of_spin = np.maximum((density + sign * moment) / 2, 0)
        dirac = -((6 / np.pi * of_spin) ** (1 / 3))
        dense = of_spin > 1e-3
        assert (potential - found["electrostatic"][0])[dense] == pytest.approx(dirac[dense], abs=2e-5)


BULK = '[["Li", 0, 0, 2.5], ["Li", 0, 0, 10], ["Li", 0, 0, 17.5], ["Li", 0, 0, 25]]'


@pytest.mark.parametrize(
    ("atoms", "basis", "words"),
    [
        (BULK, WAVES, "more than 12 bohr without atoms; here there are 0.2, 0.2, 2.7"),
        (LITHIUM, WAVES, ""),
        (
            '[["Li", 2.5, 2.5, 15]]',
            'method = "realspace"\nspacing = "0.5 bohr"\nboundary = ["periodic", "free", "free"]',
            "a slab has vacuum or a free boundary along one lattice direction alone",
        ),
    ],
)
def test_without_vacuum_a_potential_brings_no_work_function(atoms: str, basis: str, words: str, tmp_path: Path) -> None:
    content = SLAB.format(
        atoms=atoms, basis=basis, xc="LDA-PW", electrons="", output='potential = "electrostatic"', more=""
    )
    (tmp_path / "in.toml").write_text(content.replace("[2, 2, 1]", "[2, 1, 1]"))
    answer = invoke("check", tmp_path / "in.toml")
    assert answer.exit_code == 0, answer.stderr
    assert ("no work function" in answer.stdout) == bool(words)
    assert words in " ".join(answer.stdout.split())


def test_a_potential_without_vacuum_has_no_plot_across_a_slab(tmp_path: Path) -> None:
    run(tmp_path / "bulk", atoms=BULK)
    with pytest.raises(
        InputError, match="no vacuum along one lattice direction alone.*no work function; valid: a slab"
    ):
        load(tmp_path / "bulk/out").plot_potential()
