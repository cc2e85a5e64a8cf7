"""A session of the core: solved again after atoms and cell have moved."""

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import json, sys
from pathlib import Path
from wavegrid.process import core_loader
from wavegrid.job.prepare import prepare
core = core_loader.load()
core.mpi_start()
problem = prepare(core, Path(sys.argv[1])).problem
session = core.Session(problem)
energies, steps = [], []
def solve():
    result = session.solve(lambda step: steps.append(step["step"]))
    energies.append([result["energy"]["free"], len(result["kpoints"])])
solve()
session.set_positions([[0, 0, 0], [0.25, 0.26, 0.25]])
solve()
session.set_cell([[0, 5.2, 5.2], [5.13, 0, 5.13], [5.13, 5.13, 0]])
solve()
try:
    session.set_positions([[0, 0, 0]])
except core.BadInput as fault:
    message = str(fault)
print(json.dumps({"energies": energies, "steps": steps, "message": message}))
"""
INPUT = """
[structure]
cell = {cell}
unit = "bohr"
coordinates = "fractional"
atoms = [["Si", 0, 0, 0], ["Si", {second}]]
[basis]
ecut = "5 Ha"
grid = [15, 15, 15]
[electrons]
xc = "LDA_XC_TETER93"
pseudopotentials = "gth-lda"
kpoints = {{ mesh = [2, 2, 2] }}
[scf]
energy_tolerance = "1e-11 Ha"
"""
CUBIC = "[[0, 5.13, 5.13], [5.13, 0, 5.13], [5.13, 5.13, 0]]"
STRAINED = "[[0, 5.2, 5.2], [5.13, 0, 5.13], [5.13, 5.13, 0]]"


def run(program: str, *arguments: Path) -> dict:
    """Run a program in a process of its own, which starts MPI, and return what it prints."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    answer = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def write(folder: Path, name: str, cell: str, second: str) -> Path:
    """Write an input file and return its path."""
    path = folder / name
    path.write_text(INPUT.format(cell=cell, second=second))
    return path


def test_each_solve_is_as_from_scratch(tmp_path: Path) -> None:
    perfect = write(tmp_path, "perfect.toml", CUBIC, "0.25, 0.25, 0.25")
    answer = run(PROGRAM, perfect)
    alone = [
        write(tmp_path, "moved.toml", CUBIC, "0.25, 0.26, 0.25"),
        write(tmp_path, "strained.toml", STRAINED, "0.25, 0.26, 0.25"),
    ]
    scratch = """
import json, sys
from pathlib import Path
from wavegrid.process import core_loader
from wavegrid.job.prepare import prepare
core = core_loader.load()
core.mpi_start()
results = [core.Session(prepare(core, Path(path)).problem).solve() for path in sys.argv[1:]]
print(json.dumps([[result["energy"]["free"], len(result["kpoints"])] for result in results]))
"""
    expected = run(scratch, perfect, *alone)
    for (energy, points), (of_scratch, points_of_scratch) in zip(answer["energies"], expected, strict=True):
        assert abs(energy - of_scratch) < 1e-9
        assert points == points_of_scratch
    assert answer["energies"][1][1] > answer["energies"][0][1]  # the displaced crystal has less symmetry
    assert answer["steps"].count(1) == 3
    assert answer["message"] == "there are 1 positions for 2 atoms; give one for each"
