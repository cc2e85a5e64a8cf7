"""What structures say besides cell and places (moments, constraints, velocities, masses) is used, refused or named."""

import bz2
import gzip
import io
import lzma
import warnings
from collections.abc import Callable
from pathlib import Path

import ase.build
import ase.io
import fake_core
import numpy as np
import pytest
from ase import Atoms
from ase.constraints import FixAtoms, FixBondLengths, FixCartesian, FixScaled
from ase.constraints.fix_symmetry import FixSymmetry

import wavegrid
from wavegrid.crystal.fixed_coordinates import FixedCoordinates, cartesian_of, fractional_of
from wavegrid.errors import InputError
from wavegrid.input import ase_atoms
from wavegrid.job.job import Job
from wavegrid.job.prepare import prepare
from wavegrid.model.result import Result
from wavegrid.process import core_loader
from wavegrid.results import extxyz
from wavegrid.results.structure import structure

IRON_AFM = """\
2
Lattice="2.87 0.0 0.0 0.0 2.87 0.0 0.0 0.0 2.87" Properties=species:S:1:pos:R:3:initial_magmoms:R:1 pbc="T T T"
Fe 0.0 0.0 0.0 2.5
Fe 1.435 1.435 1.435 -2.5
"""
STRETCHED = """\
H2 stretched, first atom held
1.0
5.0 0.0 0.0
0.0 5.0 0.0
0.0 0.0 5.0
H
2
Selective dynamics
Cartesian
1.0 1.0 1.0 F F F
2.0 1.0 1.0 T T T
"""
MOVING = """\
2
Lattice="3.6 0.0 0.0 0.0 3.6 0.0 0.0 0.0 3.6" Properties=species:S:1:pos:R:3:momenta:R:3 pbc="T T T"
He 0.0 0.0 0.0  0.08005204 0.0 0.0
He 1.8 1.8 1.8 -0.08005204 0.0 0.0
"""
PW_IRON = """\
&control
/
&system
  ibrav = 0, nat = 2, ntyp = 2, ecutwfc = 30, nspin = 2,
  starting_magnetization(1) = 0.5, Starting_Magnetization(2) = -0.25
/
&electrons
/
ATOMIC_SPECIES
Fe1 55.845 Fe.upf
Fe2 55.845 Fe.upf
ATOMIC_POSITIONS angstrom
Fe1 0.0 0.0 0.0
Fe2 1.435 1.435 1.435 0 0 1
CELL_PARAMETERS angstrom
2.87 0 0
0 2.87 0
0 0 2.87
"""
HEXAGONAL = [[4.0, 0, 0], [-2.0, 3.4641016, 0], [0, 0, 6.0]]
ALL, NONE = (True,) * 3, (False,) * 3


def job_of(folder: Path, file: str, task: str = "", electrons: str = "", more: str = "") -> Job:
    """Return the job of an input with this structure file."""
    path = folder / "in.toml"
    path.write_text(
        f'[structure]\nfile = "{file}"\n{more}[basis]\necut = "8 Ha"\n'
        f'[electrons]\nxc = "LDA-PZ"\npseudopotentials = "gth-lda"\n{electrons}{task}'
    )
    return prepare(core_loader.load(), path)


def with_file(folder: Path, name: str, content: str | Atoms | list) -> Callable[..., Job]:
    """Write a structure and return what makes a job of it."""
    if isinstance(content, str):
        (folder / name).write_text(content)
    else:
        ase.io.write(folder / name, content)
    return lambda *texts, **more: job_of(folder, name, *texts, **more)


def fixed_of(job: Job) -> FixedCoordinates:
    return FixedCoordinates.from_dict(job.fixed)


METAL = 'smearing = { kind = "gaussian", width = "0.01 Ha" }\n'


def test_the_moments_of_a_file_are_the_start(tmp_path: Path) -> None:
    job = with_file(tmp_path, "fe.extxyz", IRON_AFM)
    for spin in ('spin = "collinear"\n', ""):
        found = job("", METAL + spin)
        assert (found.problem["initial_magnetic_moments"], found.problem["spins"]) == ([2.5, -2.5], 2)
        assert any("initial magnetic moments Fe 2.5, Fe -2.5" in note for note in found.notes)
        # an odd number of points would make the sublattices different, and the total is -2.6 mu_B in the end
        assert not any(number % 2 for number in found.problem["grid"])
    repeated = job("", METAL, more="supercell = [1, 1, 2]\n")
    assert repeated.problem["initial_magnetic_moments"] == [2.5, -2.5] * 2


