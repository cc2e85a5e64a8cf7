"""Plots of a report as PNG."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from wavegrid.input.tasks import usual_window
from wavegrid.model.result import Result
from wavegrid.plots import convergence, files, motion, spectra
from wavegrid.process import core_loader
from wavegrid.results.window import Window
from wavegrid.trace.summary import Timeline
from wavegrid.units import HARTREE_IN_EV, parse_energy

if TYPE_CHECKING:
    from wavegrid.api.result import Result as OwnResult

MOST_ATOMS = 2000  # that are drawn
_PHASES = "#3b6ea5"


def structure(result: "OwnResult") -> bytes:
    """Return the cell seen along z and along y."""
    return files.png(result.plot_structure())


def scf(content: Result) -> bytes:
    """Return the convergence of the self-consistency loop."""
    return files.png(convergence.draw("", content.scf_history))


def levels(content: Result) -> bytes:
    """Return the eigenvalues at each k-point as horizontal lines, eV, in the usual window of energies."""
    figure = files.new_figure(6.4, 4.0)
    axis = figure.subplots()
    axis.spines[["top", "right"]].set_visible(False)
    for spin, of_spin in enumerate(content.eigenvalues):
        colour = ("#08519c", "#d94801")[spin]
        for number, of_k in enumerate(of_spin, 1):
            left = number - 0.4 + 0.42 * spin
            width = 0.8 if len(content.eigenvalues) == 1 else 0.38
            axis.hlines([level * HARTREE_IN_EV for level in of_k], left, left + width, color=colour, linewidth=1.0)
    fermi = content.fermi_level
    for level in fermi if isinstance(fermi, list | tuple) else [fermi]:
        axis.axhline(level * HARTREE_IN_EV, color="0.4", linewidth=0.7, linestyle=":")
    shown = Window.around(usual_window(), fermi, content.band_gap)
    low, high = axis.get_ylim()
    axis.set_ylim(max(low, shown.low * HARTREE_IN_EV), min(high, shown.high * HARTREE_IN_EV))
    axis.set_xlabel("k-point")
    axis.set_ylabel("energy (eV); dotted: Fermi level")
    files.whole_numbers(axis.xaxis)
    return files.png(figure)


def spectrum(content: Result) -> list[tuple[str, Callable[[], bytes]]]:
    """Return names of the plots of what the task has computed, and functions that draw them."""
    title = content.title
    found: list[tuple[str, Callable[[], bytes]]] = []
    if content.bands is not None:
        found.append(("bands", partial(spectra.plot_bands, title, content.bands, content.structure.species)))
    if content.dos is not None:
        found.append(("density of states", partial(spectra.plot_dos, title, content.dos, content.band_gap)))
    return found


def motions(content: Result) -> bytes:
    """Return the plot of a run of many geometries."""
    return motion.plot(content.title, content)


def phases(seconds: dict[str, float]) -> bytes:
    """Return the wall times by phase as bars."""
    figure = files.new_figure(6.4, 2.4)
    axis = figure.subplots()
    axis.spines[["top", "right"]].set_visible(False)
    names = [name for name in seconds if name != "total"]
    axis.barh([name.replace("_", " ") for name in names], [seconds[name] for name in names], color=_PHASES)
    axis.invert_yaxis()
    axis.set_xlabel("seconds on rank 0")
    return files.png(figure)


def partition(content: Result) -> bytes:
    """Return how the plane waves are divided over the ranks of a band group; the core is needed, MPI is not."""
    from wavegrid.partition import plane_wave_plots as plots
    from wavegrid.partition.plane_waves import Sphere, figures

    core, layout = core_loader.load(), content.parallel
    gamma = len(content.kpoints) == 1 and not any(content.kpoints[0][:3])
    ecut = parse_energy(content.input["basis"]["ecut"])
    sphere = Sphere(content.title, [list(vector) for vector in content.structure.cell], ecut, list(content.grid), gamma)
    rows = figures(core, sphere, [layout.rows * layout.columns], [layout.partition])
    return files.png(plots.draw(core, sphere, rows))


def traffic(figures: Timeline) -> bytes:
    """Return bytes from rank to rank and the phases of all ranks, of a timeline."""
    from wavegrid.plots import trace

    return files.png(trace.draw(figures))
