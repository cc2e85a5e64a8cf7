"""A client of the i-PI protocol: an input file whose positions and cell come from another program over a socket."""

import time
from collections.abc import Callable
from pathlib import Path

import ase.units
import numpy as np
from ase import Atoms
from ase.calculators.calculator import CalculatorSetupError, SCFError

from wavegrid.api.parameters import TABLES
from wavegrid.ase import ipi
from wavegrid.ase.calculator import WaveGrid
from wavegrid.base.text import counted
from wavegrid.errors import EXIT_NOT_CONVERGED, EnvironmentFault, InputError, WavegridError
from wavegrid.input.document import read
from wavegrid.job.prepare import prepare_document
from wavegrid.process import core_loader
from wavegrid.units import BOHR_IN_ANGSTROM

_VALID = "valid: HOST:PORT, or the NAME of a unix socket /tmp/ipi_NAME"


def parse_address(text: str) -> ipi.Address:
    """Return how `ipi.connect` finds the server; raises InputError."""
    host, colon, port = text.rpartition(":")
    if not colon:
        if not text or "/" in text:
            raise InputError(f"--socket '{text}': not the name of a socket; {_VALID}")
        return text
    if not host or not (port.isascii() and port.isdigit()) or not 0 < int(port[:6]) < 65536:
        raise InputError(f"--socket '{text}': not a host with a port from 1 to 65535; {_VALID}")
    return host, int(port)


def serve(file: Path, address: str, *, ranks: int, threads: int, say: Callable[[str], None]) -> None:
    """Answer the server until it says EXIT or closes the connection.

    The structure of the file gives the elements, in the order of the server's atoms; its settings are those of the
    input, forces and virial are always computed. `say` gets a line for each geometry. Raises InputError,
    EnvironmentFault where there is no server, and what WaveGrid raises.
    """
    where = parse_address(address)
    core = core_loader.load()
    document, spec = read(file)
    job = prepare_document(core, document, spec, ranks=ranks, threads=threads)  # all that can be wrong with the file
    if spec.external is not None:
        raise document.error(
            ("external",),
            "[external] with --socket: the server gets a virial, which is not defined "
            "in a potential from outside; valid: wavegrid.ase.WaveGrid or Session",
        )
    tables = {name: document.data[name] for name in TABLES if name in document.data}
    problem = job.problem
    moments = problem["initial_moment_vectors"] or problem["initial_magnetic_moments"]
    if "initial_magnetic_moments" in (electrons := tables["electrons"]):  # maybe of the cell that a supercell repeats
        tables["electrons"] = electrons | {"initial_magnetic_moments": moments}
    atoms = Atoms(
        [problem["species"][atom[0]] for atom in problem["atoms"]],
        cell=np.array(problem["cell"]) * BOHR_IN_ANGSTROM,
        scaled_positions=[atom[1:] for atom in problem["atoms"]],
        pbc=True,
        magmoms=moments or None,
    )
    with WaveGrid(**tables, ranks=ranks, threads=threads, folder=file.parent) as atoms.calc:
        try:
            server = ipi.connect(where)
        except OSError as fault:
            raise EnvironmentFault(f"--socket {address}: no server answers there: {fault.strerror or fault}") from None
        with server:
            _answer(ipi.Connection(server, len(atoms)), atoms, say)


def _answer(server: ipi.Connection, atoms: Atoms, say: Callable[[str], None]) -> None:
    """Answer until the server ends; a fault of the server says how many steps came before."""
    steps, began = 0, time.perf_counter()
    try:
        while (geometry := server.geometry()) is not None:
            found = _solve(atoms, geometry)
            steps += 1
            results = atoms.calc.results
            say(
                f"step {steps}: free energy {results['free_energy']:.6f} eV, largest force "
                f"{np.abs(results['forces']).max():.4f} eV/Angstrom, {time.perf_counter() - began:.1f} s"
            )
            server.answer(*found)
    except ipi.ServerFault as fault:
        raise ipi.ServerFault(f"{fault} (after {counted(steps, 'step')})") from None
    say(f"the server closed the connection after {counted(steps, 'step')}")


def _solve(atoms: Atoms, geometry: ipi.Geometry) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the free energy, of which forces and virial are the derivatives, forces and virial in Hartree units."""
    atoms.cell[:] = geometry.cell * ase.units.Bohr
    atoms.positions[:] = geometry.positions * ase.units.Bohr
    try:
        forces = atoms.get_forces()
        stress = atoms.get_stress(voigt=False)
    except SCFError as fault:
        raise NotConverged(str(fault)) from None
    except CalculatorSetupError as fault:
        raise ipi.ServerFault(f"the server's geometry is refused: {fault}") from None
    virial = -atoms.get_volume() * stress
    energy: float = atoms.calc.results["free_energy"]
    return energy / ase.units.Ha, ase.units.Bohr / ase.units.Ha * forces, virial / ase.units.Ha


class NotConverged(WavegridError):
    """The density of a geometry did not converge; the server gets no numbers for it."""

    exit_code = EXIT_NOT_CONVERGED
