"""Crystals from input files."""

import bz2
import gzip
import lzma
import warnings
from pathlib import Path
from typing import TextIO

import ase.build
import ase.io
import numpy as np
import pytest
from ase.io import vasp

from wavegrid.errors import InputError
from wavegrid.input import compressed, structure
from wavegrid.input.document import Document
from wavegrid.input.models import Structure
from wavegrid.process import core_loader
from wavegrid.units import BOHR_IN_ANGSTROM

DOCUMENT = Document(Path("in.toml"), {}, {("structure", "atoms"): 7, ("structure", "file"): 3})
SKEWED = [[9.0, 0, 0], [4.4, 8.0, 0], [-4.0, 3.0, 7.0]]


def build(**keys: object) -> structure.Crystal:
    """Return the crystal of [structure] with these keys."""
    return structure.build(core_loader.load(), DOCUMENT, Structure.model_validate(keys), [])


def inline(atoms: list, **keys: object) -> structure.Crystal:
    """Return an inline crystal in the skewed cell."""
    return build(**{"cell": SKEWED, "unit": "bohr", "atoms": atoms, "coordinates": "fractional", **keys})


def test_supercell_repeats_cell_and_atoms() -> None:
    one = inline([["Al", 0.25, 0, 0], ["Li", 0.5, 0.5, 0.5]])
    many = inline([["Al", 0.25, 0, 0], ["Li", 0.5, 0.5, 0.5]], supercell=[3, 1, 2])
    assert many.symbols == ["Al", "Li"] * 6
    assert many.species() == ["Al", "Li"]
    np.testing.assert_allclose(many.cell, np.array(one.cell) * [[3], [1], [2]])
    positions = np.array(many.fractional) @ np.array(many.cell)
    shifts = [[i, 0, k] for i in range(3) for k in range(2)]
    expected = np.concatenate([(np.array(one.fractional) + shift) @ np.array(one.cell) for shift in shifts])
    np.testing.assert_allclose(positions, expected, atol=1e-13)


def test_cartesian_coordinates_are_in_the_unit_of_the_cell() -> None:
    fractional = inline([["Al", 0.1, 0.2, 0.3]])
    position = np.array([0.1, 0.2, 0.3]) @ np.array(SKEWED)
    bohr = inline([["Al", *position.tolist()]], coordinates="cartesian")
    np.testing.assert_allclose(bohr.fractional, fractional.fractional, atol=1e-14)
    np.testing.assert_allclose(np.array(inline([["Al", 0, 0, 0]], unit="angstrom").cell) * BOHR_IN_ANGSTROM, SKEWED)


@pytest.mark.parametrize("name", ["al.cif", "al.extxyz", "POSCAR"])
def test_reads_files_relative_to_the_input(tmp_path: Path, name: str) -> None:
    ase.io.write(tmp_path / name, ase.build.bulk("Al", "fcc", 4.05, cubic=True))
    document = Document(tmp_path / "in.toml", {}, {})
    crystal = structure.build(core_loader.load(), document, Structure(file=name), [])
    assert crystal.symbols == ["Al"] * 4
    np.testing.assert_allclose(np.array(crystal.cell) * BOHR_IN_ANGSTROM, np.eye(3) * 4.05, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.xyz", "1\n\nAl 0 0 0\n", "holds no cell"),
        ("a.cif", "no cif at all", "line 1: 'no' belongs to no name"),
        ("a.nonsense", "x", "no format that ASE knows"),
    ],
)
def test_refuses_files_without_a_crystal(tmp_path: Path, name: str, content: str, words: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=words):
        structure.build(core_loader.load(), Document(tmp_path / "in.toml", {}, {}), Structure(file=name), [])


def from_file(path: Path, **keys: object) -> tuple[structure.Crystal, list[str]]:
    """Return the crystal of a file and the notes about it."""
    notes: list[str] = []
    document = Document(path.parent / "in.toml", {}, {})
    return structure.build(core_loader.load(), document, Structure(file=path.name, **keys), notes), notes


def test_a_frame_of_several_is_chosen(tmp_path: Path) -> None:
    path = tmp_path / "a.extxyz"
    ase.io.write(path, [ase.build.bulk("Al", "fcc", a) for a in (4.0, 4.1, 4.2)])
    for frame, edge in ((1, 4.0), (2, 4.1), (3, 4.2)):
        crystal, _ = from_file(path, frame=frame)
        volume = abs(np.linalg.det(crystal.cell)) * BOHR_IN_ANGSTROM**3
        assert volume == pytest.approx(edge**3 / 4)
    for keys, words in (({}, "holds several structures; valid: frame = 1"), ({"frame": 4}, "holds fewer than 4")):
        with pytest.raises(InputError, match=words):
            from_file(path, **keys)


