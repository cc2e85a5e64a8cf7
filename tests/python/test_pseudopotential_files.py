"""Pseudopotential files of other programs through the command: energies, what `check` says, messages of mistakes.

ABINIT 9.6.2 reads the psp8 files itself; for Al.pz-vbc.UPF its value is the one of its own integrals over the file's
coarse logarithmic mesh (pw.x 6.7, which also cuts the density, gives -8.15491305 Ha on 27^3).
"""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cases import REFERENCE, Calculation
from conftest import invoke

from wavegrid.comparison.inputs import psp8
from wavegrid.errors import InputError
from wavegrid.process import core_loader

FILES = REFERENCE / "pseudopotentials"
FCC = [["Al", 0, 0, 0], ["Al", 0, 0.5, 0.5], ["Al", 0.5, 0, 0.5], ["Al", 0.5, 0.5, 0]]
AL4 = Calculation(
    cell=[[7.6533909, 0, 0], [0, 7.6533909, 0], [0, 0, 7.6533909]],
    atoms=FCC,
    ecut=15.0,
    grid=[30, 30, 30],
    pseudopotentials={"Al": str(FILES / "Al.pz-vbc.UPF")},
    xc="LDA_X+LDA_C_PZ",
    bands=16,
    smearing=("fermi-dirac", 0.00735),
)
MGH2 = Calculation(
    cell=[[8, 0, 0], [0, 8.5, 0], [0, 0, 9]],
    atoms=[["Mg", 0.5, 0.5, 0.5], ["H", 0.5, 0.52, 0.83], ["H", 0.48, 0.5, 0.17]],
    ecut=20.0,
    grid=[36, 36, 40],
    pseudopotentials={"Mg": str(FILES / "Mg.psp8"), "H": str(FILES / "H.psp8")},
    xc="LDA_X+LDA_C_PW",
    bands=8,
)


def test_al4_on_a_upf_file(tmp_path: Path) -> None:
    result = AL4.run(tmp_path)
    assert result["energy"]["free"] == pytest.approx(-8.15490904, abs=4e-8)
    assert result["energy"]["local_g0"] == pytest.approx(1.0358716102 * 4 * 12 / 7.6533909**3, abs=1e-9)


def test_al4_with_a_core_density_on_a_psp8_file(tmp_path: Path) -> None:
    calculation = replace(AL4, pseudopotentials={"Al": str(FILES / "Al.psp8")}, xc="LDA_X+LDA_C_PW")
    result = calculation.run(tmp_path)
    assert result["energy"]["free"] == pytest.approx(-9.2269312340, abs=4e-8)
    assert result["energy"]["local_g0"] == pytest.approx(0.0615018065, abs=1e-7)


@pytest.mark.parametrize("ranks", [1, 3])
def test_semicore_and_molecule_on_psp8_files(ranks: int, tmp_path: Path) -> None:
    result = MGH2.run(tmp_path, ranks=ranks)
    assert result["energy"]["free"] == pytest.approx(-59.7179499344, abs=3e-7)
    assert result["energy"]["local_g0"] == pytest.approx(0.194993802601, abs=1e-8)


def local_silicon() -> str:
    """Return a psp8 file without projectors; -4/r from 12 bohr on, 4.5e-3 Ha bohr from it at 10 bohr."""

    def potential(r: float) -> float:
        core = -4 * math.erf(r / 1.1) / r + (0.8 + 8 / math.sqrt(math.pi) / 1.1) * math.exp(-(r**2))
        return core + (0.05 * (1 - (r / 12) ** 2) ** 2 * math.sin(r / 2) / r if r < 12 else 0)

    rows = [f"{i + 1} {0.01 * i:.8f} {potential(max(0.01 * i, 1e-6)):.16f}" for i in range(1601)]
    header = ["Silicon, local", "14.0 4.0 20260101", "8 2 0 0 1601 0", "0 -1 0", "0 0 0 0 0", "0", "0"]
    return "\n".join([*header, *rows, ""])


def test_a_local_potential_that_ends_beyond_ten_bohr(tmp_path: Path) -> None:
    """The energy of ABINIT 9.6.2 (tests/reference/pseudopotentials/local_silicon.abi); cut at 10 bohr: 0.02 Ha more."""
    (tmp_path / "si.psp8").write_text(local_silicon())
    calculation = Calculation(
        cell=[[0, 5.1, 5.1], [5.1, 0, 5.1], [5.1, 5.1, 0]],
        atoms=[["Si", 0, 0, 0], ["Si", 0.25, 0.25, 0.25]],
        ecut=12.0,
        grid=[24, 24, 24],
        pseudopotentials={"Si": str(tmp_path / "si.psp8")},
        xc="LDA_X+LDA_C_PZ",
        bands=8,
        smearing=("fermi-dirac", 0.005),
    )
    assert calculation.run(tmp_path)["energy"]["free"] == pytest.approx(-5.4392856483, abs=4e-8)


def pseudopotentials(entry: str) -> tuple[str, str]:
    """Return the change of conftest.GOOD that puts `entry` in place of the shipped table."""
    return '"gth-lda"', entry


