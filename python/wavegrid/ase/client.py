"""A client of the i-PI protocol: an input file whose positions and cell come from another program over a socket.

V. Kapil et al., Comput. Phys. Commun. 236, 214 (2019), 10.1016/j.cpc.2018.09.020. The messages are ASE's.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from ase import Atoms
from ase.calculators.calculator import CalculatorSetupError, SCFError
from ase.calculators.socketio import SocketClient
from ase.parallel import DummyMPI

from wavegrid import core_loader
from wavegrid.api.parameters import TABLES
from wavegrid.ase.calculator import WaveGrid
from wavegrid.errors import EXIT_NOT_CONVERGED, EnvironmentFault, InputError, WavegridError
from wavegrid.input.document import read
from wavegrid.input.problem import prepare_document
from wavegrid.text import counted
from wavegrid.units import BOHR_IN_ANGSTROM

_VALID = "valid: HOST:PORT, or the NAME of a unix socket /tmp/ipi_NAME"


def parse_address(text: str) -> dict[str, Any]:
    """Return how ASE's client finds the server; raises InputError."""
    host, colon, port = text.rpartition(":")
    if not colon:
        if not text or "/" in text:
            raise InputError(f"--socket '{text}': not the name of a socket; {_VALID}")
        return {"unixsocket": text}
    if not host or not port.isdigit() or not 0 < int(port[:6]) < 65536:
        raise InputError(f"--socket '{text}': not a host with a port from 1 to 65535; {_VALID}")
    return {"host": host, "port": int(port)}


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
    tables = {name: document.data[name] for name in TABLES if name in document.data}
    problem = job.problem
    atoms = Atoms(
        [problem["species"][atom[0]] for atom in problem["atoms"]],
        cell=np.array(problem["cell"]) * BOHR_IN_ANGSTROM,
        scaled_positions=[atom[1:] for atom in problem["atoms"]],
        pbc=True,
        magmoms=problem["initial_magnetic_moments"] or None,
    )
    with WaveGrid(**tables, ranks=ranks, threads=threads, folder=file.parent) as atoms.calc:
        try:
            client = _Client(**where, comm=DummyMPI())  # type: ignore[no-untyped-call]
        except OSError as fault:
            raise EnvironmentFault(f"--socket {address}: no server answers there: {fault.strerror or fault}") from None
        try:
            _answer(client, atoms, say)
        except SCFError as fault:
            raise NotConverged(str(fault)) from None
        except CalculatorSetupError as fault:
            raise InputError(f"the server's geometry: {fault}") from None


def _answer(client: "_Client", atoms: Atoms, say: Callable[[str], None]) -> None:
    steps, began = 0, time.perf_counter()
    for steps, _ in enumerate(_until_lost(client.irun(atoms, use_stress=True)), 1):  # type: ignore[no-untyped-call]
        results = atoms.calc.results
        say(
            f"step {steps}: free energy {results['free_energy']:.6f} eV, largest force "
            f"{np.abs(results['forces']).max():.4f} eV/Angstrom, {time.perf_counter() - began:.1f} s"
        )
    say(f"the server closed the connection after {counted(steps, 'step')}")


def _until_lost(geometries: Iterator[Any]) -> Iterator[Any]:
    """Pass on what a client yields; raises EnvironmentFault where a message does not reach the server."""
    try:
        yield from geometries
    except ConnectionError as fault:
        raise EnvironmentFault(f"the server closed the connection during a step: {fault.strerror or fault}") from None


class NotConverged(WavegridError):
    """The density of a geometry did not converge; the server gets no numbers for it."""

    exit_code = EXIT_NOT_CONVERGED


class _Client(SocketClient):
    """Sends the free energy, of which forces and virial are the derivatives, as energy."""

    def calculate(self, atoms: Atoms, use_stress: bool) -> tuple[float, np.ndarray, np.ndarray]:
        _, forces, virial = super().calculate(atoms, use_stress)  # type: ignore[no-untyped-call]
        return atoms.calc.results["free_energy"], forces, virial
