"""CIF files: settings of space groups, operations, rounded sites, and what a file says of its contents."""

from pathlib import Path

import ase.build
import ase.io
import numpy as np
import pytest
from ase.cell import Cell

from wavegrid.errors import InputError
from wavegrid.input import structure_file
from wavegrid.input.cif import space_groups, syntax
from wavegrid.process import core_loader

HEXAGONAL = (3.0, 3.0, 5.0, 90, 90, 120)
MONOCLINIC = (7.1, 5.3, 6.2, 90, 98, 90)
MG_O = [("Mg1", "Mg", 0.13, 0.08, 0.21), ("O1", "O", 0.37, 0.20, 0.05)]
P21N = ["x,y,z", "1/2-x,1/2+y,1/2-z", "-x,-y,-z", "1/2+x,1/2-y,1/2+z"]
PBNM = [
    "x,y,z", "-x,-y,z+1/2", "1/2-x,1/2+y,-z+1/2", "1/2+x,1/2-y,-z",
    "-x,-y,-z", "x,y,-z+1/2", "1/2+x,1/2-y,z+1/2", "1/2-x,1/2+y,z",
]  # fmt: skip
CATIO3 = [("Ca0", "Ca", 0.0066, 0.0357, 0.25), ("Ti1", "Ti", 0, 0.5, 0),
          ("O2", "O", 0.5712, 0.4843, 0.25), ("O3", "O", 0.2889, 0.2888, 0.0371)]  # fmt: skip


def cif(cell: tuple, sites: list, *, symbol: str = "", operations: list | None = None, more: str = "") -> str:
    """Return the text of a CIF file."""
    names = ("length_a", "length_b", "length_c", "angle_alpha", "angle_beta", "angle_gamma")
    text = "data_x\n" + "".join(f"_cell_{name} {value}\n" for name, value in zip(names, cell, strict=True))
    text += f"_symmetry_space_group_name_H-M '{symbol}'\n" if symbol else ""
    text += more
    if operations:
        text += "loop_\n_symmetry_equiv_pos_as_xyz\n" + "".join(f"'{one}'\n" for one in operations)
    text += "loop_\n_atom_site_label\n_atom_site_type_symbol\n" + "".join(f"_atom_site_fract_{x}\n" for x in "xyz")
    return text + "".join(" ".join(map(str, site)) + "\n" for site in sites)


def read(folder: Path, text: str) -> tuple[ase.Atoms, list[str]]:
    """Return the atoms of a text and the notes, without the name of the file."""
    path = folder / "a.cif"
    path.write_text(text)
    notes: list[str] = []
    atoms = structure_file.read(path, None, notes)
    return atoms, [note.removeprefix(f"{path}: ") for note in notes]


def same(first: ase.Atoms, second: ase.Atoms) -> bool:
    """Return whether two structures of one cell have the same atoms, in any order."""
    if sorted(first.symbols) != sorted(second.symbols):
        return False
    apart = first.get_scaled_positions()[:, None] - second.get_scaled_positions()
    near = np.abs(apart - np.round(apart)).max(axis=2) < 1e-6
    return all(near[i] @ (second.numbers == first.numbers[i]) == 1 for i in range(len(first)))


