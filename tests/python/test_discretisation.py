"""What plane waves and a mesh know of an input, its problem and its result."""

from pathlib import Path

import pytest

from wavegrid.discretisation import choose
from wavegrid.input.basis.choose import from_basis
from wavegrid.input.document import read
from wavegrid.job.prepare import prepare
from wavegrid.process import core_loader

SILICON = """
[structure]
cell = [[0, 5, 5], [5, 0, 5], [5, 5, 0]]
unit = "bohr"
atoms = [["Si", 0, 0, 0], ["Si", 0.25, 0.25, 0.25]]
coordinates = "fractional"
[basis]
ecut = "8 Ha"
[electrons]
xc = "LDA_XC_TETER93"
pseudopotentials = "gth-lda"
kpoints = { mesh = [2, 2, 2] }
[symmetry]
use = true
"""
ON_MESH = SILICON.replace('ecut = "8 Ha"', 'method = "realspace"\nspacing = "0.55 bohr"')


@pytest.mark.parametrize(("text", "method"), [(SILICON, "planewaves"), (ON_MESH, "realspace")])
def test_all_ways_to_choose_agree(text: str, method: str, tmp_path: Path) -> None:
    path = tmp_path / "si2.toml"
    path.write_text(text)
    document, spec = read(path)
    basis = from_basis(spec.basis)
    crystal = prepare(core_loader.load(), path)
    found = (basis.discretisation, choose.from_problem(crystal.problem), choose.from_tables(document.data))
    assert {one.method for one in found} == {method}
    assert crystal.problem["ecut"] == basis.cutoff()


def test_a_new_calculation_on_a_mesh_has_the_points_of_a_run(tmp_path: Path) -> None:
    """The relaxed energy is compared with one on as many points as the symmetry of the crystal needs, not on fewer."""
    path = tmp_path / "si2.toml"
    path.write_text(ON_MESH)
    document, spec = read(path)
    core, basis = core_loader.load(), from_basis(spec.basis)
    given = prepare(core, path).problem
    assert given["grid"] == [16] * 3  # 13 would do for the spacing
    fresh = basis.scaled(1.0)
    assert fresh is not None
    assert fresh.grids(core, document, given, [], given["cell"])["grid"] == given["grid"]
    assert basis.scaled(1.1) is None
