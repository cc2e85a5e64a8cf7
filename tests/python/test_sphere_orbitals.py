"""Local orbitals optimised in spheres: their radius, plane waves with more and more waves, other layouts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import program, read_result
from test_local_orbitals import LOCAL, SILICON, free

HYDROGEN = """
[structure]
cell = [[6,0,0],[0,6,0],[0,0,8]]
unit = "bohr"
coordinates = "cartesian"
atoms = [["H",3,3,3.3],["H",3,3,{z}]]
[basis]
ecut = "{ecut} Ha"
grid = [18,18,24]
{basis}
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
[scf]
energy_tolerance = "1e-9 Ha"
{more}
"""
GRID = "grid = [16,16,16]\n"


def silicon(folder: Path, basis: str, *, ecut: float = 5, **more: Any) -> dict[str, Any]:
    """Return result.json of silicon with another cutoff."""
    text = SILICON.replace('"8 Ha"', f'"{ecut} Ha"')
    path = folder / "in.toml"
    values = {"x": 0.25, "electrons": "", "more": ""} | more
    path.write_text(text.format(basis=GRID + basis, **values))
    answer = program("run", path, "--quiet", "--ranks", 1, "--output", folder / "out")
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def spheres(radius: float, functions: str = "minimal") -> str:
    """Return a basis of functions optimised in spheres."""
    return f'{LOCAL}orbitals = {{ functions = "{functions}", optimise = true, box_radius = "{radius} bohr" }}'


def hydrogen(
    folder: Path, basis: str, *, ecut: float = 4, z: float = 4.7, more: str = "", ranks: int = 1
) -> dict[str, Any]:
    """Return result.json of a molecule of hydrogen."""
    path = folder / "in.toml"
    path.write_text(HYDROGEN.format(ecut=ecut, basis=basis, z=z, more=more))
    answer = program("run", path, "--quiet", "--ranks", ranks, "--output", folder / "out")
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def test_energies_fall_with_the_radius(tmp_path: Path) -> None:
    """To those of plane waves with all waves of the grid, which lie below those of a part of them."""
    found = [free(hydrogen(tmp_path, spheres(radius))) for radius in (2, 2.6, 20)]
    assert found == sorted(found, reverse=True)
    waves = free(hydrogen(tmp_path, "", ecut=40))
    assert found[-1] < waves < found[-1] + 1e-3


@pytest.mark.parametrize("radius", [2, 20])
def test_every_layout_gives_the_same(radius: float, tmp_path: Path) -> None:
    one, *others = (free(hydrogen(tmp_path, spheres(radius), ranks=ranks)) for ranks in (1, 2, 3))
    assert others == pytest.approx([one, one], abs=1e-9)


def test_deterministic_results_are_the_same_bits(tmp_path: Path) -> None:
    more = "[parallel]\ndeterministic = true"
    found = [free(hydrogen(tmp_path, spheres(2.6), more=more, ranks=ranks)) for ranks in (1, 2)]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "electrons", ["kpoints = { mesh = [2,2,2] }", 'spin = "collinear"\ntotal_magnetisation = 2', ""]
)
def test_waves_of_the_grid_are_reached(electrons: str, tmp_path: Path) -> None:
    """By the largest sphere of plane waves in the grid, from above."""
    local = free(silicon(tmp_path, spheres(30), electrons=electrons))
    waves = [free(silicon(tmp_path, "", ecut=ecut, electrons=electrons)) for ecut in (12, 17)]
    assert local < waves[1] < waves[0]
    assert waves[1] - local < 2e-3


def test_forces_in_the_whole_cell_are_derivatives(tmp_path: Path) -> None:
    step = 0.01
    forces = silicon(tmp_path, spheres(30), x=0.27, more="[output]\nforces = true")["forces"]
    energies = [free(silicon(tmp_path, spheres(30), x=0.27 + sign * step)) for sign in (1, -1)]
    along = np.dot(forces["total"][1], [0, 5.13, 5.13])
    assert (energies[1] - energies[0]) / (2 * step) == pytest.approx(along, abs=1e-4)


def test_spheres_in_a_crystal_reach_plane_waves(tmp_path: Path) -> None:
    """Silicon, 64 atoms: those of 36 Ha (8 atoms at 2 x 2 x 2 points) within 5e-4 Ha per atom."""
    waves, most = -253.73331, 64 * 5e-4
    sites = [
        (x + d, y + d, z + d) for d in (0, 0.25) for x, y, z in ((0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0))
    ]
    cubes = np.ndindex(2, 2, 2)
    atoms = [["Si", *(5.13 * 2 * (c + x) for c, x in zip(cube, site, strict=True))] for cube in cubes for site in sites]
    path = tmp_path / "in.toml"
    path.write_text(f"""
[structure]
cell = [[20.52,0,0],[0,20.52,0],[0,0,20.52]]
unit = "bohr"
coordinates = "cartesian"
atoms = {atoms}
[basis]
ecut = "4.5 Ha"
grid = [40,40,40]
{spheres(8)}
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
[scf]
energy_tolerance = "1e-2 Ha"
[output]
checkpoint = false
""")
    answer = program("run", path, "--quiet", "--ranks", 2, "--output", tmp_path / "out")
    assert answer.returncode == 0, answer.stderr
    assert free(read_result(tmp_path / "out")) == pytest.approx(waves, abs=most)


def test_forces_in_smaller_spheres_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "in.toml"
    path.write_text(SILICON.format(x=0.25, basis=spheres(4), electrons="", more="[output]\nforces = true"))
    answer = program("run", path, "--ranks", 1)
    assert answer.returncode == 2
    assert "forces of functions optimised in spheres smaller than the cell; valid: without box_radius" in answer.stderr
