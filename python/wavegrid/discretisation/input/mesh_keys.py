"""Keys of an input that a mesh in real space excludes, and those of its region that do not fit together."""

from collections.abc import Iterator
from typing import get_args

from wavegrid.input import fields
from wavegrid.input.locate import KeyPath
from wavegrid.input.models import Basis, Input, MeshPartitionName, Region


def region_faults(basis: Basis) -> Iterator[tuple[str, str]]:
    """Yield key and message of what a region lacks, and of what does not belong to its kind."""
    region = basis.region
    needs: dict[str, tuple[str, ...]] = {
        "cell": (),
        "spheres": ("radius",),
        "cylinder": ("radius", "axis", "length"),
        "box": ("lengths",),
    }
    if region.kind == "cylinder" and region.axis is not None and basis.periodic()[region.axis - 1]:
        needs["cylinder"] = ("radius", "axis")  # as long as the cell
    for name in ("radius", "axis", "length", "lengths"):
        given = getattr(region, name) is not None
        if name in needs[region.kind] and not given:
            valid = fields.valid_values(Region.model_fields[name])
            yield "region", f'region.kind = "{region.kind}" without {name}; valid: {valid}'
        if given and name not in needs[region.kind]:
            kinds = " or ".join(f'"{kind}"' for kind, names in needs.items() if name in names)
            yield "region", f'region.{name} with kind = "{region.kind}"; valid: kind = {kinds}, or no {name}'
    if region.kind != "cell" and basis.boundary == "periodic":
        yield "boundary", f'boundary = "periodic" with region.kind = "{region.kind}"; valid: "free", or kind = "cell"'


def excluded(spec: Input, kind: str) -> Iterator[tuple[KeyPath, str, str]]:
    """Yield the key, what it asks for, and what is valid instead; `kind`: of the task."""
    waves = 'method = "planewaves"'
    if spec.basis.boundary != "periodic":
        yield from _excluded_by_free_directions(spec, kind)
    if spec.scf.precision == "mixed":
        yield ("scf", "precision"), 'precision = "mixed"', '"double", or "auto", which then is "double"'
    if spec.basis.projectors == "real":
        yield ("basis", "projectors"), 'projectors = "real"', f"without it, or {waves}"
    if spec.parallel.partition not in ("auto", *get_args(MeshPartitionName)):
        valid = f'"auto", "metis", "block", or {waves}'
        yield ("parallel", "partition"), f'partition = "{spec.parallel.partition}"', valid
    for name in sorted(spec.parallel.model_fields_set & {"rows", "columns", "deterministic"}):
        yield ("parallel", name), name, f"without it, or {waves}"


def _excluded_by_free_directions(spec: Input, kind: str) -> Iterator[tuple[KeyPath, str, str]]:
    free = "with free directions"
    if kind == "bands" and spec.basis.boundary == "free":
        yield ("task", "kind"), f'the task "bands" {free} alone', '"scf", "dos", "relax", "md"'
    if kind == "relax" and spec.relax.cell != "fixed":
        yield ("relax", "cell"), f'cell = "{spec.relax.cell}" {free}', 'cell = "fixed", or boundary = "periodic"'
    if spec.output.stress:
        yield ("output", "stress"), f"stress {free}", 'without it, or boundary = "periodic"'
    if spec.symmetry.use:
        yield ("symmetry", "use"), f"symmetry {free}", 'use = false, or boundary = "periodic"'
