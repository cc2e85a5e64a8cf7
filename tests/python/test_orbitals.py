"""Orbitals, densities of states in a range and the ELF as files, of a run and of its checkpoint; VASP's formats."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from ase.calculators.vasp import VaspChargeDensity
from ase.io.cube import read_cube
from ase.units import Bohr, Hartree
from conftest import invoke, program, read_result

from wavegrid.export import stm
from wavegrid.units import BOHR_IN_ANGSTROM

SILICON = """\
[structure]
cell = [[0, 5.1, 5.1], [5.1, 0, 5.1], [5.1, 5.1, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Si", 0, 0, 0], ["Si", 0.25, 0.25, 0.25]]
[basis]
ecut = "6 Ha"
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
kpoints = { mesh = [2, 2, 2] }
[symmetry]
use = true
[output]
density = "cube"
[output.orbitals]
bands = ["HOMO", "LUMO+1", 2]
energies = ["-20 eV", "0 eV"]
elf = true
"""
HYDROGEN = """\
[structure]
cell = [[10, 0, 0], [0, 10, 0], [0, 0, 11]]
unit = "bohr"
coordinates = "cartesian"
atoms = [["H", 5, 5, 4.8], ["H", 5, 5, 6.2]]
[basis]
{basis}
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
{electrons}
[output]
{output}
[output.orbitals]
{orbitals}
"""
WAVES = 'ecut = "9 Ha"'
MESH = 'method = "realspace"\nspacing = "0.4 bohr"\nboundary = "free"'
LAYER = """\
[structure]
cell = [[6, 0, 0], [1, 5, 0], [0, 0, 24]]
unit = "bohr"
coordinates = "cartesian"
atoms = [["Li", 0, 0, 11], ["H", 0, 0, 14]]
[basis]
ecut = "6 Ha"
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
kpoints = { mesh = [2, 2, 1] }
smearing = { kind = "gaussian", width = "0.02 Ha" }
[output.orbitals]
energies = ["-3 eV", "0 eV"]
stm_height = "1.5 angstrom"
"""


def run(folder: Path, text: str, *options: str | int) -> Path:
    """Run an input and return the folder of its results."""
    folder.mkdir()
    (folder / "in.toml").write_text(text)
    answer = program("run", folder / "in.toml", "--output", folder / "out", "--quiet", *options)
    assert answer.returncode == 0, answer.stderr
    return folder / "out"


def cube(path: Path) -> np.ndarray:
    """Return the field of a cube file."""
    with path.open() as file:
        return read_cube(file)["data"]


def element(path: Path) -> float:
    """Return the volume of a point of a cube file, bohr^3."""
    with path.open() as file:
        read = read_cube(file)
    return read["atoms"].get_volume() / Bohr**3 / read["data"].size


@pytest.fixture(scope="module")
def silicon(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the results of silicon with symmetry, on two ranks."""
    return run(tmp_path_factory.mktemp("silicon") / "run", SILICON, "--ranks", 2)


def test_all_occupied_states_are_the_density(silicon: Path) -> None:
    density = cube(silicon / "density.cube")
    assert cube(silicon / "states.cube") == pytest.approx(density, abs=1e-7)
    for name in ("homo", "lumo+1", "2"):
        square = cube(silicon / f"orbital_{name}.cube")
        assert square.min() >= 0
        assert square.sum() * element(silicon / "density.cube") == pytest.approx(1, abs=1e-6)
    elf = cube(silicon / "elf.cube")
    assert 0.9 < elf.max() < 1
    assert np.unravel_index(elf.argmax(), elf.shape)[0] == pytest.approx(elf.shape[0] / 8, abs=1)  # in the bond


def test_without_symmetry_and_on_other_ranks_they_are_the_same(silicon: Path, tmp_path: Path) -> None:
    text = SILICON.replace("use = true", "use = false")
    grid = "[basis]\ngrid = " + str(read_result(silicon)["grid"])
    whole = run(tmp_path / "whole", text.replace("[basis]", grid), "--ranks", 3)
    for name in ("states", "elf"):
        assert cube(whole / f"{name}.cube") == pytest.approx(cube(silicon / f"{name}.cube"), abs=3e-4)


def test_a_checkpoint_gives_the_same_files(silicon: Path, tmp_path: Path) -> None:
    options = ("--orbitals", "HOMO,LUMO+1,2", "--energies", "-20 eV,0 eV", "--elf", "--output", tmp_path / "new")
    answer = invoke("checkpoint", "export", silicon / "checkpoint.h5", *options)
    assert answer.exit_code == 0, answer.output
    names = {"elf.cube", "orbital_2.cube", "orbital_homo.cube", "orbital_lumo+1.cube", "states.cube"}
    assert {path.name for path in (tmp_path / "new").iterdir()} == names
    for name in names:
        assert cube(tmp_path / "new" / name) == pytest.approx(cube(silicon / name), abs=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--orbitals", "HOMO,LOMO"), "--orbitals HOMO,LOMO: valid: numbers from 1, HOMO"),
        (("--orbitals", "99"), "there is no band 99 among"),
        (("--orbitals", "homo-9"), "there is no band homo-9 among"),
        (("--orbitals", "1", "--kpoint", 99), "there is no k-point 99; valid: 1 to"),
        (("--energies", "1 eV,0 eV"), "--energies 1 eV,0 eV: valid: two energies"),
        (("--energies", "200 eV,201 eV"), "no states from 200 eV to 201 eV of the Fermi level"),
        (("--stm-height", "2 angstrom", "--elf"), "--stm-height without --energies"),
        (("--stm-height", "2", "--energies", "-1 eV,0 eV"), "--stm-height 2: valid: a length with its unit"),
        (("--elf", "--format", "png"), "--format png is unknown; valid: cube, xsf"),
    ],
)
def test_what_a_checkpoint_does_not_have_is_refused(silicon: Path, options: tuple, message: str) -> None:
    answer = invoke("checkpoint", "export", silicon / "checkpoint.h5", *options)
    assert answer.exit_code == 2
    assert message in answer.stderr


@pytest.mark.parametrize("basis", [WAVES, MESH], ids=["waves", "mesh"])
def test_one_orbital_has_the_density_and_is_localised(tmp_path: Path, basis: str) -> None:
    orbitals = 'bands = ["HOMO", "LUMO"]\nelf = true'
    text = HYDROGEN.format(basis=basis, electrons="", output="", orbitals=orbitals)
    out = run(tmp_path / "run", text, "--ranks", 2)
    answer = invoke("checkpoint", "export", out / "checkpoint.h5", "--density", "cube")
    assert answer.exit_code == 0
    homo, lumo, density = (cube(out / f"{name}.cube") for name in ("orbital_homo", "orbital_lumo", "density"))
    assert 2 * homo**2 == pytest.approx(density, abs=2e-3 if basis == MESH else 1e-4)  # its box has few plane waves
    assert (homo * lumo).sum() * element(out / "density.cube") == pytest.approx(0, abs=1e-4)
    assert cube(out / "elf.cube")[density > 0.05].min() > 0.97


def test_each_spin_has_files(tmp_path: Path) -> None:
    spin = 'spin = "collinear"\ncharge = 1\ntotal_magnetisation = 1'
    text = HYDROGEN.format(basis=WAVES, electrons=spin, output="", orbitals='bands = [1]\nelf = true\nformat = "xsf"')
    out = run(tmp_path / "run", text)
    for name in ("orbital_1_up.xsf", "orbital_1_down.xsf", "elf_up.xsf", "elf_down.xsf"):
        assert (out / name).stat().st_size > 1000


def test_vasp_formats_have_density_and_potential(tmp_path: Path) -> None:
    spin = 'spin = "collinear"\ncharge = 1\ntotal_magnetisation = 1'
    kinds = {"cube": ("cube", "cube"), "vasp": ("chgcar", "locpot")}
    found = {}
    for name, (density, potential) in kinds.items():
        output = f'density = "{density}"\npotential = "total"\npotential_format = "{potential}"'
        text = HYDROGEN.format(basis=WAVES, electrons=spin, output=output, orbitals="bands = [1]")
        found[name] = run(tmp_path / name, text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        density = VaspChargeDensity(str(found["vasp"] / "CHGCAR"))
        potential = VaspChargeDensity(str(found["vasp"] / "LOCPOT"))
    assert density.atoms[0].get_chemical_symbols() == ["H", "H"]
    assert density.chg[0] * Bohr**3 == pytest.approx(cube(found["cube"] / "density.cube"), abs=1e-7)
    assert density.chgdiff[0] * Bohr**3 == pytest.approx(cube(found["cube"] / "magnetisation.cube"), abs=1e-7)
    volts = potential.chg[0] * potential.atoms[0].get_volume() / Hartree  # ASE divides a density by the volume
    assert volts == pytest.approx(cube(found["cube"] / "potential_up.cube"), abs=5e-6)  # two runs
    answer = invoke("checkpoint", "export", found["vasp"] / "checkpoint.h5", "--density", "chgcar")
    assert answer.exit_code == 0, answer.output


def test_an_image_of_a_surface(tmp_path: Path) -> None:
    out = run(tmp_path / "run", LAYER, "--ranks", 2)
    assert (out / "stm.png").stat().st_size > 5000
    options = ("--energies", "-3 eV,0 eV", "--stm-height", "1.5 angstrom", "--output", tmp_path / "new")
    for _ in range(2):  # the first one is replaced
        answer = invoke("checkpoint", "export", out / "checkpoint.h5", *options)
        assert answer.exit_code == 0, answer.output
    assert (tmp_path / "new/stm.png").stat().st_size > 5000
    answer = invoke("checkpoint", "export", out / "checkpoint.h5", *options, "--stm-current")
    assert answer.exit_code == 0, answer.output
    answer = invoke("checkpoint", "export", out / "checkpoint.h5", *options[:2], "--stm-height", "9 angstrom")
    assert answer.exit_code == 2
    assert "beyond the middle of the vacuum" in answer.stderr


class Slab:
    """A header with a slab across the second direction."""

    cell = np.array([[4.0, 0, 0], [0, 20.0, 0], [2.0, 0, 3.0]])
    positions = np.array([[0, 0.9, 0], [0, 0.0, 0.5], [0.1, 0.1, 0.1]])


def test_the_plane_of_an_image_is_over_the_highest_atom() -> None:
    field = np.broadcast_to(np.arange(10.0)[None, :, None], (2, 10, 3)) + np.arange(3) / 8
    values, vectors, _ = stm.plane(field, Slab(), 3.0)  # type: ignore[arg-type]
    assert values == pytest.approx(np.full((2, 3), 0.25 * 10) + np.arange(3) / 8)
    assert vectors == pytest.approx(np.array([[4, 0], [2, 3]]))


def test_an_image_at_constant_current_has_the_heights_of_one_density() -> None:
    amplitudes = np.array([[1.0, 2.0, 4.0], [3.0, 2.0, 1.5]])
    places = np.arange(40) / 2  # bohr, of which the atom has 2
    field = amplitudes[:, None, :] * np.exp(-0.7 * places)[None, :, None]
    values, _, label = stm.heights(field, Slab(), 3.0)  # type: ignore[arg-type]
    plane, _, _ = stm.plane(field, Slab(), 3.0)  # type: ignore[arg-type]
    expected = np.log(amplitudes / plane.mean()) / 0.7 - 2.0
    assert values / BOHR_IN_ANGSTROM == pytest.approx(expected, abs=1e-9)
    assert label == "height (Angstrom)"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({'bands = ["HOMO", "LUMO+1", 2]\nenergies = ["-20 eV", "0 eV"]\nelf = true': ""}, "none of bands, energies"),
        ({'density = "cube"': "checkpoint = false"}, "orbitals with checkpoint = false"),
        ({'energies = ["-20 eV", "0 eV"]': 'stm_height = "1 angstrom"'}, "stm_height without energies"),
        ({"elf = true": 'stm_height = "1 angstrom"'}, "stm_height without a slab"),
        ({"elf = true": "stm_current = true"}, "stm_current without stm_height"),
        ({"elf = true": "kpoint = 200"}, "kpoint = 200 of "),
        ({'"HOMO"': '"HOMO+1"'}, "bands"),
        ({"mesh = [2, 2, 2] }": "mesh = [2, 2, 2] }\nbands = 6", ", 2]": ", 7]"}, "bands = [..., 7] with [electrons]"),
        ({'pseudopotentials = "gth-lda"': 'pseudopotentials = "gth-lda"\nbands = 4'}, "leaves no empty band"),
        ({"[output]": '[task]\nkind = "relax"\n[output]'}, 'orbitals afterwards by "wavegrid checkpoint export"'),
    ],
)
def test_bad_tables_are_refused(tmp_path: Path, changes: dict, message: str) -> None:
    text = SILICON
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "in.toml").write_text(text)
    answer = invoke("check", tmp_path / "in.toml")
    assert answer.exit_code == 2
    assert message in answer.stderr


def test_a_plane_beyond_the_vacuum_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in.toml").write_text(LAYER.replace("1.5 angstrom", "9 angstrom"))
    answer = invoke("check", tmp_path / "in.toml")
    assert answer.exit_code == 2
    assert "valid: to half of the vacuum" in answer.stderr


def test_vasp_formats_need_a_periodic_cell(tmp_path: Path) -> None:
    output = 'density = "chgcar"'
    (tmp_path / "in.toml").write_text(HYDROGEN.format(basis=MESH, electrons="", output=output, orbitals="bands = [1]"))
    answer = invoke("check", tmp_path / "in.toml")
    assert answer.exit_code == 2
    assert 'density = "chgcar" with a free boundary' in answer.stderr
