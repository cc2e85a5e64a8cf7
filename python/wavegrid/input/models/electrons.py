"""The table [electrons] with its k-points and smearing."""

from typing import Annotated, Literal

from pydantic import field_serializer

from wavegrid.input.fields import (
    MOST_KPOINTS,
    Count,
    Dispersion,
    Flag,
    KPointList,
    Mesh,
    Moments,
    Occupations,
    Pseudopotentials,
    Section,
    Spacing,
    Triple,
    Weights,
    energy,
    key,
    measure,
    number,
    text,
    whole,
)
from wavegrid.input.models.defaults import (
    BANDS_FACTOR,
    BANDS_MORE,
    LARGE_FACTOR,
    LINE_POINTS,
    MESH_SPACING,
    Width,
)
from wavegrid.input.models.hubbard import Hubbard
from wavegrid.model.names import SingularityName, SmearingName
from wavegrid.units import LENGTH_UNITS


class Smearing(Section):
    """Broadening of the occupations."""

    kind: SmearingName = key(
        ...,
        "the distribution: Fermi-Dirac, Gaussian, Methfessel-Paxton of first order, Marzari-Vanderbilt (cold); or "
        "none: tetrahedra of a mesh, with Blöchl's correction or the optimised ones of Kawamura",
    )
    width: Width | None = key(
        None, "width of the broadening; kT for Fermi-Dirac", omitted="required but with tetrahedra", examples=["0.2 eV"]
    )

    @field_serializer("width")
    def _number(self, width: float | None) -> float:
        return width or 0.0


class KPoints(Section):
    """k-points in units of the reciprocal vectors of the (super)cell: mesh or list for the density, path for bands."""

    mesh: Mesh | None = key(
        None,
        "mesh N of k_i = (n_i + shift_i) / N_i",
        omitted=f"[1, 1, 1]; where there is only a path, at most {MESH_SPACING}/bohr apart",
        examples=[[4, 4, 4]],
    )
    spacing: Spacing | None = key(
        None,
        "instead of `mesh`: the smallest mesh with the symmetry of the crystal whose points are at most this apart "
        "along each reciprocal vector (its length, 2 pi included, divided by N), one point across vacuum; centred at "
        "Gamma unless `shift` is given, which hexagonal lattices refuse. A number without a unit is in 1/bohr",
        examples=[0.15, "0.15 /bohr", "0.3 /angstrom"],
    )
    shift: Triple = key(
        [0, 0, 0],
        "shift in steps of the mesh; 0.5 with an even count is that of Monkhorst and Pack",
        examples=[[0.5, 0.5, 0.5]],
    )
    list: KPointList | None = key(
        None,
        "k-points instead of a mesh, used as given, without symmetry unless they are `irreducible`",
        examples=[[[0, 0, 0], [0.5, 0, 0]]],
    )
    weights: Weights | None = key(
        None,
        "weights of the k-points of `list`; divided by their sum. Those of weight 0 take no part in the density: their "
        "levels are computed in its potential (`levels_at_weight_zero` in result.json)",
        omitted="equal",
        examples=[[1, 3]],
    )
    irreducible: Flag = key(
        False,
        "the points of `list` are the irreducible ones of a mesh, as in inputs of pw.x and in IBZKPT: density, forces "
        "and stress are averaged over the symmetry of the crystal, as for a mesh",
    )
    path: Annotated[str, text("text", "names of special points")] | None = key(
        None,
        'band path: names of special points such as "GXWK" or "Gamma-X-W-K", a comma or a vertical bar is a jump '
        '("GXU,KGL"); names as in ASE, those of the lattice of the cell, of layers and chains those of their periodic '
        "directions",
        omitted='the usual path of the lattice of the cell, layer or chain, with `[task] kind = "bands"`',
        examples=["GXWK", "GXU,KGL"],
    )
    points: Annotated[int, whole(MOST_KPOINTS)] | None = key(
        None,
        "number of k-points of the path, all named points among them",
        omitted=f"{LINE_POINTS} for each line of the path",
        examples=[60],
    )


class Exchange(Section):
    """Exact exchange of a hybrid functional."""

    fraction: Annotated[float, number(0.001, 1)] | None = key(
        None, "share of exact exchange: of PBE0, HSE03, HSE06", omitted="that of the functional", examples=[0.3]
    )
    screening: Spacing | None = key(
        None,
        "omega of the screened interaction erfc(omega r)/r: of HSE03, HSE06; pw.x has 0.106 for HSE06",
        omitted="that of libxc, 0.11/bohr for HSE06",
        examples=["0.106 /bohr"],
    )
    kpoints: Mesh | None = key(
        None,
        "mesh of the differences q of k-points: divides `mesh` of the k-points",
        omitted="that of the k-points",
        examples=[[2, 2, 2]],
    )
    singularity: SingularityName = key(
        "auto",
        "the interaction at q = 0: of Gygi and Baldereschi (`auto`, as pw.x); none; or cut at a sphere or cell",
    )
    extrapolate: Flag = key(False, "of the mesh, with Gygi and Baldereschi: pw.x's x_gamma_extrapolation")
    ecut: Annotated[float, energy(0.1, 100_000)] | None = key(
        None, "cutoff of the densities of pairs of bands", omitted="none is cut off", examples=["30 Ha"]
    )
    tolerance: Annotated[float, energy(1e-14, 1)] | None = key(
        None, "of the energy, with that of the loop in it", omitted="energy_tolerance", examples=["1e-6 Ha"]
    )


