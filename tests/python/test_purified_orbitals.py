"""Local orbitals whose density matrix is found by purification: against the states, other layouts, derivatives."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import program, read_result
from test_local_orbitals import LOCAL, MESH, SILICON, free, run

SPIN = 'spin = "collinear"\ntotal_magnetisation = 0\n' + MESH
FORCES = "[output]\nforces = true"


def purified(cutoff: float, more: str = "") -> str:
    """Return the table [basis]."""
    return f'{LOCAL}orbitals = {{ functions = "double-zeta", kernel = "purify", kernel_cutoff = {cutoff}{more} }}'


EXACT = purified(0.0)
STATES = f'{LOCAL}orbitals = {{ functions = "double-zeta" }}'


@pytest.mark.parametrize("electrons", ["", MESH, SPIN])
def test_energies_and_forces_are_those_of_the_states(electrons: str, tmp_path: Path) -> None:
    """Without a cutoff; levels too."""
    found = run(tmp_path, x=0.27, basis=EXACT, electrons=electrons, more=FORCES)
    states = run(tmp_path, x=0.27, basis=STATES, electrons=electrons, more=FORCES)
    assert free(found) == pytest.approx(free(states), abs=1e-9)
    assert np.array(found["eigenvalues"]) == pytest.approx(np.array(states["eigenvalues"]), abs=1e-6)
    total = np.array(found["forces"]["total"])
    assert total == pytest.approx(np.array(states["forces"]["total"]), abs=1e-6)
    kernel = found["local_orbitals"]["kernel"]
    assert kernel["energy_error"] < 1e-9
    assert kernel["lowest_empty"] > kernel["highest_occupied"] == pytest.approx(np.max(states["eigenvalues"]), abs=1e-6)


def optimised(more: str = "") -> str:
    """Return a basis of functions that are optimised, with the density matrix from states or by purification."""
    return f'{LOCAL}orbitals = {{ functions = "minimal", optimise = true{more} }}'


PURIFY = ', kernel = "purify", kernel_cutoff = 0.0'
IN_SPHERES = ', box_radius = "30 bohr"'


@pytest.mark.parametrize(("basis", "electrons"), [(IN_SPHERES, ""), ("", MESH), ("", SPIN), (IN_SPHERES, MESH)])
def test_optimised_functions_give_the_energies_of_the_states(basis: str, electrons: str, tmp_path: Path) -> None:
    found = [
        run(tmp_path, basis=optimised(basis + kernel), electrons=electrons, more="[output]\ncheckpoint = false")
        for kernel in ("", PURIFY)
    ]
    assert free(found[1]) == pytest.approx(free(found[0]), abs=2e-8)
    assert np.array(found[1]["eigenvalues"]) == pytest.approx(np.array(found[0]["eigenvalues"]), abs=1e-4)
    assert found[1]["h_applications"] > 0
    assert found[1]["local_orbitals"]["kernel"]["energy_error"] < 1e-8


def test_layouts_of_optimised_functions_give_the_same(tmp_path: Path) -> None:
    """Kernels of sparse matrices on all ranks, or whole on each."""
    more = "[parallel]\ndeterministic = true\n[output]\ncheckpoint = false"
    basis = optimised(', box_radius = "4 bohr", kernel = "purify", kernel_cutoff = 1e-6')
    found = [run(tmp_path, ranks=ranks, basis=basis, electrons="", more=more) for ranks in (1, 2)]
    assert free(found[1]) == pytest.approx(free(found[0]), abs=1e-9)


def test_layouts_give_the_same(tmp_path: Path) -> None:
    """With blocks left out; the same bits where these are wanted."""
    basis = purified(1e-4)
    one = run(tmp_path, basis=basis)
    for ranks, more in ((2, ""), (3, ""), (2, "[parallel]\nkpoint_groups = 2")):
        assert free(run(tmp_path, ranks=ranks, basis=basis, more=more)) == pytest.approx(free(one), abs=1e-9)
    found = [run(tmp_path, ranks=ranks, basis=basis, more="[parallel]\ndeterministic = true") for ranks in (1, 2, 3)]
    assert len({free(each) for each in found}) == 1


CHAIN = """
[structure]
cell = [[7,0,0],[0,7,0],[0,0,{length}]]
unit = "bohr"
coordinates = "cartesian"
atoms = {atoms}
[basis]
ecut = "6 Ha"
{basis}
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
[scf]
energy_tolerance = "1e-8 Ha"
"""


def chain(folder: Path, basis: str, pairs: int = 12, ranks: int = 2, more: str = "") -> Any:
    """Return result.json of a chain of lithium hydride."""
    atoms = [[element, 0, 0, 6.4 * i + z] for i in range(pairs) for element, z in (("Li", 0.0), ("H", 3.0))]
    path = folder / "chain.toml"
    text = CHAIN.replace("{length}", str(6.4 * pairs)).replace("{atoms}", str(atoms).replace("'", '"'))
    path.write_text(text.replace("{basis}", basis) + more)
    answer = program("run", path, "--quiet", "--ranks", ranks, "--output", folder / "chain")
    assert answer.returncode == (1 if more else 0), answer.stderr  # 1: steps were not enough
    return read_result(folder / "chain")


def test_the_stated_error_is_that_of_the_cutoff(tmp_path: Path) -> None:
    more = ', radius = "4 bohr", box_radius = "7 bohr"'
    states = chain(tmp_path, f'{LOCAL}orbitals = {{ functions = "double-zeta"{more} }}')
    for cutoff in (1e-3, 1e-4):
        found = chain(tmp_path, purified(cutoff, more))
        kernel = found["local_orbitals"]["kernel"]
        error = abs(free(found) - free(states))
        assert kernel["filled"] < 0.8
        assert 0 < error < 10 * kernel["energy_error"] + 1e-7
        assert kernel["energy_error"] < 100 * error + 1e-7


def test_distributed_matrices_of_spheres_give_the_same_bits(tmp_path: Path) -> None:
    """Of a chain with the rows of many atoms on each rank, and atoms that are not in the order of the input."""
    more = ', optimise = true, box_radius = "4 bohr"'
    basis = purified(1e-5, more).replace("double-zeta", "minimal") + "\n[parallel]\ndeterministic = true"
    found = [chain(tmp_path, basis, pairs=9, ranks=ranks, more="max_steps = 2") for ranks in (1, 2)]
    assert free(found[0]) == free(found[1])


@pytest.mark.parametrize(
    ("electrons", "more", "message"),
    [
        ('smearing = { kind = "fermi-dirac", width = "0.02 Ha" }', "", "purification with smearing"),
        ("bands = 6", "", "purification with 6 bands, some of them empty; valid: bands = 4"),
        ('spin = "collinear"', "", "purification with spins whose numbers of electrons may differ"),
    ],
)
def test_what_is_refused(electrons: str, more: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "in.toml"
    path.write_text(SILICON.format(x=0.25, basis=purified(0.0, more), electrons=electrons, more=""))
    answer = program("run", path, "--ranks", 1)
    assert answer.returncode == 2
    assert message in answer.stderr


@pytest.mark.parametrize("basis", [optimised(PURIFY), optimised(), optimised(f"{IN_SPHERES}{PURIFY}"), purified(1e-6)])
def test_what_a_kill_leaves_continues_on_another_layout(basis: str, tmp_path: Path) -> None:
    """From the checkpoints of earlier steps; functions of spheres begin anew."""
    tight = {"basis": basis, "electrons": "", "more": '[output.checkpoint]\nevery = "1 steps"\nkeep = 50'}
    first = run(tmp_path, **tight)
    (tmp_path / "out").rename(tmp_path / "first")
    older = sorted((tmp_path / "first").glob("checkpoint.*.h5"), key=lambda path: int(path.name.split(".")[1]))
    file = older[len(older) // 2]
    answer = program(
        "run", tmp_path / "in.toml", "--quiet", "--output", tmp_path / "out", "--ranks", 2, "--restart", file
    )
    assert answer.returncode == 0, answer.stderr
    assert free(read_result(tmp_path / "out")) == pytest.approx(free(first), abs=1e-9)
