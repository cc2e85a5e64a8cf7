"""`wavegrid compare`: with pw.x 6.7 and ABINIT 9.6.2 for the same cases, their inputs, and what is refused."""

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import invoke, program

import wavegrid
from wavegrid.comparison import differences, functionals
from wavegrid.comparison.calculation import Calculation
from wavegrid.comparison.inputs import potentials
from wavegrid.comparison.inputs.case import Potential
from wavegrid.crystal import symmetry
from wavegrid.process import core_loader

CASES = Path(__file__).parents[1] / "reference" / "compare"


def compared(case: str, output: str, folder: Path) -> dict:
    """Run our input of a case and return its comparison with the other program's output."""
    answer = program("run", CASES / f"{case}.toml", "--ranks", 1, "-q", "--output", folder / case)
    assert answer.returncode == 0, answer.stderr
    answer = invoke("compare", folder / case, CASES / output, "--json")
    assert answer.exit_code == 0, answer.stderr
    shown = invoke("compare", folder / case, CASES / output).stdout
    assert "free, per atom" in shown
    return json.loads(answer.stdout)


def test_functionals_have_one_name() -> None:
    name = "LDA_X+LDA_C_PW"
    assert {functionals.of_ours("LDA-PW"), functionals.of_espresso("SLA+PW"), functionals.of_abinit(7)} == {name}
    assert functionals.of_abinit(-1012) == name and functionals.of_abinit(-101130) == "GGA_X_PBE+GGA_C_PBE"
    assert [functionals.of_abinit(one) for one in (-20, 1, -999)] == ["LDA_XC_TETER93"] * 2 + ["ixc -999"]


def test_with_abinit(tmp_path: Path) -> None:
    found = compared("si", "si.abo", tmp_path)
    assert found["programs"][1] == "ABINIT 9.6.2"
    assert found["converged"] == [True, True]
    assert found["settings"] == {}
    differences = {name: abs(values[2]) for name, values in found["energies"].items()}
    assert differences["free"] < 2e-9
    assert differences["ion_ion"] < 1e-9
    assert set(differences) >= {"kinetic", "hartree", "xc", "local", "local_g0", "nonlocal", "one-electron"}
    assert max(differences.values()) < 3e-6  # of first order in the error of the density
    assert found["eigenvalues"]["levels"] == 4
    assert found["eigenvalues"]["largest"] < 6e-6  # it prints five decimals
    assert found["forces"] < 3e-7
    assert found["stress"] < 1e-8
    assert found["steps"][1] == 11
    assert found["seconds"][1] > 0
    assert found["notes"] == []


def test_with_pwx(tmp_path: Path) -> None:
    """Its grid is larger; its levels contain the G = 0 part of the local pseudopotentials."""
    found = compared("al", "al.pwout", tmp_path)
    assert found["programs"][1] == "pw.x 6.7MaX"
    assert set(found["settings"]) == {"functional", "FFT grid"}
    differences = {name: abs(values[2]) for name, values in found["energies"].items()}
    assert set(differences) == {
        "free",
        "internal",
        "entropy",
        "one-electron",
        "hartree",
        "xc",
        "ion_ion",
        "free, per atom",
    }
    assert max(differences.values()) < 5e-6
    of_levels = found["eigenvalues"]
    assert of_levels["kpoints"] == [2, 2, 2]
    assert of_levels["mean"] == pytest.approx(0.05609008 / 6, abs=2e-6)
    assert of_levels["largest_without_mean"] < 5e-6
    assert found["forces"] < 5e-7
    assert found["stress"] < 1e-7
    assert len(found["notes"]) == 1


def test_settings_that_differ_are_named() -> None:
    """Of two inputs of ours, key by key."""
    one = Calculation("a", "wavegrid", energies={"free": 1.0}, settings={"ranks": 1}, input={"basis": {"ecut": "5 Ha"}})
    other = replace(one, settings={"ranks": 2}, input={"basis": {"ecut": "6 Ha"}, "symmetry": {"use": False}})
    found = differences.compare(one, other)
    assert found["settings"] == {"basis.ecut": ["5 Ha", "6 Ha"], "symmetry.use": [None, False], "ranks": [1, 2]}


