"""The calculator for ASE: ASE's own tests of calculators, and what its users do with one."""

import itertools
import os
import socket
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from ase import Atoms
from ase.build import bulk, molecule
from ase.calculators.calculator import (
    CalculatorSetupError,
    PropertyNotPresent,
    SCFError,
    get_calculator_class,
    kpts2ndarray,
)
from ase.calculators.socketio import SocketIOCalculator
from ase.constraints import FixInternals
from ase.dft.bandgap import bandgap
from ase.dft.kpoints import monkhorst_pack
from ase.io import read, write
from ase.optimize import BFGS
from ase.test.calculator import test_ch4_energy, test_h2_bond_force, test_si_stress, test_traj
from ase.test.calculator.socketio import test_h2_stiffness

from wavegrid.ase import WaveGrid
from wavegrid.ase.keywords import tables_and_spelling
from wavegrid.errors import WavegridError
from wavegrid.launch.relay import kill_session
from wavegrid.units import HARTREE_IN_EV

pytestmark = [
    pytest.mark.filterwarnings("ignore:ecut = "),
    pytest.mark.filterwarnings("ignore:the mesh of k-points is coarse"),
]

LDA = {"xc": "LDA-PW", "pseudopotentials": "gth-lda"}
METAL = {**LDA, "smearing": {"kind": "fermi-dirac", "width": "0.2 eV"}, "kpoints": {"mesh": [2, 2, 2]}}


class Factory:
    """What ASE's tests call to make a calculator."""

    name = "wavegrid"

    def __init__(self, ecut: str, electrons: dict = LDA) -> None:
        self.basis, self.electrons = {"ecut": ecut}, electrons

    def calc(self, kpts: list[int] | None = None) -> WaveGrid:
        mesh = {} if kpts is None else {"kpoints": {"mesh": kpts}}
        return WaveGrid(basis=self.basis, electrons=self.electrons | mesh, ranks=2)


