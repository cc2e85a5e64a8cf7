"""Runs the compiled benchmark of a machine and writes what `plan` and `auto` read."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wavegrid.bench.program import Run, compiled, versions, words
from wavegrid.errors import EnvironmentFault
from wavegrid.launch import mpirun

LIKE = "ib-hdr"  # the network that a file names where only one node was measured
_MESSAGES = ("latency", "bandwidth", "overhead", "gap")


@dataclass
class Result:
    """What was measured, by which versions."""

    versions: dict[str, str]
    load: float  # threads at work on this machine in the minute before
    ranks: int
    messages: dict[str, dict[str, Any]] = field(default_factory=dict)  # by "inside" and "between"
    rates: dict[str, float] = field(default_factory=dict)

    def numbers(self) -> dict[str, float]:
        """Return the keys of a file of `plan --network` (planning/network.py)."""
        inside, between = (self.messages.get(pair, {}) for pair in ("inside", "between"))
        found = {key: between[key] for key in _MESSAGES if key in between}
        if inside:
            found |= {f"inside_{key}": inside[key] for key in ("latency", "bandwidth")}
            found |= {key: inside[key] for key in ("overhead", "gap") if key not in found}
        return found | self.rates


def measure(ranks: int, repeats: int) -> Result:
    """Measure messages between ranks of this node, memory and rates."""
    result = Result(versions(), os.getloadavg()[0], ranks)
    launcher = mpirun.find_launcher(result.versions.get("mpi", "")) if ranks > 1 else None
    run = Run("machine", ranks, 1, lambda line: take(result, line))
    run.start([str(compiled("bench_machine")), *words({"--repeats": str(repeats)})], launcher)
    return result


def take(result: Result, line: dict[str, Any]) -> None:
    """Add one line of the program's output."""
    if "messages" in line:
        result.messages[line["messages"]] = line
    else:
        result.rates = line["rates"]


def save(path: Path, result: Result) -> None:
    """Write the TOML file; raises EnvironmentFault where that is not possible."""
    lines = [f"# wavegrid bench machine: {result.ranks} ranks; seconds, bytes or operations per second."]
    if "between" not in result.messages:
        lines.append("# One node was measured; between nodes: this known network, or latency and bandwidth.")
        lines.append(f'like = "{LIKE}"')
    lines += [f"{key} = {value:.4g}" for key, value in result.numbers().items()]
    try:
        path.write_text("\n".join(lines) + "\n")
    except OSError as fault:
        raise EnvironmentFault(f"{path} cannot be written: {fault.strerror}") from None
