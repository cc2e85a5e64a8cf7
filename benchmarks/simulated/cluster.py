"""Simulated clusters: SimGrid's description of the machine, and programs that run on it."""

from __future__ import annotations

import dataclasses
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
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
    "smpi/test:1e-6",  # seconds of a call, and always the same
    "smpi/grow-injected-times:no",
    "smpi/shared-malloc-blocksize:16777216",  # with less, messages of 8 MB need more maps than Linux allows
)

# Collectives without SimGrid's communicators of nodes: for each communicator those take a message from every rank to
# every other one, a million of them on 1024 ranks.
FLAT = (
    "smpi/allreduce:rdb",
    "smpi/barrier:ompi_bruck",
    "smpi/bcast:binomial_tree",
    "smpi/reduce:binomial",
)
# Threads of BLAS that wait may spin: the ranks' sched_yield() does nothing (hooks.cpp).
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_LONG = 2.0  # seconds of a simulation from which its end is reported
_WAIT = 3.0  # of the clock, for each second of a core that a simulation may take: it waits for something, or for a core
_COPIES = 3  # attempts: SimGrid copies the program for each rank, and gives up if a signal interrupts it


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
    disk: float | None = None  # bytes per second of a file system that all nodes share, in each direction
    probe: float = 5e-6  # of a call that looks for messages; many of them are simulated while ranks wait
    settings: tuple[str, ...] = ()  # more of SimGrid's

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
        if self.disk:
            lines.append(
                f'<cluster id="disks" prefix="disk-" suffix="" radical="0-0" speed="10Gf" bw="{self.disk}Bps" '
                f'lat="{self.latency}s" sharing_policy="SPLITDUPLEX" router_id="switch-disk"/>'
            )
        lines += [f'<link id="adapter-{node}" {adapter}/>' for node in range(nodes)]
        for a in range(nodes):
            lines += [self._route(a, b) for b in range(a + 1, nodes)]
        if self.disk:
            lines += [self._route_to_disk(node) for node in range(nodes)]
        return "\n".join([*lines, "</zone>", "</platform>", ""])

    @staticmethod
    def _route(a: int, b: int) -> str:
        links = f'<link_ctn id="adapter-{a}" direction="UP"/><link_ctn id="adapter-{b}" direction="DOWN"/>'
        gates = f'gw_src="switch-{a}" gw_dst="switch-{b}"'
        return f'<zoneRoute src="node-{a}" dst="node-{b}" {gates}>{links}</zoneRoute>'

    @staticmethod
    def _route_to_disk(node: int) -> str:
        link = f'<link_ctn id="adapter-{node}" direction="UP"/>'
        gates = f'gw_src="switch-{node}" gw_dst="switch-disk"'
        return f'<zoneRoute src="node-{node}" dst="disks" {gates}>{link}</zoneRoute>'


# Two Xeon E5540 and InfiniBand with double data rate, as in Gao et al. (2016); 2 GB/s is that rate. The bandwidth in a
# node is fitted to Al108 on 8 ranks, which are one node; all other rows are predictions.
INFINIBAND_DDR = Cluster("infiniband-ddr", 8, 2e-6, 2e9, 0.5e-6, 0.5e-6, 0.7e9)

# Four cores and a SeaStar2 router, and 24 cores and a Gemini router: HECToR's phases 2a and 2b, of CP2K's and CASTEP's
# reports. Nominal figures.
SEASTAR2 = Cluster("seastar2", 4, 5e-6, 2e9, 0.5e-6, 1e-6, 1e9)
GEMINI = Cluster("gemini", 24, 1.5e-6, 5e9, 0.5e-6, 0.5e-6, 1e9)
# Four cores and InfiniBand with single data rate: CHiC, of the paper on Octopus. 128 cores, of which ONETEP's report
# used 8 per node, and Slingshot: ARCHER2. Nominal figures.
INFINIBAND_SDR = Cluster("infiniband-sdr", 4, 4e-6, 0.9e9, 0.5e-6, 0.5e-6, 0.7e9)
SLINGSHOT = Cluster("slingshot", 8, 2e-6, 25e9, 0.3e-6, 0.5e-6, 6e9)