def test_ase_traj(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    test_traj.test_h2_traj(Factory("10 Ha"), None)


def test_ase_h2_bond() -> None:
    atoms = molecule("H2")
    atoms.positions -= atoms.positions[0]
    atoms.pbc, atoms.cell = 1, [5, 5, 6]
    test_h2_bond_force.test_h2_bond(Factory("20 Ha"), atoms)


def test_ase_si_stress() -> None:
    test_si_stress.test_si_stress(Factory("350 eV"))


def test_ase_ch4_reaction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    test_ch4_energy.test_ch4_reaction(Factory("20 Ha"))


def aluminium(seed: int = 1) -> Atoms:
    """Return four atoms, displaced."""
    atoms = bulk("Al", cubic=True)
    atoms.rattle(0.05, seed=seed)
    return atoms


def metal(ranks: int = 1, **tables: dict) -> WaveGrid:
    """Return a calculator for it."""
    return WaveGrid(basis={"ecut": "5 Ha"}, electrons=METAL, ranks=ranks, **tables)


def fresh(atoms: Atoms) -> tuple[float, np.ndarray, np.ndarray]:
    """Return what a new calculator finds."""
    alone = atoms.copy()
    with metal() as alone.calc:
        return alone.get_potential_energy(force_consistent=True), alone.get_forces(), alone.get_stress()


def test_every_change_of_the_geometry_gives_what_a_new_calculation_does() -> None:
    atoms = aluminium()
    with metal(ranks=2) as atoms.calc:
        atoms.get_potential_energy()
        for change in ("positions", "cell", "element", "number"):
            if change == "positions":
                atoms.rattle(0.02, seed=2)
            elif change == "cell":
                atoms.set_cell(atoms.cell @ np.diag([1.02, 0.99, 1.0]), scale_atoms=True)
            elif change == "element":
                atoms.symbols[1] = "Mg"
            else:
                atoms += Atoms("H", [[1.0, 1.0, 0.9]])
            energy, forces, stress = fresh(atoms)
            assert atoms.get_potential_energy(force_consistent=True) == pytest.approx(energy, abs=1e-7), change
            assert atoms.get_forces() == pytest.approx(forces, abs=1e-3), change
            assert atoms.get_stress() == pytest.approx(stress, abs=1e-5), change


def test_ranks_stay_between_geometries() -> None:
    atoms = aluminium()
    with metal(ranks=2) as calculator:
        atoms.calc = calculator
        atoms.get_potential_energy()
        child = calculator._session._solver._group.child  # type: ignore[union-attr]
        atoms.rattle(0.01, seed=3)
        atoms.get_potential_energy()
        assert calculator._session._solver._group.child is child  # type: ignore[union-attr]
        assert child.poll() is None
    assert child.poll() == 0


def test_nothing_is_computed_twice() -> None:
    atoms = aluminium()
    with metal() as calculator:
        atoms.calc = calculator
        energy = atoms.get_potential_energy()
        calculator.close()  # another calculation would start other ranks
        assert atoms.get_potential_energy() == energy
        assert atoms.get_forces().shape == (4, 3)
        assert calculator._session._solver is None
        calculator.set(basis={"ecut": "7 Ha"})
        assert atoms.get_potential_energy() != energy


def test_relaxation_ends_at_the_minimum(tmp_path: Path) -> None:
    atoms = bulk("Si")
    atoms.rattle(0.05, seed=5)
    electrons = {"xc": "LDA-PW", "pseudopotentials": "gth-lda", "kpoints": {"mesh": [2, 2, 2]}}
    with WaveGrid(basis={"ecut": "8 Ha"}, electrons=electrons, ranks=2) as atoms.calc:
        BFGS(atoms, logfile=None, trajectory=str(tmp_path / "si.traj")).run(fmax=0.005, steps=20)
        assert np.abs(atoms.get_forces()).max() < 0.005
        energy, forces = atoms.get_potential_energy(), atoms.get_forces()
        write(tmp_path / "si.extxyz", atoms)
    last = read(tmp_path / "si.traj")
    assert last.get_potential_energy() == energy
    assert (last.get_forces() == forces).all()
    distance = atoms.get_distance(0, 1, mic=True)
    assert distance == pytest.approx(bulk("Si").get_distance(0, 1), abs=0.003)


def test_distances_and_angles_are_held() -> None:
    """ASE's constraints act on the atoms, and the forces along what is free vanish."""
    water = molecule("H2O", vacuum=2.0)
    water.set_constraint(FixInternals(bonds=[(1.1, [0, 1])], angles_deg=[(100.0, [1, 0, 2])]))
    water.set_distance(0, 1, 1.1, fix=0)
    water.set_angle(1, 0, 2, 100.0)
    with WaveGrid(basis={"ecut": "15 Ha"}, electrons=LDA, ranks=1) as water.calc:
        before = water.get_potential_energy()
        BFGS(water, logfile=None).run(fmax=0.1, steps=12)
        assert water.get_potential_energy() < before
    assert water.get_distance(0, 1) == pytest.approx(1.1, abs=1e-5)
    assert water.get_angle(1, 0, 2) == pytest.approx(100.0, abs=1e-3)
    assert abs(water.get_distance(0, 2) - 1.1) > 0.02


def test_spin_follows_the_moments_of_the_atoms() -> None:
    atom = Atoms("N", magmoms=[3], cell=[5, 5, 5])
    with WaveGrid(basis={"ecut": "12 Ha"}, electrons=LDA, ranks=1) as atom.calc:
        assert atom.get_magnetic_moment() == pytest.approx(3, abs=1e-3)
        assert atom.get_magnetic_moments() == pytest.approx([3], abs=2e-2)
        assert atom.get_charges() == pytest.approx([0], abs=2e-2)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"basis": {"ecut": "8"}}, "WaveGrid(basis={'ecut': ...}): ecut = \"8\": missing unit"),
        ({"smearings": {}}, "unknown keyword 'smearings'; valid: basis, electrons"),
        ({"basis": {}}, "[basis] lacks 'ecut'"),
        ({"basis": {"ecut": "8 Ha"}, "scf": {"tolerance": "1e-8 Ha"}}, "energy_tolerance"),
        ({"ecut": -5}, 'WaveGrid(ecut=...): ecut = "-5.0 eV": not above zero'),
        ({"xc": "PBE"}, "WaveGrid(xc=..., electrons={'xc': ...}): given twice; valid: one of them"),
        ({"smearing": ("ferm", 0.1)}, "given twice"),
        ({"electrons": LDA, "smearing": ("ferm", 0.1)}, "valid names: fermi-dirac, gaussian"),
        ({"electrons": LDA, "smearing": ("fermi", "wide")}, "WaveGrid(smearing=...): "),
        ({"electrons": LDA, "smearing": ("mp", 0.1, 2)}, "an order only for methfessel-paxton, and only 1"),
        ({"electrons": LDA, "kpts": {"path": "GX"}}, "valid: a mesh; bands along a path"),
        ({"electrons": LDA, "kpts": {"spacing": 1}}, "'spacing' is none of its keys; valid: size, density, gamma"),
        ({"electrons": LDA, "kpts": (2, 2, 0)}, "valid: three numbers of points, at least 1"),
        ({"electrons": LDA, "kpts": "GX"}, "valid: three numbers of points, points of three coordinates"),
        ({"electrons": LDA, "nbands": -2}, "WaveGrid(nbands=...): bands = -2: not above zero"),
        ({"electrons": LDA, "spinpol": 1}, "WaveGrid(spinpol=1): not valid; valid: True or False"),
    ],
)
def test_wrong_keywords_are_named(tables: dict, message: str) -> None:
    atoms = aluminium()
    basis: dict = {} if "ecut" in tables else {"ecut": "8 Ha"}
    atoms.calc = WaveGrid(**({"electrons": METAL, "basis": basis} | tables), ranks=1)
    with pytest.raises(CalculatorSetupError) as caught:
        atoms.get_potential_energy()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("atoms", "message"),
    [
        (Atoms("H", cell=[[5, 0, 0], [5, 0, 0], [0, 0, 5]]), "atoms: the cell vectors span no volume; valid: three"),
        (molecule("H2"), "atoms: 0 cell vectors; valid: three, also for a molecule: atoms.center(vacuum=5.0)"),
        (Atoms(cell=[5, 5, 5]), "atoms: none"),
        (Atoms("H2", [[0, 0, 0], [0, 0, 0.1]], cell=[5, 5, 5]), "overlapping atoms"),
        (Atoms("H", [[np.nan, 0, 0]], cell=[5, 5, 5]), "not finite"),
    ],
)
def test_wrong_atoms_are_named(atoms: Atoms, message: str) -> None:
    atoms.calc = WaveGrid(basis={"ecut": "8 Ha"}, electrons=LDA, ranks=1)
    with pytest.raises(CalculatorSetupError) as caught:
        atoms.get_potential_energy()
    assert message in str(caught.value)


