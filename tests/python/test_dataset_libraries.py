"""Libraries of ultrasoft potentials and PAW datasets: which file a name stands for."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import REFERENCE
from conftest import invoke

from wavegrid.errors import InputError
from wavegrid.input import dataset_libraries, libraries, library_folders
from wavegrid.input.dataset_libraries import find

PBE, PBESOL, LDA = "GGA_X_PBE+GGA_C_PBE", "GGA_X_PBE_SOL+GGA_C_PBE_SOL", "LDA_X+LDA_C_PW"
ABINIT = Path("/usr/share/abinit/psp")
UPF = REFERENCE / "pseudopotentials" / "Al.pz-vbc.UPF"


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory that the variable names; those of the machine are left out."""
    monkeypatch.setenv(library_folders.VARIABLE, str(tmp_path / "user"))
    monkeypatch.setattr(library_folders, "_SYSTEM", tmp_path / "none")
    monkeypatch.setattr(dataset_libraries, "_GPAW_SYSTEM", tmp_path / "none")
    (tmp_path / "user").mkdir()
    return tmp_path / "user"


def put(folder: Path, *names: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")


def test_gbrv(user: Path) -> None:
    put(user / "all_pbe_UPF_v1.5", "al_pbe_v1.uspp.F.UPF", "al_pbe_v1.01.uspp.F.UPF", "o_pbe_v1.2.uspp.F.UPF")
    put(user / "lda", "al_lda_v1.uspp.F.UPF")
    assert find("GBRV", "Al", PBE).path == user / "all_pbe_UPF_v1.5" / "al_pbe_v1.01.uspp.F.UPF"
    assert find("GBRV", "Al", LDA).path == user / "lda" / "al_lda_v1.uspp.F.UPF"
    with pytest.raises(InputError, match='"GBRV" has no dataset of Si for .*; valid: .* such as al_pbe_v1.uspp.F.UPF'):
        find("GBRV", "Si", PBE)
    with pytest.raises(InputError, match="has no dataset of Al for GGA_X_PBE_SOL"):
        find("GBRV", "Al", PBESOL)


def test_sssp_by_its_tables(user: Path) -> None:
    folder = user / "SSSP_1.3.0_PBE_efficiency"
    put(folder, "Al.pbe-n-kjpaw_psl.1.0.0.UPF", "Al_new.UPF")
    entry = {"filename": "Al.pbe-n-kjpaw_psl.1.0.0.UPF", "cutoff_wfc": 30.0, "cutoff_rho": 240.0}
    (folder / "SSSP_1.3.0_PBE_efficiency.json").write_text(json.dumps({"Al": entry, "O": {"filename": "none"}}))
    found = find("SSSP", "Al", PBE)
    assert (found.path, found.wave_cutoff, found.density_cutoff) == (folder / entry["filename"], 15.0, 120.0)
    newer = {"Al": {"filename": "Al_new.UPF", "cutoff_wfc": "many"}}
    (folder / "SSSP_1.10_PBE_efficiency.json").write_text(json.dumps(newer))
    assert find("SSSP", "Al", PBE) == dataset_libraries.Dataset(folder / "Al_new.UPF")
    (folder / "SSSP_1.11_PBE_efficiency.json").write_text("[1")
    assert find("SSSP", "Al", PBE).path.name == "Al_new.UPF"
    for name, element in (("SSSP-precision", "Al"), ("SSSP", "O"), ("SSSP", "Si")):
        with pytest.raises(InputError, match=f'"{name}" has no dataset of {element}'):
            find(name, element, PBE)


def test_jth(user: Path) -> None:
    put(user / "JTH-PBE", "Al.GGA_PBE-JTH.xml", "Al.GGA_PBE-JTH_sp.xml")
    put(user / "ATOMPAW-LDA-PW-SR", "Al/Al_std.xml")
    put(user / "Pseudodojo_paw_pbe_stringent", "O.xml")
    assert find("JTH", "Al", PBE).path == user / "JTH-PBE" / "Al.GGA_PBE-JTH.xml"
    assert find("JTH", "Al", LDA).path == user / "ATOMPAW-LDA-PW-SR" / "Al" / "Al_std.xml"
    with pytest.raises(InputError, match='"JTH" has no dataset of O'):
        find("JTH", "O", PBE)


def test_gpaw(user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "elsewhere" / "gpaw-setups-24.11.0", "Al.PBE.gz", "Al.11.PBE.gz", "Al.dzp.basis.gz")
    monkeypatch.setenv("GPAW_SETUP_PATH", str(tmp_path / "elsewhere"))
    assert find("GPAW", "Al", PBE).path == tmp_path / "elsewhere" / "gpaw-setups-24.11.0" / "Al.PBE.gz"
    put(user, "Al.RPBE")
    assert find("GPAW", "Al", "GGA_X_RPBE+GGA_C_PBE").path == user / "Al.RPBE"


ALUMINIUM = REFERENCE / "ultrasoft" / "Al.UPF"  # an ultrasoft potential


@pytest.mark.parametrize("outside", [False, True])
def test_a_folder_of_sssp_has_the_files_of_its_table(outside: bool, user: Path, write: Callable[..., Path]) -> None:
    """Also where the archive was unpacked next to its table; here the table prefers another file than its name."""
    name = "SSSP_1.3.0_PBE_efficiency"
    path = write(('"gth-lda"', f'"{name}"'), ("LDA_XC_TETER93", "PBE"))
    folder = path.parent / name
    put(folder, "Al.upf")
    (folder / "Al.pbe-n-kjpaw_psl.1.0.0.UPF").write_text(ALUMINIUM.read_text())
    entry = {"filename": "Al.pbe-n-kjpaw_psl.1.0.0.UPF", "cutoff_wfc": 30.0, "cutoff_rho": 240.0}
    ((path.parent if outside else folder) / f"{name}.json").write_text(json.dumps({"Al": entry}))
    answer = invoke("check", path, "--json")
    assert answer.exit_code == 0, answer.output
    figures = json.loads(answer.stdout)
    (potential,) = figures["pseudopotentials"]
    assert potential["name"] == f"{name}/Al.pbe-n-kjpaw_psl.1.0.0.UPF"
    assert (potential["recommended_ecut"], potential["recommended_ecut_source"]) == (15.0, "hint of the library")
    assert figures["density_ecut"] == pytest.approx(8 * 8.81984, abs=0.01)
    precise = folder / "SSSP_1.3.0_PBE_precision.json"
    precise.write_text(json.dumps({"Al": entry | {"cutoff_wfc": 40.0}}))
    assert "has tables of efficiency and precision of SSSP, which differ for Al" in invoke("check", path).stderr


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("GBRV_pbe_UPF_v1.5", "al_pbe_v1.uspp.F.UPF"),
        ("ATOMICDATA", "Al.GGA_PBE-JTH.xml"),
        ("paw_pbe_standard", "Al.xml"),
        ("gpaw-setups-24.11.0", "Al.PBE.gz"),
    ],
)
def test_folders_as_archives_unpack(folder: str, name: str, user: Path) -> None:
    """The folder form takes their files, and `check` lists them."""
    put(user / folder, name, name.replace("al_", "o_").replace("Al.", "O."), "README")
    assert libraries.in_folder(user / folder, folder, "Al", PBE).path == user / folder / name
    with pytest.raises(InputError, match="has no pseudopotential for Si; valid: a folder"):
        libraries.in_folder(user / folder, folder, "Si", PBE)
    (shown,) = dataset_libraries.found()
    assert (shown["folder"], shown["functional"], shown["elements"]) == (str(user / folder), "pbe", ["Al", "O"])


