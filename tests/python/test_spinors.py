"""Spin-orbit coupling and noncollinear spin: against ABINIT, and invariances that need no other code."""

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import invoke, program, read_result

from wavegrid.errors import InputError
from wavegrid.input.document import read
from wavegrid.job.prepare import prepare_document
from wavegrid.process import core_loader

SPINORS = Path(__file__).parents[1] / "reference" / "spinors"
GAAS = f"""\
[structure]
cell = [[0, 5.34, 5.34], [5.34, 0, 5.34], [5.34, 5.34, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Ga", 0, 0, 0], ["As", {{place}}, 0.25, 0.25]]
[basis]
ecut = "8 Ha"
grid = [24, 24, 24]
[electrons]
xc = "TETER"
pseudopotentials = {{{{ Ga = "{SPINORS / "Ga.hgh"}", As = "{SPINORS / "As.hgh"}" }}}}
spin_orbit = true
kpoints = {{{{ mesh = [2, 2, 2] }}}}
bands = 12
[scf]
energy_tolerance = "1e-10 Ha"
[output]
forces = true
stress = true
"""
DISPLACED = GAAS.format(place=0.26)
IRON = f"""\
[structure]
cell = [[-2.7, 2.7, 2.7], [2.7, -2.7, 2.7], [2.7, 2.7, -2.7]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Fe", 0, 0, 0]]
[basis]
ecut = "12 Ha"
grid = [16, 16, 16]
[electrons]
xc = "LDA-PW"
pseudopotentials = {{ Fe = "{SPINORS / "Fe.hgh"}" }}
spin = "noncollinear"
spin_orbit = true
initial_magnetic_moments = {{ Fe = [0, 3, 0] }}
smearing = {{ kind = "fermi-dirac", width = "0.01 Ha" }}
kpoints = {{ mesh = [2, 2, 2] }}
bands = 14
[scf]
energy_tolerance = "1e-10 Ha"
[output]
forces = true
stress = true
"""
OXYGEN = """\
[structure]
cell = [[7, 0, 0], [0, 7.5, 0], [0, 0, 8]]
unit = "bohr"
coordinates = "cartesian"
atoms = [["O", 0, 0, 0], ["O", 0.3, 0, 2.4]]
[basis]
ecut = "10 Ha"
grid = [24, 24, 25]
[electrons]
xc = "{xc}"
pseudopotentials = "gth-{family}"
smearing = {{ kind = "fermi-dirac", width = "0.01 Ha" }}
bands = {bands}
{spin}
[scf]
energy_tolerance = "1e-11 Ha"
[output]
forces = true
stress = true
"""


