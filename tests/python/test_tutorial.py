"""The commands of docs/tutorial.md, on its files with coarser settings."""

import re
import shlex
from pathlib import Path

import pytest
from conftest import program, read_result

PAGE = (Path(__file__).parents[2] / "docs/tutorial.md").read_text()
COARSER = {
    "10 Ha": "5 Ha",
    "12.5 Ha": "5 Ha",
    "100meV": "2eV",
    "[4, 4, 4]": "[2, 2, 2]",
    '"LGXUG" }': '"LGXUG", points = 12 }',
}


def test_tutorial(tmp_path: Path) -> None:
    text = PAGE
    for given, coarser in COARSER.items():
        assert given in text
        text = text.replace(given, coarser)
    for name, content in re.findall(r'^```toml title="(\S+)"\n(.*?)^```$', text, re.S | re.M):
        (tmp_path / name).write_text(content)
    printed = ""
    for command in re.findall(r"^\$ wavegrid (.*)$", text, re.M):
        ranks = [] if command.startswith("report") else ["--ranks", "1"]
        answer = program(*shlex.split(command), *ranks, cwd=tmp_path)
        assert answer.returncode == 0, f"{command}\n{answer.stdout}{answer.stderr}"
        printed += answer.stdout
    for line in ("the mesh of k-points is coarse", "recommended: mesh = ", "recommended: ecut = ", "relaxed in "):
        assert line in printed
    for name in ("ecut.png", "relax/relax.png", "bands/bands.png", "bands/report.html"):
        assert (tmp_path / name).stat().st_size > 1000
    volumes = [one["volume"] for one in read_result(tmp_path / "relax")["relaxation"]["geometries"]]
    assert volumes[-1] == pytest.approx(2 * 150, rel=0.2)
    assert read_result(tmp_path / "bands")["bands"]["band_gap"]["fundamental"] > 0
