#!/usr/bin/env python3
"""Draw the README's picture: the sticks of Al108's sphere by rank, and the loads, for two partitions.

.venv/bin/python scripts/make_pictures.py
"""

from pathlib import Path

from wavegrid import core as core_door
from wavegrid import partition, partition_picture

RANKS = [48]
SCHEMES = ["balanced", "optimized"]
ROOT = Path(__file__).parents[1]


def main() -> None:
    """Write docs/pictures/partition.png."""
    core = core_door.load()
    sphere = partition.read_sphere(core, ROOT / "examples/al108.toml")
    rows = partition.figures(core, sphere, RANKS, SCHEMES)
    partition_picture.save(core, sphere, rows, ROOT / "docs/pictures/partition.png")


if __name__ == "__main__":
    main()
