"""The window of a plot of bands or of a density of states: its energies, and the levels outside."""

import math
from dataclasses import dataclass

from wavegrid.base.text import counted
from wavegrid.model.part import ByState, FermiLevel
from wavegrid.model.spectra import BandGap
from wavegrid.results import gap as gaps
from wavegrid.units import HARTREE_IN_EV


@dataclass(frozen=True)
class Window:
    """The energies that a plot shows, Ha."""

    low: float
    high: float
    centre: float  # from which the input counts them

    @classmethod
    def around(cls, span: list[float], fermi: FermiLevel, gap: BandGap | None) -> "Window":
        """Return the window of `span`, Ha from the Fermi level, or where there is a gap from its middle."""
        if gap is None:
            centre = max(gaps.fermi_levels(fermi, 1))
        else:
            centre = (gap.valence_band_maximum + gap.conduction_band_minimum) / 2
        return cls(centre + span[0], centre + span[1], centre)

    def note(self, plot: str, levels: ByState) -> str:
        """Return what a plot leaves out, and the window that would show it; empty where that is nothing.

        Bands are counted that lie outside in part or as a whole, those of each spin for themselves.
        """
        bottoms = [min(band) for of_spin in levels for band in zip(*of_spin, strict=True)]
        tops = [max(band) for of_spin in levels for band in zip(*of_spin, strict=True)]
        outside = {"below": sum(one < self.low for one in bottoms), "above": sum(one > self.high for one in tops)}
        if not any(outside.values()):
            return ""
        words = " and ".join(f"{counted(count, 'band')} {side}" for side, count in outside.items() if count)
        inside = any(low <= self.high and high >= self.low for low, high in zip(bottoms, tops, strict=True))
        nothing = "" if inside else ", where there are no levels,"
        least, most = self._from_centre(min(self.low, *bottoms)), self._from_centre(max(self.high, *tops))
        return (
            f"{plot} shows {self._from_centre(self.low):.4g} to {self._from_centre(self.high):.4g} eV around the Fermi "
            f"level or the middle of the gap{nothing} and leaves out levels of "
            f"{words}; result.json has them, and "
            f'[task] window = ["{math.floor(least)} eV", "{math.ceil(most)} eV"] shows all'
        )

    def _from_centre(self, energy: float) -> float:
        return (energy - self.centre) * HARTREE_IN_EV
