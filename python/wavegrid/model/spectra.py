"""Band gaps, bands, densities of states."""

from collections.abc import Sequence
from typing import Literal

from wavegrid.model.names import SmearingName
from wavegrid.model.part import ByState, FermiLevel, Part, Vector

Letter = Literal["s", "p", "d", "f"]


class BandGap(Part):
    """The band gap, Ha, of an insulator with empty bands."""

    fundamental: float
    """conduction band minimum minus valence band maximum"""
    direct: float
    """smallest gap at one k-point"""
    valence_band_maximum: float
    """the highest occupied level"""
    valence_band_maximum_index: int
    """its (first) place in the list of k-points, from 0"""
    conduction_band_minimum: float
    """the lowest empty level"""
    conduction_band_minimum_index: int
    """its (first) place in the list of k-points, from 0"""


class LevelsAtWeightZero(Part):
    """Levels at the k-points of weight zero, in the potential of the converged density."""

    kpoints: list[Vector]
    """in units of the reciprocal vectors, in the order of the input"""
    eigenvalues: ByState
    """Ha, `[spin][point][band]`"""
    error_bound: float
    """largest error that the residuals allow, Ha"""
    converged: bool
    """whether all of them converged"""


class BandParts(Part):
    """The parts of the atoms' orbitals in the states of a path, as in `dos.projections`."""

    atoms: list[int]
    """number of the atom of each part, from 1"""
    orbitals: list[str]
    """its angular momentum or harmonic: p, px, p3/2"""
    weights: list[list[list[list[float]]]]
    """0 to 1, `[spin][point][band][part]`; atoms that symmetry makes equivalent have their mean"""


class EffectiveMass(Part):
    """The curvature of a band at an edge of the gap, along one line of the path."""

    edge: Literal["valence", "conduction"]
    """of which bands"""
    spin: int
    """0 for up, or without spin; 1"""
    band: int
    """its number, from 1"""
    point: int
    """place of the edge in the list of k-points, from 0"""
    line: str
    """labels at the ends of the line: G-X"""
    mass: float
    """of an electron or a hole, in masses of the free electron"""


Edge = Literal["valence", "conduction"]


class BandExtremum(Part):
    """The extremum of a band next to an edge of the gap, found with k-points around it."""

    edge: Edge
    """of which bands"""
    spin: int
    """0 for up, or without spin; 1"""
    band: int
    """its number, from 1"""
    kpoint: Vector
    """in units of the reciprocal vectors"""
    energy: float
    """Ha"""
    states: int
    """number of states of the same level there"""
    converged: bool
    """whether it is an extremum"""
    masses: Sequence[float | None] = ()
    """of an electron or a hole along `axes`, ascending, in masses of the free electron; null: flat; left out where
    different bands meet, which have no tensor"""
    axes: Sequence[Vector] = ()
    """principal axes of the tensor, Cartesian"""


class Bands(Part):
    """The band structure along the path; plotted in `bands.png`."""

    kpoints: list[Vector]
    """in units of the reciprocal vectors"""
    x: list[float]
    """length along the path, 1/bohr"""
    labels: list[str]
    """names of the special points"""
    label_x: list[float]
    """positions of the labels on `x`, 1/bohr"""
    eigenvalues: ByState
    """Ha, `[spin][point][band]`"""
    error_bound: float
    """largest error that the residuals allow, Ha"""
    converged: bool
    """whether all bands converged"""
    fermi_level: FermiLevel
    """as at the top level, Ha"""
    band_gap: BandGap | None = None
    """along the path, of an insulator with empty bands"""
    effective_masses: Sequence[EffectiveMass] = ()
    """at the edges of the gap, where the points of the path are dense enough there"""
    extrema: Sequence[BandExtremum] = ()
    """with `[task] extrema`, of an insulator: of the valence and of the conduction bands"""
    projections: BandParts | None = None
    """where the input asks for them"""
    window: tuple[float, float] | None = None
    """lowest and highest energy of the plot, Ha"""
    spins: list[list[Vector]] | None = None
    """of spinors: the expectation value of sigma, Cartesian, `[point][band]`; of degenerate states any share of it"""


class Broadening(Part):
    """Broadening of levels or occupations."""

    kind: SmearingName
    """the distribution"""
    width: float
    """its width, Ha; 0 with tetrahedra"""


class ProjectedOrbitals(Part):
    """All orbitals of an atom with one angular momentum, or those of them with one real harmonic."""

    l: Letter
    """their angular momentum"""
    harmonic: str | None = None
    """where the input asks for "lm": px, dxy, fz3 and so on; for "j": p3/2; for "jm": p3/2 +1/2"""
    electrons: list[float]
    """electrons in them, one number for each spin"""
    density_of_states: list[list[float]]
    """1/Ha/cell, `[spin][energy]`, on the energies of `dos`"""


class ProjectedAtom(Part):
    """Projections onto one atom."""

    element: str
    """its element"""
    charge: float
    """Löwdin charge: valence charge of the ion minus the electrons in its orbitals, e"""
    magnetic_moment: float | None = None
    """with spin: electrons up minus down in its orbitals, mu_B"""
    orbitals: list[ProjectedOrbitals]
    """by angular momentum"""


class Projections(Part):
    """Projections of the states onto the orbitals of the atoms, which are orthonormalised by Löwdin's method."""

    orbitals: dict[str, Literal["file", "pseudo-atom"]]
    """by element: those in its pseudopotential file, or (on meshes always) the levels of the solved pseudo-atom"""
    atoms: list[ProjectedAtom]
    """in the order of the (super)cell; at any energy they add up to at most the total"""
    spilling: float
    """share of the electrons that is in none of the orbitals; the charges add up to that of the cell plus these"""


class DensityOfStates(Part):
    """The density of states; plotted in `dos.png`. Use a dense mesh."""

    energies: list[float]
    """Ha, ascending"""
    ranges: list[tuple[int, int]]
    """first index and index after the last one of each range of evenly spaced `energies`: those of deep bands
    (semicore), and last the range of all other bands; between ranges there are no levels"""
    density_of_states: list[list[float]]
    """1/Ha/cell, `[spin][energy]`"""
    integrated_density_of_states: list[list[float]]
    """states below each energy, `[spin][energy]`: the integral of `density_of_states`"""
    electrons_at_fermi_level: float
    """states below the Fermi level, counted by the smearing of the run and the levels of the loop: the electrons"""
    fermi_level: FermiLevel
    """as at the top level, Ha"""
    complete_below: float
    """Ha; above, bands are missing that were not computed"""
    broadening: Broadening
    """how the levels were broadened: by a Gaussian, or not at all between tetrahedra"""
    projections: Projections | None = None
    """the part of each atom and angular momentum"""
    window: tuple[float, float] | None = None
    """lowest and highest energy of the plot, Ha"""