def test_usual_keywords_stand_for_keys_of_tables() -> None:
    atoms = bulk("Al")
    spelled = {
        "xc": "LDA",
        "pseudopotentials": "gth-lda",
        "ecut": 5 * HARTREE_IN_EV,
        "smearing": ("Fermi-Dirac", 0.2),
        "nbands": 9,
        "charge": 0,
        "spinpol": False,
        "maxiter": 40,
        "txt": None,
    }
    electrons = METAL | {"bands": 9, "charge": 0, "spin": "none"}
    for kpts in ((2, 2, 2), {"size": (2, 2, 2), "gamma": True}, 1.5, {"density": 1.5, "even": False}):
        expected = monkhorst_pack((2, 2, 2)) if kpts == (2, 2, 2) else kpts2ndarray(kpts_of_ase(kpts), atoms)
        tables, _ = tables_and_spelling(spelled | {"kpts": kpts}, atoms)
        mesh = tables["electrons"].pop("kpoints")
        ours = [
            (np.array(point) + mesh["shift"]) / mesh["mesh"] for point in itertools.product(*map(range, mesh["mesh"]))
        ]
        assert sorted(map(in_zone, ours)) == sorted(map(in_zone, expected))
        assert tables == {
            "basis": {"ecut": f"{5 * HARTREE_IN_EV!r} eV"},
            "electrons": {name: value for name, value in electrons.items() if name != "kpoints"}
            | {"smearing": {"kind": "fermi-dirac", "width": "0.2 eV"}},
            "scf": {"max_steps": 40},
        }
    points = [[0, 0, 0], [0.5, 0.5, 0]]
    for kpts in (points, {"kpts": points}, np.array(points)):
        assert tables_and_spelling({"kpts": kpts}, atoms)[0] == {"electrons": {"kpoints": {"list": points}}}
    assert tables_and_spelling({"kpts": (1, 1, 1), "xc": None}, atoms)[0] == {"electrons": {}}