def test_a_cell_that_is_not_periodic_and_warnings_of_ase_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "slab.extxyz"
    ase.io.write(path, ase.build.fcc111("Al", (1, 1, 3), vacuum=6.0))
    assert from_file(path)[1] == [
        f"{path} is not periodic along vector 3: the calculation repeats its cell there too",
        f"{path}: not used: tags",
    ]
    document, notes = Document(tmp_path / "in.toml", {}, {}), []
    structure.build(core_loader.load(), document, Structure(file=path.name), notes, [True, True, False])
    assert notes == [f"{path}: not used: tags"]
    path = tmp_path / "a.cif"
    ase.io.write(path, ase.build.bulk("Al", "fcc", 4.05, cubic=True))
    assert from_file(path)[1] == []
    path.write_text(path.read_text() + "_symmetry_cell_setting 'any \x1b[31m'\n")
    notes = from_file(path)[1]
    assert all("\x1b" not in note for note in notes)


EXTXYZ = '2\nLattice="5 0 0 0 5 0 0 0 5" Properties=species:S:1:pos:R:3\nAl 0 0 0\nAl 2 2 2\n'


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("pos:R:3", "pos:R:3:many:R:900000000", "line 3 has 4 values, its title asks for 900000004"),
        (
            "pos:R:3",
            "pos:R:3:many:R:9999999999",
            "line 2: Properties=species:S:1:pos:R:3:many:R:9999999999; valid: NAME",
        ),
        ("pos:R:3", "pos:R", "line 2: Properties=species:S:1:pos:R; valid"),
        ("pos:R:3", "pos:Q:3", "line 2: Properties=species:S:1:pos:Q:3; valid"),
        ("2 2 2", "2 2", "line 4 has 3 values, its title asks for 4"),
        ("2 2 2", "2 2 2 1", "line 4 has 5 values, its title asks for 4"),
        ("2 2 2", "2 two 2", "line 4: 'two' as pos; valid: a number"),
        ("R:3\nAl 0", "R:3:fixed:L:1\nAl 0 0", "line 3: '0' as fixed; valid: T or F"),
    ],
)
def test_rows_of_xyz_files_are_named(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = tmp_path / "a.extxyz"
    path.write_text(EXTXYZ.replace(old, new))
    with pytest.raises(InputError, match=words):
        from_file(path)
    path = tmp_path / "a.XYZ.gz"
    path.write_bytes(gzip.compress(EXTXYZ.replace(old, new).encode()))
    with pytest.raises(InputError, match=words):
        from_file(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.xyz.gz", EXTXYZ.encode()),
        ("a.xyz.gz", gzip.compress(EXTXYZ.encode())[:-9]),
        ("a.xyz.gz", gzip.compress(EXTXYZ.encode())[:20] + b"x" * 40),
        ("a.xyz.bz2", bz2.compress(EXTXYZ.encode())[:-9]),
        ("a.cif.xz", lzma.compress(b"data_")[:-9]),
        ("POSCAR.xz", b"Al"),
    ],
    ids=["plain", "cut gzip", "damaged gzip", "cut bzip2", "cut xz", "short"],  # not the bytes: gzip's hold the time
)
def test_damaged_compressed_files_are_refused(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=f"{name}' cannot be decompressed; valid: a whole file"):
        from_file(tmp_path / name)


def test_large_contents_of_a_small_file_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressed, "MOST_BYTES", 1_000_000)
    (tmp_path / "a.cube.gz").write_bytes(gzip.compress(bytes(2_000_000)))
    with pytest.raises(InputError, match="a.cube.gz' has more than 1 MB decompressed"):
        from_file(tmp_path / "a.cube.gz")


POSCAR = "Al\n1.0\n4 0 0\n0 4 0\n0 0 4\nAl\n2\nDirect\n0 0 0\n0.5 0.5 0.5\n"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (
            "POSCAR",
            POSCAR.replace("1.0", "one"),
            "POSCAR': the reading stops at line 2: .* VASP POSCAR/CONTCAR; valid",
        ),
        ("POSCAR", POSCAR.replace("0 4 0", "0 x 0"), "POSCAR': the reading stops at line 5: "),
        ("a.xsf", "CRYSTAL\nPRIMVEC\n", "a.xsf' cannot be read: damaged, or no file of .* XCrySDen"),
        ("a.cube", "x\ny\nz\n1\n2\n", "a.cube': the reading stops at line 3: .* CUBE"),
        ("a.traj", "x", "a.traj' cannot be read: damaged, or no file of .* ASE trajectory"),
        ("a.nonsense", "x", "is of no format that ASE knows"),
    ],
)
def test_messages_of_readers_are_not_shown(tmp_path: Path, name: str, content: str, words: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=words):
        from_file(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (
            "a.pdb",
            "CRYST1    5.000    5.000    5.000  90.00  90.00  90.00 P 21 21 21   4\n",
            "line 1: the space group P 21 21",
        ),
        ("a.res", "TITL a\nCELL 1 5 5 5 90 90 90\nLATT 1\nSYMM -X,Y+1/2,-Z\n", "line 3: the symmetry 'LATT 1'"),
        ("a.ins", "TITL a\nLATT -1\nSYMM -X,Y+1/2,-Z\n", "line 3: the symmetry 'SYMM -X,Y"),
    ],
)
def test_files_of_a_part_of_their_atoms_are_refused(tmp_path: Path, name: str, content: str, words: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=words):
        from_file(tmp_path / name)
    (tmp_path / f"{name}.bz2").write_bytes(bz2.compress(content.encode()))
    with pytest.raises(InputError, match=words):
        from_file(tmp_path / f"{name}.bz2")


