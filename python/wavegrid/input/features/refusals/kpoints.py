"""What tetrahedra and lists of k-points do not combine with."""

from wavegrid.input.features.refusals.refusal import Refusal, each

REFUSALS = (
    # Tetrahedra.
    *each(
        ["tetrahedra"],
        ["Gamma, real", "list of k", "irreducible list"],
        "tetrahedra need a mesh of k-points; valid: kpoints.mesh, or another smearing",
        "tetrahedra need a mesh of k-points; valid: a mesh, or another smearing",
    ),
    # Symmetry of lists of k-points.
    Refusal(
        "symmetry",
        "list of k",
        "use = true with a list of k-points, which is used as given; valid: use = false, or a mesh, or a list with "
        "irreducible = true",
    ),
    *(
        Refusal(
            "irreducible list",
            dynamics,
            'irreducible = true with [task] kind = "md", where atoms lose their symmetry; valid: a mesh',
        )
        for dynamics in ("dynamics", "dynamics of the cell")
    ),
    Refusal(
        "irreducible list",
        "displaced start",
        "irreducible = true with [relax] displace, which takes the symmetry from the atoms; valid: no displace, or a "
        "mesh",
    ),
)
