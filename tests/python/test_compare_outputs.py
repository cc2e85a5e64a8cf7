"""Outputs of pw.x 6.7 and ABINIT 9.6.2 for `wavegrid compare`: all of one geometry, and damaged numbers are refused."""

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from conftest import invoke, program

from wavegrid.comparison import abinit, differences, espresso, extract, ours, read
from wavegrid.comparison.calculation import Calculation
from wavegrid.comparison.numbers import NotANumber, numbers
from wavegrid.errors import InputError
from wavegrid.units import HARTREE_IN_EV

CASES = Path(__file__).parents[1] / "reference" / "compare"
OUTPUTS = sorted(path for path in CASES.rglob("*") if path.suffix in (".pwout", ".abo"))


def pwx(case: str) -> Calculation:
    return read.read(CASES / "pwx" / f"{case}.pwout")


def of_abinit(case: str) -> Calculation:
    return read.read(CASES / "abinit" / f"{case}.abo")


def parsed(text: str, name: str) -> Calculation:
    """Read a text as the output of the program that the name of its file stands for."""
    program = abinit if name.endswith(".abo") else espresso
    return program.parse(extract.whole(text, name))


def test_numbers_touch_at_a_sign_only() -> None:
    assert numbers(" 1.5-2.25 3.D-01,-.5\n7.") == [1.5, -2.25, 0.3, -0.5, 7.0]
    for text, word in (
        ("1.0 *****", "*****"),
        ("1.0 NaN", "NaN"),
        ("1.2345.678", "1.2345.678"),
        ("1e999", "1e999"),
        ("1.0-100 2", ""),
    ):
        if word:
            with pytest.raises(NotANumber) as fault:
                numbers(text)
            assert f"'{word}'" in str(fault.value)
            assert text[fault.value.position :].startswith(word)
    assert numbers("-0.5-0.5 1E3") == [-0.5, -0.5, 1000.0]


def test_many_plane_waves() -> None:
    """From 100,000 on their number touches its bracket, and is near the k-point."""
    found = pwx("many_plane_waves")
    assert found.kpoints == [pytest.approx([0.1, 0.2, 0.3], abs=1e-6)]
    assert found.eigenvalues == [[pytest.approx([-9.7736 / HARTREE_IN_EV, 0.0113 / HARTREE_IN_EV])]]
    assert found.fermi == [pytest.approx(-9.7736 / HARTREE_IN_EV)]


def test_the_end_of_a_relaxation_did_not_converge() -> None:
    """Its own energy, not that of the last loop that converged, and no terms, levels or forces of other geometries."""
    found = pwx("unconverged_end")
    assert (found.converged, found.steps) == (False, 9)
    assert found.energies == {"free": pytest.approx(-15.73675022 / 2)}
    assert (found.eigenvalues, found.forces, found.stress, found.fermi) == ([], None, None, [])
    good = pwx("final_scf")
    assert good.converged
    assert good.energies["free"] == pytest.approx(-15.73675022 / 2)
    assert good.kpoints[0] == pytest.approx([0.25, 0.25, 0.25], abs=1e-6)
    assert good.stress is not None and good.stress[0][0] == pytest.approx(3.03e-6)
    answer = differences.compare(good, found)
    assert answer["converged"] == [True, False]
    assert set(answer["energies"]) == {"free", "free, per atom"}


def test_kpoints_of_a_changing_cell() -> None:
    """Their Cartesian coordinates change with the cell, those in units of the reciprocal vectors do not."""
    found = pwx("nstep")
    expected = [[0, 0, 0], [0, 0, -0.5], [0, -0.5, 0], [0, -0.5, -0.5]]
    assert found.kpoints == [pytest.approx(point, abs=1e-6) for point in expected]
    assert found.energies["free"] == pytest.approx(-8.23198265 / 2)
    assert found.energies["ion_ion"] == pytest.approx(-11.07340223 / 2)
    assert found.fermi == [pytest.approx(10.2465 / HARTREE_IN_EV)]
    assert found.forces is not None and found.forces[1][2] == pytest.approx(0.00517444 / 2)
    assert "has reached nstep" in found.notes[0]
    differences_found = differences.compare(found, pwx("nstep"))
    assert differences_found["eigenvalues"]["kpoints"] == [4, 4, 4]
    assert differences_found["notes"] == [found.notes[0]] * 2


