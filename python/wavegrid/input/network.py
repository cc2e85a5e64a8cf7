"""Networks between nodes: the known ones, and those of a file that `wavegrid bench machine` writes."""

import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from wavegrid.base.text import megabytes
from wavegrid.errors import InputError, did_you_mean
from wavegrid.files import readable

Piece = tuple[float, float, float]

_MOST_BYTES = 1_000_000
_MOST = 1e300  # of a number


@dataclass(frozen=True)
class Network:
    """A network as one message sees it, and the machine around it as far as it is known."""

    name: str
    latency: float  # seconds from call to arrival of a small message between nodes
    bandwidth: float  # bytes per second of a node's adapter in one direction; its ranks share it
    inside_latency: float = 0.7e-6  # the same of two ranks of a node
    inside_bandwidth: float = 4e9  # bytes per second of a rank
    fft: float | None = None  # operations per second of a core; none: those of the machine at hand
    gemm: float | None = None
    memory: float | None = None  # bytes per second of a core in a triad
    overhead: float | None = None  # seconds of the processor for a message: o of LogGP
    gap: float | None = None  # seconds between messages: g of LogGP
    # By size: (from so many bytes on, latency, bandwidth), by rising size from 0 on; none: one latency and bandwidth.
    pieces: tuple[Piece, ...] = ()
    inside_pieces: tuple[Piece, ...] = ()

    def outside(self, size: float) -> tuple[float, float]:
        """Return latency and bandwidth of a message of `size` bytes between nodes."""
        return _piece(self.pieces, size) or (self.latency, self.bandwidth)

    def inside(self, size: float) -> tuple[float, float]:
        """Return the same inside a node."""
        return _piece(self.inside_pieces, size) or (self.inside_latency, self.inside_bandwidth)

    def rates(self, here: dict[str, float]) -> dict[str, float]:
        """Return the rates of a core; those of this machine, `here`, where the file has none."""
        return {"fft": self.fft or here["fft"], "gemm": self.gemm or here["gemm"]}


# Latencies of small messages between two programs, and 85% of the nominal rate.
NETWORKS = {
    network.name: network
    for network in (
        Network("ib-ndr", 1.5e-6, 42e9),
        Network("ib-hdr", 1.6e-6, 21e9),
        Network("ib-edr", 1.8e-6, 10.6e9),
        Network("ib-ddr", 3.0e-6, 1.4e9),
        Network("omnipath", 1.8e-6, 10.6e9),
        Network("ethernet-100g", 5e-6, 10.6e9),
        Network("ethernet-25g", 15e-6, 2.6e9),
        Network("ethernet", 40e-6, 0.11e9),
    )
}
PIECES = ("pieces", "inside_pieces")
NUMBERS = [field.name for field in fields(Network) if field.name not in ("name", *PIECES)]
_REQUIRED = ("latency", "bandwidth")
_KEYS = ["like", *NUMBERS, *PIECES]


def _piece(pieces: tuple[Piece, ...], size: float) -> tuple[float, float] | None:
    fitting = [piece for piece in pieces if piece[0] <= size]
    return fitting[-1][1:] if fitting else None


def named(text: str) -> Network:
    """Return the network of that name, or that of a TOML file.

    Its keys are the numbers of Network. `like` names a known network, for those that the file does not have; without it
    `latency` (s) and `bandwidth` (bytes/s) are required.
    """
    if text in NETWORKS:
        return NETWORKS[text]
    path = Path(text)
    if path.suffix != ".toml":
        valid = f"valid: {', '.join(NETWORKS)}, or a file FILE.toml"
        raise InputError(f"--network {text}: unknown; {valid}{did_you_mean(text, NETWORKS)}")
    return from_file(path, f"--network {text}")


def from_file(path: Path, asked: str) -> Network:
    """Return the network of a file; `asked` begins the message if it cannot be read."""
    found = _tables(path, asked)
    for key in found:
        if key not in _KEYS:
            raise InputError(f"{path}: unknown key '{key}'; valid: {', '.join(_KEYS)}{did_you_mean(key, _KEYS)}")
    base = _base(path, found)
    required = _REQUIRED if base is None else ()
    for key in dict.fromkeys([*required, *(key for key in NUMBERS if key in found)]):
        _require_positive(path, key, found.get(key))
    numbers: dict[str, Any] = {key: float(found[key]) for key in NUMBERS if key in found}
    numbers |= {key: _pieces(path, key, found[key]) for key in PIECES if key in found}
    if base is None:
        return Network(path.stem, **numbers)
    return replace(base, name=path.stem, **numbers)


def _tables(path: Path, asked: str) -> dict[str, Any]:
    if reason := readable.refusal(path, _MOST_BYTES):
        raise InputError(f"{asked}: {reason}; valid: a file (TOML) of up to {megabytes(_MOST_BYTES)}")
    try:
        return tomllib.loads(path.read_text())
    except OSError as fault:
        raise InputError(f"{asked}: cannot be read: {fault.strerror}; valid: a file (TOML)") from None
    except tomllib.TOMLDecodeError as fault:
        raise InputError(f"{asked}: not valid TOML: {fault}") from None
    except (ValueError, RecursionError):  # no UTF-8, a number of more than 4300 digits, lists in each other
        raise InputError(f"{asked}: not a text that can be read; valid: numbers by name (TOML, UTF-8)") from None


def _base(path: Path, found: dict[str, Any]) -> Network | None:
    like = found.get("like")
    if like is None:
        return None
    if not isinstance(like, str) or like not in NETWORKS:
        valid = f"valid: {', '.join(NETWORKS)}{did_you_mean(str(like), NETWORKS)}"
        raise InputError(f"{path}: like = {like!r}; {valid}")
    return NETWORKS[like]


def _require_positive(path: Path, key: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < _MOST:
        raise InputError(f"{path}: {key} = {str(value)[:40]}; valid: a positive number, in seconds or per second")


def _pieces(path: Path, key: str, value: object) -> tuple[Piece, ...]:
    """Return the pieces of a file, each [bytes, latency, bandwidth]."""
    if isinstance(value, list) and value and all(isinstance(one, list) and len(one) == 3 for one in value):
        numbers = [number for one in value for number in one]
        sizes = [one[0] for one in value]
        if (
            all(isinstance(number, int | float) and 0 <= number < _MOST for number in numbers)
            and all(one[2] > 0 for one in value)
            and sizes == sorted(set(sizes))
            and sizes[0] == 0
        ):
            return tuple((float(a), float(b), float(c)) for a, b, c in value)
    raise InputError(
        f"{path}: {key} = {str(value)[:40]}; valid: a list of [bytes, latency, bandwidth] by rising bytes, "
        "the first from 0 on"
    )
