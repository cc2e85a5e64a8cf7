"""Bad input about k-points, spin, symmetry, process levels and tasks, and the notes on choices made."""

from collections.abc import Callable
from pathlib import Path

import fake_core
import pytest
from conftest import invoke

from wavegrid.errors import InputError
from wavegrid.job import prepare as jobs

pytestmark = pytest.mark.usefixtures("fake")

_SMEARING = 'smearing = { kind = "fermi-dirac", width = "0.2 eV" }\n'
_SPIN = 'spin = "collinear"\n'
_MOMENTS = _SPIN + "initial_magnetic_moments = "

CASES = {
    # name: (section, lines that follow its heading, words of the message, whether smearing is left out)
    "mesh of zeros": ("electrons", "kpoints = { mesh = [0,0,0] }", ["kpoints.mesh[0] = 0", "above zero", "[4, 4, 4]"]),
    "mesh of two": ("electrons", "kpoints = { mesh = [4,4] }", ["has 2 elements", "three whole numbers"]),
    "mesh of floats": ("electrons", "kpoints = { mesh = [4,4,4.5] }", ["kpoints.mesh[2] = 4.5", "not a whole number"]),
    "mesh too large": ("electrons", "kpoints = { mesh = [4000,1,1] }", ["above 1000; valid: three whole numbers"]),
    "mesh not in a table": ("electrons", "kpoints = [4,4,4]", ["kpoints = [4, 4, 4]", "not a table"]),
    "unknown k-point key": ("electrons", "kpoints = { mseh = [4,4,4] }", ["'mseh'", "did you mean 'mesh'?"]),
    "shift alone": ("electrons", "kpoints = { shift = [0,0,0] }", ["'shift' without 'mesh'"]),
    "points alone": ("electrons", "kpoints = { points = 60 }", ["'points' without 'path'"]),
    "weights alone": ("electrons", "kpoints = { weights = [1] }", ["'weights' without 'list'"]),
    "mesh and list": ("electrons", "kpoints = { mesh = [1,1,1], list = [[0,0,0]] }", ["'list' and 'mesh'"]),
    "empty list": ("electrons", "kpoints = { list = [] }", ["has 0 elements", "[[0, 0, 0], [0.5, 0, 0]]"]),
    "k-point of two": ("electrons", "kpoints = { list = [[0,0]] }", ["has 2 elements"]),
    "weights for others": (
        "electrons", "kpoints = { list = [[0,0,0]], weights = [1,2] }", ["2 weights for 1 k-point;", "one for each"],
    ),
    "negative weight": ("electrons", "kpoints = { list = [[0,0,0]], weights = [-1] }", ["weights[0] = -1"]),
    "weights of zero": ("electrons", "kpoints = { list = [[0,0,0]], weights = [0] }", ["all weights are zero"]),
    "unknown label": ("electrons", 'kpoints = { path = "GZ" }', ["unknown point 'Z'", "(CUB): G, M, R, X"]),
    "path to nowhere": ("electrons", 'kpoints = { path = "G" }', ["'G' is not a line"]),
    "too few points": ("electrons", 'kpoints = { path = "GXMG", points = 3 }', ["3 points are too few", "4 or more"]),
    "spacing without unit": ("electrons", 'kpoints = { spacing = "0.15" }', ["missing unit", '"0.15 /bohr"']),
    "spacing as a length": ("electrons", 'kpoints = { spacing = "0.15 bohr" }', ["did you mean '/bohr'?"]),
    "spacing below zero": ("electrons", 'kpoints = { spacing = "-1 /bohr" }', ["not above zero"]),
    "tiny spacing": ("electrons", 'kpoints = { spacing = "1e-300 /bohr" }', ["below 0.001"]),
    "spacing and mesh": ("electrons", 'kpoints = { mesh = [2,2,2], spacing = "1 /bohr" }', ["valid: one of them"]),
    "unknown task": ("task", 'kind = "band"', ["did you mean 'bands'?"]),
    "width without dos": ("task", 'width = "0.1 eV"', ["'width' with kind = \"scf\""]),
    "window without bands": ("task", 'window = ["-5 eV", "5 eV"]', ["'window' with", '"bands" or "dos"']),
    "window that is empty": ("task", 'kind = "dos"\nwindow = ["5 eV", "-5 eV"]', ["the first is not below the second"]),
    "window without units": ("task", 'kind = "dos"\nwindow = [-5, 5]', ["missing unit", '["-15 eV", "10 eV"]']),
    "no unit of width": ("task", 'kind = "dos"\nwidth = 0.1', ["missing unit"]),
    "symmetry of a list": (
        "symmetry", "use = true\n[electrons.kpoints]\nlist = [[0,0,0]]", ["use = true with a list", "or a mesh"],
    ),
    "symmetry as a text": ("symmetry", 'use = "yes"', ['use = "yes"', "neither true nor false"]),
    "unknown spin": ("electrons", 'spin = "colinear"', ["did you mean 'collinear'?"]),
    "moments without spin": (
        "electrons", "initial_magnetic_moments = { Al = 1 }",
        ["initial_magnetic_moments without spin", 'spin = "collinear"'],
    ),
    "total moment without spin": ("electrons", "total_magnetisation = 1", ["total_magnetisation without spin"]),
    "moment of another element": ("electrons", _MOMENTS + "{ Fe = 2 }", ["'Fe'", "not in the structure", "Al"]),
    "moment too large": ("electrons", _MOMENTS + "{ Al = 3.5 }", ["3 valence electrons", "from -3 to 3"]),
    "moments for other atoms": ("electrons", _MOMENTS + "[1,2,3]", ["3 initial_magnetic_moments for 4", "valid: 4"]),
    "moments of nothing": ("electrons", _MOMENTS + "[]", ["neither a table of moments nor a list"]),
    "moment as a text": ("electrons", _MOMENTS + '{ Al = "1" }', ["not a finite number"]),
    "total moment too large": ("electrons", _SPIN + "total_magnetisation = 13", ["of 12 electrons", "from -12 to 12"]),
    "total moment of bands": ("electrons", _SPIN + "total_magnetisation = 10", ["= 10 cannot hold", "at least 12"]),
    "total moment not filled": (
        "electrons", _SPIN + "total_magnetisation = 1.5", ["6.75 up and 5.25 down", "valid: 0 or 2"], True,
    ),
    "charge takes all": ("electrons", "charge = 12", ["leaves none of the 12 electrons", "less than 12"]),
    "odd electrons, fixed": (
        "electrons", "charge = 1", ["even number of electrons, found 11", "smearing =", 'spin = "collinear"'], True,
    ),
    "half an electron, fixed": ("electrons", _SPIN + "charge = 0.5", ["whole number of electrons, found 11.5"], True),
    "no empty band": ("task", 'kind = "dos"\n[electrons.kpoints]\nmesh = [2,2,2]', ["no empty band", "at least"], True),
    "groups of nothing": ("parallel", "kpoint_groups = 0", ["kpoint_groups = 0", "not above zero"]),
    "too many k-point groups": (
        "parallel", "kpoint_groups = 5", ["kpoint_groups = 5 does not fit on 4 ranks", "valid: kpoint_groups = 4"],
    ),
    "too many groups": (
        "parallel", "kpoint_groups = 2\nband_groups = 3",
        ["kpoint_groups x band_groups = 2 x 3 = 6 do not fit on 4 ranks", "kpoint_groups = 2, band_groups = 2"],
    ),
    "rows alone": ("parallel", "rows = 2", ["'rows' without 'columns'"]),
    "columns alone": ("parallel", "columns = 2", ["'columns' without 'rows'"]),
    "rows and columns": ("parallel", "rows = 3\ncolumns = 1", ["rows x columns = 3 x 1 = 3", "rows = 4, columns = 1"]),
    "all four": (
        "parallel", "kpoint_groups = 2\nband_groups = 1\nrows = 1\ncolumns = 1",
        ["x band_groups x rows x columns = 2 x 1 x 1 x 1 = 2 do not fit on 4 ranks", "valid: kpoint_groups = "],
    ),
    "unknown format": ("output", 'density = "vasp"', ['density = "vasp" is unknown', '"cube", "xsf" or "chgcar"']),
    "direct with smearing": ("scf", 'method = "direct"', ['method = "direct" with smearing', '"mixing"']),
    "direct in single": (
        "scf", 'method = "direct"\nprecision = "mixed"', ['precision = "mixed" with method = "direct"'], True,
    ),
    "unknown precision": ("scf", 'precision = "single"', ['"auto", "mixed" or "double"']),
}  # fmt: skip


