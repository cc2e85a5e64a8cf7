"""A supercell at Gamma and its cell on the mesh that folds to Gamma, with the same grid spacing."""

from __future__ import annotations

import math

from calculations import TOLERANCE, aluminium, changed, each, markdown, run, stored

AGREEMENT = 1e-8  # Ha per atom


def pair(about: str, case: dict, mesh: list[int], bands: int, grid: list[int] | None = None, half: bool = False):
    """Return the cell on a mesh and its supercell, both without symmetry; `bands` are those of the cell.

    With `half` the mesh is shifted by half a step along every axis, and the supercell is solved at (1/2, 1/2, 1/2).
    """
    grid = grid or case["basis"]["grid"]
    case = changed(case, scf={"energy_tolerance": TOLERANCE}, symmetry={"use": False})
    shift = [0.5 if half else 0.0] * 3
    points = {"mesh": mesh, "shift": shift}
    small = changed(case, basis={"grid": grid}, electrons={"bands": bands, "kpoints": points})
    large = changed(
        case,
        structure={"supercell": mesh},
        basis={"grid": [n * m for n, m in zip(grid, mesh, strict=True)]},
        electrons={"bands": bands * math.prod(mesh), "kpoints": {"list": [shift]} if half else None},
    )
    return about, small, large, math.prod(mesh), len(case["structure"]["atoms"])


def pairs() -> list:
    """Return all pairs."""
    silicon, moved = stored("si2_444"), stored("si2_displaced_444")
    hole, slab = stored("si2_hole_222"), stored("al111_slab_441")
    iron, carbon = stored("fe_lda_333"), stored("graphene_661")
    rough = {"ecut": "20 Ha", "grid": [24, 24, 24]}
    return [
        pair("Al4, 2x2x2, and Al32", aluminium(), [2, 2, 2], 14),
        pair("Al4, 2x2x2 shifted, and Al32 at (1/2,1/2,1/2)", aluminium(), [2, 2, 2], 14, half=True),
        pair("Al1 primitive, 3x3x3, and Al27", stored("al1_eos"), [3, 3, 3], 6, [16, 16, 16]),
        pair("Si2, 2x2x2, and Si16", silicon, [2, 2, 2], 4),
        pair("Si2, one atom moved, 3x2x1, and Si12", moved, [3, 2, 1], 4),
        pair("Si2 with a hole, 2x2x2, and Si16 with eight", hole, [2, 2, 2], 9),
        pair("graphene, 2x2x1, and C8", changed(carbon, basis={"ecut": "12 Ha", "grid": [16, 16, 40]}), [2, 2, 1], 8),
        pair("Al(111) slab, 2x2x1, and Al12", slab, [2, 2, 1], 10),
        pair("Fe1, spin, 2x1x1, and Fe2", changed(iron, basis=rough), [2, 1, 1], 14),
    ]


def one(item: tuple, jobs: int) -> dict:
    """Run a pair."""
    about, small, large, cells, atoms = item
    if "charge" in large["electrons"]:
        large = changed(large, electrons={"charge": cells * large["electrons"]["charge"]})
    few, many = each(run, [small, large], jobs)
    apart = many["energy"]["free"] / cells - few["energy"]["free"]
    return {
        "about": about,
        "cell_Ha": few["energy"]["free"],
        "supercell_over_cells_Ha": many["energy"]["free"] / cells,
        "difference_per_atom_Ha": apart / atoms,
        "kpoints": len(few["kpoints"]),
        "plane_waves": [few["plane_waves"], many["plane_waves"]],
        "eigensolvers": [few["eigensolver"], many["eigensolver"]],
        "seconds": [few["wall_seconds"]["total"], many["wall_seconds"]["total"]],
    }


def study(jobs: int) -> dict:
    """Run all pairs."""
    rows = [one(item, jobs) for item in pairs()]
    worst = max(abs(row["difference_per_atom_Ha"]) for row in rows)
    return {"rows": rows, "worst_Ha": worst, "agrees": worst < AGREEMENT}


def show(answer: dict) -> str:
    """Return the table."""
    rows = [
        [
            row["about"],
            str(row["kpoints"]),
            f"{row['cell_Ha']:.10f}",
            f"{row['supercell_over_cells_Ha']:.10f}",
            f"{row['difference_per_atom_Ha']:.1e}",
        ]
        for row in answer["rows"]
    ]
    return markdown("pair | k-points | cell (Ha) | supercell (Ha/cell) | difference (Ha/atom)", rows)
