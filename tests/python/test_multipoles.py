"""Dipole and quadrupole moments of molecules, ions and layers."""

import json
from pathlib import Path

import numpy as np
import pytest
from ase import Atoms
from ase.io.cube import read_cube
from ase.units import Bohr
from conftest import program, read_result

from wavegrid.ase import WaveGrid
from wavegrid.model.core_result import CoreResult
from wavegrid.results import multipoles

INPUT = """\
[structure]
cell = {cell}
unit = "bohr"
coordinates = "cartesian"
atoms = {atoms}
[basis]
{basis}
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
charge = {charge}
{electrons}
[scf]
energy_tolerance = "1e-8 Ha"
[output]
density = "cube"
"""
WAVES = 'ecut = "8 Ha"'
DETERMINISTIC = "[parallel]\ndeterministic = true\n"
MESH = 'method = "realspace"\nspacing = "0.4 bohr"\nboundary = "free"'
MOLECULE = (("Li", 0.0, 0.0), ("H", 1.5, 2.6))  # y and z from the middle of the first atom


def run(
    folder: Path,
    place: float = 8.0,
    basis: str = WAVES,
    charge: int = 0,
    size: tuple[float, float] = (16.0, 16.0),
    ranks: int = 1,
    electrons: str = "",
    more: str = "",
) -> dict:
    """Run LiH at a place along the diagonal of a cell with these widths and height; return its result.json."""
    folder.mkdir()
    width, height = size
    atoms = [[name, place, place + y, place + z] for name, y, z in MOLECULE]
    cell = [[width, 0, 0], [0, width, 0], [0, 0, height]]
    text = INPUT.format(cell=cell, atoms=json.dumps(atoms), basis=basis, charge=charge, electrons=electrons)
    (folder / "in.toml").write_text(text + more)
    answer = program("run", folder / "in.toml", "--ranks", ranks, "--output", folder / "out")
    assert answer.returncode == 0, answer.stderr
    assert "multipoles" not in read_result(folder / "out") or "dipole moment" in answer.stdout
    return read_result(folder / "out")


def problem() -> dict:
    """Return what is read of the problem of a molecule of oxygen and hydrogen."""
    cell = [[9, 0, 0], [1, 9, 0], [0, 0, 9]]
    return {"cell": cell, "species": ["H", "O"], "atoms": [[1, 0, 0, 0], [0, 0, 0, 0]]}


def charges(*places: tuple[float, tuple[float, float, float]], repeated: tuple[int, ...] = ()) -> CoreResult:
    """Return the moments of point charges at the places of the two atoms."""
    q, r = np.array([one for one, _ in places]), np.array([place for _, place in places])
    moments = {
        "open": [axis not in repeated for axis in range(3)],
        "charge": float(q.sum()),
        "dipole": (q @ r).tolist(),
        "second": np.einsum("i,ia,ib->ab", q, r, r).tolist(),
        "ions": r[:2].tolist(),
    }
    return CoreResult.read({"charge_moments": moments})


def test_moments_are_about_the_centre_of_mass() -> None:
    found = multipoles.about_centre_of_mass(problem(), charges((1.5, (1, 2, 3)), (-0.5, (1, 2, 5))))
    assert found is not None
    z = 3 + 2 * 1.008 / (1.008 + 15.999)
    assert found.origin == pytest.approx((1, 2, z))
    assert found.charge == pytest.approx(1)
    assert found.dipole == pytest.approx((0, 0, 1.5 * (3 - z) - 0.5 * (5 - z)))
    zz = 1.5 * (3 - z) ** 2 - 0.5 * (5 - z) ** 2
    assert np.array(found.quadrupole) == pytest.approx(np.diag([-zz / 2, -zz / 2, zz]))


