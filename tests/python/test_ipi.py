"""Servers of the i-PI protocol that send what they should not: one line each, and nothing hangs."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from ase import Atoms

from wavegrid.ase import WaveGrid, client, ipi
from wavegrid.errors import EnvironmentFault, InputError
from wavegrid.launch import memory

CELL = np.diag([11.3, 11.3, 12.4])
POSITIONS = np.array([[5.7, 5.7, 5.6], [5.7, 5.7, 7.0]])
STATUS, GETFORCE, EXIT = (name.encode().ljust(12) for name in ("STATUS", "GETFORCE", "EXIT"))


def posdata(
    cell: object = CELL, positions: object = POSITIONS, inverse: object = None, count: int | None = None
) -> bytes:
    """Return a message with a geometry."""
    cell, positions = np.array(cell, float), np.array(positions, float)
    inverse = np.eye(3) if inverse is None else np.array(inverse, float)  # nothing uses it
    size = np.int32(len(positions) if count is None else count)
    return b"POSDATA".ljust(12) + cell.T.tobytes() + inverse.tobytes() + size.tobytes() + positions.tobytes()


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Return the client's and the server's end of a connection."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def with_one(value: float, array: np.ndarray, *index: int) -> np.ndarray:
    """Return an array with one other number."""
    changed = np.array(array, float)
    changed[index] = value
    return changed


NAN, INF = float("nan"), float("inf")
NOT_FINITE = "the server sent numbers that are not finite in the "
NO_MESSAGE = "which is no message of the i-PI protocol; valid: STATUS, INIT, POSDATA, GETFORCE, EXIT"


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"HELLO".ljust(12), f"the server sent 'HELLO', {NO_MESSAGE}"),
        (b"status".ljust(12), f"the server sent 'status', {NO_MESSAGE}"),
        (b"\xff\xfe\x80 garbage.", NO_MESSAGE),
        (b"\0" * 12, NO_MESSAGE),
        (b" " * 12, NO_MESSAGE),
        (b"GET / HTTP/1.1\r\n\r\n", f"the server sent 'GET / HTTP/1', {NO_MESSAGE}"),
        (b"STAT", "the server closed the connection after 4 of 12 bytes of a message"),
        (GETFORCE, "the server sent GETFORCE where a geometry (POSDATA) was due"),
        (posdata()[:100], "the server closed the connection after 16 of 72 bytes of POSDATA"),
        (posdata()[:-1], "the server closed the connection after 47 of 48 bytes of POSDATA"),
        (posdata(with_one(NAN, CELL, 0, 1)), NOT_FINITE + "cell"),
        (posdata(with_one(INF, CELL, 2, 2)), NOT_FINITE + "cell"),
        (posdata(inverse=with_one(NAN, CELL, 1, 1)), NOT_FINITE + "inverse cell"),
        (posdata(inverse=with_one(-INF, CELL, 1, 1)), NOT_FINITE + "inverse cell"),
        (posdata(CELL, with_one(NAN, POSITIONS, 1, 0)), NOT_FINITE + "positions of atom 2"),
        (posdata(CELL, with_one(INF, POSITIONS, 0, 2)), NOT_FINITE + "positions of atom 1"),
        (posdata(CELL, POSITIONS[:1]), "the server sent 1 atom, the structure in the file has 2"),
        (posdata(count=2**31 - 1), "the server sent 2147483647 atoms, the structure in the file has 2"),
        (posdata(count=-1), "the server sent -1 atoms, the structure in the file has 2"),
        (
            b"INIT".ljust(12) + np.array([0, -5], np.int32).tobytes(),
            "INIT with a text of -5 bytes; valid: 0 to 1048576",
        ),
        (b"INIT".ljust(12) + np.array([0, 2**31 - 1], np.int32).tobytes(), "INIT with a text of 2147483647 bytes"),
        (b"INIT".ljust(12) + b"\0\0", "the server closed the connection after 2 of 8 bytes of INIT"),
    ],
)
def test_a_message_that_is_wrong(pair: tuple[socket.socket, socket.socket], sent: bytes, message: str) -> None:
    ours, theirs = pair
    theirs.sendall(STATUS + sent)
    theirs.shutdown(socket.SHUT_WR)
    with pytest.raises(ipi.ServerFault) as fault:
        ipi.Connection(ours, 2).geometry()
    assert message in str(fault.value)
    assert str(fault.value).isprintable()
    assert fault.value.exit_code == 3


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (posdata(), "the server sent POSDATA where a request for forces (GETFORCE) was due"),
        (b"nonsense".ljust(12), NO_MESSAGE),
        (b"GETF", "the server closed the connection after 4 of 12 bytes of a message"),
    ],
)
def test_a_wrong_message_where_forces_are_due(
    pair: tuple[socket.socket, socket.socket], sent: bytes, message: str
) -> None:
    ours, theirs = pair
    theirs.sendall(posdata() + STATUS + sent)
    theirs.shutdown(socket.SHUT_WR)
    connection = ipi.Connection(ours, 2)
    geometry = connection.geometry()
    assert np.array_equal(geometry.cell, CELL) and np.array_equal(geometry.positions, POSITIONS)
    with pytest.raises(ipi.ServerFault) as fault:
        connection.answer(-1.0, np.zeros((2, 3)), np.zeros((3, 3)))
    assert message in str(fault.value)


@pytest.mark.parametrize("sent", [b"STAT", posdata()[:30], b"INIT".ljust(12)])
def test_a_server_that_stops_within_a_message(pair: tuple[socket.socket, socket.socket], sent: bytes) -> None:
    ours, theirs = pair
    theirs.sendall(sent)
    began = time.monotonic()
    with pytest.raises(ipi.ServerFault, match=r"bytes of (a message|POSDATA|INIT) and then nothing for 0.1 s"):
        ipi.Connection(ours, 2, seconds=0.1).geometry()
    assert time.monotonic() - began < 5


def test_a_server_that_takes_no_answer(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    theirs.sendall(posdata() + GETFORCE)
    connection = ipi.Connection(ours, 2, seconds=0.1)
    connection.geometry()
    with pytest.raises(ipi.ServerFault, match=r"takes no answer for 0.1 s"):
        connection.answer(-1.0, np.zeros((1_000_000, 3)), np.zeros((3, 3)))


@pytest.mark.parametrize("end", [b"", EXIT])
def test_a_server_may_end_between_messages(pair: tuple[socket.socket, socket.socket], end: bytes) -> None:
    """Also before it has asked for the forces; and it may send INIT, which changes nothing."""
    ours, theirs = pair
    theirs.sendall(b"INIT".ljust(12) + np.array([0, 3], np.int32).tobytes() + b"abc" + posdata() + end)
    theirs.shutdown(socket.SHUT_WR)
    connection = ipi.Connection(ours, 2)
    assert connection.geometry() is not None
    connection.answer(-1.0, np.zeros((2, 3)), np.zeros((3, 3)))
    assert connection.geometry() is None


@pytest.fixture(scope="module")
def atoms() -> Iterator[Atoms]:
    """Return atoms with a calculator whose rank stays for all tests."""
    electrons = {"xc": "LDA-PZ", "pseudopotentials": "gth-lda"}
    found = Atoms("H2", cell=[6, 6, 6], pbc=True)
    with WaveGrid(basis={"ecut": "4 Ha"}, electrons=electrons, ranks=1) as found.calc:
        yield found


@pytest.mark.filterwarnings("ignore:ecut")
@pytest.mark.parametrize(
    ("cell", "positions", "message"),
    [
        (CELL, [[5, 5, 5], [5, 5, 5]], "overlapping atoms: atom 1 (H) and atom 2 (H) are 0 bohr apart"),
        (CELL * [1, 1, 0], POSITIONS, "2 cell vectors; valid: three"),
        (CELL[[0, 0, 2]], POSITIONS, "the cell vectors span no volume; valid: three that do not lie in one plane"),
        (CELL * 0, POSITIONS, "0 cell vectors; valid: three"),
        (CELL * 1e5, POSITIONS, "a cell with faces"),
        (CELL, POSITIONS * 1e300, "above 1000000"),
        (CELL * 1e-9, POSITIONS, "above 1000000"),
    ],
)
def test_a_wrong_geometry_after_a_good_one(
    pair: tuple[socket.socket, socket.socket], atoms: Atoms, cell: np.ndarray, positions: object, message: str
) -> None:
    ours, theirs = pair
    theirs.sendall(posdata() + GETFORCE + posdata(cell, positions) + GETFORCE)
    said: list[str] = []
    with pytest.raises(ipi.ServerFault) as fault:
        client._answer(ipi.Connection(ours, 2), atoms, said.append)
    assert str(fault.value).startswith("the server's geometry is refused: ") and message in str(fault.value)
    assert str(fault.value).endswith(" (after 1 step)")
    assert len(said) == 1
    answer = theirs.recv(1000)
    assert answer.startswith(b"FORCEREADY") and np.isfinite(np.frombuffer(answer[12:20])).all()


@pytest.mark.filterwarnings("ignore:ecut")
def test_a_cell_that_the_memory_does_not_hold(
    pair: tuple[socket.socket, socket.socket], atoms: Atoms, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = pair
    theirs.sendall(posdata() + GETFORCE + posdata(CELL * 30) + GETFORCE)
    monkeypatch.setattr(memory, "of_node", lambda: memory.Available(20_000_000_000, "free memory of the machine"))
    with pytest.raises(EnvironmentFault, match=r"1 rank needs .* GB of memory"):
        client._answer(ipi.Connection(ours, 2), atoms, lambda _: None)


@pytest.mark.parametrize("moments", [[0.5, -0.5], [0.0, 0.0]])
def test_moments_of_a_cell_are_those_of_its_supercell(
    moments: list[float], pair: tuple[socket.socket, socket.socket], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "h2.toml"
    path.write_text(
        '[structure]\nunit = "bohr"\ncell = [[9, 0, 0], [0, 9, 0], [0, 0, 9]]\ncoordinates = "cartesian"\n'
        'atoms = [["H", 0, 0, 0], ["H", 0, 0, 1.4]]\nsupercell = [2, 1, 1]\n[basis]\necut = "4 Ha"\n[electrons]\n'
        f'xc = "LDA-PZ"\npseudopotentials = "gth-lda"\nspin = "collinear"\ninitial_magnetic_moments = {moments}\n'
    )
    found = []

    def answer(_server: object, atoms: Atoms, _say: object) -> None:
        job = atoms.calc._session.job(atoms, atoms.calc.parameters, caller="WaveGrid")
        found.append(job.problem["initial_magnetic_moments"])

    monkeypatch.setattr(ipi, "connect", lambda _: pair[0])
    monkeypatch.setattr(client, "_answer", answer)
    client.serve(path, "name", ranks=1, threads=1, say=lambda _: None)
    assert found == [moments * 2]


@pytest.mark.parametrize("text", ["localhost:²", "localhost:-1", "localhost:1e3", ":5", "localhost:99999"])
def test_ports(text: str) -> None:
    with pytest.raises(InputError, match="not a host with a port"):
        client.parse_address(text)


@pytest.mark.parametrize("address", [("ü" * 70, 5), "x" * 200])
def test_addresses_that_cannot_be(address: ipi.Address) -> None:
    with pytest.raises(OSError, match=r"not the name of a computer|too long"):
        ipi.connect(address)
