"""The inputs and programs of docs/tasks run, with coarse settings, and give about the numbers that the pages state."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import clean_environment, program

SCRIPT = Path(__file__).parents[2] / "scripts/run_task_pages.py"
_spec = importlib.util.spec_from_file_location("run_task_pages", SCRIPT)
pages = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pages)

ONE_RANK = {"$ wavegrid run ": "$ wavegrid run --ranks 1 ", "ranks=2": "ranks=1"}


@dataclass
class Page:
    """What a page states, and how to compute it fast."""

    stated: list[tuple[str, str, float]]
    """what finds a number in the output, the number as the page has it, and by how much that of the test may differ"""
    coarser: dict[str, str] = field(default_factory=dict)
    """what the test replaces in the page"""
    package: str = ""
    """without which the test is skipped"""


PAGES = {
    "equation-of-state": Page(
        [(r"V0 (\S+) A", "39.0048", 0.7), (r"B0 (\S+) GPa", "96.26", 6)],
        {"20 Ha": "12 Ha", "[6, 6, 6]": "[4, 4, 4]"},
    ),
    "elastic-constants": Page(
        [(r"C11 (\S+),", "159.5", 40), (r"C44 (\S+) GPa", "76.8", 20)], {"20 Ha": "8 Ha", "[6, 6, 6]": "[2, 2, 2]"}
    ),
    "absorption-spectrum": Page(
        [(r"peak at (\S+) eV", "2.1248", 0.4), (r"sum rule: (\S+)", "1.0011", 0.05)],
        {"0.4 angstrom": "0.55 angstrom", "12 bohr": "8 bohr", '"10 fs"': '"3 fs"', '"20 as"': '"30 as"'},
    ),
    "bands": Page(
        [(r"gap (\S+) eV, indirect, on the path", "0.4953", 0.2), (r"path; smallest direct gap (\S+)", "2.5", 0.3)],
        {"15 Ha": "8 Ha", "[6, 6, 6]": "[3, 3, 3]", "points = 100": "points = 30", "[12, 12, 12]": "[4, 4, 4]"},
    ),
    "magnetism": Page(
        [(r"^moments .* Fe (\S+)", "2.3", 0.5), (r"^moments .* Mn (\S+), Mn", "4.288", 0.5)],
        {"100 Ha": "40 Ha", "[8, 8, 8]": "[4, 4, 4]", "[3, 3, 3]": "[1, 1, 1]"},
    ),
    "surface": Page(
        [
            (r"work function +\S+ Ha +(\S+) eV", "4.2539", 0.3),
            (r"Fermi level +-\S+ Ha +(-\S+) eV", "-4.2", 0.4),
        ],
        {"10 Ha": "8 Ha", "[10, 10, 1]": "[6, 6, 1]", "[8, 8, 1]": "[3, 3, 1]", "0.42 bohr": "0.5 bohr"},
    ),
    "adsorbate": Page(
        [(r"As is (\S+) Angstrom", "1.01", 0.1), (r"As-Si (\S+)", "2.42", 0.1)],
        {"15 Ha": "6 Ha", "[4, 4, 1]": "[2, 2, 1]", '"0.02 eV/angstrom"': '"0.2 eV/angstrom"'},
    ),
    "molecule": Page(
        [(r"energy (\S+) eV", "15.28", 0.5), (r"level (\S+) eV", "-10.25", 0.5)],
        {"0.2 bohr": "0.35 bohr", "7 bohr": "6 bohr"},
    ),
    "barrier": Page(
        [(r"barrier (\S+) eV", "0.2534", 0.15)],
        {'ecut = "40 Ha"': 'ecut = "20 Ha"', "[[6, 0, 0], [0, 6, 0], [0, 0, 6]]": "[[5, 0, 0], [0, 5, 0], [0, 0, 5]]",
         "images = 3": "images = 1"},
    ),
    "charged-defect": Page(
        [(r"False, pair \S+ eV, corrected (\S+) eV", "4.06", 1)],
        {"(3, 3, 3)": "(2, 2, 2)", "[3, 3, 3]": "[4, 4, 4]", "[1, 1, 1]": "[2, 2, 2]", "2 * 27": "2 * 8",
         '"0.05 eV/angstrom"': '"0.5 eV/angstrom"', '"15 Ha"': '"10 Ha"'},
    ),
    "relaxation": Page(
        [(r"^a (\S+) Ang", "3.115", 0.05), (r", c (\S+) Ang", "4.981", 0.15), (r"u (\S+)$", "0.382", 0.01)],
        {"80 Ha": "45 Ha", "[4, 4, 3]": "[3, 3, 2]", 'cell = "free"': 'cell = "free"\nstress_tolerance = "4 GPa"'},
    ),
    "dynamics": Page(
        [(r"energy (\S+) Ha per atom and ps", "1.4e-05", 1e-3)],
        {"8 Ha": "6 Ha", "steps = 50": "steps = 4", "[2, 2, 2]": "[1, 1, 1]"},
    ),
    "phonons": Page([(r"up to (\S+) THz", "15.35", 1.5)], {"12 Ha": "8 Ha", "[3, 3, 3]": "[2, 2, 2]"}, "phonopy"),
    "convergence": Page(
        [(r'ecut = "(\S+) Ha", \S+ meV per atom', "15.62", 10)], {"5meV": "50meV", "20meV": "100meV"}
    ),
    "cluster": Page([]),
    "other-codes": Page([(r"^free energy +(\S+) Ha", "-7.92701532", 2e-6)]),
    "pseudopotentials": Page([(r"q1: (\S+) Ang", "3.8", 0.06), (r"q3: (\S+) Ang", "3.92", 0.03)], {"120 Ha": "100 Ha"}),
    "scf-does-not-converge": Page([(r"^converged in (\S+) steps", "18", 5)]),
}  # fmt: skip


def test_all_pages_are_run() -> None:
    assert {path.stem for path in pages.PAGES.glob("*.md")} - {"README"} == set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_page(name: str, tmp_path: Path) -> None:
    page = PAGES[name]
    if page.package:
        pytest.importorskip(page.package)
    text = (pages.PAGES / f"{name}.md").read_text()
    changes = page.coarser | {old: new for old, new in ONE_RANK.items() if old in text}
    settings = {"MPLBACKEND": "agg", "MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR", str(tmp_path))}
    printed = "\n".join(pages.run(f"{name}.md", tmp_path, changes, clean_environment() | settings).values())
    for pattern, stated, within in page.stated:
        assert stated in text
        found = re.search(pattern, printed, re.M)
        assert found, f"{pattern}\n{printed}"
        assert float(found[1]) == pytest.approx(float(stated), abs=within), pattern
    shown = pages.plots(f"{name}.md")
    assert shown
    for plot, written in shown.items():
        assert (tmp_path / written).stat().st_size > 3000
        assert 3000 < (pages.PAGES / plot).stat().st_size < 60_000


@pytest.mark.skipif(shutil.which("pw.x") is None, reason="needs pw.x")
def test_the_energy_of_pw_x(tmp_path: Path) -> None:
    """What the page on other codes shows, without its tolerance of 1e-7 Ha per atom."""
    pages.run("other-codes.md", tmp_path, {"$ wavegrid run ": "$ wavegrid run --ranks 1 "}, clean_environment())
    with open(tmp_path / "si_qe/pw.out", "w") as output:
        subprocess.run(
            ["pw.x", "-in", "pw.in"], cwd=tmp_path / "si_qe", stdout=output, check=True, env=clean_environment()
        )
    answer = program("compare", "si", "si_qe/pw.out", cwd=tmp_path)
    difference = re.search(r"^free +\S+ +\S+ +(\S+)", answer.stdout, re.M)
    assert abs(float(difference[1])) < 1e-6


def test_the_script_names_its_options_and_pages() -> None:
    answer = subprocess.run([sys.executable, SCRIPT, "--help"], capture_output=True, text=True, check=False)
    assert answer.returncode == 0
    assert "--plots" in answer.stdout
    assert "surface.md" in answer.stdout
    wrong = subprocess.run([sys.executable, SCRIPT, "surfaces.md"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "surface.md" in wrong.stderr