@pytest.mark.parametrize(
    ("cell", "sites", "symbol", "operations"),
    [
        (MONOCLINIC, MG_O, "P 21/n", P21N),
        (MONOCLINIC, MG_O, "P 1 21/n 1", P21N),
        (MONOCLINIC, MG_O, "P121/n1", P21N),
        (MONOCLINIC, MG_O, "P 2(1)/n", P21N),
        ((5.1, 6.3, 4.4, 90, 90, 104), MG_O, "P 1 1 21/b", ["x,y,z", "-x,-y+1/2,z+1/2", "-x,-y,-z", "x,y+1/2,-z+1/2"]),
        ((5.1, 6.3, 4.4, 90, 90, 104), MG_O, "P 21/b", ["x,y,z", "-x,-y+1/2,z+1/2", "-x,-y,-z", "x,y+1/2,-z+1/2"]),
        ((5.379, 5.442, 7.64, 90, 90, 90), CATIO3, "P b n m", PBNM),
        ((5.379, 5.442, 7.64, 90, 90, 90), CATIO3, "Pbnm", PBNM),
    ],
)
def test_a_symbol_gives_the_atoms_of_its_operations(
    tmp_path: Path, cell: tuple, sites: list, symbol: str, operations: list
) -> None:
    written, notes = read(tmp_path, cif(cell, sites, symbol=symbol, operations=operations))
    assert not notes
    number = "_symmetry_Int_Tables_number " + {"b": "62", "2": "14", "1": "14"}[symbol.replace(" ", "")[1]] + "\n"
    for more in ("", number):
        atoms, notes = read(tmp_path, cif(cell, sites, symbol=symbol, more=more))
        assert same(atoms, written)
        assert not notes


@pytest.mark.parametrize(
    ("cell", "site", "symbol", "atoms", "notes"),
    [
        ((5.43,) * 3 + (90,) * 3, (0, 0, 0), "F d -3 m", 8, 1),  # the origin is not said: that of the first choice
        ((5.43,) * 3 + (90,) * 3, (0, 0, 0), "F d -3 m :1", 8, 0),
        ((5.43,) * 3 + (90,) * 3, (0.125,) * 3, "F d -3 m :2", 8, 0),
        ((5.43,) * 3 + (90,) * 3, (0.125,) * 3, "Fd-3m Z", 8, 0),
        ((5.43,) * 3 + (90,) * 3, (0.125,) * 3, "F d 3 m (origin choice 2)", 8, 0),
        ((4.745,) * 3 + (57.24,) * 3, (0.23389,) * 3, "R -3 m", 2, 0),
        ((4.745,) * 3 + (57.24,) * 3, (0.23389,) * 3, "R -3 m :R", 2, 0),
        ((4.546, 4.546, 11.862, 90, 90, 120), (0, 0, 0.23389), "R -3 m", 6, 0),
        ((4.546, 4.546, 11.862, 90, 90, 120), (0, 0, 0.23389), "R -3 m H", 6, 0),
        ((4.05,) * 3 + (90,) * 3, (0, 0, 0), "Fm3m", 4, 0),
        ((2.5, 2.5, 6.7, 90, 90, 120), (0.3333, 0.6667, 0.25), "P 63/m m c", 2, 1),  # moved to a third
    ],
)
def test_numbers_of_atoms(tmp_path: Path, cell: tuple, site: tuple, symbol: str, atoms: int, notes: int) -> None:
    found, said = read(tmp_path, cif(cell, [("A1", "Si", *site)], symbol=symbol))
    assert (len(found), len(said)) == (atoms, notes)


def test_formula_multiplicity_and_hall_symbol_decide_on_the_origin(tmp_path: Path) -> None:
    cell = (5.43,) * 3 + (90,) * 3
    for site, more in (
        ((0.125,) * 3, "_chemical_formula_sum Si\n_cell_formula_units_Z 8\n"),
        ((0.125,) * 3, "_space_group_name_Hall '-F 4vw 2vw 3'\n"),
        ((0, 0, 0), "_chemical_formula_sum Si8\n_cell_formula_units_Z 8\n"),
    ):
        atoms, notes = read(tmp_path, cif(cell, [("Si1", "Si", *site)], symbol="F d -3 m", more=more))
        assert len(atoms) == 8
        assert not notes
    text = cif(cell, [("Si1", "Si", 0.125, 0.125, 0.125, 8)], symbol="F d -3 m")
    text = text.replace("_fract_z\n", "_fract_z\n_atom_site_symmetry_multiplicity\n")
    assert len(read(tmp_path, text)[0]) == 8


