"""scripts/check_packaging.py finds a recipe that differs from the tables it repeats."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHECK = ROOT / "scripts/check_packaging.py"
CONDA = "packaging/conda/recipe.yaml"
SPACK = "packaging/spack/spack_repo/wavegrid/packages/wavegrid/package.py"


def check(root: Path) -> tuple[int, str]:
    """Return the exit code and the output of the check of a tree."""
    done = subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a copy of what the check reads."""
    for name in ("CMakeLists.txt", "pyproject.toml", "cmake/dependency_table.cmake", "scripts/packages-run.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "packaging", tmp_path / "packaging")
    return tmp_path


def test_the_recipes_agree(tree: Path) -> None:
    assert check(tree)[0] == 0


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (CONDA, "libxc >=5.1", "libxc >=5.0", "libxc has the least version 5.0; it is 5.1 elsewhere"),
        (CONDA, "    - spglib\n", "", "spglib is missing"),
        (CONDA, 'version: "0', 'version: "9', "the version is not"),
        (SPACK, 'depends_on("pugixml@1.9:")', "", "pugixml is missing"),
        (SPACK, "py-rich@13:", "py-rich@12:", "py-rich has the least version 12; it is 13 elsewhere"),
        ("pyproject.toml", "numpy>=1.26", "numpy>=2.0", "numpy has the least version 1.26; it is 2.0 elsewhere"),
        ("CMakeLists.txt", "VERSION 3.25", "VERSION 3.28", "cmake has the least version 3.25; it is 3.28 elsewhere"),
        ("scripts/packages-run.txt", "libxxhash-dev\n", "", "libxxhash-dev of cmake/dependency_table.cmake is missing"),
        ("scripts/packages-run.txt", "libxc-dev\n", "libxc-dev\nlibelpa-dev\n", "libelpa-dev"),
    ],
)
def test_a_difference_is_found(tree: Path, file: str, old: str, new: str, message: str) -> None:
    text = (tree / file).read_text()
    assert old in text
    (tree / file).write_text(text.replace(old, new))
    code, output = check(tree)
    assert code == 1
    assert message in output
