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
    inside_bandwidth: float  # of a rank, in each direction

    def xml(self, nodes: int) -> str:
        """Return SimGrid's description: ranks on links to their node's switch, adapters between the nodes."""
        lines = ['<?xml version="1.0"?>', '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">']
        lines += ['<platform version="4.1">', f'<zone id="{self.name}" routing="Full">']
        own = f'speed="10Gf" bw="{self.inside_bandwidth}Bps" lat="{self.inside_latency / 2}s"'
        adapter = f'bandwidth="{self.bandwidth}Bps" latency="{self.latency / 2}s" sharing_policy="SPLITDUPLEX"'
        for node in range(nodes):
            ranks = f"{node * self.cores}-{(node + 1) * self.cores - 1}"
            lines.append(
                f'<cluster id="node-{node}" prefix="core-" suffix="" radical="{ranks}" {own} '
                f'sharing_policy="SPLITDUPLEX" router_id="switch-{node}"/>'
            )
        lines += [f'<link id="adapter-{node}" {adapter}/>' for node in range(nodes)]
        for a in range(nodes):
            lines += [self._route(a, b) for b in range(a + 1, nodes)]
        return "\n".join([*lines, "</zone>", "</platform>", ""])

    @staticmethod
    def _route(a: int, b: int) -> str:
        links = f'<link_ctn id="adapter-{a}" direction="UP"/><link_ctn id="adapter-{b}" direction="DOWN"/>'
        gates = f'gw_src="switch-{a}" gw_dst="switch-{b}"'
        return f'<zoneRoute src="node-{a}" dst="node-{b}" {gates}>{links}</zoneRoute>'


# Two Xeon E5540 and InfiniBand with double data rate, as in Gao et al. (2016); 2 GB/s is that rate. The bandwidth in a
# node is fitted to Al108 on 8 ranks, which are one node; all other rows are predictions.
INFINIBAND_DDR = Cluster("infiniband-ddr", 8, 2e-6, 2e9, 0.5e-6, 0.5e-6, 0.7e9)


class SimulationError(Exception):
    """A simulated program did not come to its end."""


def simulate(cluster: Cluster, ranks: int, folder: Path, *options: object) -> dict[str, Any]:
    """Run the benchmark program and return what it printed."""
    nodes = -(-ranks // cluster.cores)
    platform, hosts = folder / "platform.xml", folder / "hosts"
    platform.write_text(cluster.xml(nodes))
    hosts.write_text("".join(f"core-{rank}\n" for rank in range(ranks)))
    calls = (f"smpi/os:0:{cluster.call}:0", f"smpi/or:0:{cluster.call}:0", f"smpi/ois:0:{cluster.call}:0")
    command = ["smpirun", "-np", str(ranks), "-platform", str(platform), "-hostfile", str(hosts)]
    command += [f"--cfg={setting}" for setting in (*_SETTINGS, *calls)] + ["--log=root.thresh:critical", str(PROGRAM)]
    answer = subprocess.run([*command, *map(str, options)], capture_output=True, text=True, timeout=600, check=False)
    lines = answer.stdout.splitlines()
    if answer.returncode != 0 or len(lines) < 2 or lines[-1] != "finished":
        tail = "\n".join((answer.stdout + answer.stderr).splitlines()[-8:])
        raise SimulationError(f"{ranks} ranks, {' '.join(map(str, options))}: no end\n{tail}")
    return dict(json.loads(lines[-2]))
