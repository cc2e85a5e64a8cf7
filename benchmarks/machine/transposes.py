#!/usr/bin/env python3
"""What a machine file of `wavegrid bench machine` predicts for transposes, compared with real ones on this computer.

    make study-machine
    .venv/bin/python benchmarks/machine/transposes.py --ranks 2,4 --cases al108

For each number of ranks the machine is measured with as many, then the transposes of a block of bands, there and back,
with a barrier before each. A rank's time is that of its messages one after the other, at the latency and bandwidth of
their size, and of four passes over its bytes to pack and unpack them. The last columns have one latency and bandwidth
for all sizes. Nothing else may run meanwhile.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from itertools import product
from pathlib import Path

from wavegrid.input.network import Network, named

COMMAND = [str(Path(sys.executable).parent / "wavegrid")]
_PASSES = 4  # over the bytes: read and written when packed, and when unpacked


def main() -> int:
    """Measure, predict and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="2,4,8,16")
    parser.add_argument("--cases", default="al108,al500")
    parser.add_argument("--transports", default="alltoallv,pairwise")
    parser.add_argument("--partitions", default="greedy,balanced")
    parser.add_argument("--blocks", default="2,auto", help="bands of a message")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    print(
        f"{'case':<7}{'ranks':>6} {'partition':<10}{'transport':<10}{'kB':>8}{'measured':>10}{'predicted':>11}"
        f"{'ratio':>7}{'one piece':>11}{'ratio':>7}"
    )
    ratios, plain = [], []
    for ranks in map(int, arguments.ranks.split(",")):
        network = measured_machine(ranks)
        for partition, block in product(arguments.partitions.split(","), arguments.blocks.split(",")):
            options = ("--case", arguments.cases, "--ranks", ranks, "--transport", arguments.transports)
            more = ("--context", "isolated", "--partition", partition, "--repeats", arguments.repeats)
            more += () if block == "auto" else ("--block", block)
            for row in answer("bench", "transpose", *options, *more, "--json"):
                if row["transport"] not in arguments.transports.split(","):
                    continue
                us = [1e6 * seconds(row, one) for one in (network, replace(network, inside_pieces=()))]
                ratios.append(us[0] / row["median_us"])
                plain.append(us[1] / row["median_us"])
                print(
                    f"{row['case']:<7}{ranks:>6} {partition:<10}{row['transport']:<10}"
                    f"{1e-3 * row['bytes'] / row['messages']:>8.1f}{row['median_us']:>10.0f}{us[0]:>11.0f}"
                    f"{ratios[-1]:>7.2f}{us[1]:>11.0f}{plain[-1]:>7.2f}",
                    flush=True,
                )
    print(f"within 25%: {within(ratios)} of {len(ratios)}; with one piece {within(plain)}")
    return 0


def within(ratios: list[float]) -> int:
    """Return how many predictions are within 25% of the measured time."""
    return sum(0.8 <= ratio <= 1.25 for ratio in ratios)


def measured_machine(ranks: int) -> Network:
    """Return what `bench machine` writes for so many ranks."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "machine.toml"
        answer("bench", "machine", "--ranks", ranks, "--repeats", 10, "--out", file, "--json")
        return named(str(file))


def seconds(row: dict, network: Network) -> float:
    """Return the predicted seconds of a rank for all transposes of a row."""
    assert network.memory is not None
    messages, own = row["messages"] / row["ranks"], row["bytes"] / row["ranks"]
    latency, bandwidth = network.inside(row["bytes"] / row["messages"])
    return messages * latency + own / bandwidth + _PASSES * own / network.memory


def answer(*words: object) -> list | dict:
    """Return what a command prints as JSON."""
    done = subprocess.run([*COMMAND, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}:\n{done.stderr}")
    return json.loads(done.stdout)


if __name__ == "__main__":
    sys.exit(main())
