"""Checkpoints whose checksums are right and whose contents are not: links, storage elsewhere, impossible numbers."""

import json
from collections.abc import Callable
from pathlib import Path

import checkpoint_file
import h5py
import numpy as np
import pytest
from conftest import invoke

BLOCK = 10_000  # elements: few checksums
NUMBERS: dict[str, tuple[str, Callable[[np.ndarray], object], str]] = {
    # name: (dataset, the change, words of the message)
    "eigenvalue nan": ("wavegrid/eigenvalues", lambda x: np.where(np.arange(3) == 1, np.nan, x), "not a finite number"),
    "eigenvalue inf": ("wavegrid/eigenvalues", lambda x: x - np.array([np.inf, 0, 0]), "not a finite number"),
    "eigenvalues not in order": ("wavegrid/eigenvalues", lambda x: x[..., ::-1], "do not ascend"),
    "occupation nan": ("wavegrid/occupations", lambda x: x * np.nan, "wavegrid/occupations: holds a value"),
    "occupation of 5": ("wavegrid/occupations", lambda x: x + 5, "not between none and a full state"),
    "occupation below zero": ("wavegrid/occupations", lambda x: x * [2, 1, 1] - [0, 2, 0], "none and a full state"),
    "weight nan": ("wavegrid/weights", lambda x: x * np.nan, "wavegrid/weights"),
    "weights of 2": ("wavegrid/weights", lambda x: x * 2, "wavegrid/weights"),
    "energy inf": ("wavegrid/energy", lambda x: x * np.inf, "wavegrid/energy"),
    "fermi nan": ("wavegrid/fermi", lambda x: x * np.nan, "wavegrid/fermi"),
    "cell nan": ("wavegrid/cell", lambda x: x * np.nan, "wavegrid/cell"),
    "cell of zeros": ("wavegrid/cell", lambda x: x * 0, "wavegrid/cell"),
    "position nan": ("wavegrid/positions", lambda x: x * np.nan, "wavegrid/positions"),
    "k-point inf": ("wavegrid/kpoints", lambda x: x + np.inf, "wavegrid/kpoints"),
    "cutoff below zero": ("wavegrid/ecut", lambda x: -x, "wavegrid/ecut"),
    "cutoff nan": ("wavegrid/ecut", lambda x: x * np.nan, "wavegrid/ecut"),
    "grid of zero": ("wavegrid/grid", lambda x: x * 0, "not above zero"),
    "grid of another density": ("wavegrid/grid", lambda x: x[::-1], "wavegrid/density"),
    "grid of 1e27 points": ("wavegrid/grid", lambda x: x * 0 + 10**9, "wavegrid/density"),
    "G-vectors below zero": ("mf_header/kpoints/ngk", lambda x: -x, "not above zero"),
    "species beyond": ("wavegrid/atom_species", lambda x: x + 7, "beyond the species"),
    "species below": ("wavegrid/atom_species", lambda x: x - 1, "beyond the species"),
    "a rotation of zeros": ("wavegrid/rotations", lambda x: x * 0, "no symmetry operation"),
    "no rotation there": ("mf_header/symmetry/ntran", lambda x: x * 0, "mtrx"),
    "bands of BerkeleyGW": ("mf_header/kpoints/mnband", lambda x: x + 1, "mf_header/kpoints/mnband"),
    "volume of BerkeleyGW": ("mf_header/crystal/celvol", lambda x: x * 2, "mf_header/crystal/celvol"),
    "level of BerkeleyGW": ("mf_header/kpoints/el", lambda x: x * np.nan, "mf_header/kpoints/el"),
    "coefficient nan": ("wfns/coeffs", lambda x: np.where(np.arange(2) == 0, x, np.nan), "its norm is nan"),
    "coefficient inf": ("wfns/coeffs", lambda x: np.where(np.arange(2) == 0, x, np.inf), "its norm is"),
    "density nan": ("wavegrid/density", lambda x: x * np.nan, "not a finite number"),
    "potential inf": ("wavegrid/potential", lambda x: x + np.inf, "not a finite number"),
    "input is no JSON": ("wavegrid/input", lambda _: np.bytes_(b"title = 1"), "JSON"),
    "input is a list": ("wavegrid/input", lambda _: np.bytes_(b"[1]"), "JSON"),
    "input is deep": ("wavegrid/versions", lambda _: np.bytes_(b"[" * 100_000), "JSON"),
}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return an intact checkpoint of two k-points."""
    file = tmp_path / "checkpoint.h5"
    checkpoint_file.write(file, half=False, block=BLOCK)
    return file


def refused(path: Path) -> str:
    """Return the one line with which `verify` refuses a file."""
    answer = invoke("checkpoint", "verify", path)
    assert (answer.exit_code, answer.stdout) == (2, ""), answer.output
    assert answer.stderr.startswith(f"error: {path}: damaged: ")
    assert answer.stderr.count("\n") == 1
    return answer.stderr


def check_other_commands(path: Path) -> None:
    """Let the commands that read a part of a file succeed or refuse it in one line."""
    for arguments in (("info",), ("export", "--density", "cube"), ("export", "--full", path.with_name("full.h5"))):
        answer = invoke("checkpoint", arguments[0], path, *arguments[1:])
        assert answer.exit_code == 0 or (answer.exit_code == 2 and answer.stderr.count("\n") == 1), answer.stderr


def replace(file: h5py.File, name: str, values: object) -> None:
    """Put another dataset in the place of one, with the checksums that then are right."""
    old = file[name]
    new = np.asarray(values)
    new = checkpoint_file.text_like_the_core(new) if new.dtype.kind == "S" else new.astype(old.dtype)
    del file[name]
    file.create_dataset(name, data=new)
    checkpoint_file.add_checksums(file, np.abs(file["mf_header/kpoints/ngk"][()]).tolist(), BLOCK)


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_impossible_numbers_are_refused(name: str, path: Path) -> None:
    dataset, change, words = NUMBERS[name]
    with h5py.File(path, "a") as file:
        replace(file, dataset, change(np.asarray(file[dataset][()])))
    assert words in refused(path)
    if dataset.rpartition("/")[2] in ("cell", "grid", "ngk", "species", "input"):
        check_other_commands(path)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [("block", 0), ("block", -5), ("steps", -1), ("version", "one"), ("half_sphere", [1, 2])],
)
def test_impossible_attributes_are_refused(attribute: str, value: object, path: Path) -> None:
    with h5py.File(path, "a") as file:
        file["wavegrid"].attrs[attribute] = value
    refused(path)


def linked(file: h5py.File, link: object, name: str) -> None:
    """Put a link in the place of an object, which moves to another file or another name."""
    with h5py.File(Path(file.filename).with_name("other.h5"), "w") as other:
        file.copy(name, other, name=name)
    del file[name]
    file[name] = link


def virtual(file: h5py.File, name: str) -> None:
    """Make a dataset virtual."""
    values = file[name]
    layout = h5py.VirtualLayout(values.shape, values.dtype)
    layout[...] = h5py.VirtualSource("other.h5", name, values.shape, values.dtype)
    del file[name]
    file.create_virtual_dataset(name, layout)


def external(file: h5py.File, name: str) -> None:
    """Put the values of a dataset into another file."""
    values = file[name][()]
    del file[name]
    file.create_dataset(name, values.shape, values.dtype, external=str(Path(file.filename).with_name("raw")))[...] = (
        values
    )


def stored(file: h5py.File, name: str, shape: tuple | None = None, **options: object) -> None:
    """Store a dataset in another way, with another shape without values."""
    values = file[name][()]
    del file[name]
    if shape is None:
        file.create_dataset(name, data=values, **options)
    else:
        file.create_dataset(name, shape, values.dtype, **options)


OTHER = h5py.ExternalLink("other.h5", "/wavegrid/density")
STORAGE: dict[str, tuple[Callable[[h5py.File], None], str]] = {
    "dataset elsewhere": (lambda f: linked(f, OTHER, "wavegrid/density"), "is a link"),
    "device elsewhere": (lambda f: linked(f, h5py.ExternalLink("/dev/zero", "/x"), "wavegrid/energy"), "is a link"),
    "group elsewhere": (lambda f: linked(f, h5py.ExternalLink("other.h5", "/wavegrid"), "wavegrid"), "is a link"),
    "soft link": (lambda f: linked(f, h5py.SoftLink("/wavegrid/potential"), "wavegrid/density"), "is a link"),
    "dangling link": (lambda f: linked(f, h5py.SoftLink("/nowhere"), "wavegrid/cell"), "is a link"),
    "virtual": (lambda f: virtual(f, "wavegrid/potential"), "not one piece"),
    "external": (lambda f: external(f, "wavegrid/potential"), "not one piece"),
    "chunks": (lambda f: stored(f, "wavegrid/density", chunks=True), "not one piece"),
    "compressed": (lambda f: stored(f, "wfns/coeffs", compression="gzip"), "not one piece"),
    "without data": (lambda f: stored(f, "wfns/coeffs", (10**6, 1, 10**6, 2)), "has no data"),
    "without data, small": (lambda f: stored(f, "wavegrid/species", (10**9,)), "has no data"),
    "a group for a dataset": (lambda f: (f.pop("wavegrid/cell"), f.create_group("wavegrid/cell/x")), "wavegrid/cell"),
    "a further dataset": (lambda f: f.create_dataset("wavegrid/more", data=1), "no part of a checkpoint"),
    "a further group": (lambda f: f.create_group("more"), "no part of a checkpoint"),
    "a ring of groups": (lambda f: f["wavegrid"].__setitem__("again", f["wavegrid"]), "no part of a checkpoint"),
}  # fmt: skip


@pytest.mark.parametrize("name", STORAGE)
def test_storage_elsewhere_is_refused(name: str, path: Path) -> None:
    change, words = STORAGE[name]
    with h5py.File(path, "a") as file:
        change(file)
    assert words in refused(path)
    check_other_commands(path)


def test_escape_codes_stay_out_of_the_terminal(path: Path) -> None:
    with h5py.File(path, "a") as file:
        replace(file, "wavegrid/input", np.bytes_(json.dumps({"title": "\x1b[31mred\n"}).encode()))
        file["wavegrid"].attrs["program"] = np.bytes_(b"\x1b]0;title\x07")
    answer = invoke("checkpoint", "info", path)
    assert answer.exit_code == 0
    assert "\x1b" not in answer.stdout
    assert "\\x1b[31mred" in answer.stdout


def test_a_checkpoint_of_a_run_is_not_replaced(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "checkpoint.1.h5"
    other.write_bytes(path.read_bytes())
    answer = invoke("checkpoint", "export", path, "--full", other)
    assert answer.exit_code == 2
    assert "is not a file that an export made" in answer.stderr
    assert other.read_bytes() == path.read_bytes()
