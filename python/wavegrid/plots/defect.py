"""Plot of the potential around a charged defect."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from wavegrid.plots import files
from wavegrid.units import HARTREE_IN_EV

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(profiles: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> "Figure":
    """Return the plot of means of planes across the lattice directions: places, change of the potential, model, Ha."""
    figure = files.new_figure(9.0, 3.4)
    for number, (axis, (places, change, model)) in enumerate(
        zip(figure.subplots(1, len(profiles), sharey=True), profiles, strict=True), 1
    ):
        axis.spines[["top", "right"]].set_visible(False)
        axis.plot(places, change * HARTREE_IN_EV, color="#08519c", label="charged - perfect")
        axis.plot(places, model * HARTREE_IN_EV, color="0.4", linestyle="--", label="model charge")
        axis.plot(places, (change - model) * HARTREE_IN_EV, color="#d94801", label="difference")
        axis.set_xlabel(f"along vector {number}, from the defect")
    figure.axes[0].set_ylabel("potential of an electron (eV)")
    figure.axes[0].legend(frameon=False, fontsize=8)
    return figure