def spoil(write: Callable[..., Path], section: str, lines: str, *, fixed: bool = False) -> Path:
    """Write the good input with lines after a section's heading, which is made where it is missing."""
    text = write().read_text()
    heading = f"[{section}]\n"
    changes = [(heading, heading + lines + "\n")] if heading in text else [("[scf]\n", f"{heading}{lines}\n[scf]\n")]
    changes += [(_SMEARING, ""), ("bands = 10", "bands = 6")] if fixed else []
    return write(*changes)


@pytest.mark.parametrize("case", CASES)
def test_names_file_line_and_valid_choices(case: str, write: Callable[..., Path]) -> None:
    section, lines, words, *fixed = CASES[case]
    path = spoil(write, section, lines, fixed=bool(fixed))
    result = invoke("check", path, "--ranks", 4)
    assert result.exit_code == 2, result.output
    assert result.output.startswith(f"error: {path}:"), result.output
    assert result.output.count("\n") == 1
    for word in words:
        assert word in result.output, result.output
    number = int(result.output.removeprefix(f"error: {path}:").partition(":")[0])
    blamed = path.read_text().splitlines()[number - 1]
    assert blamed.startswith((lines.split()[0], lines.split("\n")[-1].split()[0], f"[{section}]", "bands =")), blamed
    assert "valid" in result.output or "possible" in result.output


