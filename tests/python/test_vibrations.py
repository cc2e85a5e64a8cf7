"""The task "vibrations": normal modes without rigid ones, a molecule in plane waves and on a mesh."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from ase import Atoms
from series_runs import continued, refused, run_text

from wavegrid.model.core_result import CoreResult
from wavegrid.model.series import Vibration, Vibrations
from wavegrid.motion.vibrations import MolecularVibrations
from wavegrid.results import normal_modes, result_warnings

DIMER = """\
[structure]
cell = [[11, 0, 0], [0, 11, 0], [0, 0, 15]]
coordinates = "cartesian"
unit = "bohr"
atoms = [["Si", 5.5, 5.5, 5.4], ["Si", 5.5, 5.5, 9.6]]
[basis]
ecut = "5 Ha"
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
spin = "collinear"
total_magnetisation = 2
[scf]
energy_tolerance = "1e-9 Ha"
[vibrations]
"""
MESH = DIMER.replace(
    'ecut = "5 Ha"',
    'method = "realspace"\nspacing = "0.7 bohr"\nboundary = "free"\nregion = { kind = "spheres", radius = "5 bohr" }',
)


def springs(places: np.ndarray, bonds: list[tuple[int, int, float]]) -> np.ndarray:
    """Return the force constants of springs between pairs of atoms, eV/Angstrom^2, in their minimum."""
    found = np.zeros((3 * len(places),) * 2)
    for i, j, constant in bonds:
        along = (places[j] - places[i]) / np.linalg.norm(places[j] - places[i])
        row = np.zeros((len(places), 3))
        row[i], row[j] = -along, along
        found += constant * np.outer(row.ravel(), row.ravel())
    return found


def test_a_spring_between_two_atoms() -> None:
    """omega = sqrt(k / mu); the modes of a linear molecule are 3 N - 5."""
    places, masses = np.array([[0, 0, 0], [0.3, 0.4, 1.2]]), np.array([12.0, 16.0])
    rigid = normal_modes.rigid_motions(places, masses, rotations=True)
    found = normal_modes.modes(springs(places, [(0, 1, 50.0)]), masses, rigid)
    assert len(found.energies) == 1 and len(found.rigid_energies) == 5
    assert found.energies[0] * normal_modes.PER_CM == pytest.approx(
        1302.79 * np.sqrt(5 / (12 * 16 / 28)) / 1.0, rel=0.3
    )
    assert found.energies[0] == pytest.approx(0.0646541 * np.sqrt(50 / (12 * 16 / 28)), rel=1e-5)
    assert np.abs(found.rigid_energies).max() < 1e-6
    assert np.allclose(found.displacements[0][0] * 12 + found.displacements[0][1] * 16, 0, atol=1e-9)


def test_errors_of_rigid_motion_stay_out_of_the_modes() -> None:
    places = np.array([[0, 0, 0.1], [0, 0.8, 0.7], [0, -0.8, 0.7]])
    masses = np.array([16.0, 1.0, 1.0])
    constants = springs(places, [(0, 1, 50.0), (0, 2, 50.0), (1, 2, 10.0)])
    rigid = normal_modes.rigid_motions(places, masses, rotations=True)
    exact = normal_modes.modes(constants, masses, rigid)
    assert len(exact.energies) == 3
    whole = normal_modes.modes(constants, masses, np.zeros((0, 9)))
    assert np.allclose(whole.energies[6:], exact.energies) and np.abs(whole.energies[:6]).max() < 1e-6
    turn = np.cross([1.0, 0, 0], places - masses @ places / masses.sum()).ravel()
    wrong = constants + 5.0 * np.outer(np.repeat(masses, 3) * turn, np.repeat(masses, 3) * turn)
    found = normal_modes.modes(wrong, masses, rigid)
    assert np.allclose(found.energies, exact.energies) and found.rigid_energies.max() > 0.05


def test_forces_turn_with_the_atoms() -> None:
    """Three atoms on springs that are not in their minimum: rotations have a curvature, and it is no error."""
    masses, lengths = np.array([16.0, 1.0, 1.0]), {(0, 1): 1.1, (0, 2): 1.0, (1, 2): 1.4}
    places = np.array([[0, 0, 0.1], [0.1, 0.8, 0.7], [0, -0.9, 0.6]])

    def forces(at: np.ndarray) -> np.ndarray:
        found = np.zeros_like(at)
        for (i, j), length in lengths.items():
            bond = at[j] - at[i]
            pull = 40.0 * (1 - length / np.linalg.norm(bond)) * bond
            found[i] += pull
            found[j] -= pull
        return found

    steps = 1e-4 * np.eye(9).reshape(9, 3, 3)
    constants = np.array([(forces(places - one) - forces(places + one)).ravel() / 2e-4 for one in steps])
    rigid = normal_modes.rigid_motions(places, masses, rotations=True)
    turned = normal_modes.turned_forces(places, masses, forces(places), rotations=True)
    assert np.abs(normal_modes.modes(constants, masses, rigid).rigid_energies).max() > 0.02
    assert np.abs(normal_modes.modes(constants, masses, rigid, turned).rigid_energies).max() < 1e-4


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    folder = tmp_path_factory.mktemp("vibrations")
    return folder, run_text(folder, DIMER)


def test_a_dimer_has_one_mode(solved: tuple[Path, dict]) -> None:
    folder, result = solved
    part = result["vibrations"]
    assert len(part["modes"]) == 1 and len(part["rigid_per_cm"]) == 5
    mode = part["modes"][0]
    assert 400 < mode["frequency_per_cm"] < 620 and mode["reduced_mass"] == pytest.approx(28.085, rel=1e-3)
    assert np.allclose(np.abs(mode["displacements"]), [[0, 0, 0.5**0.5]] * 2, atol=1e-3)
    assert part["zero_point_energy_eV"] == pytest.approx(mode["frequency_per_cm"] / 8065.54 / 2, rel=1e-4)
    assert part["asymmetry"] < 0.05 and "egg_box_energy" not in part
    assert "1/cm" in result["screen"].splitlines()[-1]
    assert (folder / "out/vibrations.png").read_bytes().startswith(b"\x89PNG")
    assert len((folder / "out/vibrations.csv").read_text().splitlines()) == 3


def test_a_run_that_was_cut_continues_on_other_ranks(solved: tuple[Path, dict]) -> None:
    folder, whole = solved
    found = continued(folder, folder / "cut", 6, ranks=2)
    ours, expected = (one["vibrations"]["modes"][0]["frequency_per_cm"] for one in (found, whole))
    assert ours == pytest.approx(expected, abs=0.5)


def test_a_mesh_states_its_error(solved: tuple[Path, dict], tmp_path: Path) -> None:
    part = run_text(tmp_path, MESH + "atoms = [1]\n")["vibrations"]
    mode, waves = part["modes"][-1], solved[1]["vibrations"]["modes"][0]["frequency_per_cm"]
    assert part["egg_box_energy"] > 1e-3 and part["rigid_per_cm"] == []
    fixed = waves / 2**0.5  # of an atom against one that does not move
    assert abs(mode["frequency_per_cm"] - fixed) < mode["egg_box_error_per_cm"] < 3000


class Springs:
    """Two atoms on a spring whose energy has waves of the mesh, 0.3 Angstrom between its points; eV, Angstrom."""

    spacing, depth = 0.3, 0.05

    def solved(self, atoms: Atoms) -> SimpleNamespace:
        places, wave = atoms.positions, 2 * np.pi / self.spacing
        bond = places[1] - places[0]
        length = np.linalg.norm(bond)
        pull = 20.0 * (length - 1.2) * bond / length
        waves = [(depth, factor * wave) for depth, factor in ((self.depth, 1), (self.depth / 1000, 2))]
        energy = 10.0 * (length - 1.2) ** 2 + sum(d * np.cos(k * places).sum() for d, k in waves)
        forces = np.array([pull, -pull]) + sum(d * k * np.sin(k * places) for d, k in waves)
        return SimpleNamespace(results={"forces": forces, "free_energy": energy}, result=None, seconds=0.0)


@pytest.mark.parametrize("positions", [1, 2, 8])
def test_an_average_over_positions_has_no_waves_of_the_mesh(positions: int) -> None:
    settings = {"moving": [0, 1], "masses": [14.0, 14.0], "displacement": 0.02, "rotations": True, "held": False}
    atoms = Atoms("N2", [[0.07, 0.11, 0.02], [0.07, 0.11, 1.22]])
    model, result = Springs(), CoreResult()
    found = MolecularVibrations(settings | {"mesh_positions": positions}, atoms, spacings=model.spacing * np.eye(3))
    found.run(lambda geometry: found.report(model.solved(geometry)))
    assert found.remaining() == 0
    found.add_to(result)
    part = result.vibrations
    assert part is not None and part.mesh_positions == positions
    exact = normal_modes.energies(np.array([20.0 / 7.0]))[0] * normal_modes.PER_CM
    wrong, rigid = abs(part.modes[-1].frequency_per_cm - exact), np.abs(part.rigid_per_cm).max()
    assert wrong < part.modes[-1].egg_box_error_per_cm + 1
    assert (wrong > 100 and rigid > 400) if positions == 1 else (wrong < 2 and rigid < 100)


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    assert "there is no atom 3" in refused(tmp_path, DIMER + "atoms = [3]\n")
    assert "nothing can vibrate" in refused(tmp_path, DIMER + "atoms = []\n")
    assert "2 positions without a mesh; valid: 1" in refused(tmp_path, DIMER + "mesh_positions = 2\n")
    assert "3 positions; valid: 1, 2, 4 or 8" in refused(tmp_path, MESH + "mesh_positions = 3\n")


def test_what_vibrations_bring_warnings_of() -> None:
    part = Vibrations(residual_force=0.01, modes=[Vibration(egg_box_error_per_cm=500.0)])
    names = [one.name for one in result_warnings.remarks({"smearing": {}}, CoreResult(vibrations=part))]
    assert names == ["vibrations_of_unrelaxed_atoms", "vibrations_on_a_coarse_mesh"]
