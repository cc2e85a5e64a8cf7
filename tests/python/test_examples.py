"""The programs of examples/python, with coarse settings: they end, print their numbers and save their plots."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import EXAMPLES, clean_environment

# What each prints, with bounds for the numbers in it; at these settings they are no results.
PROGRAMS = {
    "equation_of_state": (r"lattice constant (\S+) Angstrom, bulk modulus (\S+) GPa", [(3.9, 4.05), (70, 110)]),
    "transpose": (r"transpose: (\S+) wrong values", [(0, 0)]),
    "halo": (r"halo: (\S+) wrong sums", [(0, 0)]),
    "boxes": (r"boxes: (\S+) electrons", [(2, 2)]),
    "g_vectors": (r"largest error (\S+) on", [(0, 1e-12)]),
    "eigenpairs": (r"\[\S+ +(\S+) ", [(0.499, 0.501)]),
    "fields": (r"(\S+) electrons", [(7.999, 8.001)]),
    "engine": (r"<V> (\S+) Ha, (\S+) electrons", [(0.9059, 0.9060), (7.9999, 8.0001)]),  # exp(-(2 pi / 10)^2 / 4)
    "vacancy": (r"formation energy (\S+) eV, of which relaxation (\S+) eV", [(0, 8), (-1, 0.01)]),
}

NO_PLOT = {"transpose", "halo", "boxes", "g_vectors", "eigenpairs", "fields", "engine", "vacancy"}


def test_all_programs_are_run() -> None:
    assert {path.stem for path in (EXAMPLES / "python").glob("*.py")} == set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, tmp_path: Path) -> None:
    pattern, bounds = PROGRAMS[name]
    command = [sys.executable, "-W", "ignore", str(EXAMPLES / "python" / f"{name}.py"), "--quick"]
    environment = clean_environment() | {"MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR", str(tmp_path))}
    answer = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert answer.returncode == 0, answer.stderr
    found = re.search(pattern, answer.stdout)
    assert found is not None, answer.stdout
    for text, (least, most) in zip(found.groups(), bounds, strict=True):
        assert least <= float(text.rstrip("]")) <= most
    assert name in NO_PLOT or (tmp_path / f"{name}.png").stat().st_size > 5000
