"""The response to electric fields."""

from wavegrid.model.part import Part, Tensor


class BornCharges(Part):
    """Clamped ions in electric fields, with the symmetry of the crystal."""

    fields: int
    """fields along x, y and z that are done; with fewer than 3 the run was ended early"""
    iterations: list[int]
    """of the change of the potential in each field"""
    dielectric: Tensor | None = None
    """of the electrons; left out, as all that follows, where fields are missing"""
    charges: list[Tensor] | None = None
    """`[atom][force][field]`: change of the force on an atom by a field, e; corrected to the sum zero"""
    charge_sum: Tensor | None = None
    """of all atoms before that: the error by cutoff and k-points"""
    asymmetry: float | None = None
    """largest change of a charge by the symmetry of the crystal, e"""