def test_along_repeated_directions_there_is_no_dipole() -> None:
    places = (1, (1, 2, 3)), (-1, (0, 5, 7))
    layer = multipoles.about_centre_of_mass(problem(), charges(*places, repeated=(0, 1)))
    chain = multipoles.about_centre_of_mass(problem(), charges(*places, repeated=(1,)))
    assert layer is not None and chain is not None
    assert layer.dipole == pytest.approx((0, 0, -4))
    assert np.dot(chain.dipole, [1, 9, 0]) == pytest.approx(0)
    assert chain.dipole == pytest.approx(np.array([1, -3, -4]) + 26 / 82 * np.array([1, 9, 0]))
    assert layer.quadrupole is None and chain.quadrupole is None
    assert multipoles.about_centre_of_mass(problem(), CoreResult.read({})) is None


def test_a_molecule_has_its_dipole_wherever_it_is_and_on_any_ranks(tmp_path: Path) -> None:
    middle = run(tmp_path / "middle", more=DETERMINISTIC)["multipoles"]
    with (tmp_path / "middle/out/density.cube").open() as file:
        density = read_cube(file)["data"]
    points = np.moveaxis(np.indices(density.shape), 0, -1) * 16 / np.array(density.shape)
    ends = np.array([0, 0.75, 1.3])  # the middle of the vacuum
    electrons = density[..., None] * (ends + (points - ends) % 16) * 16**3 / density.size
    ions = sum(np.array([8, 8 + y, 8 + z]) for _, y, z in MOLECULE)
    assert list(middle["dipole"]) == pytest.approx(list(ions - electrons.sum((0, 1, 2))), abs=4e-3)
    assert np.trace(middle["quadrupole"]) == pytest.approx(0, abs=1e-9)
    for ranks in (2, 3):
        assert run(tmp_path / str(ranks), ranks=ranks, more=DETERMINISTIC)["multipoles"] == middle
    moved = run(tmp_path / "edge", place=16.0, ranks=2)["multipoles"]
    assert moved["dipole"] == pytest.approx(middle["dipole"], abs=1e-3)
    assert np.array(moved["quadrupole"]) == pytest.approx(np.array(middle["quadrupole"]), abs=2e-2)


def test_a_mesh_has_the_dipole_of_plane_waves(tmp_path: Path) -> None:
    waves = run(tmp_path / "waves", basis='ecut = "20 Ha"')["multipoles"]
    periodic = run(tmp_path / "periodic", basis=MESH.replace("free", "periodic"), ranks=2)["multipoles"]
    assert periodic["dipole"] == pytest.approx(waves["dipole"], abs=0.01)
    free = run(tmp_path / "free", basis=MESH, ranks=3)["multipoles"]  # no images polarise it
    assert free["dipole"] == pytest.approx(np.array(waves["dipole"]) * 0.95, abs=0.04)


def test_an_ion_has_a_dipole_about_its_centre_of_mass(tmp_path: Path) -> None:
    spin = 'spin = "collinear"'
    near, far = (run(tmp_path / str(x), x, MESH, 1, electrons=spin)["multipoles"] for x in (7.2, 8.1))
    assert near["charge"] == far["charge"] == 1
    assert far["dipole"] == pytest.approx(near["dipole"], abs=5e-3)
    assert np.array(far["origin"]) - near["origin"] == pytest.approx([0.9] * 3)


def test_a_layer_has_a_dipole_across_and_a_crystal_has_none(tmp_path: Path) -> None:
    layer = run(tmp_path / "layer", size=(6.0, 24.0))["multipoles"]
    assert layer["dipole"][:2] == [0, 0]
    assert abs(layer["dipole"][2]) > 0.1
    assert "quadrupole" not in layer
    assert "multipoles" not in run(tmp_path / "crystal", place=1.0, size=(6.0, 6.0))


def test_ase_has_the_dipole_in_its_units(tmp_path: Path) -> None:
    expected = np.array(run(tmp_path / "run")["multipoles"]["dipole"]) * Bohr
    places = np.array([[8, 8 + y, 8 + z] for _, y, z in MOLECULE])
    atoms = Atoms([name for name, *_ in MOLECULE], places * Bohr, cell=[16 * Bohr] * 3, pbc=True)
    with WaveGrid(xc="LDA-PZ", pseudopotentials="gth-lda", basis={"ecut": "8 Ha"}, ranks=2) as calculator:
        atoms.calc = calculator
        assert atoms.get_dipole_moment() == pytest.approx(expected, abs=1e-4)