def test_every_setting_is_found_by_its_names() -> None:
    core = core_loader.load()
    for setting in space_groups.settings(core):
        choice = f":{setting.choice}" if setting.choice else ""
        assert setting in space_groups.by_symbol(core, setting.symbol + choice)
        assert {found.number for found in space_groups.by_symbol(core, setting.full)} == {setting.number}
        assert setting in space_groups.by_hall(core, setting.hall)
        assert setting in space_groups.by_number(core, setting.number)
    assert [setting.choice for setting in space_groups.by_symbol(core, "B b e b :2")] == ["2bca", "2a-cb"]
    assert [setting.choice for setting in space_groups.by_symbol(core, "C m m b")] == ["ba-c"]
    for index in range(0, 530, 11):
        assert space_groups.settings(core)[index].operations(core).missing_product() is None


@pytest.mark.parametrize(("digits", "moved"), [(2, True), (3, True), (4, True), (5, False), (12, False)])
def test_rounded_thirds_are_one_atom(tmp_path: Path, digits: int, moved: bool) -> None:
    x, y = round(1 / 3, digits), round(2 / 3, digits)
    sites = [("C1", "C", x, y, 0.5), ("B1", "B", 0, 0, 0.25)]
    atoms, notes = read(tmp_path, cif(HEXAGONAL, sites, symbol="P -6 m 2"))
    assert sorted(atoms.symbols) == ["B", "B", "C"]
    assert [note.startswith("site C1 is up to ") for note in notes] == [True] * moved
    place = atoms.get_scaled_positions()[[atom.symbol == "C" for atom in atoms]][0]
    np.testing.assert_allclose(place, [1 / 3, 2 / 3, 0.5], atol=1e-12)


def test_sites_at_one_place(tmp_path: Path) -> None:
    al = ase.build.bulk("Al", "fcc", 4.05, cubic=True)
    sites = [(f"Al{i}", "Al", *place) for i, place in enumerate(al.get_scaled_positions())]
    atoms, notes = read(tmp_path, cif(al.cell.cellpar(), sites, symbol="F m -3 m"))
    assert len(atoms) == 4
    assert notes == ["sites Al1 of Al0, Al2 of Al0 and Al3 of Al0 are images of other sites: each atom is taken once"]
    sites[1] = ("Li1", "Li", 0.0, 0.5, 0.505)
    with pytest.raises(InputError, match=r"sites Al0 \(Al\) and Li1 \(Li\) are 0 Angstrom apart"):
        read(tmp_path, cif(al.cell.cellpar(), sites, symbol="F m -3 m"))


@pytest.mark.parametrize("frame", [1, 2])
def test_notes_are_those_of_the_frame(tmp_path: Path, frame: int) -> None:
    """Its third block has none."""
    path = tmp_path / "a.cif"
    sites = [("C1", "C", 0.333, 0.667, 0), ("C2", "C", 0.3333, 0.6667, 0), ("C3", "C", 0, 0, 0)]
    path.write_text("".join(cif(HEXAGONAL, [site], symbol="P 6 m m") for site in sites))
    notes: list[str] = []
    structure_file.read(path, frame, notes)
    assert len(notes) == 1 and f"site C{frame} is up to" in notes[0]
    structure_file.read(path, 3, notes)
    assert len(notes) == 1


def test_two_elements_at_one_place_of_a_skewed_cell_are_refused(tmp_path: Path) -> None:
    """Along the direction in which fractional coordinates change most."""
    inverse = np.linalg.inv(Cell.fromcellpar((5, 5, 5, 20, 20, 20)).array)
    direction = np.linalg.svd(inverse)[0][:, 0]
    place = (0.098 * direction @ inverse).round(6)
    with pytest.raises(InputError, match=r"sites Mg1 \(Mg\) and O1 \(O\) are 0.098 Angstrom apart"):
        read(tmp_path, cif((5, 5, 5, 20, 20, 20), [("Mg1", "Mg", 0, 0, 0), ("O1", "O", *place)], symbol="P 1"))