def test_two_fermi_levels() -> None:
    """Levels of each spin are compared up to its own."""
    found = pwx("two_fermi_levels")
    assert found.fermi == [pytest.approx(-0.6215 / HARTREE_IN_EV), pytest.approx(-10.0808 / HARTREE_IN_EV)]
    answer = differences.compare(found, found)
    assert answer["eigenvalues"]["levels"] == 7 + 1  # below -0.6215 eV of spin up, below -10.0808 eV of spin down
    assert answer["fermi_up"] == [found.fermi[0]] * 2
    assert answer["fermi_down"] == [found.fermi[1]] * 2
    one = pwx("spin")
    assert differences.compare(one, found)["fermi_down"] == [one.fermi[0], found.fermi[1]]
    shown = invoke("compare", CASES / "pwx" / "two_fermi_levels.pwout", CASES / "pwx" / "spin.pwout").stdout
    assert "Fermi level, spin down (Ha)" in shown


def test_spin_and_spinors() -> None:
    spin, spinors = pwx("spin"), pwx("noncollinear")
    assert [len(of_spin) for of_spin in spin.eigenvalues] == [4, 4]
    assert spin.settings["k-points"] == 4
    assert spinors.spinors
    answer = differences.compare(spin, spinors)
    assert "eigenvalues" not in answer
    assert any("have two components" in note for note in answer["notes"])
    assert abs(answer["energies"]["free"][2]) < 1e-8


@pytest.mark.parametrize(
    ("case", "converged", "energy", "note"),
    [
        ("max_seconds", True, -2.20899572, "of the geometry before that in which pw.x was stopped"),
        ("max_seconds_first", False, -2.19569170, None),
        ("relax", True, -2.2267454, "has reached nstep"),
        ("crash", True, -2.28232546, "has no end"),
    ],
)
def test_pwx_that_was_stopped(case: str, converged: bool, energy: float, note: str | None) -> None:
    found = pwx(case)
    assert found.converged is converged
    assert found.energies["free"] == pytest.approx(energy / 2, abs=1e-8)
    assert [note is not None and note in one for one in found.notes] == ([True] if note else [])


def test_data_sets_of_abinit() -> None:
    """The last one with a self-consistency loop, its cutoff and bands; levels of a later path are not taken."""
    found = of_abinit("data_sets")
    assert found.settings["cutoff (Ha)"] == 6.0
    assert (found.settings["bands"], found.settings["k-points"], len(found.eigenvalues[0][0])) == (8, 2, 8)
    assert found.energies["free"] == pytest.approx(-7.88870393925241)
    assert "of 2 data sets that of number 2" in found.notes[0]
    found = of_abinit("bands_last")
    assert found.energies["free"] == pytest.approx(-7.86922679226347)
    assert (found.settings["bands"], found.settings["k-points"], len(found.kpoints)) == (4, 2, 2)
    assert "of 2 data sets that of number 1" in found.notes[0]


def test_relaxations_of_abinit() -> None:
    found = of_abinit("relaxation")
    assert (found.converged, found.steps) == (True, 3)
    assert found.energies["free"] == pytest.approx(-7.86140381653397)
    assert found.stress is not None and found.stress[0][0] == pytest.approx(1.91432211e-9)
    assert "kinetic energies within 0.5 Ha of the cutoff (ecutsm)" in found.notes[0]
    assert "has reached ntime" in of_abinit("ntime").notes[0]
    assert of_abinit("nstep").converged is False