class Constrain(Section):
    """A penalty that holds the directions of magnetic moments."""

    penalty: Annotated[float, energy(1e-6, 100)] = key(
        "0.5 Ha",
        "energy for a part of 1 mu_B across the direction; it grows with its square",
        examples=["1 Ha"],
    )
    radius: Annotated[float, measure("radius", LENGTH_UNITS, 0.5, 10)] = key(
        "2 bohr", "of the spheres around the atoms whose moments count", examples=["1.5 bohr"]
    )


class Electrons(Section):
    """Functional, pseudopotentials, k-points, bands, spin and occupations."""

    xc: Annotated[str, text("text", "libxc names joined by + or a short one", most=200)] = key(
        ...,
        "exchange-correlation functional: LDAs, GGAs, meta-GGAs or hybrids of libxc joined by +, or a short name: "
        "LDA-PZ, LDA-PW, LDA-VWN, TETER, PBE, PBESOL, REVPBE, RPBE, WC, PW91, AM05, BLYP, BP86, R2SCAN, RSCAN, SCAN, "
        "TPSS, REVTPSS, PBE0, HSE03, HSE06, B3LYP, HF",
        examples=["PBE"],
    )
    pseudopotentials: Pseudopotentials = key(
        ...,
        '"gth-lda", "gth-pbe", "gth-scan", "PseudoDojo", "SG15", the path of a folder with a file for each element, '
        'or by element `{ Al = "path/to/Al.upf", Li = "gth-lda-q3" }`: a norm-conserving UPF or psp8 file, a GTH text, '
        "or a shipped entry by its valence",
        examples=[{"Al": "path/to/Al.upf", "Li": "gth-lda-q3"}],
    )
    exchange: Exchange | None = key(
        None, "see below: of a hybrid functional", omitted="its defaults", examples=[{"kpoints": [2, 2, 2]}]
    )
    hubbard: Hubbard | None = key(
        None, "DFT+U, see below", omitted="none", examples=[{"Ni": {"shell": "3d", "u": "5 eV"}}]
    )
    dispersion: Dispersion | None = key(
        None,
        "dispersion correction of the functional, in energy, forces and stress: D2, D3 with Becke-Johnson damping or "
        'D4, the latter by the packages dftd3 and dftd4. "D3" and "D3(BJ)" are other names of "d3-bj"; capital letters '
        "count as small ones",
        omitted="none",
    )
    kpoints: KPoints | None = key(
        None,
        "see below",
        omitted="Gamma alone, real wave functions",
        examples=[{"mesh": [4, 4, 4], "shift": [0, 0, 0]}, {"path": "GXWK", "points": 60}],
    )
    bands: Count | None = key(
        None,
        "number of bands of each k-point and spin; a run with smearing whose highest band is occupied to more than "
        "0.1 % ends with exit code 1 and a number that is enough, and one with fixed occupations where it limits a "
        "free magnetisation brings a warning; with a band structure or a density of states the default has at least "
        "4 empty bands",
        omitted=f"enough for the electrons; with smearing {BANDS_FACTOR} times that plus {BANDS_MORE}, "
        f"at least {LARGE_FACTOR} times that, and more are "
        "added during the run if the highest one stays occupied, or full while the magnetisation is free",
        examples=[16],
    )
    smearing: Smearing | None = key(
        None,
        "broadening of the occupations",
        omitted="fixed occupations; 0.1 eV for one free atom of F, Cl, Br, I, V, Fe, Co or Ni with a moment by default",
        examples=[{"kind": "fermi-dirac", "width": "0.2 eV"}],
    )
    occupations: Occupations | None = key(
        None,
        "electrons of each band instead of a smearing, the lowest band first, the same at all k-points: excited "
        "states, holes in lower levels. With collinear spin a list for each spin",
        omitted="the lowest bands are occupied",
        examples=[[2, 2, 1, 1], [[1, 1, 1], [1, 0, 1]]],
    )
    spin: Literal["none", "collinear", "noncollinear"] = key(
        "none",
        "spin polarisation, up and down or in any direction; without this key it is collinear where the structure file "
        "has magnetic moments, and noncollinear where these are vectors",
    )
    spin_orbit: Flag = key(
        False,
        "spin-orbit coupling, with wave functions of two components: needs a fully relativistic pseudopotential (UPF, "
        "psp8, HGH) of each element that shall have it",
    )
    initial_magnetic_moments: Moments | None = key(
        None,
        "electrons up minus down (mu_B) of the initial density: `{ Fe = 2.5 }`, elements left out have 0, or one for "
        "each atom of the cell or supercell; with noncollinear spin Cartesian vectors, numbers being along z",
        omitted="those of the structure file, else half of those of the free atoms, all parallel",
        examples=[{"Fe": 2.5}, [1, -1], {"Fe": [0, 0, 2.5]}],
    )
    constrain: Constrain | None = key(
        None,
        "see below: holds the directions of `initial_magnetic_moments`, with noncollinear spin",
        omitted="moments turn",
        examples=[{"penalty": "0.5 Ha"}],
    )
    total_magnetisation: Annotated[float, number(-1e6, 1e6)] | None = key(
        None,
        "electrons up minus down (mu_B) of the cell, held fixed",
        omitted="free; that of Hund's rules for one free atom of open shells without smearing and "
        "initial_magnetic_moments",
        examples=[2.0],
    )
    charge: Annotated[float, number(-1e6, 1e6)] = key(
        0.0, "charge of the cell (electrons taken away), in a neutralising background", examples=[1.0]
    )

    def has_spinors(self) -> bool:
        """Return whether bands have two components, and hold one electron each."""
        return self.spin_orbit or self.spin == "noncollinear"
