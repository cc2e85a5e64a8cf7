"""Simulated clusters: SimGrid's description of the machine, and programs that run on it."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/simulated/benchmarks/bench_simulated"

# Messages alone take time. What a call costs its rank is a constant; no factor for sizes that other networks have; and
# small messages are sent at once, since SimGrid's persistent sends below 64 KB would wait for each other for ever.
_SETTINGS = (
    "smpi/simulate-computation:no",
    "smpi/bw-factor:0:1",
    "smpi/lat-factor:0:1",
    "network/weight-S:0",
    "smpi/send-is-detached-thresh:0",
    "smpi/coll-selector:mpich",
)


@dataclasses.dataclass(frozen=True)
class Cluster:
    """Nodes on a crossbar. Seconds and bytes per second."""

    name: str
    cores: int  # ranks on a node
    latency: float  # between nodes, without the calls
    bandwidth: float  # of a node's adapter, in each direction, shared by its ranks
    call: float  # that a send or a receive keeps its rank busy
    inside_latency: float  # inside a node
    inside_bandwidth: float

    def xml(self, nodes: int) -> str:
        """Return SimGrid's description. The latency of a route is that of two links."""
        return (
            '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
            f'<platform version="4.1">\n<cluster id="{self.name}" prefix="node-" suffix="" radical="0-{nodes - 1}" '
            f'speed="10Gf" core="{self.cores}" '
            f'bw="{self.bandwidth}Bps" lat="{self.latency / 2}s" sharing_policy="SPLITDUPLEX" '
            f'loopback_bw="{self.inside_bandwidth}Bps" loopback_lat="{self.inside_latency}s"/>\n</platform>\n'
        )


# Two Xeon E5540 and InfiniBand with double data rate, as in Gao et al. (2016): figures of such adapters and of copies
# through the memory of such a node, not fitted to the tables.
INFINIBAND_DDR = Cluster("infiniband-ddr", 8, 2e-6, 1.4e9, 0.5e-6, 0.5e-6, 1.5e9)


class SimulationError(Exception):
    """A simulated program did not come to its end."""


def simulate(cluster: Cluster, ranks: int, folder: Path, *options: object) -> dict[str, Any]:
    """Run the benchmark program and return what it printed."""
    nodes = -(-ranks // cluster.cores)
    platform, hosts = folder / "platform.xml", folder / "hosts"
    platform.write_text(cluster.xml(nodes))
    hosts.write_text("".join(f"node-{rank // cluster.cores}\n" for rank in range(ranks)))
    calls = (f"smpi/os:0:{cluster.call}:0", f"smpi/or:0:{cluster.call}:0", f"smpi/ois:0:{cluster.call}:0")
    command = ["smpirun", "-np", str(ranks), "-platform", str(platform), "-hostfile", str(hosts)]
    command += [f"--cfg={setting}" for setting in (*_SETTINGS, *calls)] + ["--log=root.thresh:critical", str(PROGRAM)]
    answer = subprocess.run([*command, *map(str, options)], capture_output=True, text=True, timeout=600, check=False)
    lines = answer.stdout.splitlines()
    if answer.returncode != 0 or len(lines) < 2 or lines[-1] != "finished":
        tail = "\n".join((answer.stdout + answer.stderr).splitlines()[-8:])
        raise SimulationError(f"{ranks} ranks, {' '.join(map(str, options))}: no end\n{tail}")
    return dict(json.loads(lines[-2]))
