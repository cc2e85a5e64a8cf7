"""Files for other programs made of checkpoints, read back and compared with what is in the checkpoint."""

import os
from pathlib import Path

import checkpoint_file
import h5py
import numpy as np
import pytest
from ase.io.cube import read_cube
from ase.io.xsf import read_xsf
from conftest import invoke, program
from test_checkpoint_files import KINDS, message_of

from wavegrid.checkpoint.verify import verify
from wavegrid.units import BOHR_IN_ANGSTROM


@pytest.fixture(params=KINDS)
def made(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, dict, bool, int]:
    """Return a checkpoint, its datasets, whether it holds half a sphere, and its spins."""
    half, spins = request.param
    file = tmp_path / "run" / "checkpoint.h5"
    file.parent.mkdir()
    return file, checkpoint_file.write(file, half=half, spins=spins, matrices=spins == 2), half, spins


@pytest.mark.parametrize("kind", ["cube", "xsf"])
def test_the_density_is_that_of_the_file(made: tuple, kind: str) -> None:
    file, data, _, spins = made
    for _ in range(2):  # a file of ours is replaced
        answer = invoke("checkpoint", "export", file, "--density", kind)
        assert answer.exit_code == 0, answer.output
    for index, name in enumerate(("density", "magnetisation")[:spins]):
        path = file.parent / f"{name}.{kind}"
        assert f"written: {path}" in answer.stdout
        with path.open() as stream:
            if kind == "cube":
                read = read_cube(stream)
                values, atoms = read["data"], read["atoms"]
            else:
                values, _origin, _span, atoms = xsf(stream)
        wanted = data["wavegrid/density"][index]
        assert values == pytest.approx(wanted, rel=1e-8, abs=1e-8)
        assert atoms.get_chemical_symbols() == ["Al", "Al", "Li"]
        assert atoms.cell.array == pytest.approx(checkpoint_file.CELL * BOHR_IN_ANGSTROM, abs=1e-6)
        positions = np.array(checkpoint_file.POSITIONS) @ checkpoint_file.CELL * BOHR_IN_ANGSTROM
        assert atoms.positions == pytest.approx(positions, abs=1e-6)


def xsf(stream) -> tuple:
    """Return ASE's view of a file without the points that an XSF grid repeats."""
    values, origin, span, atoms = read_xsf(stream, read_data=True)
    return (values if values.shape == checkpoint_file.GRID else values[:-1, :-1, :-1]), origin, span, atoms


def test_quantum_espresso(made: tuple, tmp_path: Path) -> None:
    file, data, half, spins = made
    folder = tmp_path / "prefix.save"
    for _ in range(2):
        answer = invoke("checkpoint", "export", file, "--qe", folder)
        assert answer.exit_code == 0, answer.output
    names = [f"wfc{channel}{k + 1}.hdf5" for k in range(1 if half else 2) for channel in ("up", "dw")[:spins]]
    names = names if spins == 2 else [name.replace("up", "") for name in names]
    assert sorted(os.listdir(folder)) == sorted(names)
    reciprocal = 2 * np.pi * np.linalg.inv(checkpoint_file.CELL).T
    starts = np.concatenate([[0], np.cumsum(data["mf_header/kpoints/ngk"])])
    for index, name in enumerate(names):
        k, spin = divmod(index, spins)
        with h5py.File(folder / name) as read:
            attributes = dict(read.attrs)
            miller, evc = read["MillerIndices"][()], read["evc"][()]
            bg = np.array([read["MillerIndices"].attrs[f"bg{i}"] for i in (1, 2, 3)])
        assert attributes["gamma_only"] == (b".TRUE." if half else b".FALSE.")
        assert (attributes["ik"], attributes["ispin"], attributes["npol"]) == (k + 1, spin + 1, 1)
        assert (attributes["nbnd"], attributes["scale_factor"]) == (3, 1.0)
        assert attributes["igwx"] == attributes["ngw"] == len(miller) == starts[k + 1] - starts[k]
        assert attributes["xk"] == pytest.approx(data["wavegrid/kpoints"][k] @ reciprocal)
        assert bg == pytest.approx(reciprocal)
        assert evc.shape == (3, 2 * len(miller))
        lengths = np.linalg.norm(miller @ reciprocal, axis=1)
        assert np.all(np.diff(lengths) > -1e-8)
        mine = data["wfns/coeffs"][:, spin, starts[k] : starts[k + 1]] @ [1, 1j]
        place = {tuple(g): i for i, g in enumerate(data["wfns/gvecs"][starts[k] : starts[k + 1]].tolist())}
        for column, g in enumerate(miller.tolist()):
            theirs = evc[:, 2 * column] + 1j * evc[:, 2 * column + 1]
            if half:
                assert tuple(g) >= (0, 0, 0)
            if tuple(g) in place:
                assert np.array_equal(theirs, mine[:, place[tuple(g)]])
            else:
                assert half
                assert np.array_equal(theirs, mine[:, place[tuple(-i for i in g)]].conj())


