"""Checkpoints whose checksums are right and whose contents are not: links, storage elsewhere, impossible numbers."""

import json
import re
import resource
from collections.abc import Callable
from pathlib import Path

import checkpoint_file
import h5py
import numpy as np
import pytest
from conftest import invoke

from wavegrid.checkpoint import restart
from wavegrid.errors import InputError

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
    "grid of 1e27 points": ("wavegrid/grid", lambda x: x * 0 + 10**9, "mf_header/gspace/components"),
    "G-vectors below zero": ("mf_header/kpoints/ngk", lambda x: -x, "not above zero"),
    "species beyond": ("wavegrid/atom_species", lambda x: x + 7, "beyond the species"),
    "species below": ("wavegrid/atom_species", lambda x: x - 1, "beyond the species"),
    "a rotation of zeros": ("wavegrid/rotations", lambda x: x * 0, "no symmetry operation"),
    "no rotation there": ("mf_header/symmetry/ntran", lambda x: x * 0, "ntran: is not 1"),
    "bands of BerkeleyGW": ("mf_header/kpoints/mnband", lambda x: x + 1, "mf_header/kpoints/mnband"),
    "volume of BerkeleyGW": ("mf_header/crystal/celvol", lambda x: x * 2, "mf_header/crystal/celvol"),
    "level of BerkeleyGW": ("mf_header/kpoints/el", lambda x: x * np.nan, "mf_header/kpoints/el"),
    "coefficient nan": ("wfns/coeffs", lambda x: np.where(np.arange(2) == 0, x, np.nan), "its norm is nan"),
    "coefficient inf": ("wfns/coeffs", lambda x: np.where(np.arange(2) == 0, x, np.inf), "its norm is"),
    "density nan": ("wavegrid/density", lambda x: x * np.nan, "not a finite number"),
    "potential inf": ("wavegrid/potential", lambda x: x + np.inf, "not a finite number"),
    "matrices nan": ("wavegrid/matrices", lambda x: x * np.nan, "wavegrid/matrices: holds a value that is not"),
    "matrices of 1e10": ("wavegrid/matrices", lambda x: x + 1e10, "wavegrid/matrices: holds an element that no"),
    "matrices not symmetric": ("wavegrid/matrices", lambda x: x + np.arange(13), "a matrix that is not symmetric"),
    "matrices of other sizes": ("wavegrid/matrix_sizes", lambda x: x + 1, "wavegrid/matrices: has the shape (1, 13)"),
    "matrices of -1 row": ("wavegrid/matrix_sizes", lambda x: x - 1, "wavegrid/matrix_sizes: is not between 0 and 256"),
    "matrices of 1e9 rows": ("wavegrid/matrix_sizes", lambda x: x + 10**9, "is not between 0 and 256"),
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
    if "matri" in dataset:
        checkpoint_file.write(path, half=False, block=BLOCK, matrices=True)
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


CLAIMED = 400_000_000  # elements: gigabytes of holes
CLAIMS = {
    "wavegrid/fermi": ((CLAIMED,), "Fermi levels; valid: up to 2"),
    "wavegrid/rotations": ((CLAIMED, 3, 3), "wavegrid/translations: has the shape (1, 3), not (400000000, 3)"),
    "wavegrid/positions": ((CLAIMED, 3), "wavegrid/positions: has the shape"),
    "wavegrid/atom_species": ((CLAIMED,), "wavegrid/positions: has the shape"),
    "wavegrid/kpoints": ((CLAIMED, 3), "wavegrid/weights: has the shape"),
    "wavegrid/weights": ((CLAIMED,), "wavegrid/weights: has the shape"),
    "wavegrid/eigenvalues": ((2, 1, CLAIMED), "wavegrid/occupations: has the shape"),
    "wavegrid/occupations": ((2, 1, CLAIMED), "wavegrid/occupations: has the shape"),
    "wavegrid/input": ((), "claims a text of 400000000 bytes; valid: up to 64000000"),
    "mf_header/kpoints/ngk": ((CLAIMED,), "mf_header/kpoints/ngk: has the shape"),
    "mf_header/kpoints/el": ((1, 2, CLAIMED), "mf_header/kpoints/el: has the shape"),
    "mf_header/symmetry/mtrx": ((CLAIMED, 3, 3), "mf_header/symmetry/mtrx: has the shape"),
    "wfns/gvecs": ((CLAIMED, 3), "wfns/coeffs: has the shape"),
    "wavegrid/density": ((1, CLAIMED, 10, 12), "wavegrid/density: has the shape"),
    "wavegrid/matrix_sizes": ((CLAIMED,), "wavegrid/matrix_sizes: has the shape"),
    "wavegrid/matrices": ((1, CLAIMED), "it claims 400000000 elements of matrices; valid: up to 196608"),
}


