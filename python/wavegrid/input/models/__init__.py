"""The input file as data models: the one place of names, types, defaults, ranges and meanings of all its keys."""

from wavegrid.input.models.basis import Basis, Region
from wavegrid.input.models.defaults import (
    BANDS_FACTOR,
    BANDS_MORE,
    DIFFERENCE_TOLERANCE,
    DOS_WIDTH,
    HUBBARD_TOLERANCE,
    LARGE_FACTOR,
    LINE_POINTS,
    MD_TOLERANCE,
    MESH_SPACING,
    PROPAGATE_TOLERANCE,
    WINDOW,
)
from wavegrid.input.models.document import Input
from wavegrid.input.models.electrons import Electrons, KPoints, Smearing
from wavegrid.input.models.external import External
from wavegrid.input.models.parallel import Parallel
from wavegrid.input.models.propagate import Kick, Laser, Propagate
from wavegrid.input.models.series import Elastic, Eos, Neb, Phonon, Vibrations
from wavegrid.input.models.structure import Structure
from wavegrid.input.models.tasks import Md, Relax
from wavegrid.model.names import (
    AugmentationName,
    EigensolverName,
    MeshPartitionName,
    OverlapName,
    PartitionName,
    PreconditionerName,
    ProjectorsName,
    ScfMethodName,
    SmearingName,
    TransportName,
)

__all__ = [
    "AugmentationName",
    "BANDS_FACTOR",
    "BANDS_MORE",
    "Basis",
    "DOS_WIDTH",
    "HUBBARD_TOLERANCE",
    "EigensolverName",
    "Electrons",
    "Elastic",
    "Eos",
    "External",
    "Input",
    "KPoints",
    "Kick",
    "LARGE_FACTOR",
    "LINE_POINTS",
    "Laser",
    "DIFFERENCE_TOLERANCE",
    "MD_TOLERANCE",
    "MESH_SPACING",
    "Md",
    "MeshPartitionName",
    "OverlapName",
    "PROPAGATE_TOLERANCE",
    "Parallel",
    "PartitionName",
    "PreconditionerName",
    "ProjectorsName",
    "Neb",
    "Phonon",
    "Vibrations",
    "Propagate",
    "Region",
    "Relax",
    "ScfMethodName",
    "Smearing",
    "SmearingName",
    "Structure",
    "TransportName",
    "WINDOW",
]
