"""What a mesh does not have."""

from wavegrid.discretisation.choose import NOT_ON_MESH
from wavegrid.input.features.capabilities import AUGMENTED, COMMANDS, MESHES, WAVES
from wavegrid.input.features.refusals.refusal import FREE, LIBRARY_STRESS, PLANE_WAVES, Refusal, each, on_mesh

_LIBRARY_ON_MESH = "{} is not available on a mesh in real space; valid: plane waves"

REFUSALS = (
    *on_mesh(
        MESHES,
        "mixed precision",
        'precision = "mixed"',
        '"double", or "auto", which then is "double"',
        _LIBRARY_ON_MESH.format("mixed precision"),
    ),
    *on_mesh(
        MESHES,
        "projectors on the grid",
        'projectors = "real"',
        f"without it, or {PLANE_WAVES}",
        _LIBRARY_ON_MESH.format("projectors on the FFT grid"),
    ),
    *on_mesh(
        MESHES,
        "augmentation in boxes",
        'augmentation = "boxes"',
        f"without it, or {PLANE_WAVES}",
        _LIBRARY_ON_MESH.format("an augmentation charge in boxes"),
    ),
    *on_mesh(
        MESHES,
        "two grids",
        "density_ecut",
        f"without it, or {PLANE_WAVES}",
        _LIBRARY_ON_MESH.format("a grid of the density of its own"),
    ),
    *on_mesh(
        MESHES,
        "deterministic",
        "deterministic",
        f"without it, or {PLANE_WAVES}",
        _LIBRARY_ON_MESH.format("a deterministic result"),
    ),
    *on_mesh(
        MESHES,
        "rows x columns",
        "columns",
        f"without it, or {PLANE_WAVES}",
        _LIBRARY_ON_MESH.format("a process grid of rows and columns"),
    ),
    *on_mesh(MESHES, "partition of sticks", 'partition = "{first}"', f'"auto", "metis", "block", or {PLANE_WAVES}'),
    *each(
        ["partition of points"],
        WAVES,
        'partition = "{first}" with method = "planewaves"; valid: "auto", "greedy", "cyclic", "balanced", "optimized", '
        "or a mesh",
        "unknown partition '{first}'; valid: greedy, cyclic, balanced, optimized, auto",
    ),
    *each(
        ["halo options"],
        WAVES,
        '{first} with method = "planewaves"; valid: without it, or a mesh',
    ),
    *(
        Refusal(command, mesh, f"{command} {NOT_ON_MESH}; valid: {PLANE_WAVES}")
        for command in COMMANDS
        for mesh in MESHES
    ),
    *(
        Refusal(
            "equation of state",
            mesh,
            f'the task "eos" {NOT_ON_MESH}, whose spacing would have to follow the volume; valid: {PLANE_WAVES}',
        )
        for mesh in MESHES
    ),
    *(
        Refusal(
            "elastic constants",
            mesh,
            f'the task "elastic" {NOT_ON_MESH}, whose error would change with the strain; valid: {PLANE_WAVES}',
            LIBRARY_STRESS if mesh == FREE[1] else "",
        )
        for mesh in MESHES
    ),
    *(
        Refusal(
            kind,
            mesh,
            f"the pseudopotential of {{first}} is {kind}, which {NOT_ON_MESH}; valid: a norm-conserving one, or "
            f"{PLANE_WAVES}",
            _LIBRARY_ON_MESH.format("an ultrasoft pseudopotential or PAW dataset"),
        )
        for mesh in MESHES
        for kind in AUGMENTED
    ),
)