@pytest.mark.parametrize(
    "entry",
    [
        '{ Al = "@/Al.pz-vbc.UPF" }',
        '{ Al = "@/Al.psp8" }',
        '{ Al = "@/GTH_POTENTIALS:GTH-PADE" }',
        '{ Al = "@/GTH_POTENTIALS:GTH-PADE-q3" }',
    ],
)
def test_check_takes_every_format(entry: str, write: Callable[..., Path]) -> None:
    result = invoke("check", write(pseudopotentials(entry.replace("@", str(FILES)))))
    assert result.exit_code == 0, result.output
    assert "4 atoms, 12 electrons" in result.output


def test_paths_are_relative_to_the_input_file(write: Callable[..., Path]) -> None:
    path = write(pseudopotentials('{ Al = "sub/al.txt" }'))
    (path.parent / "sub").mkdir()
    (path.parent / "sub" / "al.txt").write_text((FILES / "Al.pz-vbc.UPF").read_text())
    assert invoke("check", path).exit_code == 0


def test_a_note_where_the_functional_is_of_another_kind(write: Callable[..., Path]) -> None:
    path = write(pseudopotentials(f'{{ Al = "{FILES}/GTH_POTENTIALS:GTH-PBE" }}'))
    result = invoke("check", path)
    assert result.exit_code == 0
    assert "the pseudopotential of Al was made with GGA_X_PBE+GGA_C_PBE" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('{ Al = "@/H.psp8" }', ["H.psp8:2: ", "pseudopotential of H; valid is one of Al"]),
        ('{ Al = "@/GTH_POTENTIALS" }', ["entries match Al", "GTH_POTENTIALS:GTH-PADE-q3"]),
        ('{ Al = "@/GTH_POTENTIALS:GTH-LAD" }', ["no Al GTH-LAD here; valid: ", ":GTH-BLYP-q3"]),
        (
            '{ Al = "@/../soft_coulomb" }',
            ["has no pseudopotential for Al; valid: a folder with files such as Al.psp8"],
        ),
        ('{ Al = "@/README.md" }', ["README.md:1: ", "no pseudopotential of a known format; valid are UPF"]),
        ('{ Al = "@/Al.psp9" }', ["neither a shipped table nor a library", "did you mean 'Al.psp8'?"]),
    ],
)
def test_messages(entry: str, words: list[str], write: Callable[..., Path]) -> None:
    path = write(pseudopotentials(entry.replace("@", str(FILES))))
    result = invoke("check", path)
    assert result.exit_code == 2, result.output
    assert result.output.startswith(f"error: {path}:13: "), result.output
    assert result.output.count("\n") == 1
    for word in words:
        assert word in result.output


