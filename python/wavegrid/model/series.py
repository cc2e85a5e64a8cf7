"""Elastic constants, phonons, vibrations and barriers: tasks that are a series of geometries."""

from wavegrid.model.part import Part


class StrainedCell(Part):
    """One strained cell."""

    component: str
    """of the strain: "xx", "yy", "zz", "yz", "xz", "xy"; empty: the cell without strain"""
    strain: float
    """its size; shear strains are twice the components of the tensor"""
    geometries: int = 0
    """number of geometries until the atoms were relaxed"""
    relaxed: bool = False
    """whether no force is above the tolerance"""
    largest_force: float | None = None
    """largest force on an atom of the last geometry, Ha/bohr; as the stresses, of a cell that was solved"""
    stress_GPa: list[float] | None = None
    """stress of the last geometry, xx, yy, zz, yz, xz, xy, GPa"""
    clamped_stress_GPa: list[float] | None = None
    """of the first geometry, whose atoms moved with the cell"""


class ElasticConstants(Part):
    """Elastic constants. The other parts of result.json belong to the last strained cell, but for the wall times."""

    independent: int
    """number of independent constants of the symmetry"""
    cells: list[StrainedCell]
    """the cells in the order of their calculation"""
    constants_GPa: list[list[float]] | None = None
    """6 x 6, in the order xx, yy, zz, yz, xz, xy, with relaxed atoms; left out where the run ended early"""
    clamped_constants_GPa: list[list[float]] | None = None
    """of atoms that move with the cell"""
    scatter_GPa: float | None = None
    """root mean square difference of the slopes of the stresses from those of the constants"""
    eigenvalues_GPa: list[float] | None = None
    """of the constants, ascending"""
    stable: bool | None = None
    """whether all eigenvalues are positive (Born's criterion)"""
    bulk_modulus_GPa: list[float] | None = None
    """of a polycrystal: bounds of Voigt and Reuss, mean of Hill"""
    shear_modulus_GPa: list[float] | None = None
    """of a polycrystal: bounds of Voigt and Reuss, mean of Hill"""
    young_modulus_GPa: float | None = None
    """of a polycrystal, by Hill's means"""
    poisson_ratio: float | None = None
    """of a polycrystal, by Hill's means"""
