"""Defaults that are not values of a key, and types of several tables."""

from typing import Annotated

from wavegrid.input.fields import energy

MESH_SPACING = 0.15  # 1/bohr, at most, of the mesh of the density where the input has only a path
LINE_POINTS = 40  # of each line of a band path
WINDOW = ("-15 eV", "10 eV")  # that plots of bands and densities of states show
MD_TOLERANCE = 1e-9  # Ha, of the energy
HUBBARD_TOLERANCE = 1e-13  # Ha, of tasks that take differences of electrons
HUBBARD_SHIFT = "0.1 eV"
DIFFERENCE_TOLERANCE = 1e-10  # Ha, of tasks that take differences of forces or stresses
PROPAGATE_TOLERANCE = 1e-10  # Ha, of the ground state: its errors oscillate with the response
DOS_WIDTH = 0.004  # Ha, of the broadening where occupations are fixed
# With smearing, times the bands that hold the electrons: so many of them and so many more; at least LARGE_FACTOR. In
# large cells levels are dense above the Fermi level: with few empty bands those are occupied that are left out (5e-5 Ha
# of Al108), and the eigensolver converges slowly (docs/lab/other-codes.md).
BANDS_FACTOR, BANDS_MORE, LARGE_FACTOR = 1.2, 4, 1.45

Width = Annotated[float, energy(1e-8, 10)]  # of a broadening