def prepare(write: Callable[..., Path], section: str, lines: str, **options) -> tuple[dict, str]:
    """Return the problem and all notes of an input."""
    job = jobs.prepare(fake_core, spoil(write, section, lines, **options), ranks=4)
    return job.problem, "\n".join(job.notes)


def test_k_points_reach_the_core(write: Callable[..., Path]) -> None:
    found, _ = prepare(write, "electrons", "kpoints = { mesh = [4,4,2], shift = [0.5,0.5,0] }")
    assert found["kpoints"] == {"mesh": [4, 4, 2], "shift": [0.5, 0.5, 0.0]}
    assert found["symmetry"]
    found, notes = prepare(write, "electrons", "kpoints = { list = [[0,0,0],[0.5,0,0]], weights = [1,3] }")
    assert found["kpoints"] == {"list": [[0, 0, 0, 0.25], [0.5, 0, 0, 0.75]]}
    assert not found["symmetry"]
    assert "add up to 4" in notes
    found, notes = prepare(write, "electrons", "kpoints = { list = [[0,0,0],[0.5,0,0]] }")
    assert [point[3] for point in found["kpoints"]["list"]] == [0.5, 0.5]
    assert "add up" not in notes


def test_gamma_alone_uses_no_symmetry_unless_asked(write: Callable[..., Path]) -> None:
    assert prepare(write, "scf", "max_steps = 9")[0]["kpoints"] is None
    assert not prepare(write, "electrons", "kpoints = { mesh = [1,1,1] }")[0]["symmetry"]
    found = prepare(write, "symmetry", "use = true")[0]
    assert found["symmetry"]
    assert found["kpoints"]["mesh"] == [1, 1, 1]
    lines = "use = false\n[electrons.kpoints]\nmesh = [2,2,2]"
    assert not prepare(write, "symmetry", lines)[0]["symmetry"]


def test_the_default_grid_has_the_symmetry(write: Callable[..., Path]) -> None:
    grids = []
    for lines in ("kpoints = { mesh = [2,2,2] }", "kpoints = { list = [[0,0,0.25]] }"):
        path = spoil(write, "electrons", lines)
        path.write_text(path.read_text().replace("grid = [16,16,16]\n", "").replace('"240 eV"', '"230 eV"'))
        grids.append(jobs.prepare(fake_core, path).problem["grid"])
    assert grids[0] == list(fake_core.symmetric_grid({}, grids[1]))


