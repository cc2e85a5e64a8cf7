#!/usr/bin/env python3
"""Draw the README's picture: the sticks of Al108's sphere by rank, and the loads, for two partitions.

.venv/bin/python scripts/make_pictures.py
"""

from pathlib import Path

from wavegrid import core_loader, partition
from wavegrid.plots import partition as plots

RANKS = [48]
SCHEMES = ["balanced", "optimized"]
ROOT = Path(__file__).parents[1]


def main() -> None:
    """Write docs/pictures/partition.png."""
    core = core_loader.load()
    sphere = partition.read_sphere(core, ROOT / "examples/al108.toml")
    rows = partition.figures(core, sphere, RANKS, SCHEMES)
    plots.save(core, sphere, rows, ROOT / "docs/pictures/partition.png")


if __name__ == "__main__":
    main()
