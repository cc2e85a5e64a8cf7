"""The package as a Python program uses it: run, Session, load and what a result offers."""

import re
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from ase import Atoms
from ase.build import bulk
from ase.constraints import FixAtoms, FixCartesian, FixScaled
from ase.constraints.fix_symmetry import FixSymmetry
from conftest import clean_environment

import wavegrid
from wavegrid import InputError

TABLES = {
    "basis": {"ecut": "5 Ha"},
    "electrons": {
        "xc": "LDA-PW",
        "pseudopotentials": "gth-lda",
        "smearing": {"kind": "cold", "width": "0.2 eV"},
    },
}

pytestmark = pytest.mark.filterwarnings("ignore:ecut = ", "ignore:Gamma is the only k-point")


def aluminium() -> Atoms:
    return bulk("Al", cubic=True)


@pytest.fixture(scope="module")
def solved() -> wavegrid.Result:
    """Return a result of Atoms, on two ranks, with nothing kept on the disk."""
    tables = TABLES | {"output": {"forces": True, "stress": True}, "task": {"kind": "dos"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return wavegrid.run(aluminium(), **tables, ranks=2)


def test_a_result_has_tables_and_plots(solved: wavegrid.Result, tmp_path: Path) -> None:
    assert solved.converged
    assert solved.parallel.ranks == 2
    text = str(solved)
    for words in ("free energy", f"{solved.energy.free:.8f} Ha", "forces (Ha/bohr)", "stress (GPa)", "converged in"):
        assert words in text
    assert repr(solved) == f"<Result 'Al4': free energy {solved.energy.free:.8f} Ha, converged>"
    assert "free energy" in solved._repr_html_()
    assert [step.step for step in solved.scf_history][-1] == solved.scf_steps
    assert solved.plot_convergence(tmp_path / "scf.png")._repr_png_().startswith(b"\x89PNG")  # in notebooks
    assert len(solved.plot_structure().axes) == 2
    assert (tmp_path / "scf.png").read_bytes().startswith(b"\x89PNG")
    assert solved.plot_dos().axes
    with pytest.raises(InputError, match="has no bands"):
        solved.plot_bands()
    with pytest.raises(InputError, match="has no bands"):
        solved.band_structure()


def test_a_result_as_atoms(solved: wavegrid.Result) -> None:
    atoms = solved.atoms()
    assert atoms.get_potential_energy(force_consistent=True) == pytest.approx(solved.energy.free * 27.211386, abs=1e-4)
    assert np.allclose(atoms.positions, aluminium().positions, atol=1e-8)
    assert atoms.get_stress(voigt=False)[0, 0] == pytest.approx(solved.stress.total_GPa[0][0] / 160.21766, rel=1e-5)


def test_a_session_continues_and_agrees_with_a_new_run() -> None:
    atoms, seen = aluminium(), []
    with wavegrid.Session(ranks=1, **TABLES) as session:
        first = session.solve(atoms, on_step=seen.append)
        atoms.rattle(0.01, seed=1)
        second = session.solve(atoms)
    assert [step["step"] for step in seen][-1] == first.scf_steps == first.scf_history[-1].step
    assert second.scf_steps < first.scf_steps
    anew = wavegrid.run(atoms, **TABLES, scf={"energy_tolerance": "1e-9 Ha"}, ranks=1, progress=False)
    assert second.energy.free == pytest.approx(anew.energy.free, abs=1e-8)


def test_constraints_hold_and_come_back() -> None:
    atoms = aluminium()
    atoms.rattle(0.1, seed=3)
    atoms.set_constraint([FixAtoms([0]), FixScaled(1, [True, False, False])])
    with wavegrid.Session(ranks=1, **TABLES) as session:
        assert [type(one) for one in session.solve(atoms).atoms().constraints][0] is FixCartesian
        with pytest.raises(InputError, match="atoms: the constraint FixSymmetry; valid: FixAtoms"):
            constrained = aluminium()
            constrained.set_constraint(FixSymmetry(constrained))
            session.solve(constrained)
    moved = wavegrid.run(atoms, **TABLES, relax={"max_steps": 3}, ranks=1, progress=False).atoms()
    change = moved.positions - atoms.positions
    assert np.abs(change[0]).max() < 1e-9 and abs(change[1, 0]) < 1e-9 and np.abs(change[1:]).max() > 0.01


def test_keywords_replace_keys_of_a_file(write: Callable[..., Path]) -> None:
    folder = write().parent
    with pytest.warns(UserWarning, match="did not converge"):
        result = wavegrid.run(write(), scf={"max_steps": 1}, directory=folder / "kept", ranks=1, progress=False)
    assert not result.converged
    assert result.input["scf"] == {"eigensolver": "rmm-diis", "energy_tolerance": "1e-7 Ha", "max_steps": 1}
    again = wavegrid.load(folder / "kept")
    assert again == result
    assert not (folder / "out").exists()


def test_wrong_keywords_are_named(write: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=r"^run\(\): unknown keyword 'electron'; .*; did you mean 'electrons'\?$"):
        wavegrid.run(aluminium(), electron={})
    with pytest.raises(InputError, match=r"^run\(basis=3\): not a table"):
        wavegrid.run(aluminium(), basis=3)
    with pytest.raises(InputError, match=r"^run\(basis=\{'ecat': ...\}\): unknown key 'ecat'.*did you mean 'ecut'\?$"):
        wavegrid.run(aluminium(), **(TABLES | {"basis": {"ecat": "5 Ha"}}), ranks=1)
    with pytest.raises(InputError, match=r"^Session\(scf=\{'mix': ...\}\): unknown key 'mix'"):
        wavegrid.Session(**TABLES, scf={"mix": 1}, ranks=1).solve(aluminium())
    with pytest.raises(InputError, match=r"in\.toml:9: unknown key 'ecat'"):
        wavegrid.run(write(("ecut", "ecat")), scf={"max_steps": 3}, ranks=1)
    with pytest.raises(InputError, match=r"^run\(scf=\{'max_steps': ...\}\): max_steps = 0"):
        wavegrid.run(write(), scf={"max_steps": 0}, ranks=1)


def test_load_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file; valid: a result.json of wavegrid, or its directory"):
        wavegrid.load(tmp_path)
    (tmp_path / "result.json").write_text('{"title": 3}')
    with pytest.raises(InputError, match="not a result of this version of wavegrid"):
        wavegrid.load(tmp_path)
    (tmp_path / "result.json").write_text('{"schema_version": 2}')
    with pytest.raises(InputError, match="its schema_version is 2, that of this version 4"):
        wavegrid.load(tmp_path)


def test_the_package_imports_little() -> None:
    code = "import sys, wavegrid; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"ase", "numpy", "pydantic", "rich", "matplotlib", "wavegrid._core"} & set(found)


def test_the_programs_of_the_manual_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs/python.md").read_text()
    programs = re.findall(r"^```python\n(.*?)^```$", page, re.S | re.M)
    text = "\n".join(programs).replace("12 Ha", "3 Ha").replace("[4, 4, 4]", "[1, 1, 1]").replace("ranks=2", "ranks=1")
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, "docs/python.md", "exec"), {})
    for name in ("scf.png", "bands.png", "dos.png", "relax.png", "al/result.json", "relaxed/trajectory.extxyz"):
        assert (tmp_path / name).stat().st_size > 1000


def test_ranks_end_with_a_program_that_is_killed(tmp_path: Path) -> None:
    """In the middle of a solution, in which the other ranks wait for rank 0."""
    program = """
from ase.build import bulk
from ase.constraints import FixAtoms, FixCartesian, FixScaled
from ase.constraints.fix_symmetry import FixSymmetry
import wavegrid
electrons = {"xc": "LDA-PZ", "pseudopotentials": "gth-lda"}
session = wavegrid.Session(basis={"ecut": "8 Ha"}, electrons=electrons, scf={"energy_tolerance": "1e-13 Ha"}, ranks=2)
session.solve(bulk("Si"), on_step=lambda step: print(session._solver._group.child.pid, flush=True))
"""
    command = [sys.executable, "-W", "ignore", "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=clean_environment()) as child:
        launcher = Path("/proc") / child.stdout.readline().strip()
        assert launcher.name.isdigit()
        child.kill()
    latest = time.monotonic() + 60
    while (runs := _runs(launcher)) and time.monotonic() < latest:
        time.sleep(0.1)
    assert not runs


def _runs(process: Path) -> bool:
    """Whether a process runs; one that has ended may stay until its parent asks for it."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