def test_a_path_alone_gets_a_mesh_and_says_so(write: Callable[..., Path]) -> None:
    path = spoil(write, "electrons", 'kpoints = { path = "GXM", points = 30 }')
    job = jobs.prepare(fake_core, path)
    assert job.task["kind"] == "bands"
    assert job.problem["kpoints"]["mesh"] == [6, 6, 6]  # 2 pi / 7.65 bohr = 0.82/bohr
    assert len(job.problem["band_path"]) == len(job.task["path"]["x"]) == 30
    assert job.task["path"]["labels"] == ["G", "X", "M"]
    assert "a mesh of 6 x 6 x 6" in job.notes[0]
    _, notes = prepare(write, "task", 'kind = "scf"\n[electrons.kpoints]\nmesh = [2,2,2]\npath = "GX"')
    assert 'the path "GX" is not used' in notes


def test_moments_reach_every_atom(write: Callable[..., Path]) -> None:
    assert prepare(write, "electrons", _MOMENTS + "{ Al = 1.5 }")[0]["initial_magnetic_moments"] == [1.5] * 4
    assert prepare(write, "electrons", _MOMENTS + "[1,-1,1,-1]")[0]["initial_magnetic_moments"] == [1, -1, 1, -1]
    found, notes = prepare(write, "electrons", _SPIN)
    assert (found["initial_magnetic_moments"], found["spins"]) == ([0.5] * 4, 2)
    assert "half of those of the free atoms, all parallel (Al 0.5)" in notes
    found, notes = prepare(write, "electrons", _SPIN + "total_magnetisation = 0")
    assert found["initial_magnetic_moments"] == []
    assert "starts unpolarised" in notes
    assert "starts unpolarised" in prepare(write, "electrons", _MOMENTS + "{ Al = 0 }")[1]
    path = spoil(write, "electrons", _MOMENTS + "[1,-1,1,-1]")
    path.write_text(path.read_text().replace("[structure]", "[structure]\nsupercell = [1,1,2]"))
    path.write_text(path.read_text().replace("bands = 10\n", "").replace("grid = [16,16,16]\n", ""))
    assert jobs.prepare(fake_core, path).problem["initial_magnetic_moments"] == [1, -1, 1, -1] * 2


@pytest.mark.parametrize(
    ("lines", "fixed", "bands"),
    [
        ("", True, 6),
        ("", False, 12),
        ("charge = 2", True, 5),
        ("charge = -1.5", False, 13),
        (_SPIN + "total_magnetisation = 2", True, 7),
        (_SPIN + "total_magnetisation = -4", False, 14),
        (_SPIN + "charge = 1", True, 8),  # 11 electrons, moments of 2, an empty band
        (_SPIN, False, 13),
        ("charge = -12", False, 19),
    ],
)
def test_default_bands(lines: str, fixed: bool, bands: int, write: Callable[..., Path]) -> None:
    path = spoil(write, "electrons", lines, fixed=fixed)
    text = path.read_text()
    path.write_text(text.replace("bands = 6\n", "").replace("bands = 10\n", ""))
    assert jobs.prepare(fake_core, path).problem["bands"] == bands


@pytest.mark.parametrize(
    ("lines", "ranks"),
    [("kpoint_groups = 3", 4), ("kpoint_groups = 2\nband_groups = 2", 5), ("rows = 2\ncolumns = 1", 4)],
)
def test_parallel_layouts_that_fit(lines: str, ranks: int, write: Callable[..., Path]) -> None:
    path = spoil(write, "parallel", lines)
    assert jobs.prepare(fake_core, path, ranks=ranks)
    assert jobs.prepare(fake_core, path)


def test_the_parallel_layout_is_checked_before_the_start(write: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="does not fit on 1 rank"):
        jobs.prepare(fake_core, spoil(write, "parallel", "kpoint_groups = 2"), ranks=1)
