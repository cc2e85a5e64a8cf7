"""DFT+U of several shells of an element."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from test_hubbard import CELL, SMEARING, SPIN, run, same, silicon

TWO = 'C = [{ shell = "2p", u = "4 eV" }, { shell = "2s", u = "2 eV" }]'


def test_a_shell_without_u_changes_nothing(tmp_path: Path) -> None:
    one = run(tmp_path / "one", "--ranks", 1, mesh="mesh = [1, 1, 1]", projectors="ortho-atomic")
    shells = TWO.replace("2 eV", "0 eV")
    both = run(tmp_path / "both", "--ranks", 1, mesh="mesh = [1, 1, 1]", projectors="ortho-atomic", hubbard=shells)
    assert [shell["shell"] for shell in both["hubbard"]] == ["2s", "2p"]  # the order of the file
    same(both | {"hubbard": both["hubbard"][1:]}, one)


@pytest.mark.parametrize("projectors", ["atomic", "ortho-atomic"])
@pytest.mark.parametrize("dataset", ["", "Si.UPF"])
def test_derivatives(dataset: str, projectors: str, tmp_path: Path) -> None:
    """Of the energy by positions, the volume, and U of one of the shells: U/2 sum_s Tr(n - n n)."""
    arguments: dict = {"projectors": projectors, "xc": "LDA-PW"}
    arguments |= silicon(dataset, tmp_path) if dataset else {}
    shells = TWO.replace("C =", "Si =").replace("2p", "3p").replace("2s", "3s") if dataset else TWO
    arguments |= {"hubbard": shells}
    cell = arguments.get("cell", CELL)
    at = run(tmp_path / "at", "--ranks", 1, **arguments)
    step = 0.004 * np.array([1.0, -0.5, 0.7])

    def slope(name: str, changes: Callable[[float], dict]) -> float:
        """Return a derivative of fourth order."""

        def energy(n: float) -> float:
            return run(tmp_path / f"{name}{n}", "--ranks", 1, **arguments | changes(n))["energy"]["free"]

        once, twice = (energy(n) - energy(-n) for n in (1, 2))
        return (8 * once - twice) / 12

    forces, size = np.array(at["forces"]["total"]), np.linalg.norm(step)
    along = (forces[0] - forces[1]) @ step / 2
    assert along / size == pytest.approx(slope("shift", lambda n: {"shift": n * step}) / size, abs=1e-6)

    def scaled(n: float) -> dict:  # at fixed plane waves
        scale = 1 + 1e-3 * n
        cutoff = (1 + 1e-12) / scale**2
        basis = f'density_ecut = "{30 * cutoff!r} Ha"' if dataset else "grid = [18, 18, 18]"
        return {"cell": scale * cell, "ecut": arguments.get("ecut", 8.0) * cutoff, "basis": basis}

    pressure = slope("scaled", scaled) / 1e-3 / abs(np.linalg.det(cell))
    assert np.trace(at["stress"]["total"]) == pytest.approx(pressure, abs=1e-7)

    by_u = slope("u", lambda n: {"hubbard": shells.replace("2 eV", f"{2 + 0.05 * n!r} eV")}) / (0.05 / 27.211386)
    of_shell = sum(
        value * (1 - value)
        for shell in at["hubbard"]
        if shell["shell"].endswith("s")
        for value in shell["eigenvalues"][0]
    )
    assert of_shell == pytest.approx(by_u, abs=1e-5)


def test_layouts_symmetry_and_restarts(tmp_path: Path) -> None:
    """With spin; both shells have imaginary parts in spinors."""
    cell = {"place": np.array([0.23, 0.23, 0.23]), "mesh": "mesh = [2, 2, 2]", "projectors": "ortho-atomic"}
    for spin in (SPIN, SPIN.replace("collinear", "noncollinear").replace("C = 1", "C = [0, 0, 1]")):
        arguments = cell | {"hubbard": TWO.replace("2 eV", '2 eV", j = "0.2 eV'), "electrons": spin}
        arguments["bands"] = 8 if spin == SPIN else 16
        folder = tmp_path / ("spin" if spin == SPIN else "spinors")
        folder.mkdir()
        one = run(folder / "one", "--ranks", 1, **arguments)
        same(run(folder / "whole", "--ranks", 2, **arguments, end="[symmetry]\nuse = false"), one)
        same(run(folder / "bands", "--ranks", 2, **arguments, end="[parallel]\nband_groups = 2"), one)
        again = run(folder / "again", "--ranks", 3, "--restart", folder / "one/checkpoint.h5", **arguments)
        assert again["scf_steps"] <= 2
        assert again["restart"]["matrices"] == "taken"
        same(again, one)


def test_starts_of_a_shell(tmp_path: Path) -> None:
    """Two starts of one of the shells end in one minimum."""
    starts = ', initial_occupations = [[[1, 1, 1], [1, 0, 0]], [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]] }, { shell = "2s"'
    hubbard = TWO.replace(' }, { shell = "2s"', starts)
    found = run(tmp_path / "run", "--ranks", 1, electrons=SMEARING, hubbard=hubbard)
    first, second = found["hubbard_starts"]
    assert first["free_energy"] == pytest.approx(second["free_energy"], abs=1e-9)