def test_pdb_files_of_all_atoms_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pdb"
    ase.io.write(path, ase.build.bulk("Al", "fcc", 4.05, cubic=True))
    crystal, notes = from_file(path)
    assert len(crystal.symbols) == 4 and not any("occupancy" in note for note in notes)
    text = path.read_text()
    path.write_text(text.replace("  1.00  0.00", "  0.00  0.00"))
    assert len(from_file(path)[0].symbols) == 4
    for share, words in (
        ("0.50", "a.pdb': atom 1 has the occupancy 0.5; valid: an ordered structure"),
        ("    ", "a.pdb': the reader of the format, Protein Data Bank, leaves out a part of the file; valid"),
    ):
        path.write_text(text.replace("  1.00  0.00", f"  {share}  0.00", 1))
        with pytest.raises(InputError, match=words):
            from_file(path)


CELL = "".join(
    f"%BLOCK {name}\n{rows}\n%ENDBLOCK {name}\n"
    for name, rows in (("LATTICE_CART", "5 0 0\n0 5 0\n0 0 5"), ("POSITIONS_FRAC", "Al 0 0 0"))
)


def test_warnings_of_readers_are_a_note_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.cell"
    path.write_text(CELL)
    assert (
        f"{path}: the reader of the format, CASTEP geom file, warns of the file: compare the structure with the file"
        in (from_file(path)[1])
    )
    path.write_text(CELL + "%BLOCK LATTICE_ABC\n5 5 5\n90 90 90\n%ENDBLOCK LATTICE_ABC\n")
    with pytest.raises(InputError, match="a.cell': the reader of the format, CASTEP .*, leaves out a part of the file"):
        from_file(path)


def test_the_line_of_a_warning_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "POSCAR"
    path.write_text(POSCAR)
    reader = vasp.read_vasp

    def reader_that_warns(file: TextIO) -> ase.Atoms:
        file.readline()
        warnings.warn("Ignored\na title", stacklevel=1)
        file.seek(0)
        return reader(file)

    monkeypatch.setattr(vasp, "read_vasp", reader_that_warns)
    with pytest.raises(InputError, match="POSCAR': line 1: the reader of the format, VASP"):
        from_file(path)


def test_refuses_partly_occupied_sites(tmp_path: Path) -> None:
    atoms = ase.build.bulk("Al", "fcc", 4.05, cubic=True)
    atoms.info["occupancy"] = {"0": {"Al": 0.5, "Li": 0.5}}
    atoms.set_array("spacegroup_kinds", np.zeros(4, int))
    path = tmp_path / "a.traj"
    ase.io.write(path, atoms)
    occupancy = ase.io.read(path).info.get("occupancy")
    assert occupancy is not None
    with pytest.raises(InputError, match="partly occupied"):
        structure.build(core_loader.load(), Document(tmp_path / "in.toml", {}, {}), Structure(file="a.traj"), [])


def test_overlap_equals_a_search_over_many_images() -> None:
    random = np.random.default_rng(5)
    cell = np.array(SKEWED) / 8  # small, so that images matter
    shifts = np.array([[i, j, k] for i in range(-4, 5) for j in range(-4, 5) for k in range(-4, 5)])
    refused = 0
    for _ in range(200):
        offset = random.uniform(-3, 3, 3)
        own = np.linalg.norm(shifts @ cell, axis=1)
        pair = np.linalg.norm((offset - np.round(offset) + shifts) @ cell, axis=1)
        nearest = min(own[own > 0].min(), pair.min())
        atoms = [["Al", 0, 0, 0], ["Al", *offset.tolist()]]
        if nearest < structure.CLOSEST_DISTANCE:
            refused += 1
            with pytest.raises(InputError, match="overlapping atoms"):
                inline(atoms, cell=cell.tolist())
        else:
            inline(atoms, cell=cell.tolist())
    assert 10 < refused < 190


def test_overlap_through_the_boundary_and_with_itself() -> None:
    with pytest.raises(InputError, match=r"in.toml:7: overlapping atoms: atom 1 \(Al\) and atom 2 \(Li\)"):
        inline([["Al", 0.001, 0, 0], ["Li", 0.999, 1, -3]])
    with pytest.raises(InputError, match="its own periodic image"):
        inline([["Al", 0, 0, 0]], cell=[[0.4, 0, 0], [0, 5, 0], [0, 0, 5]])
