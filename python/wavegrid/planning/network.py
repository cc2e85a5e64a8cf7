"""Networks between nodes: the known ones, and those of a file."""

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

from wavegrid.errors import InputError, did_you_mean


@dataclass(frozen=True)
class Network:
    """A network as one message sees it."""

    name: str
    latency: float  # seconds from call to arrival of a small message
    bandwidth: float  # bytes per second of a node's adapter in one direction; its ranks share it


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
_NUMBERS = [field.name for field in fields(Network) if field.name != "name"]


def named(text: str) -> Network:
    """Return the network of that name, or that of a TOML file with `latency` (s) and `bandwidth` (bytes/s)."""
    if text in NETWORKS:
        return NETWORKS[text]
    path = Path(text)
    if path.suffix != ".toml":
        valid = f"valid: {', '.join(NETWORKS)}, or a file FILE.toml"
        raise InputError(f"--network {text}: unknown; {valid}{did_you_mean(text, NETWORKS)}")
    try:
        found = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise InputError(f"--network {text}: cannot be read: {fault}") from None
    for key in found:
        if key not in _NUMBERS:
            raise InputError(f"{text}: unknown key '{key}'; valid: {', '.join(_NUMBERS)}{did_you_mean(key, _NUMBERS)}")
    for key in _NUMBERS:
        value = found.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
            raise InputError(f"{text}: {key} = {value}; valid: a positive number, in seconds or bytes per second")
    return Network(path.stem, float(found["latency"]), float(found["bandwidth"]))
