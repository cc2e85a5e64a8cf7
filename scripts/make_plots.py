#!/usr/bin/env python3
"""Plot what README and docs show: sticks of Al108, points of benzene, ghosts and neighbours of a cylinder, by part.

.venv/bin/python scripts/make_plots.py           # takes some minutes: the cylinder has 1.2 million points
"""

import subprocess
import sys
from pathlib import Path

from wavegrid.input.document import read
from wavegrid.partition import mesh as mesh_partition
from wavegrid.partition import mesh_plots
from wavegrid.partition import plane_wave_plots as plots
from wavegrid.partition import plane_waves as partition
from wavegrid.process import core_loader

RANKS = [48]
SCHEMES = ["balanced", "optimized"]
ROOT = Path(__file__).parents[1]


def main() -> None:
    """Write docs/plots/partition.png, docs/plots/benzene.png and docs/plots/octopus.png."""
    core = core_loader.load()
    sphere = partition.read_sphere(core, *read(ROOT / "examples/al108.toml"))
    rows = partition.figures(core, sphere, RANKS, SCHEMES)
    plots.save(core, sphere, rows, ROOT / "docs/plots/partition.png")
    document, spec = read(ROOT / "examples/benzene_mesh.toml")
    mesh = mesh_partition.read_mesh(core, document, mesh_partition.with_options(spec, "0.4 bohr", "7 bohr", "6"))
    rows = mesh_partition.figures(mesh, [6], ["metis", "block"], 0, reorder=True, two_level=True)
    mesh_plots.save(mesh, rows, ROOT / "docs/plots/benzene.png")
    octopus = ["bench", "halo", "--case", "octopus", "--plot", str(ROOT / "docs/plots/octopus.png")]
    subprocess.run([sys.executable, "-m", "wavegrid", *octopus], check=True)


if __name__ == "__main__":
    main()
