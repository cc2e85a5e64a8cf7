"""Irreducible k-points with a symmetrised density, compared with the whole mesh."""

from __future__ import annotations

from calculations import aluminium, changed, markdown, reference, run, stored

AGREEMENT = 1e-8  # Ha
STORED = [
    "al4_444",
    "al4_444_half",
    "si2_444",
    "si2_444_half",
    "si2_displaced_444",
    "si2_displaced_324_shifted",
    "nacl_q9_222",
    "fe_pbe_333",
    "fe_pbe_222_half",
    "graphene_661",
    "al111_slab_441",
]


def cases() -> dict[str, tuple[dict, float | None]]:
    """Return inputs by name, with ABINIT's free energy where it is stored."""
    coarse = changed(aluminium(), electrons={"kpoints": {"mesh": [4, 4, 4]}})
    shifted = changed(aluminium(), electrons={"kpoints": {"mesh": [4, 4, 4], "shift": [0.5] * 3}})
    known = {name: (stored(name), reference(name)["energies_Ha"]["free"]) for name in STORED}
    return {"al4_coarse_444": (coarse, None), "al4_coarse_444_half": (shifted, None)} | known


def one(name: str, case: dict, theirs: float | None) -> dict:
    """Run with and without symmetry, one after the other so that the times can be compared."""
    plain, used = (run(changed(case, symmetry={"use": use})) for use in (False, True))
    return {
        "case": name,
        "without_Ha": plain["energy"]["free"],
        "with_Ha": used["energy"]["free"],
        "difference_Ha": used["energy"]["free"] - plain["energy"]["free"],
        "minus_abinit_Ha": None if theirs is None else used["energy"]["free"] - theirs,
        "kpoints": [len(plain["kpoints"]), len(used["kpoints"])],
        "description": used["kpoints_description"],
        "seconds": [plain["wall_seconds"]["total"], used["wall_seconds"]["total"]],
        "h_applications": [plain["h_applications"], used["h_applications"]],
    }


def study(jobs: int) -> dict:
    """Run all cases; `jobs` is not used, the times are compared."""
    rows = [one(name, *case) for name, case in cases().items()]
    worst = max(abs(row["difference_Ha"]) for row in rows)
    return {"rows": rows, "worst_Ha": worst, "agrees": worst < AGREEMENT}


def show(answer: dict) -> str:
    """Return the table."""
    rows = [
        [
            row["case"],
            f"{row['kpoints'][0]}, {row['kpoints'][1]}",
            f"{row['with_Ha']:.10f}",
            f"{row['difference_Ha']:.1e}",
            "" if row["minus_abinit_Ha"] is None else f"{row['minus_abinit_Ha']:.1e}",
            f"{row['seconds'][0]:.1f}, {row['seconds'][1]:.1f}",
            f"{row['seconds'][0] / row['seconds'][1]:.1f}",
        ]
        for row in answer["rows"]
    ]
    head = "case | k-points without, with | F with symmetry (Ha) | with - without | minus ABINIT | seconds | ratio"
    return markdown(head, rows)