def test_an_antiferromagnet_of_a_file_stays_one(tmp_path: Path) -> None:
    (tmp_path / "fe.extxyz").write_text(IRON_AFM)
    tables = {
        "basis": {"ecut": "25 Ha"},
        "electrons": {
            "xc": "LDA-PZ", "pseudopotentials": "gth-lda-q8", "spin": "collinear", "kpoints": {"mesh": [3, 3, 3]},
            "smearing": {"kind": "gaussian", "width": "0.01 Ha"},
        },
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # coarse
        with wavegrid.Session(ranks=1, **tables) as session:
            result = session.solve(ase.io.read(tmp_path / "fe.extxyz"))
    assert abs(result.magnetisation.total) < 1e-3 < 1 < result.magnetisation.absolute
    assert result.atoms().get_initial_magnetic_moments().tolist() == [2.5, -2.5]


def test_keys_of_the_input_replace_the_moments_of_a_file_with_a_note(tmp_path: Path) -> None:
    job = with_file(tmp_path, "fe.extxyz", IRON_AFM)
    found = job("", METAL + 'spin = "collinear"\ninitial_magnetic_moments = { Fe = 1 }\n')
    assert found.problem["initial_magnetic_moments"] == [1, 1]
    assert any("not used: magnetic moments, replaced by initial_magnetic_moments" in note for note in found.notes)
    found = job("", METAL + 'spin = "none"\n')
    assert (found.problem["initial_magnetic_moments"], found.problem["spins"]) == ([], 1)
    assert any('not used: magnetic moments, with spin = "none"' in note for note in found.notes)


def test_the_moments_that_an_earlier_calculation_ended_with_are_a_start(tmp_path: Path) -> None:
    job = with_file(tmp_path, "fe.extxyz", IRON_AFM.replace("initial_magmoms", "magmoms"))
    assert job("", METAL).problem["initial_magnetic_moments"] == [2.5, -2.5]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("fe.extxyz", IRON_AFM.replace(" 2.5", " 25"), "in.toml:2: a moment of 25 for Fe, which has"),
        ("fe.extxyz", IRON_AFM.replace(" 2.5", " nan"), "a magnetic moment that is not finite"),
        ("fe.in", PW_IRON.replace("Fe2 55.845 Fe.upf", "Fe2 55.845 FeB.upf"), "Fe1 and Fe2 have the pseudopotentials"),
        ("fe.in", PW_IRON.replace("nspin = 2", "noncolin = .true."), "noncollinear magnetic moments; valid: nspin = 2"),
        ("fe.in", PW_IRON.replace("Fe2 1.435", "Fe3 1.435"), "atom 2 is of 'Fe3'; valid: Fe1, Fe2"),
        ("fe.in", PW_IRON.replace("-0.25", ".true."), "starting_magnetization of Fe2 is 'True'; valid: a number"),
    ],
)
def test_moments_that_cannot_be_used_are_refused(tmp_path: Path, name: str, content: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        with_file(tmp_path, name, content)("", METAL)


def test_moments_that_are_vectors_start_noncollinear_spin(tmp_path: Path) -> None:
    text = IRON_AFM.replace("magmoms:R:1", "magmoms:R:3").replace("-2.5", "0 -2 0").replace(" 2.5", " 2.5 0 0")
    job = with_file(tmp_path, "fe.extxyz", text)
    problem = job("", METAL).problem
    assert (problem["spinors"], problem["initial_moment_vectors"]) == (True, [[2.5, 0, 0], [0, -2, 0]])
    with pytest.raises(InputError, match='noncollinear magnetic moments; valid: numbers, or spin = "noncollinear"'):
        job("", METAL + 'spin = "collinear"\n')


def test_the_labels_of_a_pw_input_keep_their_moments(tmp_path: Path) -> None:
    """starting_magnetization is a share of the valence electrons (8 here), beyond 1 the moment itself."""
    potentials = 'smearing = { kind = "gaussian", width = "0.01 Ha" }\n'
    job = with_file(tmp_path, "fe.in", PW_IRON)
    found = job("", potentials)
    assert found.problem["initial_magnetic_moments"] == [4, -2]
    assert fixed_of(found).fractional == [NONE, (True, True, False)]
    (tmp_path / "fe.in").write_text(PW_IRON.replace("0.5", "2.5").replace("Fe2 1.435", "Fe1 1.435"))
    assert job("", potentials).problem["initial_magnetic_moments"] == [2.5, 2.5]
    (tmp_path / "fe.in").write_text(PW_IRON.replace("nspin = 2", "nspin = 1") + "ATOMIC_VELOCITIES\nFe1 0 0 0\n")
    found = job("", potentials)
    assert found.problem["spins"] == 1
    assert any("starting_magnetization, as in pw.x without nspin = 2" in note for note in found.notes)
    assert any("not used: ATOMIC_VELOCITIES" in note for note in found.notes)
    (tmp_path / "fe.pwi.bz2").write_bytes(bz2.compress(PW_IRON.encode()))
    assert job_of(tmp_path, "fe.pwi.bz2", "", potentials).problem["initial_magnetic_moments"] == [4, -2]


def test_a_cif_with_magnetic_loops_is_refused(tmp_path: Path) -> None:
    job = with_file(tmp_path, "fe.cif", ase.build.bulk("Fe", cubic=True))
    job("", METAL)
    text = (tmp_path / "fe.cif").read_text()
    for loop in ("loop_\n_atom_site_moment.label\n_atom_site_moment.crystalaxis_x\nFe1 2.5\n",
                 "loop_\n_atom_site_moment_label\n_atom_site_moment_crystalaxis_x\nFe1 2.5\n",
                 "loop_ _atom_site_moment_label _atom_site_moment_crystalaxis_x Fe1 2.5\n",
                 "_space_group_magn.name_BNS 'P 1'\n"):  # fmt: skip
        (tmp_path / "fe.cif").write_text(text + loop)
        with pytest.raises(InputError, match=r"line \d+ has magnetic moments or magnetic operations"):
            job("", METAL)
        for name, write in (("fe.cif.gz", gzip.compress), ("fe.mcif", bytes)):
            (tmp_path / name).write_bytes(write((text + loop).encode()))
            with pytest.raises(InputError, match=r"line \d+ has magnetic moments or magnetic operations"):
                job_of(tmp_path, name, "", METAL)
    (tmp_path / "fe.cif").write_text(text + "_space_group_magn.name_BNS ?\n")
    job("", METAL)


def test_selective_dynamics_is_kept(tmp_path: Path) -> None:
    job = with_file(tmp_path, "POSCAR", STRETCHED)
    assert fixed_of(job("[relax]\n")).fractional == [ALL, NONE]
    assert fixed_of(job("[md]\n")).fractional == [ALL, NONE]
    assert fixed_of(job(more="supercell = [2, 1, 1]\n")).fractional == [ALL, NONE] * 2
    partly = with_file(tmp_path, "POSCAR", STRETCHED.replace("T T T", "T F T"))
    found = partly("[relax]\n")
    assert fixed_of(found).fractional == [ALL, (False, True, False)]
    assert any(note.endswith("POSCAR: 1 atom fixed, 1 atom fixed along some directions") for note in found.notes)
    (tmp_path / "POSCAR.gz").write_bytes(gzip.compress(STRETCHED.encode()))
    assert fixed_of(job_of(tmp_path, "POSCAR.gz", "[relax]\n")).fractional == [ALL, NONE]
    (tmp_path / "POSCAR.xz").write_bytes(lzma.compress(STRETCHED.replace("T T T", "f f f").encode()))
    with pytest.raises(InputError, match="POSCAR.xz': line 11 has the flags 'f f f'"):
        job_of(tmp_path, "POSCAR.xz", "[relax]\n")
    for flags in ("f f f", ".F. T T", "F F"):
        with pytest.raises(InputError, match="in.toml:2: .*POSCAR"):
            with_file(tmp_path, "POSCAR", STRETCHED.replace("T T T", flags))("[relax]\n")


def test_fixed_atoms_of_the_input_replace_the_constraints_of_a_file_with_a_note(tmp_path: Path) -> None:
    job = with_file(tmp_path, "POSCAR", STRETCHED)
    found = job("[relax]\nfixed_atoms = [2]\n")
    assert fixed_of(found).fractional == [NONE, ALL]
    assert any("not used: constraints, replaced by [relax] fixed_atoms" in note for note in found.notes)
    assert job("[relax]\nfixed_atoms = []\n").fixed == {}
    same = job("[relax]\nfixed_atoms = [1]\n")
    assert not any("constraints" in note for note in same.notes)


def hexagonal(*constraints: object) -> Atoms:
    atoms = Atoms("He3", scaled_positions=[[0, 0, 0], [0.3, 0.5, 0.2], [0.6, 0.1, 0.7]], cell=HEXAGONAL, pbc=True)
    atoms.set_constraint(list(constraints))
    return atoms


def read(atoms: Atoms) -> FixedCoordinates | None:
    return ase_atoms.initial_state(atoms, "atoms", [], from_file=False).fixed


def test_constraints_along_axes_are_those_along_vectors_where_both_say_the_same() -> None:
    fixed = read(hexagonal(FixAtoms([-1]), FixCartesian(0, [False, False, True]), FixCartesian(1, [True, False, True])))
    assert fixed.fractional == [(False, False, True), NONE, ALL]
    assert fixed.cartesian == [NONE, (True, False, True), NONE]
    assert read(hexagonal()) is None and read(hexagonal(FixCartesian(0, [False] * 3))) is None
    assert fractional_of((False, True, True), HEXAGONAL) == (False, True, True)  # moves along x, the first vector
    assert cartesian_of((True, False, True), HEXAGONAL) is None  # moves along the second vector, at 120 degrees


@pytest.mark.parametrize(
    ("constraint", "name"),
    [
        (FixSymmetry(ase.build.bulk("Al", cubic=True)), "FixSymmetry"),
        (FixBondLengths([[0, 1]]), "FixBondLengths"),
    ],
)
def test_other_constraints_are_refused_by_name(constraint: object, name: str) -> None:
    with pytest.raises(InputError, match=f"atoms: the constraint {name}; valid: FixAtoms, FixCartesian, FixScaled"):
        read(hexagonal(constraint))


def test_what_the_optimiser_cannot_combine_is_refused(tmp_path: Path) -> None:
    job = with_file(tmp_path, "he.traj", hexagonal(FixCartesian(1, [True, False, True])))
    with pytest.raises(InputError, match='cell = "free" with atom 2 fixed along Cartesian axes'):
        job('[relax]\ncell = "free"\n')
    with pytest.raises(InputError, match='optimizer = "lbfgs" with atom 2 fixed along single directions'):
        job('[relax]\noptimizer = "lbfgs"\n')
    job('[relax]\ncell = "free"\nfixed_atoms = [2]\n')
    with pytest.raises(InputError, match="in.toml:9: all atoms are fixed, and the cell is"):
        job("[relax]\nfixed_atoms = [1, 2, 3]\n")
    job('[relax]\ncell = "free"\nfixed_atoms = [1, 2, 3]\n')


@pytest.mark.parametrize(
    ("constraints", "column"),
    [
        ([FixAtoms([1])], "move_mask:L:1"),
        ([FixCartesian(0, [True, False, False])], "move_mask:L:3"),
        ([FixScaled(0, [False, False, True]), FixAtoms([1])], "move_mask:L:3"),
        ([FixScaled(2, [True, False, True]), FixAtoms([1])], "move_mask:L:1:fixed_fractional:L:3"),
    ],
)
def test_constraints_come_back_from_our_files(tmp_path: Path, constraints: list, column: str) -> None:
    atoms = hexagonal(*constraints)
    job = with_file(tmp_path, "he.traj", atoms)()
    content = {"structure": structure(job.problem, job.fixed), "energy": {"free": 0.0, "extrapolated": 0.0}}
    text = extxyz.render(Result.read(content | {"converged": True})).decode()
    assert column in text
    again = ase.io.read(io.StringIO(text), format="extxyz")
    assert read(again) == read(atoms)


def test_velocities_start_dynamics_with_a_note(tmp_path: Path) -> None:
    job = with_file(tmp_path, "he.extxyz", MOVING)
    found = job("[md]\n")
    assert found.task["momenta"] == [[0.08005204, 0, 0], [-0.08005204, 0, 0]]
    words = "velocities of the start, kinetic energy 0.0016010 eV, 12.39 K with 3 degrees of freedom"
    assert any(note.endswith(words) for note in found.notes)
    drifting = with_file(tmp_path, "he.extxyz", MOVING.replace("-0.08005204", "0.0"))("[md]\n")
    assert any("0.0004003 eV are left out" in note for note in drifting.notes)


@pytest.mark.parametrize("name", ["POSCAR", "he.traj", "he.json"])
def test_velocities_of_other_formats(tmp_path: Path, name: str) -> None:
    atoms = Atoms("He2", positions=[[0, 0, 0], [1.8, 1.8, 1.8]], cell=[3.6] * 3, pbc=True)
    atoms.set_velocities([[0.02, 0, 0], [-0.02, 0, 0]])
    found = with_file(tmp_path, name, atoms)("[md]\n")
    assert any("velocities of the start, kinetic energy 0.0016010 eV, 12.39 K" in note for note in found.notes)


def test_velocities_that_are_not_used_are_named(tmp_path: Path) -> None:
    job = with_file(tmp_path, "he.extxyz", MOVING)
    assert any("not used: velocities, which only dynamics have" in note for note in job("[relax]\n").notes)
    found = job('[md]\ntemperature = "100 K"\n')
    assert found.task["momenta"] is None
    assert any("replaced by random ones of [md] temperature" in note for note in found.notes)
    assert job('[md]\ntemperature = "100 K"\nensemble = "langevin"\n').task["momenta"] is not None
    still = with_file(tmp_path, "he.extxyz", MOVING.replace("0.08005204", "0.0"))("[md]\n")
    assert any("not used: velocities, which are all zero" in note for note in still.notes)
    with pytest.raises(InputError, match="the velocity of atom 2 is not finite"):
        with_file(tmp_path, "he.extxyz", MOVING.replace("-0.08005204", "nan"))("[md]\n")


def test_masses_are_those_of_the_file_and_other_data_are_named(tmp_path: Path) -> None:
    atoms = hexagonal()
    atoms.set_masses([3.0, 4.0, 4.0])
    atoms.set_tags([0, 1, 2])
    atoms.set_initial_charges([0.1, 0, 0])
    job = with_file(tmp_path, "he.traj", atoms)("[md]\n")
    assert job.task["masses"] == [3.0, 4.0, 4.0]
    assert any(note.endswith("he.traj: not used: tags, initial_charges") for note in job.notes)


@pytest.mark.parametrize(
    ("atoms", "task", "words"),
    [
        ([["He", 0, 0, 0]], "", "no degree of freedom is left"),
        ([["He", 0, 0, 0], ["He", 0.5, 0.5, 0.5]], "fixed_atoms = [1, 2]\n", "all atoms are fixed"),
    ],
)
def test_dynamics_of_nothing_that_moves_are_refused(tmp_path: Path, atoms: list, task: str, words: str) -> None:
    path = tmp_path / "in.toml"
    path.write_text(
        "[structure]\ncell = [[3.6,0,0],[0,3.6,0],[0,0,3.6]]\nunit = 'bohr'\ncoordinates = 'fractional'\n"
        f"atoms = {atoms}\n[basis]\necut = '8 Ha'\n[electrons]\nxc = 'LDA_X'\npseudopotentials = 'gth-lda'\n"
        f"[md]\n{task}"
    )
    with pytest.raises(InputError, match=words):
        prepare(fake_core, path)


def test_a_random_mask_survives_the_ways_between_vectors_and_axes() -> None:
    random = np.random.default_rng(3)
    for _ in range(100):
        mask = tuple(bool(flag) for flag in random.integers(0, 2, 3))
        order = random.permutation(3)
        cell = (np.diag([3.0, 4.0, 5.0])[order]).tolist()  # vectors along the axes, in any order
        same = cartesian_of(mask, cell)
        assert same is not None and same == tuple(mask[list(order).index(axis)] for axis in range(3))
        assert fractional_of(same, cell) == mask
