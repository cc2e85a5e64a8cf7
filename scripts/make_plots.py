#!/usr/bin/env python3
"""Plot what README and docs show: bands of silicon, sticks of Al108, points of benzene, ghosts and neighbours by part.

.venv/bin/python scripts/make_plots.py [NAME ...]   # all take some minutes: the cylinder has 1.2 million points
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import run_task_pages

import wavegrid
from wavegrid.input.document import read
from wavegrid.partition import mesh as mesh_partition
from wavegrid.partition import mesh_plots
from wavegrid.partition import plane_wave_plots as plots
from wavegrid.partition import plane_waves as partition
from wavegrid.process import core_loader
from wavegrid.results.bands import zero_of_energy
from wavegrid.units import HARTREE_IN_EV

RANKS = [48]
SCHEMES = ["balanced", "optimized"]
ROOT = Path(__file__).parents[1]


def silicon(file: Path) -> None:
    """Draw bands and density of states of the page docs/tasks/bands.md on one axis of energies."""
    with tempfile.TemporaryDirectory() as folder:
        run_task_pages.run("bands.md", Path(folder))
        spectrum = wavegrid.load(Path(folder) / "si_bands").bands
        dense = wavegrid.load(Path(folder) / "si_dos")
    figure, (left, right) = plt.subplots(1, 2, sharey=True, figsize=(8, 4), width_ratios=(3, 1), layout="constrained")
    levels = np.array(spectrum.eigenvalues[0]) - zero_of_energy(spectrum.fermi_level, spectrum.band_gap)
    left.plot(spectrum.x, levels * HARTREE_IN_EV, color="#08519c", linewidth=1.2)
    left.set_xticks(spectrum.label_x, [name.replace("G", "Γ") for name in spectrum.labels])
    left.grid(axis="x", color="0.7")
    left.set(xlim=(0, spectrum.x[-1]), ylim=(-12.6, 3), ylabel="energy (eV)")
    states = dense.dos
    energies = (np.array(states.energies) - zero_of_energy(states.fermi_level, dense.band_gap)) * HARTREE_IN_EV
    right.fill_betweenx(energies, np.array(states.density_of_states[0]) / HARTREE_IN_EV, color="#08519c", alpha=0.4)
    right.set(xlim=0, xlabel="states (1/eV)")
    for axis in (left, right):
        axis.spines[["top", "right"]].set_visible(False)
        axis.axhline(0, color="0.4", linewidth=0.7, linestyle=":")
    figure.savefig(file, dpi=100)


def sticks(file: Path) -> None:
    """Draw the sticks of Al108 on 48 ranks."""
    core = core_loader.load()
    sphere = partition.read_sphere(core, *read(ROOT / "examples/al108.toml"))
    plots.save(core, sphere, partition.figures(core, sphere, RANKS, SCHEMES), file)


def benzene(file: Path) -> None:
    """Draw the points of benzene on six ranks."""
    core = core_loader.load()
    document, spec = read(ROOT / "examples/benzene_mesh.toml")
    mesh = mesh_partition.read_mesh(core, document, mesh_partition.with_options(spec, "0.4 bohr", "7 bohr", "6"))
    rows = mesh_partition.figures(mesh, [6], ["metis", "block"], 0, reorder=True, two_level=True)
    mesh_plots.save(mesh, rows, file)


def octopus(file: Path) -> None:
    """Draw ghosts and neighbours of the parts of a cylinder."""
    options = ["bench", "halo", "--case", "octopus", "--plot", str(file)]
    subprocess.run([sys.executable, "-m", "wavegrid", *options], check=True)


PLOTS = {
    "silicon": (silicon, "docs/plots/silicon.png"),
    "partition": (sticks, "docs/lab/plots/partition.png"),
    "benzene": (benzene, "docs/plots/benzene.png"),
    "octopus": (octopus, "docs/lab/plots/octopus.png"),
}


def main() -> None:
    """Write the plots that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=PLOTS, help=f"of {', '.join(PLOTS)}")
    for name in parser.parse_args().names or PLOTS:
        draw, file = PLOTS[name]
        draw(ROOT / file)


if __name__ == "__main__":
    main()
