"""The polarisation of a crystal."""

from wavegrid.model.part import Part, Vector


class Polarisation(Part):
    """The polarisation of a crystal by the Berry phase, e/bohr^2 (57.2148 C/m^2): only differences smaller than its
    quanta have a meaning."""

    vector: Vector
    """Cartesian, nearest to 0 of those that are possible"""
    along: Vector
    """components p_i along the lattice vectors: the sum of p_i a_i / |a_i| is the vector"""
    quanta: Vector
    """each component is known up to a multiple of its quantum"""
    electronic: Vector
    """the part of the electrons in `along`"""
    ionic: Vector
    """the part of the ions"""