def test_arguments_of_all_calculators(tmp_path: Path) -> None:
    atoms = bulk("Al")
    potentials = (Path(__file__).parents[1] / "reference/pseudopotentials/Al.pz-vbc.UPF").read_bytes()
    (tmp_path / "Al.UPF").write_bytes(potentials)
    given = {"xc": "LDA-PZ", "pseudopotentials": {"Al": "Al.UPF"}, "ecut": 60, "smearing": ("fd", 0.3), "ranks": 1}
    with WaveGrid(atoms=atoms, directory=tmp_path, label="x", **given) as calc:
        assert atoms.calc is calc
        with pytest.warns(UserWarning, match="Gamma is the only k-point"):
            assert atoms.get_potential_energy() < -50
    with pytest.raises(WavegridError, match="two names of one thing"):
        WaveGrid(directory=tmp_path, folder=tmp_path)
    with pytest.raises(WavegridError, match="keeps no files"):
        WaveGrid(restart="x")
    with pytest.raises(WavegridError, match="writes no text"):
        tables_and_spelling({"txt": "x"}, atoms)


def kpts_of_ase(kpts: object) -> object:
    """Return what ASE's own function takes for it."""
    return {"density": kpts} if isinstance(kpts, float) else kpts


def in_zone(point: np.ndarray) -> tuple[float, ...]:
    """Return the point modulo a reciprocal vector."""
    return tuple(np.round(np.mod(np.round(point, 9), 1), 6).tolist())


def test_levels_are_those_of_ase() -> None:
    silicon = bulk("Si")
    mesh = {"size": (2, 2, 2), "gamma": True}
    with WaveGrid(xc="LDA", pseudopotentials="gth-lda", ecut=200, kpts=mesh, nbands=8, ranks=2) as silicon.calc:
        silicon.get_potential_energy()
        calc = silicon.calc
        assert (calc.get_number_of_bands(), calc.get_number_of_spins(), calc.get_spin_polarized()) == (8, 1, False)
        assert calc.get_k_point_weights().sum() == pytest.approx(1)
        assert calc.get_occupation_numbers(kpt=1) == pytest.approx([2] * 4 + [0] * 4)
        gap, top, bottom = bandgap(calc)
        assert gap == pytest.approx(0.481, abs=2e-3)
        assert (top[2], bottom[2]) == (3, 4)
        assert calc.band_structure().energies.shape == (1, len(calc.get_ibz_k_points()), 8)
        calc.set(smearing=("fermi-dirac", 0.1), nbands=6)
        with pytest.raises(SCFError, match="The highest of 6 bands is still occupied"):
            silicon.get_potential_energy()
        with pytest.raises(PropertyNotPresent):
            calc.get_fermi_level()


def test_what_may_be_wrong_is_a_warning_once() -> None:
    atoms = aluminium()
    with metal() as atoms.calc:
        with pytest.warns(UserWarning, match="the mesh of k-points is coarse: k-points 0.41/bohr apart") as said:
            atoms.get_potential_energy()
        assert {warning.filename for warning in said} == {__file__}  # the line that Python quotes is the program's
        atoms.rattle(0.01, seed=6)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            atoms.get_potential_energy()


def test_no_convergence_leaves_no_results() -> None:
    atoms = aluminium()
    with metal(scf={"max_steps": 2}) as atoms.calc:
        with pytest.raises(SCFError, match="did not converge in 2 steps: error .* Ha, tolerance 1.0e-09 Ha"):
            atoms.get_forces()
        assert atoms.calc.results == {}


def test_a_killed_rank_is_an_error_and_the_next_calculation_works() -> None:
    atoms = aluminium()
    with metal(ranks=2) as calculator:
        atoms.calc = calculator
        energy = atoms.get_potential_energy()
        kill_session(calculator._session._solver._group.child.pid)  # type: ignore[union-attr]
        atoms.rattle(0.01, seed=4)
        with pytest.raises(WavegridError, match="the ranks ended unexpectedly"):
            atoms.get_potential_energy()
        atoms.positions = aluminium().positions
        assert atoms.get_potential_energy() == pytest.approx(energy, abs=1e-5)