def test_the_whole_sphere(made: tuple, tmp_path: Path) -> None:
    file, data, half, spins = made
    target = tmp_path / "whole.h5"
    before = file.read_bytes()
    for _ in range(2):
        answer = invoke("checkpoint", "export", file, "--full", target)
        assert answer.exit_code == 0, answer.output
    assert file.read_bytes() == before
    assert (verify(target)["norm_error"] or 0) < 1e-14  # none with the matrices of PAW
    with h5py.File(target) as read:
        assert read["wavegrid"].attrs["half_sphere"] == 0
        vectors, coeffs = read["wfns/gvecs"][()], read["wfns/coeffs"][()] @ [1, 1j]
        ngk = read["mf_header/kpoints/ngk"][()].tolist()
        same = [name for name in data if name.split("/")[-1] not in ("gvecs", "coeffs", "ngk", "ngkmax")]
        for name in same:
            assert np.array_equal(read[name][()], data[name]), name
    if half:
        assert np.array_equal(vectors, checkpoint_file.sphere(np.zeros(3), half=False))
        assert ngk == [2 * len(data["wfns/gvecs"]) - 1]
        minus = {tuple(g): i for i, g in enumerate((-vectors).tolist())}
        opposite = [minus[tuple(g)] for g in vectors.tolist()]
        assert np.array_equal(coeffs[..., opposite].conj(), coeffs)
        assert np.array_equal(coeffs[..., len(vectors) // 2 :], data["wfns/coeffs"] @ [1, 1j])
    else:
        assert np.array_equal(coeffs, data["wfns/coeffs"] @ [1, 1j])
    assert np.sum(abs(coeffs) ** 2, axis=2) == pytest.approx(len(ngk))
    assert coeffs.shape[1] == spins


def test_damaged_values_are_never_exported(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.h5"
    for name in ("wfns/coeffs", "wfns/gvecs", "wavegrid/density"):
        checkpoint_file.write(file)
        with h5py.File(file, "a") as damaged:
            values = damaged[name][()]
            values.flat[-1] += 1
            damaged[name][...] = values
        messages = []
        for arguments in (["--full", tmp_path / "f.h5"], ["--qe", tmp_path / "qe"], ["--density", "cube"]):
            if (name == "wavegrid/density") == (arguments[0] == "--qe"):
                continue  # reads the other part alone
            if name != "wavegrid/density" and arguments[0] == "--density":
                continue
            messages.append(message_of(invoke("checkpoint", "export", file, *arguments)))
        assert messages
        assert all(f"/{name}" in message for message in messages)
        left = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
        assert left == ["checkpoint.h5"]


def test_only_own_files_are_replaced(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.h5"
    checkpoint_file.write(file)
    before = file.read_bytes()
    (tmp_path / "density.cube").write_text("somebody else's\n")
    (tmp_path / "qe").mkdir()
    (tmp_path / "density.xsf").mkdir()
    for name in ("qe/wfc1.hdf5", "foreign.h5"):
        with h5py.File(tmp_path / name, "w") as foreign:
            foreign["x"] = 1
    (tmp_path / "text.h5").write_text("notes")
    (tmp_path / "link.h5").symlink_to(file)
    for arguments, words in (
        (["--full", file], "is the checkpoint itself"),
        (["--full", tmp_path / "link.h5"], "is the checkpoint itself"),
        (["--full", tmp_path / "foreign.h5"], "is not a file that an export made"),
        (["--full", tmp_path / "text.h5"], "is not a file that an export made"),
        (["--full", tmp_path / "whole.hdf"], "valid: a name that ends in .h5"),
        (["--density", "cube"], "is not a file that an export made"),
        (["--density", "xsf"], "is a directory"),
        (["--density", "cub"], "valid: cube, xsf, chgcar; did you mean 'cube'?"),
        (["--qe", tmp_path / "qe"], "is not a file that an export made"),
        (["--qe", file], "no such directory can be made"),
        (["--full", tmp_path / "new.h5", "--output", tmp_path], "--output without --density"),
        ([], "nothing to export"),
    ):
        assert words in message_of(invoke("checkpoint", "export", file, *arguments)), arguments
    assert file.read_bytes() == before
    assert (tmp_path / "density.cube").read_text() == "somebody else's\n"
    assert not list(tmp_path.rglob("*.partial"))


def test_a_limit_of_the_system_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.h5"
    checkpoint_file.write(file)
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text("import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))\n")
    for arguments in (["--full", "out/whole.h5"], ["--density", "cube", "--output", "out"], ["--qe", "out"]):
        answer = program(
            "checkpoint", "export", file, *arguments, cwd=tmp_path, environment=os.environ | {"PYTHONPATH": str(hook)}
        )
        assert (answer.returncode, answer.stdout) == (3, ""), answer.stderr
        assert answer.stderr.count("\n") == 1
        assert "cannot be written" in answer.stderr
        assert os.listdir(tmp_path / "out") == []
