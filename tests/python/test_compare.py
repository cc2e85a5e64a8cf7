"""`wavegrid compare`: with pw.x 6.7 and ABINIT 9.6.2 for the same cases, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import invoke, program

from wavegrid.comparison import differences
from wavegrid.comparison.calculation import Calculation

CASES = Path(__file__).parents[1] / "reference" / "compare"


def compared(case: str, output: str, folder: Path) -> dict:
    """Run our input of a case and return its comparison with the other program's output."""
    answer = program("run", CASES / f"{case}.toml", "--ranks", 1, "-q", "--output", folder / case)
    assert answer.returncode == 0, answer.stderr
    answer = invoke("compare", folder / case, CASES / output, "--json")
    assert answer.exit_code == 0, answer.stderr
    shown = invoke("compare", folder / case, CASES / output).stdout
    assert "free, per atom" in shown
    return json.loads(answer.stdout)


def test_with_abinit(tmp_path: Path) -> None:
    found = compared("si", "si.abo", tmp_path)
    assert found["programs"][1] == "ABINIT 9.6.2"
    assert found["converged"] == [True, True]
    assert found["settings"] == {}
    differences = {name: abs(values[2]) for name, values in found["energies"].items()}
    assert differences["free"] < 2e-9
    assert differences["ewald"] < 1e-9
    assert set(differences) >= {"kinetic", "hartree", "xc", "local", "local_g0", "nonlocal", "one-electron"}
    assert max(differences.values()) < 3e-6  # of first order in the error of the density
    assert found["eigenvalues"]["levels"] == 4
    assert found["eigenvalues"]["largest"] < 6e-6  # it prints five decimals
    assert found["forces"] < 3e-7
    assert found["stress"] < 1e-8
    assert found["steps"][1] == 11
    assert found["seconds"][1] > 0
    assert found["notes"] == []


def test_with_pwx(tmp_path: Path) -> None:
    """Its grid is larger; its levels contain the G = 0 part of the local pseudopotentials."""
    found = compared("al", "al.pwout", tmp_path)
    assert found["programs"][1] == "pw.x 6.7MaX"
    assert set(found["settings"]) == {"functional", "FFT grid"}
    differences = {name: abs(values[2]) for name, values in found["energies"].items()}
    assert set(differences) == {
        "free",
        "internal",
        "smearing",
        "one-electron",
        "hartree",
        "xc",
        "ewald",
        "free, per atom",
    }
    assert max(differences.values()) < 5e-6
    of_levels = found["eigenvalues"]
    assert of_levels["kpoints"] == [2, 2, 2]
    assert of_levels["mean"] == pytest.approx(0.05609008 / 6, abs=2e-6)
    assert of_levels["largest_without_mean"] < 5e-6
    assert found["forces"] < 5e-7
    assert found["stress"] < 1e-7
    assert len(found["notes"]) == 1


def test_settings_that_differ_are_named() -> None:
    """Of two inputs of ours, key by key."""
    one = Calculation("a", "wavegrid", energies={"free": 1.0}, settings={"ranks": 1}, input={"basis": {"ecut": "5 Ha"}})
    other = replace(one, settings={"ranks": 2}, input={"basis": {"ecut": "6 Ha"}, "symmetry": {"use": False}})
    found = differences.compare(one, other)
    assert found["settings"] == {"basis.ecut": ["5 Ha", "6 Ha"], "symmetry.use": [None, False], "ranks": [1, 2]}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "no.txt",
            "hello",
            "not an output that is known; valid: a result.json of wavegrid or its directory, or the main",
        ),
        ("cut.out", "Program PWSCF v.6.7 starts", "has printed no energy"),
        ("x.json", "{}", "not a result of this version of wavegrid"),
        (None, "", "no such file"),
    ],
)
def test_files_that_cannot_be_compared(name: str | None, text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / (name or "missing")
    if name:
        path.write_text(text)
    answer = invoke("compare", CASES / "si.abo", path)
    assert answer.exit_code == 2
    assert words in answer.stderr
    assert answer.stderr.count("\n") == 1