def test_files_of_all_atoms_keep_their_symbol(tmp_path: Path) -> None:
    al = ase.build.bulk("Al", "fcc", 4.05, cubic=True)
    sites = [(f"Al{i}", "Al", *place) for i, place in enumerate(al.get_scaled_positions())]
    assert len(read(tmp_path, cif(al.cell.cellpar(), sites, symbol="F m -3 m", operations=["x,y,z"]))[0]) == 4
    with pytest.raises(InputError, match=r"1 operation is written out, F m -3 m .* has 192"):
        read(tmp_path, cif(al.cell.cellpar(), sites[:1], symbol="F m -3 m", operations=["x,y,z"]))


@pytest.mark.parametrize("symbol", ["B 21/q", "P 1 21/c 1", ""])
def test_operations_win_over_the_symbol(tmp_path: Path, symbol: str) -> None:
    atoms, notes = read(tmp_path, cif(MONOCLINIC, MG_O, symbol=symbol, operations=P21N))
    assert same(atoms, read(tmp_path, cif(MONOCLINIC, MG_O, symbol="P 1 21/n 1"))[0])
    assert [note.startswith("the operations written out are used") for note in notes] == [True] * bool(symbol)


def test_values_as_programs_write_them(tmp_path: Path) -> None:
    text = cif((4.05,) * 3 + (90,) * 3, [("Al1", "Al3+(x)", "0.0(2)", 0, 0)], symbol="P m -3 m")
    text = text.replace("_cell_length_a 4.05", "_cell_length_a\n;\n4.0500(3)\n;").replace(
        "'P m -3 m'", "P m -3 m # cubic"
    )
    atoms, notes = read(tmp_path, text)
    assert list(atoms.symbols) == ["Al"]
    assert atoms.cell.lengths()[0] == 4.05
    assert not notes
    loop = "loop_\n_symmetry_equiv_pos_as_xyz\nx, y, z\n-X, Y+1/2 ,-Z\n"
    text = cif(MONOCLINIC, MG_O, symbol="P 21").replace("loop_", loop + "loop_")
    assert same(read(tmp_path, text)[0], read(tmp_path, cif(MONOCLINIC, MG_O, symbol="P 1 21 1"))[0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (cif(MONOCLINIC, MG_O, symbol="P 21/n", operations=[*P21N[:3], "y,x,z"]), "operation 'y,x,z' changes lengths"),
        (cif(MONOCLINIC, MG_O, symbol="P 21/n", operations=P21N[:3]), "the product of the operations .* is missing"),
        (cif(MONOCLINIC, MG_O, operations=["x,y,z", "x,y"]), "line 11: 'x,y' is no symmetry operation"),
        (cif(MONOCLINIC, MG_O, operations=["x,y,2z"]), "'x,y,2z' is no symmetry operation"),
        (cif(MONOCLINIC, MG_O, symbol="P b n m"), "cell does not have the symmetry of P b n m, choice cab"),
        (cif(MONOCLINIC, MG_O, symbol="P 21/q"), "line 8: unknown space group 'P 21/q'"),
        (cif(MONOCLINIC, MG_O, symbol="P 21/n :3"), "unknown space group 'P 21/n :3'"),
        (cif(MONOCLINIC, MG_O, symbol="P 21/n", more="_space_group_IT_number 15\n"), "is 15, the symbol is .* 14"),
        (cif(MONOCLINIC, MG_O, more="_space_group_IT_number 14\n"), "14 has several settings"),
        (cif(MONOCLINIC, MG_O, more="_space_group_IT_number 231\n"), "number is '231'; valid: from 1 to 230"),
        (cif(MONOCLINIC, MG_O, symbol="P 21/n", more="_space_group_name_Hall '-P 2yab'\n"), "not of the space group"),
        (cif(MONOCLINIC, MG_O, symbol="P 21/n", more="_chemical_formula_sum 'Mg O2'\n"), "Mg4 O4, and line 9 says"),
        (cif(MONOCLINIC, MG_O, symbol="P 21/n", more="_chemical_formula_sum 'Mg O'\n_cell_formula_units_Z 8\n"),
         "says 'Mg O', 8 of them in the cell"),
        (cif(MONOCLINIC, MG_O, symbol="P 21/n", more="_cell_volume 300\n"), "_cell_volume is 300, that of .* 231.0"),
        (cif(MONOCLINIC, [("Mg1", "Mg", "?", 0, 0)], symbol="P 21/n"), "coordinate x of site Mg1 is '\\?'; valid"),
        (cif(MONOCLINIC, [("Mg1", "Mg", 0, 0, ".")], symbol="P 21/n"), "coordinate z of site Mg1 is '.'; valid"),
        (cif(MONOCLINIC, [("Mg1", "Mg", "nan", 0, 0)], symbol="P 1"), "coordinate x of site Mg1 is 'nan'"),
        (cif(MONOCLINIC, [("Q1", "Qq", 0, 0, 0)], symbol="P 1"), "site Q1 has the element 'Qq'"),
        (cif(MONOCLINIC, [("W1", "H2O", 0, 0, 0)], symbol="P 1"), "site W1 has the element 'H2O'"),
        (cif(MONOCLINIC, MG_O, symbol="P 1", more="_cell_modulation_dimension 1\n"), "line 9: a modulated structure"),
        (cif(MONOCLINIC, [("Mg1", "Mg", 1e4, 0, 0)], symbol="P 1"), "site Mg1 is at 10000 lattice vectors"),
        (cif((4, 4, 4, 90, 90, 200), MG_O), "no cell has the angles 90, 90, 200"),
        (cif((4, 4, "a", 90, 90, 90), MG_O), "line 4: _cell_length_c is 'a'; valid: a number above zero"),
        (cif(HEXAGONAL, [("C1", "C", 0.02, 0, 0.5)], symbol="P 6"), "images of site C1 are .* neither one atom nor"),
        (cif(MONOCLINIC, [*MG_O, ("O2", "O", 0.5)], symbol="P 1"), "line 17: a loop of 5 names has 13 values"),
    ],
)  # fmt: skip
def test_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("label", "symbol"),
    [("Ca1", "Ca"), ("OW1", "O"), ("O", "O"), ("C12", "C"), ("cl3", "Cl"), ("CA1", None), ("D1", "H")],
)
def test_elements_of_labels(tmp_path: Path, label: str, symbol: str | None) -> None:
    text = cif(MONOCLINIC, [(label, 0, 0, 0)], symbol="P 1").replace("_atom_site_type_symbol\n", "")
    if symbol is None:
        with pytest.raises(InputError, match=f"site {label} has the element '{label}'"):
            read(tmp_path, text)
    else:
        assert list(read(tmp_path, text)[0].symbols) == [symbol]


