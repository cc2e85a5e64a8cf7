"""Purification of many local orbitals: the edges of the gap instead of levels, and checkpoints without bands."""

from pathlib import Path
from typing import Any

import pytest
from conftest import invoke, program, read_result

CHAIN = """
[structure]
cell = [[6,0,0],[0,6,0],[0,0,{length}]]
unit = "bohr"
coordinates = "cartesian"
atoms = {atoms}
[basis]
ecut = "2 Ha"
method = "local-orbitals"
orbitals = {{ functions = "minimal", {basis}, kernel = "purify", kernel_cutoff = 1e-4 }}
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
[scf]
max_steps = {steps}
"""
SPHERES = 'optimise = true, box_radius = "2.5 bohr"'
BOXES = 'radius = "2.5 bohr", box_radius = "2.5 bohr"'


def molecules(folder: Path, *options: object, basis: str, steps: int, pairs: int = 502) -> Any:
    """Return result.json of a row of hydrogen molecules."""
    atoms = [["H", 3, 3, 5 * i + z] for i in range(pairs) for z in (1.0, 2.4)]
    path = folder / "in.toml"
    path.write_text(CHAIN.format(length=5 * pairs, atoms=str(atoms).replace("'", '"'), basis=basis, steps=steps))
    answer = program("run", path, "--output", folder / "out", *options)
    assert answer.returncode == (1 if steps == 1 else 0), answer.stderr  # 1: steps were not enough
    assert pairs < 501 or "edges of the gap only" in answer.stdout
    return read_result(folder / "out")


@pytest.mark.parametrize("basis", [BOXES, SPHERES])
def test_a_large_system_has_the_edges_of_its_gap(basis: str, tmp_path: Path) -> None:
    """Its checkpoint has the density alone, with which another layout continues."""
    found = molecules(tmp_path, "--ranks", 1, basis=basis, steps=1)
    assert found["local_orbitals"]["functions"] == 1004
    assert found["eigenvalues"] == found["residuals"] == found["occupations"] == [[[]]]
    kernel = found["local_orbitals"]["kernel"]
    assert found["fermi_level"] == kernel["highest_occupied"] < kernel["lowest_empty"]
    assert "band_gap" not in found
    file = tmp_path / "out" / "checkpoint.h5"
    info = invoke("checkpoint", "info", file)
    assert "0 bands" in info.stdout
    assert "electron" not in info.stdout
    assert "intact" in invoke("checkpoint", "verify", file).stdout
    refused = invoke("checkpoint", "export", file, "--orbitals", "1", "--output", tmp_path)
    assert refused.exit_code == 2
    assert "has no bands" in refused.stderr
    restart = tmp_path / "first.h5"
    file.rename(restart)
    again = [molecules(tmp_path, "--ranks", ranks, "--restart", restart, basis=basis, steps=1) for ranks in (1, 2)]
    assert again[0]["energy"]["free"] == pytest.approx(again[1]["energy"]["free"], abs=1e-9 * 502)
    assert again[0]["fermi_level"] == pytest.approx(again[1]["fermi_level"], abs=1e-7)
    assert again[0]["restart"]["density"] == "taken"


def test_few_functions_have_levels_between_these_edges(tmp_path: Path) -> None:
    """In boxes too, whose energies are nearly those of matrices from plane waves."""
    few = {"steps": 20, "pairs": 8}
    found = molecules(tmp_path, "--ranks", 1, basis=BOXES, **few)
    levels = found["eigenvalues"][0][0]
    assert len(levels) == 8
    assert found["fermi_level"] == pytest.approx(levels[-1])
    assert found["local_orbitals"]["kernel"]["highest_occupied"] == pytest.approx(levels[-1], abs=1e-5)