def run(folder: Path, name: str, text: str, ranks: int = 1, restart: str = "") -> dict:
    """Return the result of an input."""
    (folder / f"{name}.toml").write_text(text)
    words = ["run", f"{name}.toml", "--ranks", str(ranks), *(["--restart", restart] if restart else [])]
    done = program(*words, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return read_result(folder / name)


def test_gaas_is_that_of_abinit(tmp_path: Path) -> None:
    """Energy, forces, stress and levels; every k-point is its own image, so that levels are Kramers pairs."""
    theirs = json.loads((SPINORS / "reference.json").read_text())["gaas"]
    ours = run(tmp_path, "one", DISPLACED)
    assert ours["energy"]["free"] == pytest.approx(theirs["energy_Ha"], abs=2e-9)
    assert np.array(ours["forces"]["total"]) == pytest.approx(np.array(theirs["forces_Ha_per_bohr"]), abs=1e-6)
    assert np.array(ours["stress"]["total"]) == pytest.approx(np.array(theirs["stress_Ha_per_bohr3"]), abs=2e-9)
    levels = np.array(ours["eigenvalues"][0])
    assert levels[0] == pytest.approx(theirs["eigenvalues_at_gamma_Ha"], abs=1e-5)
    assert levels[:, :8:2] == pytest.approx(levels[:, 1:8:2], abs=1e-10)


@pytest.mark.parametrize("axis", ["x", "z"])
def test_iron_is_that_of_pwx(tmp_path: Path, axis: str) -> None:
    """Moments and spin-orbit coupling with the j of a UPF file: energy, also its anisotropy, forces and moment."""
    theirs = json.loads((SPINORS / "reference.json").read_text())["iron"]
    text = IRON
    for old, new in {
        "[0, 3, 0]": "[2.8, 0, 0]" if axis == "x" else "[0, 0, 2.8]",
        "Fe.hgh": "Fe.rel-pz-nc.UPF.gz",
        "LDA-PW": "LDA-PZ",
        "12 Ha": "20 Ha",
        "[-2.7, 2.7, 2.7], [2.7, -2.7, 2.7], [2.7, 2.7, -2.7]": "[5.4, 0, 0], [0, 5.4, 0], [0, 0, 5.4]",
        '["Fe", 0, 0, 0]': '["Fe", 0, 0, 0], ["Fe", 0.5, 0.5, 0.52]',
        "[16, 16, 16]": "[24, 24, 24]",
        "mesh = [2, 2, 2]": "mesh = [2, 2, 1]",
        "bands = 14": "bands = 24",
    }.items():
        assert old in text
        text = text.replace(old, new)
    ours = run(tmp_path, "iron", text.replace("1e-10 Ha", "1e-8 Ha"))
    assert ours["energy"]["free"] == pytest.approx(theirs[f"energy_{axis}_Ha"], abs=6e-6)
    assert ours["magnetisation"]["total"] == pytest.approx(theirs["total_magnetisation"], abs=0.01)
    assert ours["magnetisation"]["absolute"] == pytest.approx(theirs["absolute_magnetisation"], abs=0.01)
    if axis == "z":
        force = ours["forces"]["total"][0]
        assert force == pytest.approx([0, 0, theirs["force_z_on_first_Ha_per_bohr"]], abs=2e-5)


@pytest.mark.parametrize("solver", ["lobpcg", "rmm-diis", "davidson", "chebyshev", "direct"])
def test_every_solver_finds_the_same(tmp_path: Path, solver: str) -> None:
    theirs = json.loads((SPINORS / "reference.json").read_text())["gaas"]
    key = "method" if solver == "direct" else "eigensolver"
    ours = run(tmp_path, "one", DISPLACED.replace("[scf]", f'[scf]\n{key} = "{solver}"'))
    assert ours["energy"]["free"] == pytest.approx(theirs["energy_Ha"], abs=2e-9)


def test_bands_of_gaas_split_at_gamma(tmp_path: Path) -> None:
    """By 0.35 eV (0.34 eV measured); the spins of a pair are opposite."""
    text = GAAS.format(place=0.25).replace("mesh = [2, 2, 2]", 'mesh = [3, 3, 3], path = "GX", points = 3')
    text = text[: text.index("[output]")].replace("1e-10 Ha", "1e-7 Ha").replace("bands = 12", "bands = 16")
    bands = run(tmp_path, "bands", text + '[task]\nkind = "bands"\n')["bands"]
    levels = 27.2114 * np.array(bands["eigenvalues"][0][0])
    assert levels[4:8] == pytest.approx(levels[4], abs=1e-3)
    assert levels[4] - levels[2] == pytest.approx(0.35, abs=0.01)
    spins = np.array(bands["spins"])
    assert spins.shape == (3, 16, 3)
    assert spins[0, 0] == pytest.approx(-spins[0, 1], abs=1e-3)
    assert np.linalg.norm(spins[0, 0]) == pytest.approx(1, abs=1e-3)


def test_a_psp8_file_has_spin_orbit_terms_after_the_others(tmp_path: Path) -> None:
    """Of a file with one more block, for l = 1; without spin-orbit coupling it is left out."""
    text = (SPINORS.parent / "pseudopotentials" / "Al.psp8").read_text()
    lines = text.splitlines()
    switch = next(n for n, line in enumerate(lines) if "extension_switch" in line)
    rows = int(lines[2].split()[4])
    core = next(n for n, line in enumerate(lines) if line.split() == [lines[2].split()[3]]) + 1 + rows
    begin = next(n for n, line in enumerate(lines) if n > switch and line.split()[0] == "1" and n > switch + rows)
    count = len(lines[begin].split()) - 1
    assert lines[switch].split()[0] in "01"
    more = [lines[switch].replace(lines[switch].split()[0], str(int(lines[switch].split()[0]) + 2), 1)]
    more.append(f"{count} {' '.join('0' * (int(lines[2].split()[2]) - 1))} nprojso")
    block = lines[begin : begin + 1 + rows]
    path = tmp_path / "Al.psp8"
    path.write_text("\n".join([*lines[:switch], *more, *lines[switch + 1 : core], *block, *lines[core:]]) + "\n")
    changed, original = (
        core_loader.load().pseudopotential_info(str(file), "Al")
        for file in (path, SPINORS.parent / "pseudopotentials" / "Al.psp8")
    )
    assert (changed["spin_orbit"], original["spin_orbit"]) == (True, False)
    assert changed["projectors"] == original["projectors"]


@pytest.mark.parametrize(
    ("ranks", "layout"),
    [
        (2, "band_groups = 2"),
        (3, "rows = 3\ncolumns = 1\nkpoint_groups = 1\nband_groups = 1"),
        (3, "band_groups = 3"),
        (3, "deterministic = true"),
    ],
)
@pytest.mark.parametrize("text", [IRON, DISPLACED.replace("[2, 2, 2]", "[2, 1, 1]")], ids=["magnetic", "not"])
def test_the_energy_does_not_depend_on_the_layout(tmp_path: Path, text: str, ranks: int, layout: str) -> None:
    ours = run(tmp_path, "one", text)
    split = run(tmp_path, "more", f"{text}[parallel]\n{layout}\n", ranks=ranks)
    assert split["energy"]["free"] == pytest.approx(ours["energy"]["free"], abs=1e-9)


def test_bands_turn_with_the_crystal(tmp_path: Path) -> None:
    """A restart with all k-points from the bands of the irreducible ones needs one step, and no bands that are new."""
    text = GAAS.format(place=0.25).replace("[scf]", "[symmetry]\nuse = true\n[scf]").replace("bands = 12", "bands = 8")
    text = text.replace("mesh = [2, 2, 2]", "mesh = [3, 3, 3]")
    first = run(tmp_path, "few", text + "checkpoint = true\n")
    again = run(tmp_path, "all", text.replace("use = true", "use = false"), restart="few/checkpoint.h5")
    assert again["energy"]["free"] == pytest.approx(first["energy"]["free"], abs=1e-9)
    assert again["restart"]["kpoints_rotated"] > 0
    assert (again["restart"]["kpoints_missing"], again["restart"]["bands_random"]) == (0, 0)
    assert again["scf_steps"] == 1
    assert len(again["kpoints"]) > len(first["kpoints"])
    verified = invoke("checkpoint", "verify", str(tmp_path / "few/checkpoint.h5"))
    assert verified.exit_code == 0, verified.output


@pytest.mark.parametrize(("xc", "family"), [("LDA-PW", "lda"), ("PBE", "pbe")])
def test_moments_along_any_axis_are_those_along_z(tmp_path: Path, xc: str, family: str) -> None:
    """Collinear spin, the same as spinors along z, and along another axis: energies, forces and stress."""
    axis = np.array([2, -1, 2]) / 3
    kinds = {
        "collinear": ('spin = "collinear"\ninitial_magnetic_moments = {{ O = 1 }}', 10),
        "z": ('spin = "noncollinear"\ninitial_magnetic_moments = {{ O = [0, 0, 1] }}', 20),
        "axis": (f'spin = "noncollinear"\ninitial_magnetic_moments = {{{{ O = {axis.tolist()} }}}}', 20),
    }
    found = {
        name: run(tmp_path, name, OXYGEN.format(xc=xc, family=family, spin=spin.format(), bands=bands))
        for name, (spin, bands) in kinds.items()
    }
    for name in ("z", "axis"):
        assert found[name]["energy"]["free"] == pytest.approx(found["collinear"]["energy"]["free"], abs=1e-9)
        for part, tolerance in (("forces", 1e-6), ("stress", 1e-8)):
            one, other = (np.array(found[kind][part]["total"]) for kind in (name, "collinear"))
            assert one == pytest.approx(other, abs=tolerance)
    moment = found["collinear"]["magnetisation"]["total"]
    turned = np.array(found["axis"]["magnetisation"]["vector"])
    assert np.linalg.norm(turned) == pytest.approx(moment, abs=1e-5)
    assert turned == pytest.approx(moment * axis, abs=1e-4)


def test_a_file_of_the_other_kind_is_named(tmp_path: Path) -> None:
    core, path = core_loader.load(), tmp_path / "in.toml"
    path.write_text(DISPLACED.replace("spin_orbit = true\n", ""))
    notes = prepare_document(core, *read(path)).notes
    assert sum("fully relativistic; its average over j is used" in note for note in notes) == 2
    path.write_text(OXYGEN.format(xc="PBE", family="pbe", spin="spin_orbit = true", bands=20))
    notes = prepare_document(core, *read(path)).notes
    assert "O: gth-pbe-q6 has no spin-orbit term" in notes
    assert "Gamma alone: wave functions of two components are complex" in notes


@pytest.mark.parametrize(
    ("spin", "words"),
    [
        (
            'spin = "collinear"\ninitial_magnetic_moments = { O = [0, 0, 1] }',
            "a moment that is a vector; valid: numbers",
        ),
        ('spin = "noncollinear"\ntotal_magnetisation = 2', 'total_magnetisation with spin = "noncollinear"; valid'),
        ('spin = "noncollinear"\ninitial_magnetic_moments = { O = [0, 0, 7] }', "a moment of 7 for O, which has 6"),
        ('spin = "noncollinear"\ninitial_magnetic_moments = { O = [0, 1] }', "valid"),
    ],
)
def test_moments_that_mean_nothing_are_refused(tmp_path: Path, spin: str, words: str) -> None:
    path = tmp_path / "in.toml"
    path.write_text(OXYGEN.format(xc="PBE", family="pbe", spin=spin, bands=20))
    with pytest.raises(InputError, match=words):
        prepare_document(core_loader.load(), *read(path))