def test_equivalent_kpoints_correspond() -> None:
    """By rotations, which keep moments: (0.1, 0) and (-0.1, 0.1) of a hexagonal lattice, not (0.1, 0.1)."""
    cell = [[4.0, 0.0, 0.0], [-2.0, 2.0 * 3**0.5, 0.0], [0.0, 0.0, 9.0]]
    atoms = (["C", "C"], [[1 / 3, 2 / 3, 0.0], [2 / 3, 1 / 3, 0.0]])
    rotations = symmetry.of_crystal(cell, *atoms, None)
    assert len(rotations) == 24
    assert len(symmetry.of_crystal(cell, *atoms, [1.0, -1.0])) == 12
    assert len(symmetry.of_crystal(cell, ["C", "N"], atoms[1], None)) == 12
    one = Calculation("a", "wavegrid", kpoints=[[0.1, 0.0, 0.0]], eigenvalues=[[[1.0]]], rotations=rotations)
    for point, expected in (([-0.1, 0.1, 0.0], 0.5), ([0.0, 0.1, 1.0], 0.5), ([0.1, 0.1, 0.0], None)):
        other = Calculation("b", "pw.x", kpoints=[point], eigenvalues=[[[1.5]]])
        found = differences.compare(one, other)
        assert found.get("eigenvalues", {}).get("largest") == expected
        assert found["notes"] == ([] if expected else ["eigenvalues: no k-point is in both"])
    other = Calculation("b", "pw.x", kpoints=[[0.0, 0.1, 0.0], [0.2, 0.0, 0.0]], eigenvalues=[[[1.5], [3.0]]])
    two = replace(one, kpoints=[[0.1, 0.0, 0.0], [0.3, 0.0, 0.0]], eigenvalues=[[[1.0], [2.0]]])
    assert differences.compare(two, other)["notes"] == ["eigenvalues: of 2 and 2 k-points 1 corresponds"]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "no.txt",
            "hello",
            "not an output that is known; valid: a result.json of wavegrid or its directory, or the main",
        ),
        ("cut.out", "Program PWSCF v.6.7 starts", "has printed no energy"),
        ("x.json", "{}", "not a result of this version of wavegrid"),
        (None, "", "no such file"),
    ],
)
def test_files_that_cannot_be_compared(name: str | None, text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / (name or "missing")
    if name:
        path.write_text(text)
    answer = invoke("compare", CASES / "si.abo", path)
    assert answer.exit_code == 2
    assert words in answer.stderr
    assert answer.stderr.count("\n") == 1


INPUT = """
[structure]
cell = [[0, 5.13, 5.13], [5.13, 0, 5.13], [5.13, 5.13, 0]]
unit = "bohr"
atoms = [["Fe", 0, 0, 0], ["Fe", 0.25, 0.25, 0.25]]
coordinates = "fractional"
[basis]
ecut = "10 Ha"
grid = [20, 21, 22]
[electrons]
xc = "{xc}"
pseudopotentials = "gth-lda-q16"
smearing = {{ kind = "{smearing}", width = "0.01 Ha" }}
kpoints = {{ mesh = [2, 2, 2], shift = {shift} }}
spin = "collinear"
initial_magnetic_moments = [3, -3]
charge = 1
"""


INPUT_Q8 = """
[structure]
cell = [[4.6, 0, 0], [0, 4.7, 0], [0, 0, 4.8]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Fe", 0, 0, 0]]
[basis]
ecut = "25 Ha"
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda-q8"
kpoints = { mesh = [1, 1, 1] }
smearing = { kind = "gaussian", width = "0.02 Ha" }
"""


def written(program: str, folder: Path, *, xc: str = "LDA-PW", smearing: str = "gaussian", shift: float = 0.0) -> str:
    """Write the input of another program; return its main file, or the message where that is refused."""
    (folder / "fe.toml").write_text(INPUT.format(xc=xc, smearing=smearing, shift=[shift] * 3))
    answer = invoke("compare", folder / "fe.toml", "--input-for", program, "--output", folder / program)
    if answer.exit_code:
        assert (answer.exit_code, answer.stderr.count("\n")) == (2, 1)
        return answer.stderr
    assert "then: wavegrid compare fe" in answer.stdout
    return next((folder / program).glob("*.[ai][bn]*")).read_text()


def test_input_for_pwx(tmp_path: Path) -> None:
    """Two species for two moments; cutoff and width in Ry; the density's sphere is what the grid holds."""
    text = written("qe", tmp_path)
    for line in (
        "ntyp=2, input_dft='SLA+PW'",
        "ecutwfc=20.00000000, tot_charge=1",
        "nr1=20, nr1s=20",
        "smearing='gauss', degauss=0.0200000000",
        "starting_magnetization(2)=-0.187500",
        "K_POINTS automatic\n2 2 2 0 0 0",
        "Fe2 0.25000000000000 0.25000000000000 0.25000000000000",
    ):
        assert line in text
    assert float(text.split("ecutrho=")[1].split()[0]) == pytest.approx((9 * 2 * 3.14159265 / (5.13 * 2**0.5)) ** 2)
    stored = CASES.parent / "crystals" / "pseudopotentials" / "Fe-q16-lda.gth"
    assert (tmp_path / "qe" / "Fe.gth").read_text().split("\n")[3:] == stored.read_text().split("\n")[3:]


def test_input_for_abinit(tmp_path: Path) -> None:
    """ABINIT would expand a mesh that breaks the symmetry of the lattice, and replaces grids with a factor of 7."""
    text = written("abinit", tmp_path, shift=0.5)
    for line in (
        "znucl 26\n",
        "ixc -1012\n",
        "ngfft 20 24 24\n",
        "kptopt 0\nnkpt 4\n",
        "wtk\n0.250000000000\n",
        "nsym 1\n",
        "occopt 7\ntsmear 0.01\n",
        "spinat\n0 0 3\n0 0 -3\n",
    ):
        assert line in text


def test_input_for_abinit_with_paw(tmp_path: Path) -> None:
    """Both grids are ours, and the datasets theirs, unpacked; pw.x does not read them."""
    dataset = CASES.parent / "ultrasoft" / "Si-paw.xml"
    (tmp_path / "Si.xml.gz").write_bytes(gzip.compress(dataset.read_bytes()))
    text = INPUT_Q8.replace("Fe", "Si").replace('"gth-lda-q8"', '{ Si = "Si.xml.gz" }').replace("LDA-PZ", "PBE")
    (tmp_path / "si.toml").write_text(text.replace("[electrons]", 'density_ecut = "160 Ha"\n[electrons]'))
    answer = invoke("compare", tmp_path / "si.toml", "--input-for", "abinit", "--output", tmp_path / "abinit")
    assert answer.exit_code == 0, answer.stderr
    text = (tmp_path / "abinit/abinit.abi").read_text()
    assert re.search(r"pawecutdg 40\nngfftdg \d+ \d+ \d+\npawxcdev 0\n", text)
    assert (tmp_path / "abinit/Si.xml").read_text() == dataset.read_text()
    answer = invoke("compare", tmp_path / "si.toml", "--input-for", "qe", "--output", tmp_path / "qe")
    assert answer.exit_code == 2 and "pw.x reads no PAW XML; valid: the UPF file of this dataset" in answer.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"program": "quantum"}, "unknown program; valid: qe, abinit"),
        ({"program": "qe", "xc": "AM05"}, "pw.x has no functional GGA_X_AM05+GGA_C_AM05; valid: LDA_X+LDA_C_PZ, "),
        ({"program": "qe", "shift": 0.25}, "fe.in"),
        ({"program": "abinit", "smearing": "cold"}, 'ABINIT has no smearing "cold"; valid: fermi-dirac, gaussian, '),
    ],
)
def test_inputs_that_cannot_be_written(options: dict, words: str, tmp_path: Path) -> None:
    if words != "fe.in":
        assert words in written(folder=tmp_path, **options)
        return
    assert "K_POINTS crystal\n8\n" in written(folder=tmp_path, **options)  # as a list
    assert "pw.in: exists; valid: --output with another directory" in written(folder=tmp_path, **options)


