"""One energy for all divisions of the ranks into k-point groups, band groups, rows and columns, and all transports."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

from calculations import ROOT, TOLERANCE, aluminium, changed, document, markdown, stored

sys.path.insert(0, str(ROOT / "python"))
from wavegrid.launch import mpirun  # noqa: E402
from wavegrid.process import core_loader  # noqa: E402

AGREEMENT = 1e-9  # Ha
NAMES = ("kpoint_groups", "band_groups", "rows", "columns")
TRANSPORTS = "alltoallv alltoall_padded neighbor pairwise ring one_sided one_sided_get shared auto".split()
PARTITIONS = "greedy cyclic balanced optimized".split()
DETERMINISTIC_RANKS = (1, 2, 3, 4, 6)


def systems() -> dict[str, tuple[dict, int]]:
    """Return Al4 on eight k-points, silicon with a hole and a fixed moment, iron, and the most ranks of each."""
    off = {"symmetry": {"use": False}, "scf": {"energy_tolerance": TOLERANCE}}
    mesh = {"kpoints": {"mesh": [2, 2, 2]}}
    spin = {
        "kpoints": {"mesh": [2, 2, 1]},
        "xc": "LDA_X+LDA_C_PW",
        "spin": "collinear",
        "initial_magnetic_moments": {"Si": 0.5},
        "total_magnetisation": 1.0,
    }
    silicon = changed(stored("si2_hole_222"), basis={"ecut": "8 Ha", "grid": [20] * 3}, electrons=spin, **off)
    iron = {"kpoints": {"mesh": [2, 1, 1]}}
    return {
        "Al4, 2x2x2": (changed(aluminium(), electrons=mesh | {"bands": 12}, **off), 8),
        "Si2 with a hole, spin, 2x2x1": (silicon, 8),
        "Fe1, spin, 2x1x1": (
            changed(stored("fe_lda_333"), basis={"ecut": "15 Ha", "grid": [20] * 3}, electrons=iron, **off),
            4,
        ),
    }


def even_splits(ranks: int) -> list[dict[str, int]]:
    """Return all divisions whose product is the number of ranks."""
    divisors = [n for n in range(1, ranks + 1) if ranks % n == 0]
    found = (split for split in itertools.product(divisors, repeat=4) if math.prod(split) == ranks)
    return [dict(zip(NAMES, split, strict=True)) for split in found]


def uneven_splits(ranks: int) -> list[dict[str, int]]:
    """Return groups of unequal size: k-point groups and band groups whose product does not divide the ranks."""
    pairs = itertools.product(range(1, ranks + 1), repeat=2)
    return [{"kpoint_groups": k, "band_groups": b} for k, b in pairs if k * b < ranks and ranks % (k * b)]


def splits(largest: int) -> list[tuple[int, dict[str, int]]]:
    """Return all even divisions of up to `largest` ranks, and the uneven ones of 5 and 7."""
    even = [(ranks, split) for ranks in range(1, largest + 1) for split in even_splits(ranks)]
    return even + [(ranks, split) for ranks in (5, 7) if ranks <= largest for split in uneven_splits(ranks)]


def energies(case: dict, runs: list[tuple[int, dict]]) -> list[dict]:
    """Run a case on each (ranks, [parallel]); the rows come in the same order."""
    rows: dict[int, dict] = {}
    for ranks in sorted({ranks for ranks, _ in runs}):
        mine = [i for i, (count, _) in enumerate(runs) if count == ranks]
        rows |= zip(mine, together(case, ranks, [runs[i][1] for i in mine]), strict=True)
    return [rows[i] for i in range(len(runs))]


def together(case: dict, ranks: int, settings: list[dict]) -> list[dict]:
    """Run a case with each [parallel] in one start of `ranks` processes."""
    from wavegrid.job.prepare import prepare  # slow to import, and not needed by the ranks

    core = core_loader.load()
    launcher = mpirun.find_launcher(core.versions()["mpi"])
    with tempfile.TemporaryDirectory(prefix="splits_") as folder:
        problems = Path(folder) / "problems.json"
        path = Path(folder) / "in.toml"
        jobs = []
        for parallel in settings:
            path.write_text(document(changed(case, parallel=parallel)))
            jobs.append(prepare(core, path, directory=folder, ranks=ranks).problem)
        problems.write_text(json.dumps(jobs))
        command = mpirun.command(launcher, ranks, 1, [sys.executable, __file__, str(problems)])
        yielding = {"OMPI_MCA_mpi_yield_when_idle": "1"}  # other programs may be running
        subprocess.run(command, env=mpirun.environment(launcher, ranks, 1, folder) | yielding, check=True)
        found = json.loads((Path(folder) / "energies.json").read_text())
    for parallel, row in zip(settings, found, strict=True):
        used = row.pop("parallel")
        if any(used[name] != asked for name, asked in parallel.items() if asked != "auto" and name in used):
            raise RuntimeError(f"asked for {parallel}, got {used}")
    print(f"{ranks} ranks: {len(settings)} runs", file=sys.stderr, flush=True)
    return [{"ranks": ranks} | parallel | row for parallel, row in zip(settings, found, strict=True)]


def work(path: Path) -> None:
    """Act as one of the ranks: solve the problems of a file, write their energies into its directory. Collective."""
    core = core_loader.load()
    rank, _ = core.mpi_start()
    rows = []
    for problem in json.loads(path.read_text()):
        result = core.Session(problem, keep_plans=False).solve()
        if not result["converged"]:
            raise RuntimeError(f"not converged: {problem}")
        free = result["energy"]["free"]
        row = {
            "free_Ha": free,
            "hex": free.hex(),
            "steps": result["scf_steps"],
            "seconds": result["wall_seconds"]["total"],
        } | {"parallel": result["parallel"]}
        rows.append(row)
    if rank == 0:
        (path.parent / "energies.json").write_text(json.dumps(rows))
    core.mpi_stop()


def spread(rows: list[dict]) -> float:
    """Return the largest distance of a free energy from the first, Ha."""
    return max(abs(row["free_Ha"] - rows[0]["free_Ha"]) for row in rows)


def study(jobs: int) -> dict:
    """Run everything; the ranks of one run share all cores, so `jobs` is not used."""
    answer: dict = {"systems": {}}
    for name, (case, largest) in systems().items():
        groups = {"kpoint_groups": 1, "band_groups": 1}
        four = {"rows": 2, "columns": 2, "partition": "balanced"}
        fixed = [{"deterministic": True}, {"deterministic": True, "partition": "cyclic"}]
        answer["systems"][name] = {
            "splits": energies(case, splits(largest)),
            "transports": energies(case, [(4, groups | four | {"transport": t}) for t in TRANSPORTS]),
            "grouped_transports": energies(case, [(4, {"kpoint_groups": 2, "transport": t}) for t in TRANSPORTS]),
            "partitions": energies(
                case, [(n, groups | {"partition": p}) for n in (3, 4, 7) if n <= largest for p in PARTITIONS]
            ),
            "deterministic": energies(case, [(n, f) for n in DETERMINISTIC_RANKS if n <= largest for f in fixed]),
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


if __name__ == "__main__":
    work(Path(sys.argv[1]))
