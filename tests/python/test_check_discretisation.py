"""The check that one package asks which discretisation a calculation has, on small trees."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_discretisation.py"


def check(root: Path, line: str, file: str = "results/report.py") -> subprocess.CompletedProcess:
    path = root / "python" / "wavegrid" / file
    path.parent.mkdir(parents=True)
    path.write_text(f'"""Of a problem with "realspace"."""\n\n{line}\n')
    return subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True)


@pytest.mark.parametrize(
    "line",
    [
        'mesh = problem.get("realspace")',
        'waves = spec.basis.method == "planewaves"',
        "waves = basis.spacing is None",
        "free = self._spec.basis.boundary",
        'waves = "ecut" in table',
        'waves = "mesh" not in result',
        'mesh = content.get("mesh")',
        'mesh = figures["mesh"]',
        "from wavegrid.discretisation.mesh import Mesh",
        "from wavegrid.discretisation import plane_waves",
    ],
)
def test_a_place_that_asks_is_named(tmp_path: Path, line: str) -> None:
    answer = check(tmp_path, line)
    assert answer.returncode == 1
    assert answer.stdout.startswith(f"python/wavegrid/results/report.py:3: asks which discretisation it is: {line}\n")


@pytest.mark.parametrize(
    "line",
    [
        '"""Not available with "realspace"."""',
        "text = 'valid: method = \"realspace\"'",
        "periodic = spec.basis.periodic()",
        'points = kpoints["mesh"]',
        "direct = spec.scf.method",
        "size = choose.from_problem(problem).size(figures)",
        "from wavegrid.discretisation import choose",
    ],
)
def test_other_lines_pass(tmp_path: Path, line: str) -> None:
    answer = check(tmp_path, line)
    assert (answer.returncode, answer.stdout) == (0, "")


def test_the_package_may_ask(tmp_path: Path) -> None:
    assert check(tmp_path, 'mesh = problem.get("realspace")', "discretisation/choose.py").returncode == 0