def test_potentials_for_other_programs_are_the_same(tmp_path: Path) -> None:
    """What the core reads of a file and of the one that another program gets."""
    core = core_loader.load()
    files = CASES.parent / "pseudopotentials"
    for element, file, entry, kind in (
        ("Al", "Al.psp8", "", "qe"),
        ("Al", "Al.pz-vbc.UPF", "", "abinit"),
        ("Ti", "GTH_POTENTIALS", "GTH-BLYP-q12", "abinit"),
        ("H", "GTH_POTENTIALS", "GTH-BLYP-q1", "abinit"),
        ("Si", "14Si_pade-q4", "", "abinit"),
    ):
        given = core.pseudopotential_info(str(files / file), element, name=entry, ecut=10.0)
        potential = Potential(element, files / file, given["valence"], entry, given["format"])
        name, text = potentials.for_espresso(potential, "PBE") if kind == "qe" else potentials.for_abinit(potential)
        (tmp_path / name).write_text(text)
        found = core.pseudopotential_info(str(tmp_path / name), element, ecut=10.0)
        for key in ("valence", "core_density", "projectors"):
            assert found[key] == given[key]
        if kind == "abinit":  # of psp8 the one occupation is an assumption
            assert found["ecut_error"] == pytest.approx(given["ecut_error"], rel=1e-9)


