"""One energy for every split of the ranks into k-groups, band groups, rows and columns, and for every transport."""

from __future__ import annotations

import itertools
import math

from calculations import TOLERANCE, aluminium, changed, markdown, run, stored

AGREEMENT = 1e-9  # Ha
NAMES = ("kgroups", "bandgroups", "rows", "columns")
TRANSPORTS = "alltoallv alltoall_padded neighbor pairwise ring one_sided one_sided_get shared auto".split()
PARTITIONS = "greedy cyclic balanced optimized".split()
DETERMINISTIC_RANKS = (1, 2, 3, 4, 6)


def systems() -> dict[str, dict]:
    """Return Al4 on eight k-points, and iron with spin."""
    mesh = {"mesh": [2, 2, 2]}
    off = {"symmetry": {"use": False}, "scf": {"energy_tolerance": TOLERANCE}}
    iron = changed(stored("fe_lda_333"), basis={"ecut": "15 Ha", "grid": [20, 20, 20]}, electrons={"kpoints": mesh})
    return {
        "Al4, 2x2x2": changed(aluminium(), electrons={"kpoints": mesh, "bands": 12}, **off),
        "Fe1, spin, 2x2x2": changed(iron, **off),
    }


def even_splits(ranks: int) -> list[dict[str, int]]:
    """Return all splits whose product is the number of ranks."""
    divisors = [n for n in range(1, ranks + 1) if ranks % n == 0]
    found = (split for split in itertools.product(divisors, repeat=4) if math.prod(split) == ranks)
    return [dict(zip(NAMES, split, strict=True)) for split in found]


def uneven_splits(ranks: int) -> list[dict[str, int]]:
    """Return groups of unequal size: k-groups and band groups whose product does not divide the ranks."""
    pairs = itertools.product(range(1, ranks + 1), repeat=2)
    return [{"kgroups": k, "bandgroups": b} for k, b in pairs if k * b < ranks and ranks % (k * b)]


def splits(largest: int) -> list[tuple[int, dict[str, int]]]:
    """Return all even splits of up to `largest` ranks, and the uneven ones of 5 and 7."""
    even = [(ranks, split) for ranks in range(1, largest + 1) for split in even_splits(ranks)]
    return even + [(ranks, split) for ranks in (5, 7) if ranks <= largest for split in uneven_splits(ranks)]


def energies(case: dict, runs: list[tuple[int, dict]]) -> list[dict]:
    """Run a case on each (ranks, [parallel])."""
    rows = []
    for ranks, parallel in runs:
        result = run(changed(case, parallel=parallel), ranks=ranks)
        used = result["parallel"]
        wrong = {name: used[name] for name, asked in parallel.items() if asked != "auto" and name in used}
        if any(parallel[name] != got for name, got in wrong.items()):
            raise RuntimeError(f"asked for {parallel}, got {used}")
        free = result["energy"]["free"]
        rows.append({"ranks": ranks, **parallel, "free_Ha": free, "hex": free.hex(), "steps": result["scf_steps"]})
    return rows


def spread(rows: list[dict]) -> float:
    """Return the largest distance of a free energy from the first, Ha."""
    return max(abs(row["free_Ha"] - rows[0]["free_Ha"]) for row in rows)


def study(jobs: int, largest: int = 8) -> dict:
    """Run everything; the ranks of one run share all cores, so `jobs` is not used."""
    answer: dict = {"systems": {}}
    for name, case in systems().items():
        groups = {"kgroups": 1, "bandgroups": 1}
        four = {"rows": 2, "columns": 2, "partition": "balanced"}
        fixed = [{"deterministic": True}, {"deterministic": True, "partition": "cyclic"}]
        answer["systems"][name] = {
            "splits": energies(case, splits(largest)),
            "transports": energies(case, [(4, groups | four | {"transport": t}) for t in TRANSPORTS]),
            "grouped_transports": energies(case, [(4, {"kgroups": 2, "transport": t}) for t in TRANSPORTS]),
            "partitions": energies(case, [(n, groups | {"partition": p}) for n in (4, 7) for p in PARTITIONS]),
            "deterministic": energies(case, [(n, f) for n in DETERMINISTIC_RANKS for f in fixed]),
        }
    found = answer["systems"].values()
    answer["worst_Ha"] = max(spread(rows) for system in found for rows in system.values())
    answer["bitwise"] = all(len({row["hex"] for row in system["deterministic"]}) == 1 for system in found)
    answer["agrees"] = answer["worst_Ha"] < AGREEMENT and answer["bitwise"]
    return answer


def show(answer: dict) -> str:
    """Return the spreads, and the bits of the deterministic runs."""
    rows, bits = [], []
    for name, system in answer["systems"].items():
        for what, runs in system.items():
            ranks = sorted({row["ranks"] for row in runs})
            rows.append(
                [name, what.replace("_", " "), str(len(runs)), ", ".join(map(str, ranks)), f"{spread(runs):.1e}"]
            )
        for row in system["deterministic"]:
            bits.append([name, str(row["ranks"]), row.get("partition", "auto"), f"`{row['hex']}`"])
    return "\n\n".join(
        [
            markdown("system | what differs | runs | ranks | largest distance from the first (Ha)", rows),
            markdown("system | ranks | partition | free energy (Ha), deterministic", bits),
        ]
    )