def test_abinit_that_was_stopped() -> None:
    """Inside a loop with an energy and before it has one."""
    text = (CASES / "abinit" / "ntime.abo").read_text()
    loops = [match.start() for match in re.finditer("--- !BeginCycle", text)]
    inside = parsed(text[: text.index(" ETOT  3", loops[2])], "x.abo")
    assert (inside.converged, inside.steps, inside.forces) == (False, 2, None)
    assert set(inside.energies) == {"free"}
    before = parsed(text[: text.index(" ETOT  1", loops[2])], "x.abo")
    assert (before.converged, before.steps) == (True, 9)
    assert before.forces is not None
    assert [note.split(": ")[1] for note in before.notes] == [
        "of the geometry before that in which ABINIT was stopped",
        "has no end; ABINIT was stopped, or is still running",
    ]


def test_spin_of_abinit() -> None:
    """Of a fixed moment ABINIT prints one Fermi level, where the spins have two."""
    assert [len(of_spin) for of_spin in of_abinit("spin").eigenvalues] == [4, 4]
    assert of_abinit("spin").fermi == [pytest.approx(-0.180013287)]
    assert of_abinit("fixed_moment").fermi == []


def test_other_versions() -> None:
    """Of pw.x with threads; of ABINIT below 9, which does not print YAML."""
    text = (CASES / "al.pwout").read_text()
    ranks = "running on     8 processor cores\n     Number of MPI processes:                 4\n"
    assert parsed(text.replace("running on     1 processors\n", ranks), "x.pwout").settings["ranks"] == 4
    ranks = "running on     2 processor cores\n"
    assert "ranks" not in parsed(text.replace("running on     1 processors\n", ranks), "x.pwout").settings
    text = re.sub(r"(?s)--- !.*?\n\.\.\.\n", "", (CASES / "si.abo").read_text())
    found = parsed(text, "x.abo")
    assert (found.converged, found.steps, found.forces) == (True, 11, None)
    assert found.energies == {"free": -7.2840872962595}
    assert len(found.eigenvalues[0][0]) == 8


def test_axes_in_a_plane() -> None:
    text = (CASES / "al.pwout").read_text()
    with pytest.raises(InputError, match=r"x\.pwout:\d+: the reciprocal axes that follow lie in a plane"):
        parsed(text.replace("b(2) = (  0.000000  1.407407", "b(2) = (  0.000000  0.000000"), "x.pwout")


NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[EeD][-+]?\d+)?(?![\w.])")
DAMAGES = ("*****", "NaN", "1.0E+999", "1.234.5678", "-", "", None)  # None: the line is cut off


def damaged(text: str) -> Iterator[tuple[int, str]]:
    """Yield texts in which one number is damaged, with its line: one number of each line, another damage each time."""
    lines = text.split("\n")
    damages = itertools.cycle(DAMAGES)
    for number, line in enumerate(lines):
        if found := list(NUMBER.finditer(line)):
            match, damage = found[number % len(found)], next(damages)
            changed = line[: match.start()] + ("" if damage is None else damage + line[match.end() :])
            yield number + 1, "\n".join([*lines[:number], changed, *lines[number + 1 :]])


@pytest.mark.parametrize(
    "output",
    ["al.pwout", "si.abo", "pwx/two_fermi_levels.pwout", "pwx/max_seconds.pwout", "pwx/noncollinear.pwout",
     "pwx/crash.pwout", "abinit/nstep.abo", "abinit/spin.abo"],
)  # fmt: skip
def test_damaged_numbers(output: str) -> None:
    """A damaged number that is read is refused, with the file; another one changes nothing."""
    text = (CASES / output).read_text()
    good = parsed(text, output)
    refused, with_line = 0, 0
    for line, changed in damaged(text):
        try:
            found = parsed(changed, output)
        except InputError as fault:
            assert str(fault).startswith(f"{output}:")
            refused += 1
            with_line += f"{output}:{line}: " in str(fault)
        else:
            assert found == good or not found.energies, line
    assert refused > 10
    assert with_line > 0.7 * refused


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda path: path.name)
def test_every_output_is_compared_in_valid_json(output: Path) -> None:
    found = read.read(output)
    text = json.dumps(differences.compare(found, found), allow_nan=False)
    assert json.loads(text)["energies"]["free"][2] == 0
    assert asdict(found)["atoms"] in (1, 2)


@pytest.mark.parametrize(
    ("output", "old", "new", "words"),
    [
        ("al.pwout", "!    total energy              =      -8.51901692 Ry", "!    total energy   =  ****** Ry",
         "'******' where a finite number belongs; valid: an output without damage"),
        ("al.pwout", "-8.51901692 Ry\n     estimated scf accuracy    <          9.7", "NaN Ry\n     estimated < 9.7",
         "'NaN' where a finite number belongs"),
        ("si.abo", "total_energy        : -7.28408729625946E+00", "total_energy        : NaN", "'NaN' where"),
        ("al.pwout", "force =     0.02428415   -0.00330651    0.00330647", "force =     0.02428415   -0.0033",
         "2 numbers where 3 belong"),
    ],
)  # fmt: skip
def test_damage_is_one_line(output: str, old: str, new: str, words: str, tmp_path: Path) -> None:
    text = (CASES / output).read_text()
    path = tmp_path / "x.out"
    path.write_text(text.replace(old, new))
    line = text[: text.index(old)].count("\n") + 1
    answer = invoke("compare", CASES / output, path, "--json")
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert answer.stderr.startswith(f"error: {path}:{line}: ")
    assert words in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_a_difference_that_json_cannot_hold(tmp_path: Path) -> None:
    text = (CASES / "si.abo").read_text()
    files = [tmp_path / "a.out", tmp_path / "b.out"]
    for path, sign in zip(files, "+-", strict=True):
        path.write_text(text.replace("8.30488858805373E-01", f"{sign}1.7E+308"))
    answer = invoke("compare", *files, "--json")
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert "differences above 1e308; valid: files without damage" in answer.stderr


def test_an_output_cut_inside_a_number(tmp_path: Path) -> None:
    text = (CASES / "al.pwout").read_text()
    path = tmp_path / "x.out"
    path.write_text(text[: text.index("-0.00330647") + 7])
    with pytest.raises(InputError, match=r"x\.out:189: the line is cut off after '.* -0\.0033'"):
        read.read(path)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the text of a result.json."""
    folder = tmp_path_factory.mktemp("si")
    answer = program("run", CASES / "si.toml", "--ranks", 1, "-q", "--output", folder)
    assert answer.returncode == 0, answer.stderr
    return (folder / "result.json").read_text()


def test_damaged_results(result: str, tmp_path: Path) -> None:
    """A result.json of ours is read, or refused with its name; numbers that are not finite are refused."""
    path = tmp_path / "result.json"
    damages = itertools.cycle(("NaN", "1e999", "-Infinity", "null", "[]", "{}", '"x"', "true", "*****", ""))
    lines = result.split("\n")
    for number, line in list(enumerate(lines))[::3]:
        found = NUMBER.search(line) or re.search(r'"[^"]*"(?=,?$)|[][{}]', line)
        if found is None:
            continue
        damage = next(damages)
        changed = line[: found.start()] + damage + line[found.end() :]
        path.write_text("\n".join([*lines[:number], changed, *lines[number + 1 :]]))
        try:
            read_again = ours.read(path)
        except InputError as fault:
            assert str(fault).startswith(f"{path}: ")
        else:
            assert damage not in ("NaN", "1e999", "-Infinity")
            json.dumps(differences.compare(read_again, read_again), allow_nan=False)


@pytest.mark.parametrize("key", ["energy.free", "input.basis.ecut", "kpoints", "input.electrons"])
def test_a_result_that_cannot_be_compared(key: str, result: str, tmp_path: Path) -> None:
    content = json.loads(result)
    *tables, last = key.split(".")
    place = content
    for table in tables:
        place = place[table]
    place[last] = float("nan") if "." in key else []
    path = tmp_path / "result.json"
    path.write_text(json.dumps(content))
    answer = invoke("compare", path, CASES / "si.abo", "--json")
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert answer.stderr.startswith(f"error: {path}: ")
    assert answer.stderr.count("\n") == 1
