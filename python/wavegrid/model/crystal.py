"""Structure, energies, charges."""

from wavegrid.model.part import Part, Tensor, Vector


class Structure(Part):
    """The crystal, also where the input names a file: the whole supercell."""

    cell: Tensor
    """lattice vectors as rows, bohr"""
    species: list[str]
    """element of each atom"""
    positions: list[Vector]
    """Cartesian positions of the atoms, bohr"""
    fractional: list[Vector]
    """the same in units of the lattice vectors"""
    initial_magnetic_moments: list[float] | None = None
    """with spin: electrons up minus down (mu_B) of each atom in the initial density"""
    fixed_fractional: list[list[bool]] | None = None
    """where any are fixed: whether each atom keeps each of its three fractional coordinates"""
    fixed_cartesian: list[list[bool]] | None = None
    """the same of Cartesian coordinates, for axes that are along no lattice vectors"""


class Energy(Part):
    """The energy of the cell by term, Ha. The terms from kinetic to dispersion add up to the free energy."""

    free: float
    """free energy F = E - TS, which the calculation minimises"""
    internal: float
    """internal energy E: the free energy without the term `entropy`"""
    kinetic: float
    """kinetic energy of the electrons"""
    hartree: float
    """Hartree energy"""
    xc: float
    """exchange-correlation energy, with the core density where a pseudopotential has one"""
    onsite: float | None = None
    """PAW: Hartree and exchange-correlation energy in the spheres of the atoms, all-electron less pseudo"""
    hubbard: float | None = None
    """DFT+U"""
    ion_ion: float
    """Coulomb energy of the ions among themselves"""
    local: float
    """local part of the pseudopotentials without G = 0"""
    local_g0: float
    """the G = 0 part of the local pseudopotentials (ABINIT's PspCore)"""
    nonlocal_: float
    """nonlocal part of the pseudopotentials"""
    exchange: float | None = None
    """exact exchange of a hybrid functional"""
    entropy: float
    """-TS, or the corresponding term of the smearing; 0 with fixed occupations"""
    constraint: float | None = None
    """penalty for moments that leave their directions, where `constrain` holds them"""
    external: float | None = None
    """energy in the potential and the field from outside, ions included, where the input asks for any"""
    dispersion: float | None = None
    """dispersion correction, where the input asks for one"""
    extrapolated: float
    """the free energy extrapolated to zero smearing, to the order that its kind allows"""


class Magnetisation(Part):
    """Electrons up minus down of the cell (mu_B)."""

    total: float
    """integral of the magnetisation density"""
    absolute: float
    """integral of its absolute value"""
    vector: Vector | None = None
    """with noncollinear spin: the Cartesian components, of which `total` is the length"""


class Multipoles(Part):
    """Moments of the charge of ions and electrons, which point from negative to positive charge."""

    dipole: Vector
    """dipole moment, of a chain or layer that of the cell across it, e bohr"""
    charge: float
    """e; without charge the dipole moment has no origin"""
    origin: Vector
    """origin of the moments: the centre of mass of the atoms, bohr"""
    quadrupole: Tensor | None = None
    """of a molecule or ion, traceless: half the sum of q (3 r r - r^2), e bohr^2"""


class AtomicCharges(Part):
    """Charges and moments of the atoms in the order of the (super)cell: Hirshfeld's partition of the density."""

    charges: list[float]
    """valence charge of the ion minus the electrons of the atom, e"""
    magnetic_moments: list[float] | None = None
    """with spin: electrons up minus down of the atom, mu_B"""
    magnetic_moment_vectors: list[Vector] | None = None
    """with noncollinear spin: the same as Cartesian vectors"""
    magnetic_torques: list[Vector] | None = None
    """with `constrain`: torque that would turn the moment, Ha: minus the derivative of the energy by its angle"""
    unassigned: float
    """electrons of the cell that are far from all atoms; the charges add up to that of the cell plus this, e"""