def test_a_script_under_mpirun_calculates_on_its_own_ranks(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os\n"
        "from ase.build import bulk\n"
        "from wavegrid.ase import WaveGrid\n"
        "atoms = bulk('Al', cubic=True)\n"
        "atoms.rattle(0.05, seed=1)\n"
        f"atoms.calc = WaveGrid(basis={{'ecut': '5 Ha'}}, electrons={METAL})\n"
        "energy = atoms.get_potential_energy(force_consistent=True)\n"
        f"open(f'{tmp_path}/energy.{{os.environ[\"OMPI_COMM_WORLD_RANK\"]}}', 'w').write(repr(energy))\n"
    )
    mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"]
    answer = subprocess.run([*mpirun, sys.executable, script], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    energies = [float((tmp_path / f"energy.{rank}").read_text()) for rank in range(2)]
    assert energies == pytest.approx([fresh(aluminium())[0]] * 2, abs=1e-7)


H2 = """
[structure]
cell = [[6, 0, 0], [0, 6, 0], [0, 0, 8.7]]
unit = "angstrom"
coordinates = "cartesian"
atoms = [["H", 3, 3, 4], ["H", 3, 3, 4.74]]
[basis]
ecut = "15 Ha"
[electrons]
xc = "LDA-PW"
pseudopotentials = { H = "files/H" }
"""


def client(folder: Path, address: str, text: str = H2) -> subprocess.Popen:
    """Start the command that answers a server."""
    (folder / "files").mkdir()
    (folder / "files" / "H").write_text("H GTH-PADE-q1\n 1\n 0.2 2 -4.18023680 0.72507482\n 0\n")
    (folder / "h2.toml").write_text(text)
    words = [sys.executable, "-m", "wavegrid", "run", folder / "h2.toml", "--ranks", "2", "--socket", address]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("kind", ["unix", "internet"])
def test_ase_socket_h2(kind: str, tmp_path: Path) -> None:
    name = f"wavegrid_{os.getpid()}"
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    server = {"unixsocket": name} if kind == "unix" else {"port": port}
    started = []

    def launch(*_: object, **__: object) -> subprocess.Popen:
        started.append(client(tmp_path, name if kind == "unix" else f"localhost:{port}"))
        return started[0]

    with SocketIOCalculator(**server, launch_client=launch, timeout=60) as calculator:
        test_h2_stiffness.run(calculator)
    out, errors = started[0].communicate(timeout=30)
    assert started[0].returncode == 0, errors
    assert out.splitlines()[-1] == "the server closed the connection after 3 steps"
    assert out.startswith("step 1: free energy -")


def test_a_server_that_ends_during_a_step_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("localhost", 0)) as server:
        process = client(tmp_path, f"localhost:{server.getsockname()[1]}")
        connection, _ = server.accept()
        connection.sendall(b"STATUS".ljust(12))
        connection.recv(12)
        cell = np.diag([11.3, 11.3, 16.4])
        connection.sendall(b"POSDATA".ljust(12) + cell.tobytes() + np.linalg.inv(cell).tobytes())
        connection.sendall(np.int32(2).tobytes() + np.array([[5.7, 5.7, 7.6], [5.7, 5.7, 9.0]]).tobytes())
        connection.sendall(b"GETFORCE".ljust(12))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # a reset, not an end
        connection.close()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "the server closed the connection during a step" in errors and len(errors.splitlines()) == 1


@pytest.mark.parametrize(
    ("address", "message", "code"),
    [
        ("nobody_listens", "--socket nobody_listens: no server answers there", 3),
        ("localhost:port", "--socket 'localhost:port': not a host with a port from 1 to 65535; valid: HOST:PORT", 2),
        ("a/b", "--socket 'a/b': not the name of a socket", 2),
    ],
)
def test_wrong_sockets_are_one_line(address: str, message: str, code: int, tmp_path: Path) -> None:
    process = client(tmp_path, address)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert len(errors.splitlines()) == 1
    assert message in errors


def test_ase_finds_it_by_name(tmp_path: Path) -> None:
    """Also in a process that has not imported it: ASE's own command relaxes with it, and reads its results."""
    assert get_calculator_class("wavegrid") is WaveGrid
    (tmp_path / "h.toml").write_text(H2.replace('{ H = "files/H" }', '"gth-lda"').replace("15 Ha", "6 Ha"))
    command = [sys.executable, "-m", "wavegrid", "run", "h.toml", "--ranks", "1", "-q"]
    subprocess.run(command, cwd=tmp_path, check=True)
    tables = "basis={ecut:6 Ha},electrons={xc:LDA-PW,pseudopotentials:gth-lda},ranks=1"
    ase = [sys.executable, "-m", "ase", "run", "wavegrid", "h/result.json", "-p", tables]
    ase += ["--properties", "ef", "-o", "new.extxyz"]
    answer = subprocess.run(ase, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    before, after = read(tmp_path / "h/result.json"), read(tmp_path / "new.extxyz")
    assert before.get_potential_energy() == pytest.approx(after.get_potential_energy(), abs=1e-5)
