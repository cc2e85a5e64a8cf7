#!/usr/bin/env python3
"""Draw the README's picture: the sticks of Al108's sphere coloured by rank, and the load of each rank.

.venv/bin/python scripts/make_pictures.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from wavegrid import _core

RANKS = 16
A = 3 * 4.05 / 0.529177210903
ARGUMENTS = ([[A, 0, 0], [0, A, 0], [0, 0, A]], 240 / 27.211386245988, [48, 48, 48])


def main() -> None:
    """Write docs/pictures/partition.png."""
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.9), constrained_layout=True)
    for axis, scheme in zip(axes, ("greedy", "cyclic", "balanced"), strict=True):
        owners = np.array(_core.stick_owners(*ARGUMENTS, False, scheme, RANKS), dtype=float)
        owners[owners < 0] = np.nan
        load = _core.partition_figures(*ARGUMENTS, True, scheme, RANKS)
        centred = np.fft.fftshift(owners)[8:41, 8:41]
        axis.imshow(centred, cmap="tab20", origin="lower", extent=(-16.5, 16.5, -16.5, 16.5))
        axis.set_title(f"{scheme}: {load['rows']} x {load['columns']} ranks\nmax / mean = {load['imbalance']:.3f}")
        axis.set_xlabel("gy")
    axes[0].set_ylabel("gz")
    figure.suptitle("Al108: each square is a stick of plane waves along x, its colour the rank that owns it")
    figure.savefig(Path(__file__).parents[1] / "docs/pictures/partition.png", dpi=110)


if __name__ == "__main__":
    main()
