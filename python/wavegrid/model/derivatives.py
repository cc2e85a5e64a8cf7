"""Forces and stress."""

from wavegrid.model.part import Part, Tensor, Vector


class ForceTerms(Part):
    """Forces by term, Ha/bohr, each one vector per atom."""

    ion_ion: list[Vector]
    """Coulomb forces of the ions"""
    local: list[Vector]
    """local part of the pseudopotentials"""
    nonlocal_: list[Vector]
    """nonlocal part of the pseudopotentials"""
    augmentation: list[Vector] | None = None
    """augmentation charge of ultrasoft and PAW datasets"""
    nlcc: list[Vector]
    """nonlinear core correction"""
    scf_correction: list[Vector]
    """correction for a density that is not fully self-consistent"""
    orbitals: list[Vector] | None = None
    """local orbitals that move with the atoms"""
    constraint: list[Vector] | None = None
    """penalty for moments that leave their directions"""
    external: list[Vector] | None = None
    """field from outside"""
    dispersion: list[Vector] | None = None
    """dispersion correction"""


class Forces(Part):
    """Forces on the atoms in the order of the (super)cell, Ha/bohr, Cartesian."""

    elements: list[str]
    """element of each atom"""
    largest: float
    """length of the largest force"""
    error_estimate: float | None = None
    """estimated error of a force, from that of the energy: usually larger than the error, in tests 0.5 to 12 times"""
    total: list[Vector]
    """sum of all terms without `net` and `torque`"""
    terms: ForceTerms
    """by term"""
    net: Vector
    """net force but for that of a potential from outside: an error of grid and tolerance, subtracted in equal parts"""
    torque: Vector | None = None
    """of a molecule with free boundaries: torque about the middle of its atoms, Ha, subtracted likewise"""


class StressTerms(Part):
    """Stress by term, Ha/bohr^3."""

    kinetic: Tensor
    """kinetic energy"""
    hartree: Tensor
    """Hartree energy"""
    xc: Tensor
    """exchange-correlation energy"""
    ion_ion: Tensor
    """Coulomb energy of the ions"""
    local: Tensor
    """local part of the pseudopotentials without G = 0"""
    local_g0: Tensor
    """G = 0 part of the local pseudopotentials"""
    nonlocal_: Tensor
    """nonlocal part of the pseudopotentials"""
    exchange: Tensor | None = None
    """exact exchange of a hybrid functional"""
    augmentation: Tensor | None = None
    """augmentation charge of ultrasoft and PAW datasets"""
    nlcc: Tensor
    """nonlinear core correction"""
    scf_correction: Tensor
    """correction for a density that is not fully self-consistent"""
    constraint: Tensor | None = None
    """penalty for moments that leave their directions"""
    dispersion: Tensor | None = None
    """dispersion correction"""


class Stress(Part):
    """Stress of the cell, Ha/bohr^3, Cartesian; signs in docs/conventions.md."""

    total: Tensor
    """sum of all terms"""
    terms: StressTerms
    """by term"""
    pressure: float
    """-1/3 of the trace"""
    total_GPa: Tensor
    """`total` in GPa"""
    pressure_GPa: float
    """`pressure` in GPa"""
