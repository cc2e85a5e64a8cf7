"""Occupations of the shells of DFT+U."""

from wavegrid.model.part import Part


class ShellOccupations(Part):
    """The occupation matrices of the shell of an atom: of each spin, or of one of two equal spins.

    Of spinors one matrix, of all orbitals with spin up, then with spin down: its real part, then its imaginary part.
    """

    atom: int
    """number of the atom, from 1"""
    shell: str
    """such as 3d"""
    matrices: list[list[list[float]]]
    """`[spin][m][m']`, in real harmonics m = -l to l"""
    eigenvalues: list[list[float]]
    """of these, `[spin]`, rising"""


class HubbardStart(Part):
    """The minimum found from one of several `initial_occupations`."""

    free_energy: float
    """Ha"""
    converged: bool
    """as it says"""
    scf_steps: int
    """as it says"""
    magnetisation: float | None = None
    """Bohr magnetons"""
    eigenvalues: list[list[list[float]]]
    """of the matrices, `[shell][spin]`"""
    is_result: bool = False
    """whether result.json has this one: the lowest that converged"""


class HubbardResponse(Part):
    """U by linear response, 10.1103/PhysRevB.71.035105; the rest of result.json belongs to the run without shifts.

    Rows and columns of the matrices are the shells in the order of `hubbard`.
    """

    shifts: list[float]
    """of the potential of a shell, Ha"""
    perturbed: list[int]
    """atoms that were shifted, by their number from 1; the others follow by symmetry"""
    bare: list[list[float]] | None = None
    """electrons of the shells by the shifts in a potential that does not respond, 1/Ha; left out, as all that follows,
    where the run ended early"""
    screened: list[list[float]] | None = None
    """the same of self-consistent densities; the potential of U does not respond"""
    asymmetry: float | None = None
    """largest difference of two elements that are equal by definition, over the largest one"""
    u_eV: list[float] | None = None
    """diagonal of the inverse of `bare` minus that of `screened`, eV"""
    error_eV: list[float] | None = None
    """of these by the fit, eV: terms of third order, and scatter about the polynomial"""
