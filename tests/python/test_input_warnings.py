"""Remarks on inputs and results: each appears where it should, and nothing is said about sound ones."""

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from conftest import EXAMPLES, invoke, program, read_result

from wavegrid.errors import InputError
from wavegrid.input_warnings import meanings, potentials, remark
from wavegrid.job.job import Job
from wavegrid.job.prepare import prepare
from wavegrid.model.core_result import CoreResult
from wavegrid.process import core_loader
from wavegrid.results import result_warnings

REFERENCE = Path(__file__).parents[1] / "reference"

SILICON = 'cell = [[0,5.13,5.13],[5.13,0,5.13],[5.13,5.13,0]]\natoms = [["Si",0,0,0],["Si",0.25,0.25,0.25]]'
SALT = 'cell = [[0,10.1,10.1],[10.1,0,10.1],[10.1,10.1,0]]\natoms = [["Na",0,0,0],["Cl",0.5,0.5,0.5]]'
SMEARING = 'smearing = { kind = "cold", width = "0.01 Ha" }'


def structure(cell: str, *atoms: str) -> str:
    """Return cell (diagonal) and fractional atoms of [structure]."""
    x, y, z = cell.split()
    rows = ", ".join(f'["{symbol}", {", ".join(place)}]' for symbol, *place in map(str.split, atoms))
    return f"cell = [[{x},0,0],[0,{y},0],[0,0,{z}]]\natoms = [{rows}]"


def one_atom(symbol: str, edge: float) -> str:
    """Return a cube with one atom."""
    return structure(f"{edge} {edge} {edge}", f"{symbol} 0 0 0")


SLAB = structure("5.4 5.4 30", "Al 0 0 0", "Al 0.5 0.5 0.13")
BCC_IRON = structure("5.42 5.42 5.42", "Fe 0 0 0", "Fe 0.5 0.5 0.5")
FE110 = (
    'cell = [[5.416,0,0],[2.708,3.8297,0],[0,0,30.2]]\natoms = [["Fe",0,0,0.3733],["Fe",0.5,0,0.5],["Fe",0,0,0.6267]]'
)
OXYGEN = structure("12 12 14", "O 0 0 0", "O 0 0 0.163")


@pytest.fixture
def job(tmp_path: Path) -> Callable[..., Job]:
    """Return a function that prepares an input of a structure (bohr) and lines of [electrons]."""

    def make(lines: str, electrons: str = "", *, ecut: float = 150, table: str = "gth-lda", xc: str = "LDA-PW") -> Job:
        path = tmp_path / "in.toml"
        pseudo = table if table.startswith("{") else f'"{table}"'
        path.write_text(
            f'[structure]\nunit = "bohr"\ncoordinates = "fractional"\n{lines}\n[basis]\necut = "{ecut} Ha"\n'
            f'[electrons]\nxc = "{xc}"\npseudopotentials = {pseudo}\n{electrons}\n'
        )
        return prepare(core_loader.load(), path)

    return make


def names(job: Job) -> set[str]:
    """Return the names of the warnings."""
    return {warning["name"] for warning in job.warnings}


def kpoints(n: int, shift: str = "") -> str:
    """Return a cubic mesh."""
    return f"kpoints = {{ mesh = [{n},{n},{n}]{shift} }}"


