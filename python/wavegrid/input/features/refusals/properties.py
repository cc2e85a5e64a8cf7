"""What Wannier functions, the polarisation and files of bands do not combine with."""

from wavegrid.input.features.capabilities import AUGMENTED, MESHES, SMEARINGS
from wavegrid.input.features.refusals.refusal import FREE_WAVES, PLANE_WAVES, WANNIER, Refusal, each, on_mesh

REFUSALS = (
    # Wannier functions.
    *each(
        ["Wannier functions"], ["list of k", "irreducible list"], f"{WANNIER} with a list of k-points; valid: a mesh"
    ),
    *on_mesh(MESHES, "Wannier functions", WANNIER, PLANE_WAVES),
    *(
        Refusal(
            "Wannier functions",
            kind,
            f"{WANNIER}: the pseudopotential of {{second}} is {kind}; valid: norm-conserving ones",
        )
        for kind in AUGMENTED
    ),
    # Polarisation.
    *each(
        ["polarisation"], SMEARINGS, "polarisation with smearing, of metals; valid: fixed occupations, of an insulator"
    ),
    *each(["polarisation"], ["list of k", "irreducible list"], "polarisation with a list of k-points; valid: a mesh"),
    *each(["polarisation"], ["charge"], "polarisation of a charged cell; valid: a neutral one"),
    *on_mesh(
        MESHES, "polarisation", "polarisation", f"{PLANE_WAVES}; of molecules and layers there is the dipole moment"
    ),
    *each(
        ["polarisation"],
        FREE_WAVES,
        'polarisation with free directions; valid: boundary = "periodic"; of molecules and layers there is the dipole '
        "moment",
    ),
    *(
        Refusal(
            "polarisation",
            kind,
            f"polarisation: the pseudopotential of {{second}} is {kind}; valid: norm-conserving ones",
        )
        for kind in AUGMENTED
    ),
    # Files of bands.
    *(
        Refusal(
            files,
            name,
            f'[output] {"polarisation" if files == "polarisation" else "orbitals"} with kind = "{kind}"; valid: a run '
            'without motion; orbitals afterwards by "wavegrid checkpoint export"',
        )
        for files in ("orbitals", "ELF", "polarisation")
        for name, kind in (
            ("relax", "relax"),
            ("displaced start", "relax"),
            ("relax the cell", "relax"),
            ("dynamics", "md"),
            ("dynamics of the cell", "md"),
            ("equation of state", "eos"),
            ("propagation", "propagate"),
            ("atoms in time", "propagate"),
        )
    ),
    *(
        Refusal(
            "ELF",
            kind,
            f"elf = true: the pseudopotential of {{second}} is {kind}; valid: norm-conserving ones, or no ELF",
        )
        for kind in AUGMENTED
    ),
)
