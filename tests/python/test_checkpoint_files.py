"""Checkpoint files are described and verified; what is wrong with one is reported in one line, without a traceback."""

import json
import os
import random
from pathlib import Path

import checkpoint_file
import h5py
import numpy as np
import pytest
from conftest import invoke, program

from wavegrid.checkpoint import blocks, layout, reader, summary
from wavegrid.checkpoint.header import read_header
from wavegrid.checkpoint.verify import verify
from wavegrid.errors import InputError

KINDS = [(True, 1), (True, 2), (False, 1), (False, 2)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return an intact checkpoint of real wave functions."""
    file = tmp_path / "checkpoint.h5"
    checkpoint_file.write(file)
    return file


@pytest.mark.parametrize(("half", "spins"), KINDS)
@pytest.mark.parametrize("block", [1, 40, 1 << 20])
def test_intact_files_verify(half: bool, spins: int, block: int, tmp_path: Path) -> None:
    file = tmp_path / "c.h5"
    data = checkpoint_file.write(file, half=half, spins=spins, block=block, matrices=block == 1)
    answer = invoke("checkpoint", "verify", file, "--json")
    assert answer.exit_code == 0, answer.output
    figures = json.loads(answer.stdout)
    assert figures["intact"]
    assert figures["norm_error"] is None if block == 1 else figures["norm_error"] < 1e-14
    assert figures["electrons_in_density"] == pytest.approx(figures["electrons"], rel=1e-12)
    ngk, points = data["mf_header/kpoints/ngk"], int(np.prod(checkpoint_file.GRID))
    row = sum(-(-int(n) // block) for n in ngk)
    assert figures["blocks"] == row * (1 + 3 * spins) + 2 * spins * -(-points // block)
    assert "intact" in invoke("checkpoint", "verify", file).stdout


@pytest.mark.parametrize(("half", "spins"), KINDS)
def test_info_prints_the_content(half: bool, spins: int, tmp_path: Path) -> None:
    file = tmp_path / "c.h5"
    data = checkpoint_file.write(file, half=half, spins=spins)
    figures = json.loads(invoke("checkpoint", "info", file, "--json").stdout)
    assert (figures["formula"], figures["title"], figures["electrons"]) == ("Al2Li", "made up", 4.0)
    assert (figures["spins"], figures["bands"], figures["half_sphere"]) == (spins, 3, half)
    assert figures["plane_waves"] == data["mf_header/kpoints/ngk"].tolist()
    assert len(figures["kpoints"]) == (1 if half else 2)
    assert figures["bytes"]["coeffs"] == data["wfns/coeffs"].nbytes
    assert (figures["converged"], figures["steps"], figures["energy"]) == (True, 9, -8.125)
    words = invoke("checkpoint", "info", file).stdout
    for word in ("Al2Li", "converged after 9 SCF steps", "-8.125000000 Ha", "9 x 10 x 12", "2026-11-21", "3 bands"):
        assert word in words
    assert ("half of the sphere" in words) == half


def test_info_names_the_matrices_of_paw(tmp_path: Path) -> None:
    data = checkpoint_file.write(tmp_path / "c.h5", spins=2, matrices=True)
    figures = json.loads(invoke("checkpoint", "info", tmp_path / "c.h5", "--json").stdout)
    assert figures["format_version"] == 3
    assert figures["bytes"]["matrices"] == data["wavegrid/matrices"].nbytes == 2 * 13 * 8
    words = invoke("checkpoint", "info", tmp_path / "c.h5").stdout
    assert "matrices" in words
    assert "format 3" in words


def test_the_test_writer_writes_every_dataset_of_the_format(path: Path) -> None:
    checkpoint_file.write(path, matrices=True)
    with h5py.File(path) as file:
        names = []
        file.visititems(lambda name, thing: names.append(name) if isinstance(thing, h5py.Dataset) else None)
    assert sorted(names) == sorted(layout.datasets(3))


def test_a_new_block_begins_at_each_kpoint() -> None:
    assert layout.ranges([5, 0, 3], 2) == [(0, 2), (2, 4), (4, 5), (5, 7), (7, 8)]
    assert layout.ranges([4], 2) == [(0, 2), (2, 4)]
    for counts in ([5, 0, 3], [4], [-3, 1], []):
        assert layout.num_blocks(counts, 2) == len(layout.ranges(counts, 2))
    assert layout.num_blocks([10**30], 2) == 5 * 10**29  # of a damaged file: nothing is made


@pytest.mark.parametrize("size", [0, 1, 7, 8, 47, 48, 100, 2000, 20000, 50000, -1])
def test_truncated_files(size: int, path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:size])
    for command in ("info", "verify"):
        message = message_of(invoke("checkpoint", command, path))
        assert str(path) in message
        if size >= 48 or size == -1:
            assert "truncated" in message


def test_every_flipped_bit_is_found_or_changes_nothing(path: Path) -> None:
    """What remains unnoticed lies where HDF5 records unused space, which no reader uses."""
    content = path.read_bytes()
    before = everything(path)
    rng = random.Random(5)
    stored = offsets(path)
    places = [rng.randrange(begin, end) for begin, end in stored] + [rng.randrange(len(content)) for _ in range(60)]
    unnoticed = []
    for place in places:
        damaged = bytearray(content)
        damaged[place] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        try:
            verify(path)
        except InputError as error:
            assert str(path) in str(error)
        else:
            unnoticed.append(place)
            assert everything(path) == before, place
    assert not [place for place in unnoticed if any(begin <= place < end for begin, end in stored)]
    assert len(unnoticed) < 0.15 * len(places)


def offsets(path: Path) -> list[tuple[int, int]]:
    """Return where in the file the values of each dataset lie."""
    found = []

    def visit(_name: str, thing: object) -> None:
        if isinstance(thing, h5py.Dataset):
            begin = thing.id.get_offset()
            found.append((begin, begin + thing.nbytes))

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


def everything(path: Path) -> dict:
    """Return all values and attributes of a file."""
    found: dict = {}

    def visit(name: str, thing: object) -> None:
        found[name] = {key: np.asarray(value).tobytes() for key, value in thing.attrs.items()}
        if isinstance(thing, h5py.Dataset):
            found[name]["", "values"] = np.asarray(thing[()]).tobytes()

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


@pytest.mark.parametrize("name", sorted(layout.datasets(3)))
def test_a_missing_dataset_is_named(name: str, path: Path) -> None:
    checkpoint_file.write(path, matrices=name in layout.OVERLAP)
    with h5py.File(path, "a") as file:
        del file[name]
    assert f"/{name}: is missing" in message_of(invoke("checkpoint", "verify", path))


@pytest.mark.parametrize("name", sorted(layout.datasets(3)))
def test_a_changed_value_is_named(name: str, path: Path) -> None:
    checkpoint_file.write(path, matrices=name in layout.OVERLAP)
    with h5py.File(path, "a") as file:
        dataset = file[name]
        values = np.asarray(dataset[()]).copy()
        raw = bytearray(values.tobytes())
        raw[-1 if values.dtype.kind == "S" else 0] ^= 1
        dataset[()] = np.frombuffer(bytes(raw), values.dtype).reshape(values.shape)[()]
    message = message_of(invoke("checkpoint", "verify", path))
    if "checksums" in name:
        name = {value: key for key, value in layout.CHECKSUMS.items()}[name]
    assert f"/{name}" in message or "ngk" in name or name in ("wavegrid/grid", layout.MATRIX_SIZES), message


def test_wrong_types_and_shapes_are_named(path: Path) -> None:
    for name, values, words in (
        ("wavegrid/density", np.zeros((1, 9, 10, 12), np.float32), "is of type float32, not f8"),
        ("wavegrid/potential", np.zeros((1, 9, 10, 11)), "has the shape (1, 9, 10, 11), not (1, 9, 10, 12)"),
        ("wavegrid/grid", np.zeros((3, 1), np.int32), "has 2 dimensions, not 1"),
        ("wavegrid/cell", np.zeros((3, 3), ">f8"), "is of type >f8"),
    ):
        checkpoint_file.write(path)
        with h5py.File(path, "a") as file:
            del file[name]
            file[name] = values
        assert f"/{name}: {words}"[:60] in message_of(invoke("checkpoint", "verify", path))


def test_a_group_in_place_of_a_dataset(path: Path) -> None:
    with h5py.File(path, "a") as file:
        del file["wavegrid/ecut"]
        file.create_group("wavegrid/ecut")
    assert "/wavegrid/ecut: is a group" in message_of(invoke("checkpoint", "info", path))


def change(path: Path, name: str, make: object) -> None:
    """Change a dataset by a function and make all checksums right again."""
    with h5py.File(path, "a") as file:
        values = file[name][()]
        make(values)
        file[name][...] = values
        checkpoint_file.add_checksums(file, file["mf_header/kpoints/ngk"][()].tolist(), 40)


def test_impossible_values_are_found_behind_correct_checksums(path: Path) -> None:
    def scale_band(values: np.ndarray) -> None:
        values[1] *= 1 + 1e-7

    def spoil(values: np.ndarray) -> None:
        values[2, 0, 3, 0] = np.nan

    def add_charge(values: np.ndarray) -> None:
        values *= 1 + 1e-5

    def disorder(values: np.ndarray) -> None:
        values[[3, 4]] = values[[4, 3]]

    def swap_blocks(values: np.ndarray) -> None:
        values[:80] = np.roll(values[:80], 40, axis=0)  # each is in order

    def leave(values: np.ndarray) -> None:
        values[-1] = [0, 0, 9]

    for name, make, words in (
        (layout.COEFFS, scale_band, "/wfns/coeffs: band 2, spin 1, k-point 1: its norm is 1.0000002"),
        (layout.COEFFS, spoil, "/wfns/coeffs: band 3, spin 1, k-point 1: its norm is nan"),
        (layout.DENSITY, add_charge, "/wavegrid/density: holds 4.00004 electrons, the occupations 4"),
        (layout.GVECS, disorder, "not in ascending order of gz, gy, gx"),
        (layout.GVECS, swap_blocks, "not in ascending order of gz, gy, gx"),
        (layout.GVECS, leave, "outside the cutoff"),
    ):
        checkpoint_file.write(path)
        change(path, name, make)
        assert words in message_of(invoke("checkpoint", "verify", path))


def test_norms_with_an_overlap_are_any_numbers_above_zero(path: Path) -> None:
    """Bands of ultrasoft and PAW datasets have <psi|S|psi> = 1."""
    checkpoint_file.write(path, matrices=True)

    def scale(values: np.ndarray) -> None:
        values[1] *= 1.1

    change(path, layout.COEFFS, scale)
    answer = invoke("checkpoint", "verify", path)
    assert answer.exit_code == 0, answer.output
    assert "bands have the overlap of their datasets" in answer.stdout
    for norm in (0, np.nan, np.inf):
        checkpoint_file.write(path, matrices=True)
        change(path, layout.COEFFS, lambda values, fill=norm: values.fill(fill))
        assert "/wfns/coeffs: band 1, spin 1, k-point 1: its norm is" in message_of(
            invoke("checkpoint", "verify", path)
        )


def test_a_newer_version_and_foreign_files(path: Path, tmp_path: Path) -> None:
    with h5py.File(path, "a") as file:
        file["wavegrid"].attrs["version"] = np.int32(7)
    assert "is of version 7 of the format; valid: up to 6, or a newer wavegrid" in message_of(
        invoke("checkpoint", "info", path)
    )
    foreign, text = tmp_path / "foreign.h5", tmp_path / "text.h5"
    with h5py.File(foreign, "w") as file:
        file["wavegrid"] = 3
    text.write_text("title = 1\n")
    for name, words in (
        (foreign, "not a checkpoint of wavegrid"),
        (text, "is not an HDF5 file"),
        (tmp_path, "is a directory, not a file"),
        (tmp_path / "checkpiont.h5", "no such file; valid: a checkpoint file such as DIR/checkpoint.h5; did you mean"),
        (tmp_path / "no" / "such.h5", "no such file"),
    ):
        for command in ("info", "verify"):
            assert words in message_of(invoke("checkpoint", command, name))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(path: Path) -> None:
    path.chmod(0)
    assert "Permission denied" in message_of(invoke("checkpoint", "verify", path))


def test_a_file_that_cannot_be_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert "cannot be read: Permission denied" in message_of(invoke("checkpoint", "verify", path))


def message_of(answer) -> str:
    """Return the one line that a command said on stderr before it ended with bad input."""
    assert answer.exit_code == 2, answer.output
    assert answer.stdout == ""
    assert answer.stderr.startswith("error: ")
    assert answer.stderr.count("\n") == 1
    assert "Traceback" not in answer.stderr
    return answer.stderr


def test_fields_are_read_block_by_block_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "c.h5"
    for block in (1, 7, 120, 121, 10**6):
        data = checkpoint_file.write(file, half=False, spins=2, block=block)
        with reader.opened(file) as source:
            header = read_header(source)
            for name in (layout.DENSITY, layout.POTENTIAL):
                assert np.array_equal(blocks.grid(source, header, name), data[name])
            assert np.array_equal(
                blocks.sphere(source, header, 1), data["wfns/gvecs"][data["mf_header/kpoints/ngk"][0] :]
            )


def test_formula() -> None:
    assert summary.formula(["Al", "Li", "Al", "H"]) == "Al2LiH"


def test_help_of_the_commands() -> None:
    for command in ("info", "verify", "export"):
        answer = program("checkpoint", command, "--help")
        assert answer.returncode == 0
        assert "Exit codes" in answer.stdout
    assert "verify" in program("checkpoint", "--help").stdout
