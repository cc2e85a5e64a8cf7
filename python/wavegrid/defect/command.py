"""The corrections of the energy of a charged defect, and the lines that show them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wavegrid.defect import runs
from wavegrid.defect.model_charge import ModelCharge
from wavegrid.errors import InputError
from wavegrid.units import HARTREE_IN_EV

_FAR = 0.1  # of the lattice vector, on both sides of the plane farthest from the defect
_LEAST_GAP = 0.05 / HARTREE_IN_EV  # Ha, between filled and empty levels
_UNEVEN = 0.1 / HARTREE_IN_EV  # Ha; a larger scatter of what should be constant is worth a note


@dataclass(frozen=True)
class Profile:
    """Across one lattice direction: mean of each plane, Ha, from the defect on."""

    places: np.ndarray  # fractions of the lattice vector, -1/2 to 1/2
    change: np.ndarray  # of the potential of an electron by the charged defect
    model: np.ndarray  # that of the model charge

    @property
    def far(self) -> np.ndarray:
        """What of the change is not the model's, in the planes far from the defect."""
        left: np.ndarray = (self.change - self.model)[np.abs(self.places) > 0.5 - _FAR]
        return left


@dataclass(frozen=True)
class Correction:
    """The corrections of a charged defect, Ha."""

    charge: float
    site: np.ndarray  # fractional
    point: float  # leading term of Makov and Payne
    images: float  # energy of the model charge alone minus that with its images
    alignment: float  # what of the potential far from the defect is not the model's
    scatter: float  # of the alignment between planes and directions
    profiles: list[Profile]
    same_grid: bool  # of both runs
    difference: float  # free energy of the charged cell minus that of the perfect one
    valence_band: float | None  # highest occupied level of the perfect crystal, with the mean of the potentials

    gap: float | None  # of the charged cell, Ha; None where it has no empty bands

    @property
    def total(self) -> float:
        """The correction of Freysoldt, Neugebauer and Van de Walle: of images and alignment."""
        return self.images + self.charge * self.alignment

    def as_dict(self) -> dict[str, Any]:
        """Return all but the profiles for JSON, in eV."""
        found = {
            "charge": self.charge,
            "site": self.site.tolist(),
            "makov_payne_eV": self.point * HARTREE_IN_EV,
            "images_eV": self.images * HARTREE_IN_EV,
            "alignment_eV": self.alignment * HARTREE_IN_EV,
            "alignment_scatter_eV": self.scatter * HARTREE_IN_EV,
            "correction_eV": self.total * HARTREE_IN_EV,
            "energy_difference_eV": self.difference * HARTREE_IN_EV,
        }
        if self.gap is not None:
            found["charged_gap_eV"] = self.gap * HARTREE_IN_EV
        if self.valence_band is not None:
            found["valence_band_maximum_eV"] = self.valence_band * HARTREE_IN_EV
            found["corrected_eV"] = (self.difference + self.charge * self.valence_band + self.total) * HARTREE_IN_EV
        return found


def dielectric_of(text: str) -> np.ndarray:
    """Return the tensor of a constant, or of three along the axes; raises InputError."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) not in (1, 3) or not all(1 <= value <= 1e6 for value in values):
        raise InputError(f"--epsilon {text}; valid: a number from 1 to 1e6, or three along x, y and z: 3.1,3.1,4.0")
    return np.diag(values * (3 // len(values)))


def site_of(text: str) -> np.ndarray:
    """Return three fractional coordinates; raises InputError."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) != 3 or not all(abs(value) < 1e3 for value in values):
        raise InputError(f"--at {text}; valid: three fractional coordinates: 0.5,0.5,0.5")
    return np.array(values)


def correct(bulk: Path, charged: Path, dielectric: np.ndarray, site: np.ndarray | None, width: float) -> Correction:
    """Return the corrections of a charged defect from the folders of two runs; `width` of the model charge, bohr.

    Raises InputError for runs that do not belong together.
    """
    perfect, defect = runs.read(bulk), runs.read(charged)
    runs.check(perfect, defect)
    place = runs.site(perfect, defect) if site is None else site
    model = ModelCharge(perfect.cell, dielectric, defect.charge, width)
    change = runs.change(perfect, defect)
    potential = model.potential(change.shape, place)
    profiles = [_profile(change, potential, axis, place[axis]) for axis in range(3)]
    gap = perfect.result.band_gap
    level = perfect.result.fermi_level
    valence = gap.valence_band_maximum if gap is not None else level if isinstance(level, float) else None
    if valence is not None:
        valence += perfect.mean_potential
    return Correction(
        charge=defect.charge,
        site=place % 1.0,
        point=model.point_correction(),
        images=model.correction(),
        alignment=float(np.mean([profile.far.mean() for profile in profiles])),
        scatter=float(np.ptp(np.concatenate([profile.far for profile in profiles]))),
        profiles=profiles,
        same_grid=perfect.potential.shape == defect.potential.shape,
        difference=defect.result.energy.free - perfect.result.energy.free,
        valence_band=valence,
        gap=runs.gap(defect),
    )


def _profile(change: np.ndarray, model: np.ndarray, axis: int, site: float) -> Profile:
    others = tuple(other for other in range(3) if other != axis)
    places = np.arange(change.shape[axis]) / change.shape[axis] - site
    places -= np.round(places)
    order = np.argsort(places)
    return Profile(places[order], change.mean(axis=others)[order], model.mean(axis=others)[order])


def lines(found: Correction) -> list[str]:
    """Return what the command prints."""
    values = found.as_dict()
    place = ", ".join(f"{x:.4f}" for x in found.site)
    lines = [
        f"charge {found.charge:+g} at ({place})",
        f"images and background, model charge      {values['images_eV']:10.4f} eV",
        f"  of a point charge (Makov and Payne)     {values['makov_payne_eV']:10.4f} eV",
        f"potential far from the defect             {values['alignment_eV']:10.4f} eV for each electron, "
        f"scatter {values['alignment_scatter_eV']:.3f} eV",
        f"correction (Freysoldt and others)         {values['correction_eV']:10.4f} eV",
        f"E(charged) - E(perfect)                   {values['energy_difference_eV']:10.4f} eV",
    ]
    if found.valence_band is not None:
        lines.append(f"  + q E(valence band) + correction        {values['corrected_eV']:10.4f} eV")
    if not found.same_grid:
        lines.append(
            "note: the two runs have different grids, which change energies; use the same [basis] grid in both"
        )
    if found.gap is None:
        lines.append(
            "note: the charged cell has no empty bands, so that nothing shows whether the level of the defect is above "
            "the filled ones; use a few [electrons] bands more"
        )
    elif found.gap < _LEAST_GAP:
        lines.append(
            f"note: the lowest empty level of the charged cell is {found.gap * HARTREE_IN_EV:.2f} eV above the "
            "highest filled one: the level of the defect is in a band, and its charge is not what the corrections "
            "assume; relax the atoms, or take another charge"
        )
    if found.scatter > _UNEVEN:
        lines.append(
            "note: far from the defect the potential is not that of the model charge: the cell is too small, "
            "the charge is not at one place, or epsilon is another one"
        )
    return lines
