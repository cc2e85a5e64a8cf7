"""Al4 from the command line to result.json, on 1 and 3 ranks, against ABINIT 9.6.2 (the table in the issue)."""

import json
from pathlib import Path

import pytest
from conftest import EXAMPLES, program

# ABINIT, GTH-LDA, Teter 93, Fermi-Dirac kT = 0.00735 Ha, a = 7.6533909 bohr, Gamma; Ha
ABINIT = {
    "fine": {
        "free": -8.16755206, "kinetic": 3.761099, "hartree": 0.015234, "xc": -3.200743, "ewald": -10.783131,
        "local": 1.391861, "core": -0.896158, "nonlocal": 1.572587, "smearing": -0.028301, "fermi": 0.302921,
    },
    "coarse": {
        "free": -8.16455822, "kinetic": 3.737381, "hartree": 0.015204, "xc": -3.200576, "ewald": -10.783131,
        "local": 1.380881, "core": -0.896158, "nonlocal": 1.610129, "smearing": -0.028288, "fermi": 0.303452,
    },
}  # fmt: skip
CHANGES = {"fine": [], "coarse": [('"15 Ha"', '"8.8309 Ha"'), ("[30,30,30]", "[16,16,16]")]}


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("case", ["fine", "coarse"])
def test_energies_equal_abinit(case: str, ranks: int, tmp_path: Path) -> None:
    text = (EXAMPLES / "al4.toml").read_text()
    for old, new in CHANGES[case]:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "al4.toml").write_text(text)
    answer = program("run", "al4.toml", "--ranks", ranks, cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    result = json.loads((tmp_path / "al4" / "result.json").read_text())
    assert result["converged"]
    energy = result["energy"]
    for name, expected in ABINIT[case].items():
        value = result["fermi"] if name == "fermi" else energy[name]
        assert value == pytest.approx(expected, abs=1e-6), name
    terms = ("kinetic", "hartree", "xc", "ewald", "local", "core", "nonlocal", "smearing")
    assert energy["free"] == pytest.approx(sum(energy[name] for name in terms), abs=1e-10)
    assert energy["total"] == pytest.approx(energy["free"] - energy["smearing"], abs=1e-10)
    assert energy["free"] == pytest.approx(ABINIT[case]["free"], abs=1e-7)
    assert result["parallel"]["ranks"] == ranks
    assert {"total", "fft", "exchange", "linear_algebra", "nonlocal", "other"} <= set(result["wall_seconds"])
