"""Libraries of pseudopotentials: folders as their archives unpack, which of them wins, what `check` says of it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import REFERENCE
from conftest import invoke

from wavegrid.input import dataset_libraries, libraries, library_files, library_folders

FILES = REFERENCE / "pseudopotentials"
PSP8 = (FILES / "Al.psp8").read_text()  # of PseudoDojo: LDA
UPF = (FILES / "Al.pz-vbc.UPF").read_text()  # of another program: LDA
MGO = """\
[structure]
cell = [[0, 2.106, 2.106], [2.106, 0, 2.106], [2.106, 2.106, 0]]
unit = "angstrom"
coordinates = "fractional"
atoms = [["Mg", 0, 0, 0], ["H", 0.5, 0.5, 0.5], ["H", 0.2, 0.2, 0.2]]
[basis]
ecut = "40 Ha"
[electrons]
xc = "LDA-PW"
pseudopotentials = "PseudoDojo"
"""


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory that the variable names; the folder "system" takes the place of the machine's own."""
    monkeypatch.setenv(library_folders.VARIABLE, str(tmp_path / "user"))
    monkeypatch.setattr(library_folders, "_SYSTEM", tmp_path / "system")
    monkeypatch.setattr(dataset_libraries, "_GPAW_SYSTEM", tmp_path / "none")
    (tmp_path / "user").mkdir()
    return tmp_path / "user"


