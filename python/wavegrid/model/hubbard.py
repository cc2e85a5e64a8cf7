"""Occupations of the shells of DFT+U."""

from wavegrid.model.part import Part


class ShellOccupations(Part):
    """The occupation matrices of the shell of an atom: of each spin, or of one of two equal spins."""

    atom: int
    """number of the atom, from 1"""
    shell: str
    """such as 3d"""
    matrices: list[list[list[float]]]
    """`[spin][m][m']`, in real harmonics m = -l to l"""
    eigenvalues: list[list[float]]
    """of these, `[spin]`, rising"""