# Structure, [electrons], other settings, the warning.
WRONG = {
    "Gamma alone": (SILICON, "", {}, "kpoints_gamma_alone"),
    "a given mesh of one point": (SILICON, kpoints(1), {}, "kpoints_gamma_alone"),
    "Gamma as a list": (SILICON, "kpoints = { list = [[0,0,0]] }", {}, "kpoints_gamma_alone"),
    "coarse mesh of a metal": (one_atom("Al", 5), f"{kpoints(4)}\n{SMEARING}", {}, "kpoints_coarse"),
    "slab at Gamma": (SLAB, SMEARING, {}, "kpoints_gamma_alone"),
    "PBE table with LDA": (SILICON, kpoints(4), {"table": "gth-pbe", "xc": "LDA-PZ"}, "pseudopotential_functional"),
    "LDA table with PBE": (SILICON, kpoints(4), {"xc": "PBE"}, "pseudopotential_functional"),
    "iron without spin": (BCC_IRON, f"{kpoints(8)}\n{SMEARING}", {}, "spin_left_out"),
    "oxygen molecule without spin": (OXYGEN, "", {}, "spin_left_out"),
    "atom without spin": (one_atom("C", 14), "", {}, "spin_left_out"),
    "radical without spin": (structure("12 12 14", "O 0 0 0", "H 0 0 0.13"), SMEARING, {}, "spin_left_out"),
    "metal, fixed occupations": (structure("7.65 7.65 7.65", "Al 0 0 0", "Al 0 0.5 0.5", "Al 0.5 0 0.5",
                                           "Al 0.5 0.5 0"), kpoints(6), {}, "metal_with_fixed_occupations"),
    "wide smearing": (one_atom("Al", 5), kpoints(10) + '\nsmearing = { kind = "cold", width = "1 eV" }', {},
                      "smearing_wide"),
    "charged slab": (SLAB, "kpoints = { mesh = [8,8,1] }\ncharge = 1\n" + SMEARING, {}, "charged_slab"),
    "low cutoff": (SILICON, kpoints(4), {"ecut": 5}, "cutoff_too_low"),
    "very low cutoff": (OXYGEN, 'spin = "collinear"', {"ecut": 18.4}, "cutoff_far_too_low"),
    "angstrom as bohr": (structure("4.05 4.05 4.05", "Al 0 0 0", "Al 0 0.5 0.5", "Al 0.5 0 0.5", "Al 0.5 0.5 0"),
                         f"{kpoints(8)}\n{SMEARING}", {}, "atoms_too_close"),
    "errors above the tolerance": (SILICON, kpoints(4) + '\n[relax]\n[scf]\nenergy_tolerance = "1e-5 Ha"', {},
                                   "force_tolerance_below_error"),
    "bohr as angstrom": (SALT, kpoints(2), {}, "atoms_too_far"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_warns(job: Callable[..., Job], case: str) -> None:
    lines, electrons, settings, name = WRONG[case]
    assert name in names(job(lines, electrons, **settings))


# Inputs without any warning.
SOUND = {
    "silicon": (SILICON, kpoints(4), {}),
    "large cell with a gap at Gamma": (SILICON + "\nsupercell = [4,4,4]", "", {"ecut": 12}),
    "metal": (one_atom("Al", 5), f"{kpoints(8)}\n{SMEARING}", {}),
    "slab": (SLAB, f"kpoints = {{ mesh = [8,8,1] }}\n{SMEARING}", {}),
    "wire": (structure("30 30 5", "Al 0 0 0"), f"kpoints = {{ mesh = [1,1,8] }}\n{SMEARING}", {}),
    "water molecule": (structure("14 14 14", "O 0 0 0", "H 0.1035 0.0786 0", "H -0.1035 0.0786 0"), "", {}),
    "nitrogen molecule": (structure("12 12 14", "N 0 0 0", "N 0 0 0.148"), "", {}),
    "hydrogen molecule": (structure("10 10 10", "H 0 0 0", "H 0 0 0.14"), "", {}),
    "oxygen molecule with spin": (OXYGEN, 'spin = "collinear"\ntotal_magnetisation = 2', {}),
    "iron": (BCC_IRON, f'{kpoints(8)}\n{SMEARING}\nspin = "collinear"', {"table": '{ Fe = "gth-lda-q8" }'}),
    "neon crystal": (structure("8.4 8.4 8.4", "Ne 0 0 0", "Ne 0 0.5 0.5", "Ne 0.5 0 0.5", "Ne 0.5 0.5 0"),
                     kpoints(3), {"ecut": 220}),
    "other parametrisation of LDA": (SILICON, kpoints(4), {"xc": "LDA-PZ"}),
    "charged molecule": (structure("14 14 14", "Li 0 0 0"), "charge = 1", {"table": '{ Li = "gth-lda-q3" }'}),
}  # fmt: skip


@pytest.mark.parametrize("case", SOUND)
def test_is_silent(job: Callable[..., Job], case: str) -> None:
    lines, electrons, settings = SOUND[case]
    assert job(lines, electrons, **settings).warnings == []


NOTED = {
    "k-points along vacuum": (SLAB, f"kpoints = {{ mesh = [8,8,2] }}\n{SMEARING}", {}, "along lattice vector 3"),
    "chosen without spin": (BCC_IRON, f'{kpoints(8)}\n{SMEARING}\nspin = "none"', {}, "Fe is magnetic"),
    "charge": (structure("14 14 14", "Li 0 0 0"), "charge = 1", {"table": '{ Li = "gth-lda-q3" }'}, "0.1 Ha too low"),
    "another GGA": (SILICON, kpoints(4), {"table": "gth-pbe", "xc": "PBESOL"}, "was made with GGA_X_PBE"),
    "cutoff": (SILICON, kpoints(4), {"ecut": 8}, "below the recommended cutoff: Si 12 Ha"),
    "parallel moments": (structure("8.4 8.4 8.4", "Ni 0 0 0", "Ni 0 0.5 0.5", "O 0.5 0 0", "O 0.5 0.5 0.5"),
                         f'{kpoints(6)}\n{SMEARING}\nspin = "collinear"', {}, "many such compounds are antiferro"),
}  # fmt: skip


@pytest.mark.parametrize("case", NOTED)
def test_informs_without_warning(job: Callable[..., Job], case: str) -> None:
    lines, electrons, settings, words = NOTED[case]
    found = job(lines, electrons, **settings)
    assert any(words in note for note in found.notes), found.notes
    assert not any(words in warning["message"] for warning in found.warnings)


GRAPHENE = 'cell = [[4.65,0,0],[-2.325,4.027,0],[0,0,15]]\natoms = [["C",0,0,0.5],["C",0.33333,0.66667,0.5]]'


@pytest.mark.parametrize(
    ("lines", "relax", "advice"),
    [
        (GRAPHENE, 'cell = "free"', 'cell = "free" with strain = [true, true, false, false, false, true]'),
        (GRAPHENE, 'cell = "isotropic"', 'cell = "free" with strain = [true, true, false, false, false, true]'),
        (GRAPHENE, 'cell = "free"\nstrain = [true,false,true,false,false,false]',
         "strain = [true, false, false, false, false, false]"),
        (structure("5 20 20", "Al 0 0 0"), 'cell = "free"', "strain = [true, false, false, false, false, false]"),
        (structure("14 14 14", "O 0 0 0", "O 0 0 0.163"), 'cell = "fixed-volume"', 'write cell = "fixed"'),
        ('cell = [[5,0,0],[0,4,4],[0,-20,20]]\natoms = [["Al",0,0,0]]', 'cell = "free"',
         'cell = "free" with strain = [true, false, false, false, false, false]'),
        ('cell = [[4,4,0],[4,-4,8],[20,-20,-20]]\natoms = [["Al",0,0,0]]', 'cell = "free"',
         'write cell = "fixed", or turn the axes'),
        (GRAPHENE, 'cell = "free"\nstrain = [true,true,false,false,false,true]', ""),
        (GRAPHENE, 'cell = "fixed"', ""),
        (SILICON, 'cell = "free"', ""),
    ],
)  # fmt: skip
def test_a_cell_that_is_free_along_vacuum(job: Callable[..., Job], lines: str, relax: str, advice: str) -> None:
    warnings = job(lines, f"{kpoints(2)}\n{SMEARING}\n[relax]\n{relax}").warnings
    found = [each["message"] for each in warnings if each["name"] == "cell_free_along_vacuum"]
    assert len(found) == bool(advice)
    assert not advice or advice in found[0]


@pytest.mark.parametrize(
    ("lines", "text", "lattice"),
    [
        (GRAPHENE, "GMKG", "this layer, without lattice vector 3 (HEX2D)"),
        (structure("20 5 20", "Al 0 0 0"), "GX", "this chain, without lattice vector 1 and vector 3 (LINE)"),
    ],
)
def test_default_band_paths_of_layers_and_chains(job: Callable[..., Job], lines: str, text: str, lattice: str) -> None:
    found = job(lines, f'{kpoints(2)}\n{SMEARING}\n[task]\nkind = "bands"')
    assert any(f'band path "{text}", the usual one of the lattice of {lattice}' in note for note in found.notes)
    empty = 2 if "layer" in lattice else 0
    assert {k[empty] for k in found.problem["band_path"]} == {0.0}


def test_hexagonal_lattices_want_gamma(job: Callable[..., Job]) -> None:
    graphene = 'cell = [[4.65,0,0],[-2.325,4.027,0],[0,0,20]]\natoms = [["C",0,0,0.5],["C",0.33333,0.66667,0.5]]'
    shifted = job(graphene, "kpoints = { mesh = [8,8,1], shift = [0.5,0.5,0] }")
    assert names(shifted) == {"kpoints_without_symmetry"}
    assert "kpoints = { mesh = [8, 8, 1] }" in shifted.warnings[0]["message"]
    spaced = job(graphene, 'kpoints = { spacing = "0.2 /bohr" }')
    assert spaced.problem["kpoints"] == {"mesh": [8, 8, 1], "shift": [0, 0, 0]}
    with pytest.raises(InputError, match="in a hexagonal lattice"):
        job(graphene, 'kpoints = { spacing = "0.2 /bohr", shift = [0.5,0.5,0] }')


HALF = ", shift = [0.5,0.5,0.5]"
BROKEN = structure("10.2 10.26 10.3", "Si 0 0 0", "Si 0.25 0.26 0.24")
# Structure, [electrons], the mesh that is advised; nothing where the mesh has the symmetry of the crystal.
SYMMETRY = {
    "fcc, shifted": (SILICON, kpoints(4, HALF), "[4, 4, 4]"),
    "cube, shifted": (BCC_IRON, f'{kpoints(8, HALF)}\n{SMEARING}\nspin = "collinear"', ""),
    "cube, another count": (BCC_IRON, f'kpoints = {{ mesh = [8,8,10] }}\n{SMEARING}\nspin = "collinear"',
                            "[10, 10, 10]"),
    "cube, shifted along an axis": (BCC_IRON, f'{kpoints(8, ", shift = [0.5,0,0]")}\n{SMEARING}\nspin = "collinear"',
                                    "[8, 8, 8]"),
    "no symmetry": (BROKEN, kpoints(4, HALF), ""),
    "bcc (110) slab": (FE110, f'kpoints = {{ mesh = [10,11,1] }}\n{SMEARING}\nspin = "collinear"', "[11, 11, 1]"),
    "slab": (SLAB, f"kpoints = {{ mesh = [8,8,1], shift = [0.5,0.5,0] }}\n{SMEARING}", ""),
}  # fmt: skip


@pytest.mark.parametrize("case", SYMMETRY)
def test_meshes_without_the_symmetry_of_the_crystal_are_warned_of(job: Callable[..., Job], case: str) -> None:
    lines, electrons, mesh = SYMMETRY[case]
    table = '{ Fe = "gth-lda-q8", Si = "gth-lda", Al = "gth-lda" }' if "Fe" in lines else "gth-lda"
    messages = {each["name"]: each["message"] for each in job(lines, electrons, table=table).warnings}
    found = messages.get("kpoints_without_symmetry", "")
    assert bool(mesh) == bool(found)
    assert mesh in found


def test_meshes_that_are_advised_or_chosen_have_the_symmetry_of_the_crystal(job: Callable[..., Job]) -> None:
    coarse = job(FE110, f"kpoints = {{ mesh = [6,6,1] }}\n{SMEARING}", table="gth-lda-q8")
    assert any("write kpoints = { mesh = [11, 11, 1] }" in warning["message"] for warning in coarse.warnings)
    chosen = job(FE110, f'kpoints = {{ spacing = "0.15 /bohr" }}\n{SMEARING}', table="gth-lda-q8")
    assert chosen.problem["kpoints"] == {"mesh": [11, 11, 1], "shift": [0, 0, 0]}
    assert not {"kpoints_coarse", "kpoints_without_symmetry"} & names(chosen)


def test_an_external_table_that_switches_symmetry_off_is_noted(job: Callable[..., Job]) -> None:
    table = "[external]\naxis = 3\ndipole_correction = true"
    lines = f"kpoints = {{ mesh = [4,4,1] }}\n{SMEARING}"
    assert any("symmetry of the crystal is not used" in note for note in job(SLAB, f"{lines}\n{table}").notes)
    lopsided = structure("5.4 5.9 30", "Al 0 0 0", "Al 0.5 0.43 0.13", "Al 0.1 0.2 0.29")
    for atoms, rest in ((SLAB, ""), (SLAB, f"{table}\n[symmetry]\nuse = false"), (lopsided, table)):
        assert not any("symmetry of the crystal" in note for note in job(atoms, f"{lines}\n{rest}").notes)


# Structure, list and weights of k-points; whether it lacks equivalent points.
LISTS = {
    "two special points": (SILICON, "list = [[0.25,0.25,0.25],[0.25,0.25,-0.25]], weights = [1,3]", True),
    "irreducible ones": (SILICON, "list = [[0.25,0.25,0.25],[0.25,0.25,-0.25]], weights = [1,3], irreducible = true",
                         False),
    "Gamma and X": (SILICON, "list = [[0,0,0],[0.5,0.5,0]], weights = [1,3]", True),
    "Gamma and all X": (SILICON, "list = [[0,0,0],[0.5,0.5,0],[0.5,0,0.5],[0,0.5,0.5]]", False),
    "another weight": (SILICON, "list = [[0,0,0],[0.5,0.5,0],[0.5,0,0.5],[0,0.5,0.5]], weights = [1,1,1,2]", True),
    "without symmetry": (BROKEN, "list = [[0.1,0.2,0.3],[0.4,0.1,0.2]], weights = [1,2]", False),
}  # fmt: skip


@pytest.mark.parametrize("case", LISTS)
def test_lists_that_lack_equivalent_points_are_noted(job: Callable[..., Job], case: str) -> None:
    lines, listed, incomplete = LISTS[case]
    found = job(lines, f"kpoints = {{ {listed} }}")
    assert any("irreducible = true" in note for note in found.notes) == incomplete


def test_an_irreducible_list_has_the_symmetry_of_the_crystal(job: Callable[..., Job]) -> None:
    two = "list = [[0.25,0.25,0.25],[0.25,0.25,-0.25]], weights = [1,3]"
    assert not job(SILICON, f"kpoints = {{ {two} }}").problem["symmetry"]
    assert job(SILICON, f"kpoints = {{ {two}, irreducible = true }}").problem["symmetry"]
    with pytest.raises(InputError, match="takes the symmetry from the atoms"):
        job(SILICON, f"kpoints = {{ {two}, irreducible = true }}\n[relax]\ndisplace = '0.01 bohr'")
    with pytest.raises(InputError, match="'irreducible' without 'list'"):
        job(SILICON, "kpoints = { mesh = [4,4,4], irreducible = true }")
    with pytest.raises(InputError, match="or a list with irreducible = true"):
        job(SILICON, f"kpoints = {{ {two} }}\n[symmetry]\nuse = true")
    with pytest.raises(InputError, match="where atoms lose their symmetry"):
        job(SILICON, f"kpoints = {{ {two}, irreducible = true }}\n[md]\nsteps = 2\ntemperature = '300 K'")


# Structure, irreducible list and weights; whether the list is that of a crystal of another symmetry.
IRREDUCIBLE = {
    "two special points": (SILICON, "list = [[0.25,0.25,0.25],[0.25,0.25,-0.25]], weights = [1,3]", False),
    "equal weights": (SILICON, "list = [[0.25,0.25,0.25],[0.25,0.25,-0.25]]", True),
    "a star in two entries": (SILICON, "list = [[0,0,0],[0.5,0.5,0],[0.5,0,0.5]], weights = [1,2,1]", False),
    "an atom out of its place": (SILICON.replace('"Si",0,0,0', '"Si",0.001,0,0'),
                                 "list = [[0.25,0.25,0.25],[0.25,0.25,-0.25]], weights = [1,3]", True),
    "no symmetry, equal weights": (BROKEN, "list = [[0.1,0.2,0.3],[0.4,0.1,0.2]]", False),
    "no symmetry, unequal weights": (BROKEN, "list = [[0.1,0.2,0.3],[0.4,0.1,0.2]], weights = [1,2]", True),
    "rounded hexagonal": ('cell = [[4.2,0,0],[-2.1,3.6373,0],[0,0,30]]\natoms = [["C",0,0,0]]',
                          "list = [[0,0,0],[0.3333,0.3333,0],[0.3333,0,0]], weights = [0.1111,0.2222,0.6667]", False),
}  # fmt: skip


@pytest.mark.parametrize("case", IRREDUCIBLE)
def test_irreducible_lists_of_another_symmetry_are_warned_of(job: Callable[..., Job], case: str) -> None:
    lines, listed, warned = IRREDUCIBLE[case]
    found = job(
        lines, f"kpoints = {{ {listed}, irreducible = true }}\nsmearing = {{ kind = 'cold', width = '0.1 eV' }}"
    )
    assert ("kpoints_of_another_symmetry" in names(found)) == warned


# Free atoms: valence, the moment of Hund's rules.
ATOMS = {
    "H": (1, 1), "He": (2, 0), "B": (3, 1), "C": (4, 2), "N": (5, 3), "O": (6, 2), "F": (7, 1), "Al": (3, 1),
    "Si": (4, 2), "P": (5, 3), "S": (6, 2), "Cl": (7, 1), "V": (5, 3), "Cr": (6, 6), "Mn": (7, 5), "Fe": (8, 4),
    "Co": (9, 3), "Ni": (10, 2),
}  # fmt: skip


@pytest.mark.parametrize("symbol", ATOMS)
def test_a_free_atom_has_the_moment_of_hund(job: Callable[..., Job], symbol: str) -> None:
    valence, moment = ATOMS[symbol]
    table = f'{{ {symbol} = "gth-lda-q{valence}" }}'
    found = job(one_atom(symbol, 14), 'spin = "collinear"', table=table)
    problem = found.problem
    assert problem["total_magnetisation"] == (moment or None)
    assert any("total_magnetisation" in note for note in found.notes) == bool(moment)
    assert bool(problem["smearing"]) == (symbol in {"F", "Cl", "V", "Fe", "Co", "Ni"})
    assert problem["bands"] >= (valence + moment) // 2
    assert problem["may_add_bands"] == (bool(problem["smearing"]) or moment == 0)


def test_other_atoms_have_a_free_moment(job: Callable[..., Job]) -> None:
    """A crystal, an ion, a given start and smearing; the loop may then add bands where occupations are fixed."""
    spin = 'spin = "collinear"\n'
    for lines, electrons in (
        (one_atom("Al", 5), spin),
        (one_atom("C", 14), spin + "charge = 1"),
        (one_atom("C", 14), spin + "initial_magnetic_moments = { C = 2 }"),
        (one_atom("C", 14), spin + SMEARING),
        (OXYGEN, spin),
    ):
        problem = job(lines, electrons).problem
        assert problem["total_magnetisation"] is None
        assert problem["may_add_bands"]
    assert not job(OXYGEN, spin + "bands = 9").problem["may_add_bands"]


def test_spacing_chooses_the_mesh(job: Callable[..., Job]) -> None:
    found = job(structure("5 7 9", "Al 0 0 0"), f'kpoints = {{ spacing = "0.2 /bohr", shift = [0.5,0,0] }}\n{SMEARING}')
    assert found.problem["kpoints"] == {"mesh": [7, 5, 4], "shift": [0.5, 0, 0]}  # 2 pi / 5 / 0.2 = 6.3
    assert any("a mesh of 7 x 5 x 4, 0.1795/bohr apart" in note for note in found.notes)
    in_angstrom = job(structure("5 7 9", "Al 0 0 0"), f'kpoints = {{ spacing = "0.3779452 1/angstrom" }}\n{SMEARING}')
    assert in_angstrom.problem["kpoints"]["mesh"] == [7, 5, 4]
    with pytest.raises(InputError, match="is a mesh of 1257 x 898 x 699; valid: at most 1000 along an axis"):
        job(structure("5 7 9", "Al 0 0 0"), f'kpoints = {{ spacing = "0.001 /bohr" }}\n{SMEARING}')


def test_examples_say_what_is_known_of_them() -> None:
    """The examples are fast rather than converged: nothing else is said about them."""
    expected = {
        "al108": {"kpoints_gamma_alone"},
        "al4": {"kpoints_gamma_alone"},
        "benzene_mesh": set(),
        "si_hse": set(),
        "si_local_orbitals": set(),
        "fe": {"kpoints_coarse", "cutoff_far_too_low"},
        "lih_chain_mesh": set(),
        "na2_absorption": set(),
        "si_bands": set(),
        "si_relax": set(),
        "water_mesh": {"cutoff_too_low"},
    }
    core = core_loader.load()
    files = set(EXAMPLES.glob("*.toml")) - {EXAMPLES / "nio_paw.toml", EXAMPLES / "gaas_soc.toml"}  # need abinit-data
    assert {path.stem: names(prepare(core, path)) for path in files} == expected


def test_references_have_low_cutoffs_and_few_kpoints_and_nothing_else() -> None:
    core = core_loader.load()
    allowed = {"kpoints_gamma_alone", "kpoints_coarse", "cutoff_too_low", "cutoff_far_too_low"}
    for path in sorted((REFERENCE / "crystals").glob("*/case.toml")):
        found = prepare(core, path)
        is_shifted = any((found.problem["kpoints"] or {}).get("shift", []))
        assert names(found) <= allowed | ({"kpoints_without_symmetry"} if is_shifted else set()), path


def test_strict_refuses_before_the_run(write: Callable[..., Path]) -> None:
    path = write()
    for command in ("check", "run"):
        answer = invoke(command, path, "--strict", "--ranks", 1)
        assert answer.exit_code == 2
        assert answer.stderr.startswith(f"error: {path}: 1 warning with --strict: Gamma is the only k-point")
        assert answer.stderr.count("\n") == 1
    assert not Path("out").exists()
    assert invoke("check", path, "--ranks", 1).exit_code == 0


def test_check_lists_pseudopotentials_and_warnings(write: Callable[..., Path]) -> None:
    answer = invoke("check", write(), "--ranks", 1)
    assert "Al: gth-lda-q3, 3 valence electrons, LDA_XC_TETER93, recommended ecut 8 Ha (estimated)" in answer.stdout
    assert "\nwarning: Gamma is the only k-point" in answer.stdout
    figures = json.loads(invoke("check", write(), "--ranks", 1, "--json").stdout)
    assert [warning["name"] for warning in figures["warnings"]] == ["kpoints_gamma_alone"]
    assert figures["pseudopotentials"][0]["recommended_ecut"] == pytest.approx(8.3, abs=0.2)


def levels(*of_k: list[float], filled: int, **more: object) -> CoreResult:
    """Return the result of a calculation without spin: levels by k-point, the lowest ones filled."""
    occupations = [[2.0] * filled + [0.0] * (len(energies) - filled) for energies in of_k]
    return CoreResult.read({"eigenvalues": [list(of_k)], "occupations": [occupations]} | more)


def quarters(place: str) -> str:
    """Return coordinates that are given in quarters."""
    return " ".join(str(int(x) / 4) for x in place.split())


FIXED = {"smearing": None, "occupations": None, "total_magnetisation": None}


def test_a_closed_gap_with_fixed_occupations_is_found() -> None:
    found = list(result_warnings.remarks(FIXED, levels([0.0, 0.3], [0.2, 0.1 + 0.05], filled=1)))
    assert [each.name for each in found] == ["gap_closed_with_fixed_occupations"]
    assert "1.361 eV below" in found[0].text
    assert not list(result_warnings.remarks(FIXED, levels([0.0, 0.3], [0.1, 0.2], filled=1)))
    assert not list(result_warnings.remarks(FIXED, levels([0.0], [0.1], filled=1)))  # no empty band
    path = {"path": {"eigenvalues": [[[0.25, 0.3]]]}}
    assert list(result_warnings.remarks(FIXED, levels([0.0, 0.2], filled=1, **path)))
    smeared = FIXED | {"smearing": {"kind": "cold", "width": 0.01}}
    assert not list(result_warnings.remarks(smeared, levels([0.0, 0.3], [0.2, 0.15], filled=1)))


def test_a_fixed_moment_separates_the_spins() -> None:
    bands = {"eigenvalues": [[[0.0, 0.4]], [[0.0, -0.1]]], "occupations": [[[1.0, 0.0]], [[0.0, 0.0]]]}
    two = CoreResult.read(bands)
    assert not list(result_warnings.remarks({**FIXED, "total_magnetisation": 1.0}, two))
    assert list(result_warnings.remarks(FIXED, two))


def test_a_moment_that_bands_limit_is_found() -> None:
    """The core says so; what helps depends on whether the bands are those of the input."""
    occupations = [[[1.0, 1.0, 1.0]], [[1.0, 1.0, 0.0]]]
    levels = {"eigenvalues": [[[0.0, 0.1, 0.2]], [[0.05, 0.15, 0.3]]], "occupations": occupations, "num_bands": 3}
    given, left_out = ({**FIXED, "may_add_bands": default} for default in (False, True))
    (found,) = result_warnings.remarks(given, CoreResult.read(levels | {"moment_limited": True}))
    assert found.name == "moment_limited_by_bands"
    assert "the highest of 3 bands of a spin is full" in found.text
    assert "leave [electrons] bands out or raise it" in found.text
    (found,) = result_warnings.remarks(left_out, CoreResult.read(levels | {"moment_limited": True}))
    assert "leave" not in found.text and "raise [scf] max_steps" in found.text
    assert not list(result_warnings.remarks(given, CoreResult.read(levels | {"moment_limited": False})))


def test_strict_fails_after_a_run_that_finds_a_metal(tmp_path: Path) -> None:
    """Silicon in a simple cubic crystal: its elements and electrons do not show that it is a metal."""
    path = tmp_path / "in.toml"
    path.write_text(
        "[structure]\ncell = [[4.8,0,0],[0,4.8,0],[0,0,4.8]]\nunit = 'bohr'\ncoordinates = 'fractional'\n"
        "atoms = [['Si',0,0,0]]\n[basis]\necut = '9 Ha'\n"
        "[electrons]\nxc = 'LDA-PW'\npseudopotentials = 'gth-lda'\nkpoints = { mesh = [4,4,4] }\nbands = 4\n"
        "[scf]\nenergy_tolerance = '1e-4 Ha'\n[output]\ncheckpoint = false\n"
    )
    answer = program("run", path, "--strict", "--quiet", "--ranks", 1, "--output", tmp_path / "out")
    assert answer.returncode == 1
    assert answer.stderr.startswith(f"error: {path}: 1 warning with --strict: the lowest empty level lies")
    assert [found["name"] for found in read_result(tmp_path / "out")["warnings"]] == [
        "gap_closed_with_fixed_occupations"
    ]


def test_default_band_path(job: Callable[..., Job], tmp_path: Path) -> None:
    bands = '[task]\nkind = "bands"'
    primitive = job(SILICON, f"{kpoints(4)}\n{bands}")
    note = next(note for note in primitive.notes if note.startswith("band path"))
    assert '"GXWKGLUWLK,UX", the usual one of the lattice of this cell (FCC)' in note
    assert "X (0.5, 0, 0.5)" in note
    assert primitive.task["path"]["labels"][:4] == ["G", "X", "W", "K"]
    assert len(primitive.problem["band_path"]) == 402  # ten lines of 40 steps, in two sections
    points = np.array(primitive.problem["band_path"])
    assert np.allclose(points[0], 0)
    places = "0 0 0|0 2 2|2 0 2|2 2 0|1 1 1|1 3 3|3 1 3|3 3 1".split("|")
    cubic = job(
        structure("10.26 10.26 10.26", *(f"Si {quarters(place)}" for place in places)), f"{kpoints(2)}\n{bands}"
    )
    assert any("the cell holds 4 primitive cells" in note for note in cubic.notes)
    assert any('"GXMGRX,MR"' in note and "(CUB)" in note for note in cubic.notes)
    few = job(SILICON, f"kpoints = {{ mesh = [4,4,4], points = 40 }}\n{bands}")
    assert len(few.problem["band_path"]) == 40
    assert not any("primitive cells" in note for note in primitive.notes)


def test_functionals_of_files_that_libxc_does_not_know() -> None:
    assert potentials.family("LDA_X+LDA_C_PZ") == "LDA"
    assert potentials.family("GGA_X_PBE+GGA_C_PBE") == "GGA"
    assert potentials.family("SLA PW RPB PBC") == ""  # no ground for a warning, only for a note
    assert potentials.kind_of("LDA_XC_TETER93") == potentials.kind_of("lda_x + lda_c_pw")


def test_texts_of_files_reach_no_terminal() -> None:
    found = remark.warnings([remark.Remark("name", "made with \x1b[31mX")])
    assert found == [{"name": "name", "message": "made with \\x1b[31mX"}]


def given_names() -> Iterator[str]:
    """Yield the names of the warnings that the sources of the package give."""
    for path in (Path(__file__).parents[2] / "python/wavegrid").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or ast.unparse(node.func).rpartition(".")[2] != "Remark":
                continue
            note = any(one.arg == "warning" and ast.unparse(one.value) == "False" for one in node.keywords)
            if not note and isinstance(node.args[0], ast.Constant):
                yield str(node.args[0].value)


def test_the_page_has_all_warnings() -> None:
    by_severity = {"cutoff_too_low", "cutoff_far_too_low"}
    assert set(meanings.WARNINGS) - by_severity == set(given_names())
