"""Runs the compiled benchmark of a machine and writes what `plan` and `auto` read."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from wavegrid.bench.program import Row, Run, compiled, launcher_of, versions, words
from wavegrid.errors import EnvironmentFault

LIKE = "ib-hdr"  # the network that a file names where only one node was measured
_MESSAGES = ("latency", "bandwidth", "overhead", "gap")


@dataclass
class Result:
    """What was measured, by which versions."""

    versions: dict[str, str]
    load: float  # threads at work on this machine in the minute before
    ranks: int
    messages: dict[str, Row] = field(default_factory=dict)  # by "inside", "between" and "together"
    rates: dict[str, float] = field(default_factory=dict)

    def numbers(self) -> dict[str, float]:
        """Return the numbers of a file of `plan --network` (planning/network.py).

        Inside a node they are those of all pairs together, as in a transpose, not those of a pair alone.
        """
        inside, between, together = (self.messages.get(pair, {}) for pair in ("inside", "between", "together"))
        found = {key: between[key] for key in _MESSAGES if key in between}
        if node := together or inside:
            found |= {f"inside_{key}": node[key] for key in ("latency", "bandwidth")}
            found |= {key: inside[key] for key in ("overhead", "gap") if key in inside and key not in found}
        return found | self.rates

    def pieces(self) -> dict[str, list[list[float]]]:
        """Return latencies and bandwidths by size, as far as they were measured."""
        found = {"pieces": self.messages.get("between"), "inside_pieces": self.messages.get("together")}
        return {key: line["pieces"] for key, line in found.items() if line and "pieces" in line}


def measure(ranks: int, repeats: int) -> Result:
    """Measure messages between ranks of this node, memory and rates."""
    result = Result(versions(), os.getloadavg()[0], ranks)
    launcher = launcher_of(result.versions, ranks)
    run = Run("machine", ranks, 1, lambda line: take(result, line))
    run.start([str(compiled("bench_machine")), *words({"--repeats": str(repeats)})], launcher)
    return result


def take(result: Result, line: Row) -> None:
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
    for key, pieces in result.pieces().items():
        lines.append("# from so many bytes on: latency, bandwidth")
        lines.append(f"{key} = [{', '.join(f'[{a:.0f}, {b:.4g}, {c:.4g}]' for a, b, c in pieces)}]")
    try:
        path.write_text("\n".join(lines) + "\n")
    except OSError as fault:
        raise EnvironmentFault(f"{path} cannot be written: {fault.strerror}") from None
