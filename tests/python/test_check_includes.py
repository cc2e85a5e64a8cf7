"""The check of the include direction, on small trees."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_includes.py"


def check(root: Path, **files: str) -> subprocess.CompletedProcess:
    for name, text in files.items():
        path = root / "src" / (name.replace("__", "/") + ".hpp")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True)


def test_rooms_may_include_themselves_and_rooms_above(tmp_path):
    answer = check(
        tmp_path,
        base__units="#include <cmath>\n",
        mpi__comm='#include <mpi.h>\n#include "base/units.hpp"\n',
        fft__sphere='#include "fft/plan.hpp"\n#include "layout/partition.hpp"\n#include "mpi/comm.hpp"\n',
        scf__loop='// #include "realspace/mesh.hpp"\n#include "terms/xc.hpp"\n',
    )
    assert answer.returncode == 0, answer.stdout


@pytest.mark.parametrize(
    ("room", "include", "allowed"),
    [
        ("fft", '"terms/xc.hpp"', "allowed: base, mpi, layout, costmodel, exchange, basis, fft\n"),
        ("basis", "<wavegrid/fft/plan.hpp>", "allowed: base, mpi, layout, costmodel, exchange, basis\n"),
        ("layout", '"mpi/comm.hpp"', "allowed: base, layout\n"),
        ("layout", "<mpi.h>", "no MPI in this room\n"),
        ("base", '"mpi.h"', "no MPI in this room\n"),
        ("terms", '"xc.hpp"', "write room/file.hpp\n"),
    ],
)
def test_an_offence_names_file_line_and_what_is_allowed(tmp_path, room, include, allowed):
    answer = check(tmp_path, **{f"{room}__thing": f"#pragma once\n#include {include}\n"})
    assert answer.returncode == 1
    assert answer.stdout == f"src/{room}/thing.hpp:2: {room} includes {include[1:-1]}; {allowed}"


def test_a_folder_that_is_no_room_is_refused(tmp_path):
    answer = check(tmp_path, util__misc="")
    assert answer.returncode == 1
    assert answer.stdout.startswith("src/util/misc.hpp:1: util is no room; rooms: base, mpi, ")


def test_the_tree_keeps_the_direction():
    answer = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout
