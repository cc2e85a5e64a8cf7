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


class PhononBands(Part):
    """Frequencies along a path; imaginary ones are negative."""

    q_points: list[list[float]]
    """in units of the reciprocal vectors of the cell that is repeated"""
    x: list[float]
    """length along the path, 1/bohr"""
    labels: list[str]
    """names of the special points"""
    label_x: list[float]
    """positions of the labels on `x`, 1/bohr"""
    frequencies_THz: list[list[float]]
    """`[point][branch]`"""


class PhononDos(Part):
    """Density of states on a mesh of q, by tetrahedra."""

    frequencies_THz: list[float]
    """frequencies"""
    density: list[float]
    """states per THz and cell"""


class PhononThermal(Part):
    """Harmonic thermodynamics of a cell; imaginary frequencies are left out."""

    temperatures: list[float]
    """K"""
    free_energy_eV: list[float]
    """Helmholtz free energy of the phonons, zero-point energy included"""
    entropy_eV_per_K: list[float]
    """entropy"""
    heat_capacity_eV_per_K: list[float]
    """at constant volume"""
    zero_point_energy_eV: float
    """free energy at 0 K"""


class Phonons(Part):
    """Phonons of a supercell. The other parts of result.json are of its last displacement, but for the wall times."""

    displacements: int
    """number of displaced supercells"""
    residual_force: float | None = None
    """largest force without displacement, Ha/bohr; subtracted from the others"""
    lowest_frequency_THz: float | None = None
    """along the path; negative: imaginary"""
    bands: PhononBands | None = None
    """left out, as all that follows, where the run ended early"""
    dos: PhononDos | None = None
    """density of states"""
    thermal: PhononThermal | None = None
    """free energy, entropy, heat capacity"""


class Vibration(Part):
    """A normal mode."""

    frequency_per_cm: float
    """1/cm; negative: imaginary"""
    egg_box_error_per_cm: float | None = None
    """on a mesh, what the egg-box effect changes of it, at most about"""
    reduced_mass: float
    """amu"""
    displacements: list[list[float]]
    """of the atoms, normalised, Cartesian"""


class Vibrations(Part):
    """Vibrations. The other parts of result.json are of the last displacement, but for the wall times."""

    atoms: list[int]
    """numbers of the atoms that are displaced, from 1"""
    residual_force: float | None = None
    """largest force on one of them without displacement, Ha/bohr"""
    egg_box_energy: float | None = None
    """on a mesh, largest difference of the energies where all atoms are moved together between its points, Ha"""
    mesh_positions: int | None = None
    """on a mesh, at how many positions between its points each geometry was solved: energies and forces are means"""
    asymmetry: float | None = None
    """largest difference of two force constants that are equal by definition, over the largest one"""
    rigid_per_cm: list[float] | None = None
    """frequencies that the force constants give for translations and rotations, which are projected out, 1/cm, beyond
    those that forces on turned atoms explain; those of translations are small because the net force is taken off"""
    zero_point_energy_eV: float | None = None
    """of the modes that are not imaginary"""
    modes: list[Vibration] | None = None
    """ascending; left out where the run ended early"""


class PathImage(Part):
    """An image of a reaction path."""

    distance: float
    """length of the path from the first image, bohr, of all coordinates together"""
    free_energy: float
    """free energy, Ha"""
    largest_force: float
    """largest force perpendicular to the path or, of the climbing image, in all directions, Ha/bohr; 0 at the ends"""
    fractional: list[list[float]]
    """coordinates of the atoms in units of the lattice vectors"""


class ReactionPath(Part):
    """A nudged elastic band. The other parts of result.json are of the last image solved, but for the wall times."""

    converged: bool
    """whether the forces of all images are below the tolerance"""
    steps: int
    """steps of the optimiser"""
    geometries: int
    """geometries that were computed"""
    groups: int = 1
    """groups of ranks, which solved images at the same time"""
    images: list[PathImage]
    """the images, first and last one included"""
    barrier_eV: float | None = None
    """highest free energy minus that of the first image; left out where not all images were computed"""
    reverse_barrier_eV: float | None = None
    """highest free energy minus that of the last image"""
    highest_image: int | None = None
    """its number, from 0"""