GTH_ENTRY = re.compile(r"^([A-Z][a-z]?) q(\d+)\n  electrons .*\n  local +(\S+)(.*)\n", re.M)


@pytest.mark.parametrize("table", ["gth-lda", "gth-pbe"])
def test_every_entry_of_a_table_can_be_written(table: str, tmp_path: Path) -> None:
    """Those whose local part is a radius without a polynomial, too; some are read again."""
    core, file = core_loader.load(), Path(wavegrid.__file__).parent / "data" / "pseudopotentials" / f"{table}.gth"
    without_polynomial = []
    for element, valence, radius, polynomial in GTH_ENTRY.findall(file.read_text()):
        potential = Potential(element, file, int(valence), "", "GTH (table)")
        name, text = potentials.for_abinit(potential)
        assert potentials.for_espresso(potential, "PZ")[1] == text
        terms = polynomial.split()
        assert text.split("\n")[3].split() == [radius, str(len(terms)), *terms, "rloc", "nloc", "c"]
        if not terms:
            without_polynomial.append((element, int(valence)))
            (tmp_path / name).write_text(text)
    assert len(without_polynomial) == {"gth-lda": 23, "gth-pbe": 9}[table]
    for element, valence in without_polynomial[:2]:
        given = core.pseudopotential_info(str(file), element, valence)
        found = core.pseudopotential_info(str(tmp_path / f"{element}.psp10"), element)
        for key in ("valence", "core_density", "projectors"):
            assert found[key] == given[key]


def test_input_for_a_local_part_without_polynomial(tmp_path: Path) -> None:
    """With these files pw.x 6.7 agrees to 2e-8 Ha in the free energy, ABINIT, on a larger grid, to 2e-5 Ha."""
    (tmp_path / "fe.toml").write_text(INPUT_Q8)
    for name in ("qe", "abinit"):
        answer = invoke("compare", tmp_path / "fe.toml", "--input-for", name, "--output", tmp_path / name)
        assert answer.exit_code == 0, answer.stderr
    for file in (tmp_path / "qe" / "Fe.gth", tmp_path / "abinit" / "Fe.psp10"):
        assert file.read_text().split("\n")[3] == " 0.61000000 0  rloc nloc c"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "one result; valid: two, or an input file with --input-for"),
        (["--output", "x"], "--output without --input-for; valid: with it"),
        (["b", "--input-for", "qe"], "--input-for with 'b'; valid: an input file alone"),
    ],
)
def test_arguments_that_do_not_fit(arguments: list[str], words: str) -> None:
    answer = invoke("compare", "a", *arguments)
    assert answer.exit_code == 2
    assert words in answer.stderr
