"""Keys of the region of a mesh that do not fit together."""

from collections.abc import Iterator

from wavegrid.input import fields
from wavegrid.input.models import Basis, Region


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
