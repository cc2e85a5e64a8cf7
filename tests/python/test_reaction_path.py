"""The task "neb": a reaction path by ASE's nudged elastic band, and how it continues."""

from pathlib import Path

import numpy as np
import pytest
from ase import Atoms
from ase.io import write
from series_runs import continued, refused, run_text

PLACES = [[2.5, 2.5, 2.8], [3.44, 2.5, 2.5], [2.03, 3.314, 2.5], [2.03, 1.686, 2.5]]
AMMONIA = f"""\
[structure]
cell = [[5, 0, 0], [0, 5, 0], [0, 0, 5]]
coordinates = "cartesian"
unit = "angstrom"
atoms = {[[symbol, *place] for symbol, place in zip("NHHH", PLACES, strict=True)]}
[basis]
ecut = "20 Ha"
[electrons]
xc = "PBE"
pseudopotentials = "gth-pbe"
[scf]
energy_tolerance = "1e-7 Ha"
[neb]
final = "final.xyz"
images = 1
force_tolerance = "0.2 eV/angstrom"
"""


def write_final(folder: Path, symbols: str = "NHHH", shift: float = -0.6, cell: float = 5.0) -> None:
    atoms = Atoms(symbols, PLACES, cell=[cell] * 3, pbc=True)
    atoms.positions[0, 2] += shift
    write(folder / "final.xyz", atoms)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    folder = tmp_path_factory.mktemp("neb")
    write_final(folder)
    return folder, run_text(folder, AMMONIA)


def test_the_inversion_of_ammonia(solved: tuple[Path, dict]) -> None:
    folder, result = solved
    part = result["reaction_path"]
    assert part["converged"] and part["highest_image"] == 1
    assert part["barrier_eV"] == pytest.approx(part["reverse_barrier_eV"], abs=0.02) and part["barrier_eV"] > 0
    middle = np.array(part["images"][1]["fractional"])
    assert np.ptp(middle[:, 2]) < 0.01  # flat
    energies = [image["free_energy"] for image in part["images"]]
    assert energies[1] - energies[0] == pytest.approx(part["barrier_eV"] / 27.211386, rel=1e-6)
    assert part["images"][1]["largest_force"] * 51.42 <= 0.2
    assert "barrier" in result["screen"].splitlines()[-1]
    assert (folder / "out/neb.png").read_bytes().startswith(b"\x89PNG")
    assert len((folder / "out/neb.csv").read_text().splitlines()) == 5


def test_a_run_that_was_cut_continues_on_other_ranks(solved: tuple[Path, dict]) -> None:
    folder, whole = solved
    (folder / "cut").mkdir()
    write_final(folder / "cut")
    found = continued(folder, folder / "cut", 3, ranks=2)
    assert found["reaction_path"]["barrier_eV"] == pytest.approx(whole["reaction_path"]["barrier_eV"], abs=1e-3)
    assert found["reaction_path"]["steps"] == whole["reaction_path"]["steps"]


def test_images_on_groups_of_ranks(tmp_path: Path) -> None:
    """Two images in two groups; killed, and continued by one group on one rank and by two on three ranks."""
    write_final(tmp_path)
    text = AMMONIA.replace("images = 1", "images = 2\nparallel_images = 2").replace("0.2 eV", "3 eV")
    text = text.replace("20 Ha", "10 Ha")
    whole = run_text(tmp_path, text, ranks=2)
    part = whole["reaction_path"]
    assert part["converged"] and part["groups"] == 2
    assert whole["parallel"]["ranks"] == 2  # of the last image, which all solve again
    for ranks in (1, 3):
        cut = tmp_path / f"cut{ranks}"
        cut.mkdir()
        write_final(cut)
        found = continued(tmp_path, cut, 3, ranks=ranks)["reaction_path"]
        assert found["groups"] == min(ranks, 2) and found["steps"] == part["steps"]
        assert found["barrier_eV"] == pytest.approx(part["barrier_eV"], abs=1e-3)


def test_a_path_that_is_not_converged_says_so(tmp_path: Path) -> None:
    write_final(tmp_path)
    found = run_text(tmp_path, AMMONIA.replace("0.2 eV", "0.0001 eV") + "max_steps = 1\n", code=1)
    assert not found["reaction_path"]["converged"] and "max_steps" in found["screen"].splitlines()[-1]


def test_ends_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    assert "final.xyz" in refused(tmp_path, AMMONIA)
    write_final(tmp_path, "HNHH")
    assert "other atoms than the structure or in another order" in refused(tmp_path, AMMONIA)
    write_final(tmp_path, shift=0.0)
    assert "the same geometry" in refused(tmp_path, AMMONIA)
    write_final(tmp_path, cell=5.1)
    assert "another cell" in refused(tmp_path, AMMONIA)
    assert "lacks 'final'" in refused(tmp_path, AMMONIA.replace('final = "final.xyz"\n', ""))
