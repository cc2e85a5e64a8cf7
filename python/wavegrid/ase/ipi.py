"""The client's side of the i-PI protocol: what the server sends is checked before anything uses it.

V. Kapil et al., Comput. Phys. Commun. 236, 214 (2019), 10.1016/j.cpc.2018.09.020. Numbers are in Hartree atomic units,
cells have the lattice vectors as columns.
"""

import socket
from dataclasses import dataclass

import numpy as np

from wavegrid.base.text import counted, printable
from wavegrid.errors import EnvironmentFault

_MESSAGES = ("STATUS", "INIT", "POSDATA", "GETFORCE", "EXIT")
_NAME = 12  # bytes of the name of a message
_SECONDS = 60.0  # in which the rest of a message has to follow its beginning, and an answer has to be taken
_MOST_INIT = 1 << 20  # bytes of the text of INIT, which nothing uses


Address = str | tuple[str, int]  # the NAME of a unix socket /tmp/ipi_NAME, or host and port


class ServerFault(EnvironmentFault):
    """The server does not keep to the protocol, or is gone in the middle of a message."""


@dataclass(frozen=True)
class Geometry:
    """Cell (3, 3), lattice vectors in rows, and positions (atoms, 3), in bohr."""

    cell: np.ndarray
    positions: np.ndarray


class Connection:
    """The connection to a server, which asks for the forces of one geometry after the other."""

    def __init__(self, server: socket.socket, num_atoms: int, seconds: float = _SECONDS) -> None:
        """Talk by a connected socket; `seconds` is the patience within a message, there is no limit between them."""
        self._server, self._num_atoms, self._seconds = server, num_atoms, seconds
        self._ended = False

    def geometry(self) -> Geometry | None:
        """Return the next geometry, or None where the server ends; raises ServerFault."""
        while (message := self._message()) != "EXIT":
            if message == "STATUS":
                self._send(_named("READY"))
            elif message == "INIT":
                self._skip_init()
            elif message == "POSDATA":
                return self._read_geometry()
            else:
                raise ServerFault(f"the server sent {message} where a geometry (POSDATA) was due")
        return None

    def answer(self, energy: float, forces: np.ndarray, virial: np.ndarray) -> None:
        """Send energy, forces (atoms, 3) and virial (3, 3) of the geometry when the server asks; raises ServerFault."""
        while (message := self._message()) != "EXIT":
            if message == "STATUS":
                self._send(_named("HAVEDATA"))
            elif message == "GETFORCE":
                self._send(
                    _named("FORCEREADY")
                    + np.float64(energy).tobytes()
                    + np.int32(len(forces)).tobytes()
                    + np.asarray(forces, np.float64).tobytes()
                    + np.asarray(virial.T, np.float64).tobytes()
                    + np.int32(1).tobytes()
                    + b"\0"  # a text of one byte: some servers cannot read an empty one
                )
                return
            else:
                raise ServerFault(f"the server sent {message} where a request for forces (GETFORCE) was due")

    def _message(self) -> str:
        """Return the name of the next message; the end of the connection between two messages is an EXIT."""
        if self._ended:
            return "EXIT"
        data = self._receive(_NAME, "a message", may_end=True)
        name = data.decode("ascii", "replace").rstrip(" ")
        if data and name not in _MESSAGES:
            raise ServerFault(
                f"the server sent '{printable(name)}', which is no message of the i-PI protocol; valid: "
                + ", ".join(_MESSAGES)
            )
        self._ended = name in ("", "EXIT")
        return "EXIT" if self._ended else name

    def _skip_init(self) -> None:
        _, size = np.frombuffer(self._receive(8, "INIT"), np.int32)
        if not 0 <= size <= _MOST_INIT:
            raise ServerFault(f"the server sent INIT with a text of {size} bytes; valid: 0 to {_MOST_INIT}")
        self._receive(int(size), "INIT")

    def _read_geometry(self) -> Geometry:
        cell, inverse = (self._numbers((3, 3), name) for name in ("cell", "inverse cell"))
        del inverse  # servers disagree on whether it is transposed
        count = int(np.frombuffer(self._receive(4, "POSDATA"), np.int32)[0])
        if count != self._num_atoms:  # before they are read
            raise ServerFault(
                f"the server sent {counted(count, 'atom')}, the structure in the file has {self._num_atoms}"
            )
        return Geometry(cell.T.copy(), self._numbers((count, 3), "positions"))

    def _numbers(self, shape: tuple[int, int], what: str) -> np.ndarray:
        values = np.frombuffer(self._receive(8 * shape[0] * shape[1], "POSDATA")).reshape(shape)
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values).all(axis=1))) + 1
            where = f" of atom {row}" if what == "positions" else ""
            raise ServerFault(f"the server sent numbers that are not finite in the {what}{where}")
        return values

    def _receive(self, size: int, what: str, *, may_end: bool = False) -> bytes:
        """Return so many bytes, or nothing where the connection ends before the first one and that `may_end`."""
        data = bytearray()
        while len(data) < size:
            self._server.settimeout(None if may_end and not data else self._seconds)
            try:
                piece = self._server.recv(size - len(data))
            except TimeoutError:
                raise ServerFault(
                    f"the server sent {len(data)} of {size} bytes of {what} and then nothing for {self._seconds:g} s"
                ) from None
            except OSError as fault:
                raise _lost(fault) from None
            if not piece and may_end and not data:
                break
            if not piece:
                raise ServerFault(f"the server closed the connection after {len(data)} of {size} bytes of {what}")
            data += piece
        return bytes(data)

    def _send(self, data: bytes) -> None:
        self._server.settimeout(self._seconds)
        try:
            self._server.sendall(data)
        except TimeoutError:
            raise ServerFault(f"the server takes no answer for {self._seconds:g} s") from None
        except OSError as fault:
            raise _lost(fault) from None


def _named(name: str) -> bytes:
    return name.encode().ljust(_NAME)


def _lost(fault: OSError) -> ServerFault:
    return ServerFault(f"the server closed the connection during a step: {fault.strerror or fault}")


def connect(address: Address) -> socket.socket:
    """Connect to a server; raises OSError."""
    is_name = isinstance(address, str)
    server = socket.socket(socket.AF_UNIX if is_name else socket.AF_INET)
    try:
        server.connect(f"/tmp/ipi_{address}" if is_name else address)
    except OSError:
        server.close()
        raise
    except (UnicodeError, TypeError):  # a name that has no spelling in ASCII
        server.close()
        raise OSError("not the name of a computer") from None
    return server
