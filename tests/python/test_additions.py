"""A new input key and a new number of the result, as the patches of tests/additions: what each touches, what follows.

The patches are whole examples, each with its test. Here Python's part is tried on a copy of the tree; where a patch no
longer applies, renew it by hand, `git diff`, and a build with its test.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from conftest import clean_environment

ROOT = Path(__file__).parents[2]
FOLDERS = ("bindings", "docs", "python", "scripts", "src", "tests/python")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.so", "bin", "*.png")
# Programs find the copy instead of the installed package, and a stand-in for the compiled core.
HOOK = """
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "wavegrid" not in type(one).__module__]
sys.path[:0] = [{python!r}, {tests!r}]
import fake_core
sys.modules["wavegrid._core"] = fake_core
"""


class Tree:
    """A copy of the tree with a patch."""

    def __init__(self, root: Path, patch: str) -> None:
        self.root, self._patch = root, ROOT / "tests/additions" / patch
        for folder in FOLDERS:
            shutil.copytree(ROOT / folder, root / folder, ignore=LEFT_OUT)
        shutil.copy(ROOT / "pyproject.toml", root)
        (root / "hook").mkdir()
        hook = HOOK.format(python=str(root / "python"), tests=str(root / "tests/python"))
        (root / "hook/sitecustomize.py").write_text(hook)
        self._git("-C1")

    def _git(self, *options: str) -> str:
        command = ["git", "apply", *options, str(self._patch)]
        return subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=True).stdout

    def touched(self) -> set[str]:
        """Return the files that the patch writes."""
        return {line.split("\t")[2] for line in self._git("--numstat").splitlines()}

    def run(self, *words: str) -> str:
        """Run Python in it and return what it prints."""
        environment = clean_environment() | {"PYTHONPATH": str(self.root / "hook")}
        answer = subprocess.run(
            [sys.executable, *words], cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )
        assert answer.returncode == 0, answer.stdout + answer.stderr
        return answer.stdout

    def row(self, page: str, name: str) -> str:
        """Return the row of a name in the tables of a page."""
        found = re.search(rf"^\| `{name}` .*$", (self.root / page).read_text(), re.MULTILINE)
        assert found is not None, name
        return found[0]


def test_an_input_key_touches_six_files(tmp_path: Path) -> None:
    tree = Tree(tmp_path, "input_key.patch")
    assert len(tree.touched()) == 6
    written = tree.run("scripts/make_schemas.py")
    assert sorted(line.split()[1] for line in written.splitlines()) == [
        "docs/input.md",
        "python/wavegrid/data/input.schema.json",
    ]
    assert "count up to 1000" in tree.row("docs/input.md", "min_steps")
    done = tree.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/python/test_min_steps.py", "-k", "wrong")
    assert "3 passed" in done


def test_a_number_of_the_result_touches_five_files(tmp_path: Path) -> None:
    tree = Tree(tmp_path, "result_number.patch")
    assert len(tree.touched()) == 5
    written = tree.run("scripts/make_schemas.py")
    assert sorted(line.split()[1] for line in written.splitlines()) == [
        "docs/result.md",
        "python/wavegrid/data/result.schema.json",
    ]
    tree.row("docs/result.md", "scf_steps_in_single")
    schema = json.loads((tmp_path / "python/wavegrid/data/result.schema.json").read_text())
    assert "scf_steps_in_single" in schema["properties"]
