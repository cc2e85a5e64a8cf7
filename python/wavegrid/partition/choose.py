"""What `wavegrid partition` divides: plane waves or a mesh."""

from collections.abc import Callable
from types import ModuleType

from wavegrid.discretisation.mesh import Mesh
from wavegrid.input.document import Document
from wavegrid.input.models import Input
from wavegrid.partition import mesh, plane_waves
from wavegrid.partition.plane_waves import Partitions, Request


def partitions(core_of: Callable[[], ModuleType], document: Document, spec: Input, request: Request) -> Partitions:
    """Divide the plane waves or the mesh of an input, or a mesh with the spacing of an option; raises InputError."""
    on_mesh = request.spacing is not None or spec.basis.method == Mesh.method
    return (mesh if on_mesh else plane_waves).partitions(core_of, document, spec, request)