def test_the_atoms_of_many_operations_are_those_of_ase(tmp_path: Path) -> None:
    crystal = ase.build.bulk("NaCl", "rocksalt", 5.64, cubic=True)
    ase.io.write(tmp_path / "a.cif", crystal)
    notes: list[str] = []
    assert same(structure_file.read(tmp_path / "a.cif", None, notes), crystal)
    assert not notes


def test_syntax() -> None:
    (block,) = syntax.parse(
        "# text\ndata_a\n_one 'it''s' \n_two\n;\nlong\ntext\n;\nloop_ _x.y _z 1 \"b c\" # remark\n 'd' ?\n"
    )
    assert {name: [value.text for value in values] for name, values in block.items.items()} == {
        "_one": ["it''s"],
        "_two": ["long\ntext"],
        "_x_y": ["1", "d"],
        "_z": ["b c", "?"],
    }
    assert [value.unknown for value in block.items["_z"]] == [False, True]
    for text, words in (
        ("a", "line 1: 'a' belongs to no name"),
        ("_a 1", "line 1: '_a' before the first data block"),
        ("data_a\n_b\n_c 1", "line 2: _b has no value"),
        ("data_a\n_b 1\n2", "line 3: '2' follows the value of _b"),
        ("data_a\n_b 1\n_B 2", "line 3: _B twice"),
        ("data_a\nloop_\n1", "line 2: a loop without names"),
        ("data_a\n_b\n;\ntext", "line 3: a text that begins with ;"),
    ):
        with pytest.raises(InputError, match=words):
            syntax.parse(text)
