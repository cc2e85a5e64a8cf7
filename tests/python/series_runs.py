"""Runs of tasks that are a series of geometries: coarse silicon, whole and continued."""

from pathlib import Path

from conftest import program, read_result

SILICON = """\
[structure]
cell = [[0, {half}, {half}], [{half}, 0, {half}], [{half}, {half}, 0]]
coordinates = "fractional"
unit = "bohr"
atoms = [["Si", 0, 0, 0], ["Si", 0.25, 0.25, 0.25]]
{structure}[basis]
ecut = "5 Ha"
{basis}[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
kpoints = {{ mesh = [2, 2, 2] }}
{electrons}[scf]
energy_tolerance = "1e-10 Ha"
{end}"""
HALF = 5.1  # bohr


def text(end: str, *, half: float = HALF, structure: str = "", basis: str = "", electrons: str = "") -> str:
    """Return the input with these sections at its end, and further lines of others."""
    return SILICON.format(half=half, structure=structure, basis=basis, electrons=electrons, end=end)


def run_text(folder: Path, content: str, *options: object, ranks: int = 1, code: int = 0) -> dict:
    """Run an input in a folder; return its result.json, with what was printed as `screen`."""
    folder.mkdir(exist_ok=True)
    (folder / "si.toml").write_text(content)
    answer = program("run", folder / "si.toml", "--ranks", ranks, "--output", folder / "out", *options)
    assert answer.returncode == code, answer.stderr + answer.stdout
    return read_result(folder / "out") | {"screen": answer.stdout}


def continued(whole: Path, cut: Path, frames: int, *, ranks: int) -> dict:
    """Continue what a run in the folder `whole` has left after some frames, in the folder `cut`; return result.json."""
    lines = (whole / "out/trajectory.extxyz").read_text().splitlines(keepends=True)
    length = int(lines[0]) + 2
    cut.mkdir(exist_ok=True)
    path = cut / "trajectory.extxyz"
    path.write_text("".join(lines[: frames * length]) + f"{lines[0]}Lattice=")  # as a kill leaves it
    found = run_text(cut, (whole / "si.toml").read_text(), "--restart", path, ranks=ranks)
    assert found["screen"].count("from file") == frames
    return found


def refused(folder: Path, content: str) -> str:
    """Return the message with which the input is refused before anything is computed."""
    (folder / "si.toml").write_text(content)
    answer = program("check", folder / "si.toml")
    assert answer.returncode == 2, answer.stdout
    return answer.stderr
