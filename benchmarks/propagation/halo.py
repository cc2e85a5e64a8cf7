#!/usr/bin/env python3
"""Shares of communication in a propagation on a mesh: a chain of Li and H after a kick.

    .venv/bin/python benchmarks/propagation/halo.py                            # 1, 2 and 4 ranks of this machine
    .venv/bin/python benchmarks/propagation/halo.py --predict 16,64,256 --applications 40

Measured: the difference of a run with and one without [propagate], rank 0. Predicted, without running anything: the
chain divided by METIS; an exchange of a block of bands by the LogGP formula of Hoefler, Lorenzen and Lumsdaine
(EuroPVM/MPI 2008) for the part that has most ghost points, on the network of that paper or that of the options;
computing by the points of the fullest part. With overlap the exchange takes what the inner points do not hide.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BOND, PERIOD, END, WIDTH = 3.1, 6.2, 8.0, 14.0  # bohr: Li-H, molecule to molecule, end of the cell to an atom, cell
COMPLEX = 16  # bytes
PROPAGATE = """[propagate]
time = "{time} fs"
timestep = "{step} as"
propagator = "etrs"
tolerance = 1e-5
kick = {{ direction = [0, 0, 1] }}
"""


def chain(molecules: int, spacing: float, overlap: str) -> str:
    """Return the input of the ground state: a cylinder with a free boundary."""
    length = 2 * END + (molecules - 1) * PERIOD + BOND
    places = [END + number * PERIOD + shift for number in range(molecules) for shift in (0.0, BOND)]
    atoms = ", ".join(
        f'["{element}", {WIDTH / 2}, {WIDTH / 2}, {z:.4f}]'
        for element, z in zip(["Li", "H"] * molecules, places, strict=True)
    )
    return f"""[structure]
cell = [[{WIDTH}, 0, 0], [0, {WIDTH}, 0], [0, 0, {length}]]
unit = "bohr"
coordinates = "cartesian"
atoms = [{atoms}]
[basis]
method = "realspace"
spacing = "{spacing} bohr"
region = {{ kind = "cylinder", axis = 3, radius = "6.5 bohr", length = "{length - 2} bohr" }}
boundary = "free"
[electrons]
xc = "LDA-PW"
pseudopotentials = {{ Li = "gth-lda-q1", H = "gth-lda" }}
[parallel]
overlap = "{overlap}"
band_groups = 1
[output]
checkpoint = false
"""


def run(folder: Path, text: str, ranks: int) -> dict[str, Any]:
    """Run an input; return result.json."""
    path = folder / "chain.toml"
    path.write_text(text)
    command = [sys.executable, "-m", "wavegrid", "run", path, "--output", folder / "out", "--ranks", ranks, "--quiet"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run(list(map(str, command)), check=True, env=environment, capture_output=True)
    result: dict[str, Any] = json.loads((folder / "out/result.json").read_text())
    return result


def times(result: dict[str, Any]) -> dict[str, float]:
    """Return seconds of rank 0, and the number of halo exchanges."""
    wall = result["wall_seconds"]
    halo = [one for one in result["traffic"] if one["purpose"] == "halo"]
    seconds = sum(one["seconds"] for one in halo)
    parts = {"total": wall["total"], "halo": seconds, "other": wall["exchange"] - seconds}
    return parts | {"reductions": wall["reductions"], "exchanges": sum(one["exchanges"] for one in halo)}


def measure(options: argparse.Namespace) -> None:
    """Print a row for each number of ranks, without and with overlap."""
    print("| ranks | overlap | s / fs | halo % | other exchanges % | reductions % | halo exchanges in a step |")
    print("|---|---|---|---|---|---|---|")
    for ranks in map(int, options.ranks.split(",")):
        for overlap in ("off", "polling") if ranks > 1 else ("off",):
            with tempfile.TemporaryDirectory() as place:
                text = chain(options.molecules, options.spacing, overlap)
                ground = times(run(Path(place), text, ranks))
                whole = text + PROPAGATE.format(time=options.time, step=options.step)
                both = run(Path(place), whole, ranks)
            part = {name: value - ground[name] for name, value in times(both).items()}
            share = {name: 100 * part[name] / part["total"] for name in ("halo", "other", "reductions")}
            each = part["exchanges"] / both["propagation"]["steps"]
            print(
                f"| {ranks} | {overlap} | {part['total'] / options.time:.1f} | {share['halo']:.1f} | "
                f"{share['other']:.1f} | {share['reductions']:.1f} | {each:.0f} |",
                flush=True,
            )


@dataclass(frozen=True)
class Application:
    """Seconds of an application of H to a block of bands."""

    points: int
    ghosts: int
    neighbours: int
    halo: float
    computing: float
    inner: float

    @property
    def off(self) -> float:
        """Exchange, then computing."""
        return self.halo + self.computing

    @property
    def on(self) -> float:
        """Inner points during the exchange, then the others."""
        return max(self.halo, self.inner) + self.computing - self.inner


def application(row: dict[str, Any], options: argparse.Namespace) -> Application:
    """Return the prediction for one partition, a row of `wavegrid partition`."""
    ghosts, neighbours, points = int(row["ghosts_max"]), int(row["neighbours_max"]), int(row["max"])
    overhead = 1e-6 * options.overhead
    halo = 1e-6 * options.latency + overhead * (2 * neighbours - 1)
    halo += COMPLEX * options.width * ghosts / (1e9 * options.bandwidth)
    each = options.width * 1e-9 * options.point
    inner = row["inner"] / row["ranks"] * each
    return Application(points, ghosts, neighbours, halo, points * each, inner)


def predict(options: argparse.Namespace) -> None:
    """Print a row for each number of ranks."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "chain.toml"
        path.write_text(chain(options.molecules, options.spacing, "off"))
        command = ["partition", path, "--ranks", options.predict, "--scheme", "metis", "--json"]
        done = subprocess.run(
            [sys.executable, "-m", "wavegrid", *map(str, command)], check=True, capture_output=True, text=True
        )
    print("| ranks | points | ghosts | neighbours | halo us | computing us | halo %, off | halo %, on | ms / step |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in json.loads(done.stdout):
        one = application(row, options)
        left = max(0.0, one.on - one.computing)  # of the exchange, with overlap
        print(
            f"| {row['ranks']} | {one.points} | {one.ghosts} | {one.neighbours} | {1e6 * one.halo:.0f} | "
            f"{1e6 * one.computing:.0f} | {100 * one.halo / one.off:.0f} | {100 * left / one.on:.0f} | "
            f"{1e3 * options.applications * one.off:.2f}, {1e3 * options.applications * one.on:.2f} |"
        )


def main() -> None:
    """Measure, or predict."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--molecules", type=int, default=4)
    parser.add_argument("--spacing", type=float, default=0.4, help="bohr")
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--time", type=float, default=0.1, help="fs")
    parser.add_argument("--step", type=float, default=10, help="as")
    parser.add_argument("--predict", metavar="RANKS", help="numbers of ranks")
    parser.add_argument("--applications", type=float, default=50, help="of H to a block of bands, in a step")
    parser.add_argument("--width", type=int, default=4, help="bands of a block")
    parser.add_argument("--point", type=float, default=30, help="ns of computing for a point and a band")
    parser.add_argument("--latency", type=float, default=4, help="us")
    parser.add_argument("--overhead", type=float, default=1, help="us of a message, o and g of LogGP")
    parser.add_argument("--bandwidth", type=float, default=0.9, help="GB/s of a rank")
    options = parser.parse_args()
    if options.predict:
        predict(options)
    else:
        measure(options)


if __name__ == "__main__":
    main()
