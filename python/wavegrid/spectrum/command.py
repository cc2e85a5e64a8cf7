"""From the directories of runs to a table of the spectrum and its plot."""

from pathlib import Path
from typing import get_args

import numpy as np

from wavegrid.errors import InputError
from wavegrid.files import kinds, store
from wavegrid.files.propagation import read
from wavegrid.plots import files as plot_files
from wavegrid.spectrum.absorption import Absorption, absorption
from wavegrid.spectrum.dichroism import IN_CGS
from wavegrid.spectrum.dielectric import Dielectric, dielectric
from wavegrid.spectrum.harmonics import Harmonics, harmonics
from wavegrid.spectrum.response import Array, Window
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV

TABLE = "spectrum.csv"
_HEAD = "# spectrum by wavegrid"
_STEP = 0.01  # eV

Spectrum = Absorption | Dielectric | Harmonics


def window_named(name: str) -> Window:
    """Return a window by its name; raises InputError."""
    for kind in get_args(Window):
        if kind == name:
            found: Window = kind
            return found
    raise InputError(f"--window {name}; valid: {', '.join(get_args(Window))}")


def spectrum(places: list[Path], kind: Window, width: float, most: float) -> Spectrum:
    """Return the spectrum of runs up to an energy; `width` and `most` in eV. Raises InputError."""
    runs = [read(place) for place in places]
    energies: Array = np.arange(1.0, round(most / _STEP) + 1) * (_STEP / HARTREE_IN_EV)
    if len(runs) == 1 and runs[0].lasers:
        return harmonics(runs[0], energies)
    for run in runs:
        if run.momentum is None or run.lasers:
            raise InputError(
                f"{run.path}: a run without a kick or with a laser; valid: one with [propagate] kick alone"
            )
    if all("dipole_x" in run.columns for run in runs):
        return absorption(runs, energies, kind, width / HARTREE_IN_EV)
    if len(runs) > 1 or "current_x" not in runs[0].columns:
        raise InputError(f"{runs[0].path}: no dipole, as of a crystal; valid: one run in the velocity gauge")
    return dielectric(runs[0], energies, kind, width / HARTREE_IN_EV)


def target(places: list[Path], output: str | None) -> Path:
    """Return where the table is written; refuse a file that is none."""
    default = (places[0] if places[0].is_dir() else places[0].parent) / TABLE
    path = default if output is None else Path(output)
    if path.is_dir() or not path.parent.is_dir() or (path.exists() and not kinds.is_of_kind(path, ".csv")):
        raise InputError(f"--output {path}: valid: the name of a new file, or of an earlier table")
    return path


def write(path: Path, found: Spectrum) -> None:
    """Write the columns."""
    ev = found.energies * HARTREE_IN_EV
    if isinstance(found, Absorption):
        names = "energy_eV,strength_per_eV,cross_section_A2"
        columns: tuple[Array, ...] = (ev, found.strength / HARTREE_IN_EV, found.cross_section * BOHR_IN_ANGSTROM**2)
        if found.rotation is not None:
            names += ",rotatory_strength_1e-40_cgs_per_eV"
            columns += (found.rotation * (IN_CGS / 1e-40 / HARTREE_IN_EV),)
    elif isinstance(found, Harmonics):
        names, columns = "energy_eV,order,power", (ev, found.energies / found.photon, found.power)
    else:
        names, columns = "energy_eV,re_epsilon,im_epsilon", (ev, found.epsilon.real, found.epsilon.imag)
    lines = [",".join(f"{number:.8g}" for number in row) for row in zip(*columns, strict=True)]
    store.write(path, "\n".join([_HEAD, names, *lines, ""]).encode(), store.process_token())


def lines(found: Spectrum) -> list[str]:
    """Return what is printed: peaks, and how much of the sum rule the energies contain; or harmonics."""
    if isinstance(found, Harmonics):
        return [f"harmonic {order}: {power:.2e} of the first" for order, power in found.strengths()]
    words = [f"sum rule: {found.sum_rule():.4f} of the electrons up to {found.energies[-1] * HARTREE_IN_EV:.1f} eV"]
    if isinstance(found, Absorption):
        words.append("averaged over all directions" if found.averaged else "of light polarised along the kick")
        for energy, strength in found.peaks():
            words.append(f"peak at {energy * HARTREE_IN_EV:.4f} eV, strength {strength / HARTREE_IN_EV:.4f} /eV")
    return words


def plot(path: Path, found: Spectrum) -> None:
    """Draw the spectrum into a file."""
    figure = plot_files.new_figure(6.4, 4.0)
    axis = figure.subplots()
    ev = found.energies * HARTREE_IN_EV
    if isinstance(found, Absorption):
        axis.plot(ev, found.cross_section * BOHR_IN_ANGSTROM**2, color="#08519c", linewidth=1.2)
        axis.set_ylabel("cross section (Angstrom$^2$)")
    elif isinstance(found, Harmonics):
        axis.semilogy(found.energies / found.photon, found.power, color="#08519c", linewidth=1.2)
        axis.set_ylabel("power (atomic units)")
    else:
        for values, label, colour in ((found.epsilon.real, "Re", "#08519c"), (found.epsilon.imag, "Im", "#d94801")):
            axis.plot(ev, values, label=label, color=colour, linewidth=1.2)
        axis.set_ylabel("dielectric function")
        axis.legend(frameon=False)
    axis.set_xlabel("harmonic order" if isinstance(found, Harmonics) else "energy (eV)")
    axis.spines[["top", "right"]].set_visible(False)
    plot_files.save(figure, path)