def test_library_folders(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of an element in folders as PseudoDojo and SG15 are unpacked, by path and by name."""
    path = write(pseudopotentials('"sg"'))
    root = path.parent
    psp8, upf = (FILES / "Al.psp8").read_text(), (FILES / "Al.pz-vbc.UPF").read_text()
    tree = {
        "sg/Al_ONCV_PBE-1.0.upf": upf,
        "sg/Al_ONCV_PBE-1.10.upf": upf,
        "sg/Al_ONCV_PBE-1.2.upf": upf,
        "sg/Al_ONCV_PBE_FR-1.11.upf": upf,
        "sg/Ag_ONCV_PBE-1.0.upf": "x",
        "libraries/nc-sr-04_pw_standard_psp8/Al.psp8": psp8,
        "libraries/nc-sr-05_pw_standard_upf/Al.upf": upf,
        "libraries/nc-sr-05_pw_standard_psp8/Si.psp8": "x",
        "libraries/nc-sr-05_pbe_standard_psp8/Al.psp8": "x",
        "ONCVPSP-PW-PDv0.4/Al/Al-high.psp8": psp8,
        "ONCVPSP-PW-PDv0.4/Al/Al.psp8": psp8,
        "ONCVPSP-PW-PDv0.4/standard.djson": '{"pseudos_metadata": {"Al": {"basename": "Al-high.psp8"}}}',
        "two/Al.pbe-a.upf": upf,
        "two/Al.pbe-b.upf": upf,
    }
    for name, text in tree.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)

    def chosen(entry: str) -> str:
        write(pseudopotentials(entry))
        answer = invoke("check", path, "--json")
        return json.loads(answer.stdout)["pseudopotentials"][0]["name"] if answer.exit_code == 0 else answer.stderr

    assert chosen('"sg"') == "sg/Al_ONCV_PBE-1.10.upf"
    assert chosen('{ Al = "sg/" }') == "sg/Al_ONCV_PBE-1.10.upf"
    assert chosen('"ONCVPSP-PW-PDv0.4"') == "ONCVPSP-PW-PDv0.4/Al/Al-high.psp8"
    assert "'" + str(root) + "/two' has several pseudopotentials for Al: Al.pbe-a.upf, Al.pbe-b.upf" in chosen('"two"')
    monkeypatch.setenv("WAVEGRID_PSEUDOPOTENTIALS", str(root / "libraries"))
    assert chosen('"PseudoDojo"') == f"{root}/libraries/nc-sr-05_pw_standard_upf/Al.upf"
    assert "no such folder in" in chosen('"PseudoDojo-stringent"')
    assert '"SG15" has no potentials for LDA_XC_TETER93; valid: PBE, or the path of a folder' in chosen('"SG15"')
    assert "did you mean 'PseudoDojo'?" in chosen('"Pseudodojo"')


UPF, PSP8 = (FILES / "Al.pz-vbc.UPF").read_bytes(), (FILES / "Al.psp8").read_bytes()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"Al " + 60 * b"-" + b"\n2 1\n", ["al.txt:2: the file ends where r_loc is needed; it is cut short"]),
        (
            PSP8.replace(b"2     2     2     0     0", b"65536 2 2 0 0"),
            ["al.txt:5: found '65536' for nproj", "0 to 32"],
        ),
        (PSP8.replace(b"600     0", b"2000000000 0"), ["al.txt:3: mmax is 2000000000, and the file has"]),
        (UPF[: len(UPF) * 95 // 100], ["al.txt:", "it is cut short"]),
        (UPF.replace(b'number_of_proj="2"', b'number_of_proj="0"'), ["al.txt:187: ", "the header says 0 projectors"]),
        (UPF.replace(b'angular_momentum="0"', b'angular_momentum="10"'), ["al.txt:188: ", "0 to 3"]),
        (UPF.replace(b"2.742810312750000e0", b"2.7\xff\x1b[31m"), [r"al.txt:279: found '2.7\xff\x1b[31m' where"]),
        (b"Al q3\nelectrons 2 1\nlocal 0.45 -8.49\n", ["al.txt:3: ", "does not end with the line 'end'"]),
        (b"Al q200\nelectrons 200\nlocal 0.45 -8.49\nend\n", ["al.txt:1: ", "200 valence electrons, and Al has 13"]),
        (b"Al q3\nelectrons 2 1\nlocal 0.45 -90000\nend\n", ["a ghost state of l = 0", "valid are levels above"]),
        (
            UPF.replace(b'pseudo_type="NC"', b'pseudo_type="SL"').replace(b'number_of_proj="2"', b'number_of_proj="0"'),
            ["al.txt:22: this is a semilocal pseudopotential without projectors"],
        ),
    ],
)
def test_broken_files(content: bytes, words: list[str], write: Callable[..., Path]) -> None:
    path = write(pseudopotentials('{ Al = "al.txt" }'))
    (path.parent / "al.txt").write_bytes(content)
    result = invoke("check", path)
    assert result.exit_code == 2, result.output
    assert result.output.count("\n") == 1, result.output
    for word in words:
        assert word in result.output


@pytest.mark.parametrize("blank_lines", [0, 1])
def test_psp8_files_with_blank_lines_are_written_for_pwx(blank_lines: int, tmp_path: Path) -> None:
    file = tmp_path / "al.psp8"
    title, *lines = PSP8.decode().splitlines()
    file.write_text(title + "\n" + "".join(line + "\n" * (1 + blank_lines) for line in lines))
    assert psp8.read(file) == psp8.read(FILES / "Al.psp8")


def test_psp8_files_of_older_generators_are_written_for_pwx(tmp_path: Path) -> None:
    """They have no second switch, and of the densities behind the core only that of the valence electrons."""
    file = tmp_path / "al.psp8"
    file.write_bytes(PSP8.replace(b"1     1           extension", b"1                 extension"))
    assert psp8.read(file) == psp8.read(FILES / "Al.psp8")


@pytest.mark.parametrize(
    "content",
    [
        PSP8[: len(PSP8) // 2],  # the tables end
        PSP8.replace(b"600     0", b"700     0"),
        PSP8.replace(b"1     1           extension", b"0     0           extension"),  # no valence density
        PSP8.replace(b"2.6870671861488D-02", b"2.6870671861488E-0?", 1),
    ],
)
def test_psp8_files_that_cannot_be_written_for_pwx(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "al.psp8"
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"al\.psp8: pw\.x reads no psp8"):
        psp8.read(file)


def test_no_note_where_the_functional_is_named_shortly(write: Callable[..., Path]) -> None:
    path = write(pseudopotentials(f'{{ Al = "{FILES}/GTH_POTENTIALS:GTH-PBE" }}'), ("LDA_XC_TETER93", "pbe"))
    result = invoke("check", path)
    assert result.exit_code == 0, result.output
    assert "was made with" not in result.output


def test_info() -> None:
    info = core_loader.load().pseudopotential_info(str(FILES / "Al.psp8"), "Al")
    assert 7 < info.pop("recommended_ecut") < info.pop("mesh_ecut") < 20
    assert info == {
        "element": "Al", "valence": 3, "format": "psp8", "functional": "LDA_X+LDA_C_PW", "core_density": True,
        "kind": "norm-conserving", "spin_orbit": False,
        "projectors": [2, 2, 2], "occupation": [2.0, 1.0], "recommended_ecut_source": "estimated",
    }  # fmt: skip
