"""The check of the module graph, on small trees."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_includes.py"

TABLE = """\
base = []
mpi = ["base"]
layout = ["base"]
fft = ["layout", "mpi"]
"""

# One file for each permission of TABLE.
USED = {
    "mpi__comm": "#include <mpi.h>\n#include <wavegrid/base/units.hpp>\n",
    "layout__partition": "#include <wavegrid/base/units.hpp>\n#include <wavegrid/layout/blocks.hpp>\n",
    "fft__sphere": "".join(
        f"#include <wavegrid/{name}>\n" for name in ("fft/plan.hpp", "layout/partition.hpp", "mpi/comm.hpp")
    ),
}


def check(root: Path, *options: str, table: str = TABLE, **files: str) -> subprocess.CompletedProcess:
    for name, text in {"base__units": "#include <cmath>\n", **USED, **files}.items():
        path = root / "src" / (name.replace("__", "/") + ".hpp")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "src" / "modules.toml").write_text(table)
    return subprocess.run([sys.executable, SCRIPT, *options, root], capture_output=True, text=True)


def test_a_module_may_include_itself_and_what_its_entry_lists(tmp_path):
    answer = check(tmp_path, layout__comment="// #include <wavegrid/fft/sphere.hpp>\n#include <vector>\n")
    assert answer.returncode == 0, answer.stdout


@pytest.mark.parametrize(
    ("module", "include", "reason"),
    [
        ("mpi", "<wavegrid/fft/plan.hpp>", "allowed: base\n"),
        (
            "fft",
            "<wavegrid/base/units.hpp>",
            "allowed: layout, mpi\n",
        ),  # not what layout and mpi include
        ("layout", "<wavegrid/fft/plan.hpp>", "allowed: base\n"),
        ("layout", "<wavegrid/mpi/comm.hpp>", "allowed: base\n"),
        ("layout", "<mpi.h>", "allowed: base\n"),
        ("base", '"mpi.h"', "allowed: itself alone\n"),
        ("fft", '"plan.hpp"', "write <wavegrid/module/file.hpp>\n"),
        ("fft", '"layout/partition.hpp"', "write <wavegrid/module/file.hpp>\n"),
    ],
)
def test_a_violation_names_file_line_and_what_is_allowed(tmp_path, module, include, reason):
    answer = check(tmp_path, **{f"{module}__thing": f"#pragma once\n#include {include}\n"})
    assert answer.returncode == 1
    assert answer.stdout == f"src/{module}/thing.hpp:2: {module} includes {include[1:-1]}; {reason}"


def test_a_folder_without_an_entry_is_refused(tmp_path):
    answer = check(tmp_path, util__misc="")
    assert answer.returncode == 1
    assert answer.stdout == "src/util/misc.hpp:1: util is not in src/modules.toml; modules: base, mpi, layout, fft\n"


def test_an_entry_without_a_folder_is_refused(tmp_path):
    answer = check(tmp_path, table=TABLE + "mesh = []\n")
    assert answer.returncode == 1
    assert answer.stdout == "src/modules.toml: there is no folder src/mesh\n"


def test_a_permission_that_no_file_uses_is_reported(tmp_path):
    answer = check(tmp_path, fft__sphere="#include <wavegrid/layout/partition.hpp>\n")
    assert answer.returncode == 1
    assert answer.stdout == "src/modules.toml: fft may include mpi, but no file does; remove it\n"


def test_a_cycle_is_named(tmp_path):
    answer = check(
        tmp_path, table=TABLE.replace("base = []", 'base = ["fft"]'), base__units="#include <wavegrid/fft/plan.hpp>\n"
    )
    assert answer.returncode == 1
    assert answer.stdout == "src/modules.toml: the modules form a cycle: base -> fft -> layout -> base\n"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('fft = ["terms"]', "src/modules.toml: fft lists 'terms'; valid are base, mpi, layout"),
        ('fft = "base"', "src/modules.toml: fft needs a list of modules, not 'base'"),
        ("fft =", "Invalid value (at line 4, column 6)"),
    ],
)
def test_a_bad_table_is_refused(tmp_path, entry, message):
    answer = check(tmp_path, table=TABLE.replace('fft = ["layout", "mpi"]', entry))
    assert answer.returncode == 1
    assert answer.stdout == f"includes: {message}\n"


def test_the_graph_leaves_out_edges_that_a_path_implies(tmp_path):
    table = TABLE.replace('fft = ["layout", "mpi"]', 'fft = ["base", "layout", "mpi"]')
    answer = check(tmp_path, "--mermaid", table=table)
    assert answer.stdout.splitlines() == [
        "flowchart TD",
        "  mpi --> base",
        "  layout --> base",
        "  fft --> layout",
        "  fft --> mpi",
    ]


@pytest.mark.parametrize(("line", "code"), [("  fft --> mpi", 0), ("  mpi --> fft", 1)])
def test_the_drawing_in_the_documentation_is_that_of_the_table(tmp_path, line, code):
    drawing = f"flowchart TD\n  mpi --> base\n  layout --> base\n  fft --> layout\n{line}"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/architecture.md").write_text(f"text\n```mermaid\n{drawing}\n```\nmore\n")
    answer = check(tmp_path)
    assert answer.returncode == code
    assert ("docs/architecture.md: the drawing is not that of src/modules.toml" in answer.stdout) == bool(code)


def test_the_source_tree_follows_its_table():
    answer = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout
