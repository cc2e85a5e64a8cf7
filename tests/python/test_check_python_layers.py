"""The check of the packages' imports, on small trees."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_python_layers.py"

TABLE = """\
base = []
errors = ["base"]
input = ["errors"]
run = ["base", "input"]
"""

# One import for each permission of TABLE.
USED = {
    "base/text": "import wavegrid\n",
    "errors": "from wavegrid.base.text import printable\n",
    "input/document": "from wavegrid import errors\n",
    "run/worker": "import wavegrid.base.text\n\n\ndef main():\n    from wavegrid.input import document\n",
}


def check(root: Path, table: str = TABLE, **files: str) -> subprocess.CompletedProcess:
    for name, text in {**USED, **{name.replace("__", "/"): text for name, text in files.items()}}.items():
        path = root / "python" / "wavegrid" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "python" / "layers.toml").write_text(table)
    return subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True)


def test_a_package_may_import_itself_and_what_its_entry_lists(tmp_path):
    answer = check(tmp_path, input__models="from wavegrid.input import document\nimport json\n")
    assert answer.returncode == 0, answer.stdout


@pytest.mark.parametrize(
    ("file", "line", "reason"),
    [
        ("base__text", "from wavegrid import errors", "base imports wavegrid.errors; allowed: itself alone\n"),
        ("errors", "import wavegrid.input.document", "errors imports wavegrid.input.document; allowed: base\n"),
        ("input__a", "from wavegrid.base.text import x", "input imports wavegrid.base.text.x; allowed: errors\n"),
        (
            "input__a",
            "if x:\n    from wavegrid.run import worker",
            "input imports wavegrid.run.worker; allowed: errors\n",
        ),
        ("input__a", "from . import document", "a relative import; write from wavegrid.PACKAGE.MODULE\n"),
    ],
)
def test_a_violation_names_file_line_and_what_is_allowed(tmp_path, file, line, reason):
    first = USED.get(file.replace("__", "/"), "")
    answer = check(tmp_path, **{file: f"{first}{line}\n"})
    number = (first + line).count("\n") + 1
    assert answer.returncode == 1
    assert answer.stdout == f"python/wavegrid/{file.replace('__', '/')}.py:{number}: {reason}"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (TABLE.replace("base = []", 'base = ["run"]'), "cycle"),
        (TABLE + "launch = []\n", "there is no folder python/wavegrid/launch"),
        (TABLE.replace('["errors"]', '["base", "errors"]'), "input may import base, but no file does"),
        (TABLE.replace('["errors"]', '["error"]'), "lists 'error'; valid are"),
        (TABLE.replace('run = ["base", "input"]\n', ""), "run is not in python/layers.toml"),
    ],
)
def test_a_wrong_table_is_refused(tmp_path, table, words):
    answer = check(tmp_path, table)
    assert answer.returncode == 1
    assert words in answer.stdout


def test_this_tree_follows_its_table():
    answer = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout
