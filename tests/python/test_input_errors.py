"""Every kind of bad input: one line that names file and line, what is valid, the nearest name; exit code 2."""

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import invoke

pytestmark = pytest.mark.usefixtures("fake")

CASES = {
    # name: (what is replaced, by what, line, words of the message)
    "unknown key": ("ecut =", "ecutt =", 9, ["unknown key 'ecutt' in [basis]", "ecut, grid", "did you mean 'ecut'?"]),
    "unknown section": ("[scf]", "[sfc]", 16, ["unknown section", "'sfc'", "did you mean 'scf'?"]),
    "key in the wrong section": ("grid =", "bands =", 10, ["unknown key 'bands'", "'bands' in [electrons]"]),
    "unknown inline key": ("kind =", "kin =", 15, ["unknown key 'kin'", "did you mean 'kind'?"]),
    "bare number": ('"240 eV"', "240", 9, ["ecut = 240: missing unit", "eV, Ry or Ha"]),
    "no unit": ('"0.2 eV"', '"0.2"', 15, ["smearing.width", "missing unit"]),
    "unknown unit": ('"240 eV"', '"240 kJ"', 9, ["unknown unit 'kJ'", "eV, Ry or Ha"]),
    "negative cutoff": ('"240 eV"', '"-240 eV"', 9, ["not above zero"]),
    "missing length unit": ('unit = "angstrom"\n', "", 2, ["missing unit", '"angstrom" or "bohr"']),
    "wrong length unit": ('"angstrom"', '"angstroms"', 4, ["is unknown", "did you mean 'angstrom'?"]),
    "missing key": ('ecut = "240 eV"\n', "", 8, ["[basis] lacks 'ecut'", "such as"]),
    "unknown element": ('["Al",0.5,0,', '["Alu",0.5,0,', 6, ["unknown element 'Alu'", "'Al'"]),
    "element in lower case": ('["Al",0.5,0,', '["al",0.5,0,', 6, ["unknown element 'al'", "did you mean 'Al'"]),
    "element by name": ('["Al",0.5,0,', '["Aluminium",0.5,0,', 6, ["did you mean 'Al'?"]),
    "dummy element": ('["Al",0.5,0,', '["X",0.5,0,', 6, ["unknown element 'X'"]),
    "short atom": ('["Al",0.5,0,0.5]', '["Al",0.5,0]', 6, ["atoms[2]", "a list of up to 100000 atoms"]),
    "atom not a number": ('["Al",0.5,0,0.5]', '["Al",0.5,nan,0.5]', 6, ["not a finite number"]),
    "overlapping atoms": (',["Al",0,0.5,0.5]', ',["Al",0,0.01,0.99]', 5, ["overlapping atoms", "atom 1", "atom 2"]),
    "flat cell": ("[0,0,4.05]", "[4.05,4.05,0]", 3, ["span no volume"]),
    "zero vector": ("[0,0,4.05]", "[0,0,0]", 3, ["span no volume"]),
    "two vectors": (",[0,0,4.05]]", "]", 3, ["cell", "has 2 elements", "three lattice vectors"]),
    "infinite cell": ("[0,0,4.05]", "[0,0,inf]", 3, ["cell[2][2]", "not a finite number"]),
    "wrong coordinates": ('"fractional"', '"fract"', 7, ["is unknown", "did you mean 'fractional'?"]),
    "grid too small": ("[16,16,16]", "[16,10,16]", 10, ["too small for the cutoff", "at least [11, 11, 11]"]),
    "grid of zero": ("[16,16,16]", "[16,0,16]", 10, ["grid[1] = 0", "not above zero"]),
    "grid of floats": ("[16,16,16]", "[16,16.0,16]", 10, ["grid[1] = 16.0", "not a whole number"]),
    "grid of one": ("[16,16,16]", "16", 10, ["grid = 16", "not a list", "three whole numbers"]),
    "unknown functional": ("LDA_XC_TETER93", "LDA_XC_TETER", 12, ["no functional", "LDA_XC_TETER93"]),
    "unknown table": (
        '"gth-lda"',
        '"gth-lad"',
        13,
        ["neither a shipped table nor", "did you mean 'gth-lda'?"],
    ),
    "missing pseudopotential file": ('"gth-lda"', '{ Al = "no/such.gth" }', 13, ["no/such.gth", "gth-lda, gth-pbe"]),
    "element without entry": ('"gth-lda"', '{ Li = "gth-lda" }', 13, ["lack 'Al'"]),
    "entry for no element": ('"gth-lda"', '{ Ai = "gth-lda" }', 13, ["unknown element 'Ai'"]),
    "unknown valence": ('"gth-lda"', '{ Al = "gth-lda-q5" }', 13, ["no Al with 5", "gth-lda-q3"]),
    "too few bands": ("bands = 10", "bands = 6", 14, ["cannot hold 12 electrons", "at least 7"]),
    "bands not whole": ("bands = 10", "bands = 10.5", 14, ["bands = 10.5", "not a whole number"]),
    "bands true": ("bands = 10", "bands = true", 14, ["bands = true", "not a whole number"]),
    "bands beyond the basis": ("bands = 10", "bands = 99999", 14, ["99999 bands for 15203 plane waves"]),
    "unknown smearing": ('"fermi-dirac"', '"fermi"', 15, ["smearing.kind", "did you mean 'fermi-dirac'?"]),
    "smearing not a table": ("{ kind", '"fd" # { kind', 15, ["smearing", "not a table", "fermi-dirac"]),
    "unknown eigensolver": ('"rmm-diis"', '"rmm-diss"', 17, ["did you mean 'rmm-diis'?"]),
    "unknown partition": ('partition = "auto"', 'partition = "cyclc"', 20, ["did you mean 'cyclic'?"]),
    "unknown transport": ('transport = "auto"', 'transport = "pair"', 21, ["pairwise"]),
    "directory not a text": ('"out"', "3", 23, ["directory = 3", "not a text"]),
    "file and cell": ("[structure]", '[structure]\nfile = "a.cif"', 4, ["'cell' together with file"]),
    "section as value": ("[output]\ndirectory =", "output =", 22, ["unknown key 'output' in [parallel]"]),
    "broken TOML": ('"240 eV"', '"240 eV', 9, ["not valid TOML"]),
    "key twice": ("[basis]", '[basis]\necut = "1 Ha"', 10, ["not valid TOML"]),
}


@pytest.mark.parametrize("case", CASES)
def test_names_file_line_and_valid_choices(case: str, write: Callable[..., Path]) -> None:
    old, new, line, words = CASES[case]
    path = write((old, new))
    result = invoke("check", path)
    assert result.exit_code == 2, result.output
    assert result.output.startswith(f"error: {path}:{line}: "), result.output
    assert result.output.count("\n") == 1
    for word in words:
        assert word in result.output
    assert case in ("broken TOML", "key twice", "flat cell") or "valid: " in result.output


def test_good_input_passes(write: Callable[..., Path]) -> None:
    result = invoke("check", write())
    assert result.exit_code == 0
    assert "4 atoms, 12 electrons, 10 bands" in result.output


def test_odd_electrons_need_smearing(write: Callable[..., Path]) -> None:
    path = write(
        (',["Al",0,0.5,0.5],\n         ["Al",0.5,0,0.5],["Al",0.5,0.5,0]', ""),
        ('smearing = { kind = "fermi-dirac", width = "0.2 eV" }\n', ""),
    )
    result = invoke("check", path)
    assert result.exit_code == 2
    assert "even number of electrons, found 3" in result.output


@pytest.mark.parametrize("command", ["run", "check", "partition"])
def test_missing_input_file(command: str, write: Callable[..., Path]) -> None:
    path = write(name="input.toml").parent / "imput.toml"
    result = invoke(command, path)
    assert result.exit_code == 2
    assert result.output.startswith(f"error: {path}: no such file")
    assert "did you mean 'input.toml'?" in result.output


def test_missing_structure_file(write: Callable[..., Path]) -> None:
    start, rest = "cell = ", "[basis]"
    text = write().read_text()
    path = write((text[text.index(start) : text.index(rest)], 'file = "none.cif"\n'))
    (path.parent / "one.cif").write_text("")
    result = invoke("check", path)
    assert result.exit_code == 2
    assert result.output.startswith(f"error: {path}:3: no such file")
    assert "did you mean 'one.cif'?" in result.output


@pytest.mark.parametrize("text", ["0", "-2", "1.5", "two", "", "8,", "8,0"])
@pytest.mark.parametrize("command", ["run", "check", "partition"])
def test_bad_rank_counts(command: str, text: str, write: Callable[..., Path]) -> None:
    result = invoke(command, write(), f"--ranks={text}")
    assert result.exit_code == 2
    assert result.output.startswith("error: --ranks")
    assert "valid: 1, 2, 3" in result.output


def test_not_a_text_file(tmp_path: Path) -> None:
    path = tmp_path / "in.toml"
    path.write_bytes(b"title = 'a'\nx = '\xff'\n")
    result = invoke("check", path)
    assert (result.exit_code, result.output.startswith(f"error: {path}:2: ")) == (2, True)
    result = invoke("check", tmp_path)
    assert (result.exit_code, "is a directory, not a file" in result.output) == (2, True)


def test_refused_input_touches_nothing(write: Callable[..., Path]) -> None:
    path = write(("bands = 10", "bands = 0"))
    assert invoke("run", path, "--output", path.parent / "out").exit_code == 2
    assert not (path.parent / "out").exists()
