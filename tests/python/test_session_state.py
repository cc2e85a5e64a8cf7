"""Density, potential and bands of a session as numpy arrays."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from ase import Atoms
from ase.build import bulk
from conftest import clean_environment

import wavegrid
from wavegrid.api.state import Fields, KPointBands, joined_fields
from wavegrid.units import BOHR_IN_ANGSTROM

ELECTRONS = {"xc": "LDA-PW", "pseudopotentials": "gth-lda", "kpoints": {"mesh": [2, 2, 2]}}
PLANE_WAVES = {"basis": {"ecut": "8 Ha"}, "electrons": ELECTRONS}
MESH = {"basis": {"method": "realspace", "spacing": "0.45 bohr"}, "electrons": ELECTRONS}
TABLES = {"plane waves": PLANE_WAVES, "mesh": MESH}
Case = tuple[dict, wavegrid.Result, Fields, list[KPointBands]]
SILICON = bulk("Si")
VOLUME = SILICON.get_volume() / BOHR_IN_ANGSTROM**3


CASES = [(name, ranks) for name in TABLES for ranks in (1, 3)]


@pytest.fixture(scope="module", params=CASES, ids=[f"{name}, {ranks}" for name, ranks in CASES])
def case(request: pytest.FixtureRequest) -> Case:
    """Return a session's tables with its number of ranks, and what it found."""
    name, ranks = request.param
    tables = TABLES[name] | {"ranks": ranks}
    with warnings.catch_warnings(action="ignore"), wavegrid.Session(**tables) as session:
        with pytest.raises(wavegrid.InputError, match="there are no bands yet"):
            session.bands()
        return tables, session.solve(SILICON), session.fields(), session.bands()


def test_fields_and_bands_of_all_ranks(case: Case) -> None:
    _, result, fields, bands = case
    density = fields.on_grid(fields.density)
    assert density.shape == (1, *fields.counts)
    assert density.mean() * VOLUME == pytest.approx(8, abs=1e-9)
    assert fields.potential.shape == fields.density.shape
    assert fields.kinetic_density.shape[0] == 0
    assert sum(of_k.occupations.sum() for of_k in bands) == pytest.approx(8, abs=1e-9)
    for of_k, levels in zip(bands, result.eigenvalues[0], strict=True):
        assert of_k.eigenvalues == pytest.approx(np.array(levels), abs=1e-12)
        products = (of_k.coefficients.conj() * of_k.weights) @ of_k.coefficients.T
        assert abs(products - np.eye(len(levels))).max() < 1e-10
        assert len(np.unique(of_k.rows, axis=0)) == of_k.coefficients.shape[1]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("basis", [PLANE_WAVES["basis"], MESH["basis"]], ids=["plane waves", "mesh"])
def test_weights_of_real_bands(basis: dict) -> None:
    with wavegrid.Session(basis=basis, electrons=ELECTRONS | {"kpoints": {"mesh": [1, 1, 1]}}, ranks=2) as session:
        session.solve(SILICON)
        (bands,) = session.bands()
    products = ((bands.coefficients.conj() * bands.weights) @ bands.coefficients.T).real
    assert abs(products - np.eye(len(products))).max() < 1e-10


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_fields_and_bands_of_each_step(case: Case) -> None:
    tables, alone, *_ = case
    seen = []
    with wavegrid.Session(**tables) as session:

        def observe(step: dict) -> None:
            fields, bands = session.fields(), session.bands()
            rounding = 1e-5 if step["single_precision"] else 1e-8
            assert fields.on_grid(fields.density).mean() * VOLUME == pytest.approx(8, abs=1e-6)
            for of_k in bands:
                products = (of_k.coefficients.conj() * of_k.weights) @ of_k.coefficients.T
                assert abs(products - np.eye(len(products))).max() < rounding
            seen.append((step, fields, bands))

        result = session.solve(SILICON, on_step=observe)
        last = session.bands()
    assert [step["step"] for step, *_ in seen] == [step.step for step in result.scf_history]
    for of_k, of_step in zip(last, seen[-1][2], strict=True):
        assert (of_k.eigenvalues == of_step.eigenvalues).all() and (of_k.coefficients == of_step.coefficients).all()
    assert alone.scf_steps == result.scf_steps
    assert alone.energy.free == pytest.approx(result.energy.free, abs=1e-10)