class SimulationError(Exception):
    """A simulated program did not come to its end."""


def simulate(cluster: Cluster, ranks: int, study: str, *options: object, seconds: int = 400) -> dict[str, Any]:
    """Run a study of the benchmark program for at most so many seconds of a core and return what it printed.

    It may take three times as many seconds of the clock: a busy computer must not end it, one that hangs must end.
    """
    start, before = time.monotonic(), processor_seconds()
    for _ in range(_COPIES):
        code, output, errors = _run(cluster, ranks, [study, *map(str, options)], seconds)
        if "Error while copying" not in errors:
            break
    lines = output.splitlines()
    if (taken := time.monotonic() - start) > _LONG:
        used = processor_seconds() - before
        print(f"  {study} on {ranks} ranks: {taken:.0f} s, {used:.0f} s of a core", file=sys.stderr, flush=True)
    if code != 0 or len(lines) < 2 or lines[-1] != "finished":
        said = [line for line in (output + errors).splitlines() if "--cfg=" not in line]
        tail = "\n".join(said[-8:])
        raise SimulationError(
            f"{study}, {ranks} ranks, {' '.join(map(str, options))}: no end, or more than {seconds} s\n{tail}"
        )
    return dict(json.loads(lines[-2]))


def processor_seconds() -> float:
    """Return what the simulations of this process have used so far: a busy computer does not change it much."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(cluster: Cluster, ranks: int, words: list[str], seconds: int) -> tuple[int, str, str]:
    with tempfile.TemporaryDirectory() as folder:
        command = _command(cluster, ranks, Path(folder)) + words
        environment = os.environ | _ONE_THREAD | {"WAVEGRID_RANKS_PER_NODE": str(cluster.cores)}
        limit = partial(resource.setrlimit, resource.RLIMIT_CPU, (seconds, seconds))
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        # A session of its own: smpirun is a script, and what it starts has to end with it.
        with subprocess.Popen(command, env=environment, preexec_fn=limit, start_new_session=True, **pipes) as program:
            try:
                output, errors = program.communicate(timeout=_WAIT * seconds)
            except subprocess.TimeoutExpired:
                os.killpg(program.pid, signal.SIGKILL)
                output, errors = program.communicate()
                errors += f"stopped after {_WAIT * seconds:.0f} s of the clock\n"
            except BaseException:
                os.killpg(program.pid, signal.SIGKILL)
                raise
    return program.returncode, output, errors


def _command(cluster: Cluster, ranks: int, folder: Path) -> list[str]:
    platform, hosts = folder / "platform.xml", folder / "hosts"
    platform.write_text(cluster.xml(-(-ranks // cluster.cores)))
    hosts.write_text("".join(f"core-{rank}\n" for rank in range(ranks)))
    calls = (
        f"smpi/os:0:{cluster.call}:0",
        f"smpi/or:0:{cluster.call}:0",
        f"smpi/ois:0:{cluster.call}:0",
        f"smpi/iprobe:{cluster.probe}",
    )
    command = ["smpirun", "-np", str(ranks), "-platform", str(platform), "-hostfile", str(hosts)]
    command += [f"--cfg={setting}" for setting in (*_SETTINGS, *cluster.settings, *calls)]
    command.append(f"--cfg=smpi/tmpdir:{_folder_of_copies(ranks)}")
    return [*command, "--log=root.thresh:critical", str(PROGRAM)]


def _folder_of_copies(ranks: int) -> str:
    """Return where SimGrid copies the program for each rank: memory, if there is enough of it."""
    memory = Path("/dev/shm")
    needed = 2 * ranks * PROGRAM.stat().st_size
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > needed else tempfile.gettempdir()
