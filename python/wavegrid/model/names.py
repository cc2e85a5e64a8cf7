"""Names that the input and results share, without "auto"."""

from typing import Literal

TetrahedraName = Literal["tetrahedra", "tetrahedra-opt"]
SingularityName = Literal["auto", "none", "gygi-baldereschi", "spherical", "wigner-seitz"]
HubbardProjectorsName = Literal["ortho-atomic", "atomic"]
SmearingName = Literal["fermi-dirac", "gaussian", "methfessel-paxton", "cold", "tetrahedra", "tetrahedra-opt"]
TETRAHEDRA: tuple[str, ...] = ("tetrahedra", "tetrahedra-opt")
PreconditionerName = Literal["none", "kerker", "dielectric", "ldos"]
ScfMethodName = Literal["mixing", "direct"]
AugmentationName = Literal["reciprocal", "boxes"]
DensityKernelName = Literal["diagonalise", "purify"]
OrbitalSetName = Literal["minimal", "double-zeta", "double-zeta-polarised"]
ProjectorsName = Literal["reciprocal", "real"]
EigensolverName = Literal["rmm-diis", "lobpcg", "davidson", "chebyshev"]
PartitionName = Literal["greedy", "cyclic", "balanced", "optimized"]
MeshPartitionName = Literal["metis", "block"]
OverlapName = Literal["off", "polling", "thread"]
RegionName = Literal["cell", "spheres", "cylinder", "box"]
PropagatorName = Literal["etrs", "magnus4", "crank-nicolson"]
TransportName = Literal[
    "alltoallv", "alltoall_padded", "neighbor", "pairwise", "ring", "one_sided", "one_sided_get", "shared"
]