class Enough(Exception):
    """What an observer raises."""


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("ranks", [1, 2])
def test_an_exception_of_an_observer_ends_the_solution(ranks: int) -> None:
    enough = Enough()
    refusals = []
    with wavegrid.Session(**PLANE_WAVES, ranks=ranks) as session:

        def observe(step: dict) -> None:
            for call in (lambda: session.solve(SILICON), session.close):
                with pytest.raises(wavegrid.InputError, match=r"\(\) in on_step; valid: fields\(\)") as refusal:
                    call()
                refusals.append(refusal)
            if step["step"] == 2:
                session.bands()
                raise enough

        with pytest.raises(Enough) as found:
            session.solve(SILICON, on_step=observe)
        assert found.value is enough and len(refusals) == 4
        child = session._solver._group.child
        with pytest.raises(wavegrid.InputError, match="there is no solved geometry"):
            session.fields()
        assert session.solve(SILICON).converged
        assert session._solver._group.child is child  # the same ranks
        assert len(session.bands()) > 0


UNDER_MPIRUN = """
import os
import warnings
import wavegrid
from ase.build import bulk
warnings.simplefilter("ignore")
electrons = {"xc": "LDA-PW", "pseudopotentials": "gth-lda", "kpoints": {"mesh": [2, 2, 2]}}
session = wavegrid.Session(basis={"ecut": "8 Ha"}, electrons=electrons)
steps = []
def observe(step):
    steps.append(step)
    points = session.fields().points
    if len(steps) == 2 and (points == 0).all(axis=1).any():  # on one rank
        raise KeyError("enough")
try:
    session.solve(bulk("Si"), on_step=observe)
except (KeyError, wavegrid.InputError) as fault:
    found = [type(fault).__name__, len(steps), session.solve(bulk("Si")).converged]
with open(f"found.{os.environ['OMPI_COMM_WORLD_RANK']}", "w") as file:
    print(*found, file=file, end="")
"""


def test_an_observer_on_the_ranks_of_the_program(tmp_path: Path) -> None:
    """One rank raises: the other one ends the solution too, and both solve again."""
    (tmp_path / "program.py").write_text(UNDER_MPIRUN)
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable, "program.py"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, env=clean_environment())
    assert answer.returncode == 0, answer.stderr
    found = sorted((tmp_path / f"found.{rank}").read_text() for rank in range(2))
    assert found == ["InputError 2 True", "KeyError 2 True"]


def test_a_grid_needs_all_points() -> None:
    part = {"counts": (2, 1, 1), "points": np.zeros((1, 3), np.int32)}
    one = joined_fields([part | dict.fromkeys(("density", "kinetic_density", "potential"), np.ones((1, 1)))])
    with pytest.raises(wavegrid.InputError, match="1 of the 2 points"):
        one.on_grid(one.density)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("basis", [{}, {"boundary": "free", "region": {"kind": "spheres", "radius": "6 bohr"}}])
def test_a_mesh_follows_moved_atoms(basis: dict) -> None:
    """Bands and density of the last geometry are the start: the next one takes fewer steps than alone."""
    tables = {
        "basis": {"method": "realspace", "spacing": "0.5 bohr"} | basis,
        "electrons": {"xc": "LDA-PW", "pseudopotentials": "gth-lda"},
        "scf": {"energy_tolerance": "1e-9 Ha"},
    }
    atoms = Atoms("H2", positions=[[2.5, 2.5, 2.1], [2.5, 2.5, 2.85]], cell=[5, 5, 5], pbc=not basis)
    moved = atoms.copy()
    moved.positions[1, 2] += 0.002
    with wavegrid.Session(**tables, ranks=1) as session:
        session.solve(atoms)
        followed = session.solve(moved)
    with wavegrid.Session(**tables, ranks=1) as session:
        alone = session.solve(moved)
    assert followed.scf_steps < alone.scf_steps
    assert followed.energy.free == pytest.approx(alone.energy.free, abs=2e-9)