def claim(file: h5py.File, name: str, shape: tuple[int, ...]) -> None:
    """Put a dataset of holes in the place of one."""
    kind = file[name].id.get_type().copy()
    if kind.get_class() == h5py.h5t.STRING:
        kind.set_size(CLAIMED)
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    creation.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    del file[name]
    space = h5py.h5s.create_simple(shape) if shape else h5py.h5s.create(h5py.h5s.SCALAR)
    h5py.h5d.create(file.id, name.encode(), kind, space, creation)


@pytest.mark.parametrize("name", CLAIMS)
def test_sizes_are_compared_before_anything_is_read(name: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shape, words = CLAIMS[name]
    if "matri" in name:
        checkpoint_file.write(path, half=False, block=BLOCK, matrices=True)
    with h5py.File(path, "a") as file:
        claim(file, name, shape)
    assert path.stat().st_size > CLAIMED
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert words in refused(path)
    check_other_commands(path)
    with pytest.raises(InputError, match=rf"^--restart \./c\.h5: damaged: .*{re.escape(words)}"):
        monkeypatch.chdir(path.parent)
        path.rename("c.h5")
        restart.notes("./c.h5", {}, 1.0, "--restart ./c.h5", lambda _: {})
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB


def test_bands_and_waves_that_the_basis_has_not(path: Path) -> None:
    """Where all shapes fit each other."""
    with h5py.File(path, "a") as file:
        waves, blocks = file["wfns/gvecs"].shape[0], file["wavegrid/checksums/coeffs"].shape[2]
        bands = 2 * waves
        shapes = {
            "wavegrid/eigenvalues": (2, 1, bands),
            "wavegrid/occupations": (2, 1, bands),
            "mf_header/kpoints/el": (1, 2, bands),
            "mf_header/kpoints/occ": (1, 2, bands),
            "wfns/coeffs": (bands, 1, waves, 2),
            "wavegrid/checksums/coeffs": (bands, 1, blocks),
        }
        for name, shape in shapes.items():
            claim(file, name, shape)
    assert f"it claims {bands} bands; valid: up to {waves}" in refused(path)
    checkpoint_file.write(path, half=False, block=BLOCK)
    with h5py.File(path, "a") as file:
        waves = 10**7
        claim(file, "wfns/gvecs", (waves, 3))
        claim(file, "wfns/coeffs", (3, 1, waves, 2))
    assert f"it claims {waves} G-vectors; valid: up to" in refused(path)


HEADER = {
    "flavor -1": ("mf_header/flavor", lambda x: x * 0 - 1, "mf_header/flavor: is not 2"),
    "version 1000000": ("mf_header/versionnumber", lambda x: x * 0 + 1000000, "versionnumber: is not 1"),
    "spinors": ("mf_header/kpoints/nspinor", lambda x: x + 1, "nspinor: is not 1"),
    "mesh below zero": ("mf_header/kpoints/kgrid", lambda x: x - 1, "kgrid: [-1, -1, -1] is no mesh"),
    "mesh of 1e18 points": ("mf_header/kpoints/kgrid", lambda x: x + 10**6, "is no mesh of 2 k-points"),
    "shift of nothing": ("mf_header/kpoints/shift", lambda x: x + 0.5, "is no shift of a mesh"),
    "no occupied band": ("mf_header/kpoints/ifmax", lambda x: x * 0, "mf_header/kpoints/ifmax"),
    "other levels": ("mf_header/kpoints/el", lambda x: x * 1.01, "mf_header/kpoints/el: is not what /wavegrid says"),
    "other occupations": ("mf_header/kpoints/occ", lambda x: x / 2, "mf_header/kpoints/occ"),
    "points of the grid": ("mf_header/gspace/ng", lambda x: x + 1, "mf_header/gspace/ng"),
    "cutoff of the density": ("mf_header/gspace/ecutrho", lambda x: -x, "mf_header/gspace/ecutrho"),
    "G-vectors of the grid": ("mf_header/gspace/components", lambda x: x[::-1], "mf_header/gspace/components"),
    "hexagonal 7": ("mf_header/symmetry/cell_symmetry", lambda x: x + 7, "cell_symmetry: is 7; valid: 0 and 1"),
    "another rotation": ("mf_header/symmetry/mtrx", lambda x: -x, "mf_header/symmetry/mtrx"),
    "a translation": ("mf_header/symmetry/tnp", lambda x: x + 0.3, "mf_header/symmetry/tnp"),
    "length": ("mf_header/crystal/alat", lambda x: x * 2, "mf_header/crystal/alat"),
    "metric": ("mf_header/crystal/bdot", lambda x: x * 2, "mf_header/crystal/bdot"),
    "elements": ("mf_header/crystal/atyp", lambda x: x + 1, "mf_header/crystal/atyp"),
    "places": ("mf_header/crystal/apos", lambda x: x + 0.1, "mf_header/crystal/apos"),
}


@pytest.mark.parametrize("name", HEADER)
def test_the_header_of_berkeleygw_follows_from_ours(name: str, path: Path) -> None:
    dataset, change, words = HEADER[name]
    with h5py.File(path, "a") as file:
        replace(file, dataset, change(np.asarray(file[dataset][()])))
    assert words in refused(path)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("half_sphere", 7, "half_sphere is 7; valid: 0 to 1"),
        ("converged", -1, "converged is -1; valid: 0 to 1"),
        ("steps", 2**31 - 1, "steps is 2147483647"),
        ("space_group_number", 231, "space_group_number is 231; valid: 1 to 230"),
        ("created", b"yesterday", "created is 'yesterday', not a time"),
        ("created", b"2026-99-99", "not a time"),
        ("program", b"\x1b]0;title\x07", "program is no name"),
        ("program", b"x" * 5000, "the attribute program is no text of a checkpoint"),
        ("space_group", 5, "the attribute space_group is no text of a checkpoint"),
        ("converged", [1, 2], "the attribute converged is no number of a checkpoint"),
        ("single_precision", 0.5, "the attribute single_precision is no number of a checkpoint"),
        ("block", None, "the attribute block is missing"),
        ("other", 1, "the attribute other is no part of a checkpoint"),
    ],
)
def test_attributes_that_no_run_writes(name: str, value: object, words: str, path: Path) -> None:
    with h5py.File(path, "a") as file:
        attributes = file["wavegrid"].attrs
        if name in attributes:
            del attributes[name]
        if value is not None:
            attributes[name] = np.bytes_(value) if isinstance(value, bytes) else np.asarray(value)
            if isinstance(value, int):
                attributes[name] = np.int32(value)
    assert words in refused(path)


def test_a_number_that_is_compressed(path: Path) -> None:
    with h5py.File(path, "a") as file:
        del file["mf_header/kpoints/nspinor"]
        file["mf_header/kpoints"].create_dataset("nspinor", data=np.ones(1, np.int32), compression="gzip")
    assert "/mf_header/kpoints/nspinor: is not one piece of this file" in refused(path)


def test_escape_codes_stay_out_of_the_terminal(path: Path) -> None:
    with h5py.File(path, "a") as file:
        replace(file, "wavegrid/input", np.bytes_(json.dumps({"title": "\x1b[31mred\n"}).encode()))
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