def put(folder: Path, *elements: str) -> Path:
    """Copy the psp8 files of these elements into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for element in elements:
        (folder / f"{element}.psp8").write_text((FILES / f"{element}.psp8").read_text())
    return folder


def check(path: Path) -> dict:
    """Return what `check --json` says."""
    answer = invoke("check", path, "--json")
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.stdout)


@pytest.mark.parametrize(
    "folder",
    [
        ".",
        "pseudodojo",
        "nc-sr-04_pw_standard",
        "nc-sr-05_pw_standard_psp8",
        "Pseudodojo_nc_sr_04_pw_standard_psp8",
        "pseudo-dojo.org/nc-sr-04_pw_standard",
        "PseudoDojo/0.4/LDA/SR/standard/psp8",
        "ONCVPSP-PW-SR-PDv0.4-master",
        "pd_nc_sr_lda_standard_0.4.1_psp8",
    ],
)
def test_the_user_s_folder_wins_however_it_is_named(folder: str, user: Path, tmp_path: Path) -> None:
    put(tmp_path / "system" / "Pseudodojo_nc_sr_05_pw_standard_psp8", "Mg", "H")
    mine = put(user / folder, "Mg", "H")
    (tmp_path / "in.toml").write_text(MGO)
    found = check(tmp_path / "in.toml")
    assert [of["name"] for of in found["pseudopotentials"]] == [str(mine / "Mg.psp8"), str(mine / "H.psp8")]
    assert not [note for note in found["notes"] if "libraries or folders" in note]
    libraries = [(of["library"], of["folder"], of["elements"]) for of in found["pseudopotential_libraries"]]
    assert libraries[0] == ("PseudoDojo", str(mine), ["H", "Mg"])
    assert len(libraries) == 2


def test_a_mixture_is_a_note_and_check_says_where_libraries_are(user: Path, tmp_path: Path) -> None:
    put(tmp_path / "system" / "Pseudodojo_nc_sr_04_pw_standard_psp8", "Mg", "H")
    put(user / "nc-sr-04_pw_standard", "Mg")
    (tmp_path / "in.toml").write_text(MGO)
    answer = invoke("check", tmp_path / "in.toml")
    assert answer.exit_code == 0, answer.output
    text = " ".join(answer.output.split())
    system = tmp_path / "system" / "Pseudodojo_nc_sr_04_pw_standard_psp8"
    sources = f"from 2 libraries or folders: Mg from {user / 'nc-sr-04_pw_standard'}; H from {system}"
    assert f"note: the pseudopotentials are {sources}" in text
    assert f"PseudoDojo LDA standard 0.4: 1 element (Mg) in {user / 'nc-sr-04_pw_standard'}" in text
    assert f"PseudoDojo LDA standard 0.4: 2 elements (H, Mg) in {system}" in text
    assert "folders that are recognised: nc-sr-VERSION_XC_ACCURACY" in text


@pytest.mark.parametrize(
    "folder", [".", "SG15", "sg15_oncv_upf_2020-02-06", "sg15_oncv_upf_2020-02-06/1.0", "pseudos/sg15_oncv_upf_2jun20"]
)
def test_sg15(folder: str, user: Path) -> None:
    (user / folder).mkdir(parents=True, exist_ok=True)
    (user / folder / "Al_ONCV_PBE-1.2.upf").write_text(UPF)
    put(user, "Mg")  # of another library, in the same folder where that is "."
    (library,) = [one for one in library_folders.found() if one.name == "SG15"]
    assert (library.folder, library.functional) == (user / folder, "pbe")
    assert library.described()["elements"] == ["Al"]


@pytest.mark.parametrize(
    ("folder", "functional", "accuracy", "version"),
    [
        ("nc-sr-04_pbe_stringent_psp8", "pbe", "stringent", (0, 4)),
        ("nc-sr-05_pbesol_standard_upf", "pbesol", "standard", (0, 5)),
        ("nc-sr-04-3plus_pbe_standard_upf", "pbe", "standard", (0, 4)),
        ("dojo.nc.sr.pbe.v0_4_1.standard.upf", "pbe", "standard", (0, 4, 1)),
        ("PseudoDojo/0.5/PBEsol/SR/stringent/upf", "pbesol", "stringent", (0, 5)),
        ("stringent/nc-sr-05_pbe_stringent_psp8", "pbe", "stringent", (0, 5)),
        ("pseudodojo for pw.x", "", "", ()),
    ],
)
def test_what_a_name_says(folder: str, functional: str, accuracy: str, version: tuple[int, ...], user: Path) -> None:
    put(user / folder, "Mg")
    (library,) = library_folders.found()
    assert (library.functional, library.accuracy, library.version) == (functional, accuracy, version)


@pytest.mark.parametrize(
    "folder", ["nc-fr-04_pw_standard", "Pseudodojo_paw_pw_standard", "PseudoDojo/0.4/LDA/FR/standard/psp8", "mine"]
)
def test_folders_that_are_no_library_of_ours(folder: str, user: Path, tmp_path: Path) -> None:
    put(user / folder, "Mg", "H")
    (tmp_path / "in.toml").write_text(MGO)
    answer = invoke("check", tmp_path / "in.toml")
    assert answer.exit_code == 2
    assert answer.stderr.count("\n") == 1
    assert f"no such folder in {user}, {tmp_path / 'system'}" in answer.stderr
    assert f"only {folder.partition('/')[0]}" in answer.stderr
    assert "folders that are recognised: " in answer.stderr


def test_directories_that_cannot_be_read(user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = put(user / "nc-sr-04_pw_standard", "Mg", "H")
    (user / "loop").symlink_to(user / "loop")
    monkeypatch.setenv(library_folders.VARIABLE, f"~nobody-of-this-name/x:{tmp_path}/none:{user}:")
    (tmp_path / "in.toml").write_text(MGO)
    assert check(tmp_path / "in.toml")["pseudopotentials"][0]["name"] == str(mine / "Mg.psp8")
    text = " ".join(invoke("check", tmp_path / "in.toml").output.split())
    assert f"{tmp_path}/none, which does not exist, {user}" in text


def test_an_archive_that_is_not_unpacked(user: Path, tmp_path: Path) -> None:
    (user / "nc-sr-04_pw_standard_psp8.tgz").write_bytes(b"x")
    (tmp_path / "in.toml").write_text(MGO)
    answer = invoke("check", tmp_path / "in.toml")
    assert answer.exit_code == 2
    assert "only nc-sr-04_pw_standard_psp8.tgz (unpack it)" in answer.stderr


def test_files_of_another_functional_are_passed_over(user: Path, tmp_path: Path) -> None:
    put(user, "Mg", "H")
    (tmp_path / "in.toml").write_text(MGO.replace("LDA-PW", "PBE"))
    answer = invoke("check", tmp_path / "in.toml")
    assert answer.exit_code == 2
    assert '"PseudoDojo" has no pseudopotential of Mg for GGA_X_PBE+GGA_C_PBE: none of' in answer.stderr
    assert "shipped: gth-pbe-q2, gth-pbe-q10" in answer.stderr


def test_an_element_for_another_functional_is_named(user: Path, tmp_path: Path) -> None:
    put(user / "nc-sr-04_pw_standard", "Mg", "H")
    (tmp_path / "in.toml").write_text(MGO.replace("LDA-PW", "PBE"))
    assert "; for Mg there is PseudoDojo LDA standard; valid: " in invoke("check", tmp_path / "in.toml").stderr


def test_files_of_other_programs_in_a_flat_directory_are_none_of_pseudodojo(user: Path) -> None:
    (user / "Al.upf").write_text(UPF)
    assert library_folders.found() == []
    (user / "Al.psp8").write_text(PSP8)
    assert [library.name for library in library_folders.found()] == ["PseudoDojo"]


@pytest.mark.parametrize(
    "name",
    [
        "Al.pbe-van_ak.UPF",
        "Al.pbe-n-kjpaw_psl.1.0.0.UPF",
        "Al.pbe-n-rrkjus_psl.1.0.0.UPF",
        "al_pbe_v1.uspp.F.UPF",
        "Al.GGA_PBE-JTH.upf",
    ],
)
def test_ultrasoft_and_paw_files_of_a_folder(name: str, write: Callable[..., Path]) -> None:
    """They are taken where there are no norm-conserving ones; those with spin-orbit coupling never."""
    path = write(('"gth-lda"', '"sssp"'), ("LDA_XC_TETER93", "PBE"))
    folder = path.parent / "sssp"
    folder.mkdir()
    (folder / "Al.rel-pbe-n-kjpaw.UPF").write_text("x")
    answer = invoke("check", path)
    assert answer.exit_code == 2
    words = "'sssp' has no pseudopotential for Al without spin-orbit coupling: Al.rel-pbe-n-kjpaw.UPF"
    assert words in answer.stderr
    (folder / name).write_text((FILES.parent / "ultrasoft" / "Al.UPF").read_text())
    (potential,) = check(path)["pseudopotentials"]
    assert potential["name"] == f"sssp/{name}"
    (folder / "Al_ONCV_PBE-1.0.oncvpsp.upf").write_text(UPF)  # as in SSSP
    (potential,) = check(path)["pseudopotentials"]
    assert potential["name"] == "sssp/Al_ONCV_PBE-1.0.oncvpsp.upf"


@pytest.mark.parametrize("name", ["Al-3plus.psp8", "Al.pbe-rrkj.UPF", "Al_ONCV_PBE_sr.upf", "al.us_potential.upf"])
def test_names_of_norm_conserving_files(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("x")
    assert library_files.elements(tmp_path) == (set() if ".us_" in name else {"Al"})


def test_directories_are_searched_once_for_all_elements(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(user / "pseudodojo", "Mg", "H")
    searches, found = [], libraries.found

    def search() -> list[library_folders.Library]:
        searches.append(found())
        return searches[-1]

    monkeypatch.setattr(libraries, "found", search)
    (user / "in.toml").write_text(MGO)
    check(user / "in.toml")
    assert len(searches) == 1 and len(searches[0]) == 1


def test_a_folder_of_libraries(write: Callable[..., Path]) -> None:
    path = write(('"gth-lda"', '"all"'))
    put(path.parent / "all" / "nc-sr-04_pw_standard_psp8", "Al")
    answer = invoke("check", path)
    assert answer.exit_code == 2
    assert "(this one has none; folders in it: nc-sr-04_pw_standard_psp8)" in answer.stderr