def test_a_norm_conserving_file_of_sssp_runs_with_its_cutoff(user: Path, write: Callable[..., Path]) -> None:
    (user / "Al.upf").write_text(UPF.read_text())
    (user / "SSSP_1.3.0_PBE_precision.json").write_text(json.dumps({"Al": {"filename": "Al.upf", "cutoff_wfc": 50}}))
    path = write(('"gth-lda"', '"SSSP-precision"'), ("LDA_XC_TETER93", "PBE"))
    answer = invoke("check", path, "--json")
    assert answer.exit_code == 0, answer.output
    (potential,) = json.loads(answer.stdout)["pseudopotentials"]
    assert (potential["recommended_ecut"], potential["recommended_ecut_source"]) == (25.0, "hint of the library")


def test_a_paw_dataset_on_a_mesh_is_refused_by_name(write: Callable[..., Path]) -> None:
    file = ABINIT / "Pseudodojo_paw_pbe_standard" / "Al.xml"
    if not file.is_file():
        pytest.skip("abinit-data is not installed")
    mesh = ('ecut = "240 eV"\ngrid = [16,16,16]', 'method = "realspace"\nspacing = "0.4 bohr"')
    path = write(('"gth-lda"', f'{{ Al = "{file}" }}'), ("LDA_XC_TETER93", "PBE"), mesh)
    for command in ("check", "run"):
        answer = invoke(command, path)
        assert answer.exit_code == 2
        assert "the pseudopotential of Al is PAW, which is not available with" in " ".join(answer.stderr.split())
