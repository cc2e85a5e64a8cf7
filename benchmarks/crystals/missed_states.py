"""Does an eigensolver miss a state? Eigenvalues of each, from atomic orbitals and random vectors, are compared with
those of the whole matrix of H (dense.py) and of another solver with more bands from random vectors."""

from __future__ import annotations

import tempfile
from pathlib import Path

import dense
import numpy as np
from calculations import changed, document, markdown, reference, stored
from equation_of_state import scaled

from wavegrid.job.prepare import prepare
from wavegrid.process import core_loader

SOLVERS = ("rmm-diis", "lobpcg", "davidson", "chebyshev")
MISS = 1e-4  # Ha by which an occupied eigenvalue may exceed that of the matrix
OCCUPIED = 1e-4  # electrons
SAME = 1e-11  # Ha, of free energies
BUFFER = 3  # top bands that are not converged
MORE = 8  # bands of the run from random vectors
SI8 = [[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]]
GENERAL = [[0.0, 0.0, 0.0], [0.11, -0.23, 0.37]]


def cases() -> dict[str, tuple[dict, dict[str, int]]]:
    """Return inputs, coarse enough for the whole matrix, and the valence of their elements."""
    silicon = changed(stored("si2_444"), electrons={"bands": None, "kpoints": None}, basis={"ecut": "4 Ha"})
    sites = SI8 + [[x + 0.25 for x in site] for site in SI8]
    cell = [[10.26 * (i == j) for j in range(3)] for i in range(3)]
    si64 = {"cell": cell, "atoms": [["Si", *site] for site in sites], "supercell": [2, 2, 2]}
    cell = [[5.4 * (i == j) for j in range(3)] for i in range(3)]
    fe2 = {"cell": cell, "atoms": [["Fe", 0, 0, 0], ["Fe", 0.5, 0.5, 0.5]]}
    iron = {"bands": 28, "kpoints": {"mesh": [2, 2, 2]}}
    teter = {"xc": "LDA_XC_TETER93"}
    return {
        "Si64": (changed(silicon, structure=si64, basis={"grid": [40] * 3}), {"Si": 4}),
        "Fe2": (
            changed(
                stored("fe_lda_333"), structure=fe2, electrons=iron, basis={"ecut": "20 Ha", "grid": [24] * 3}
            ),
            {"Fe": 16},
        ),
        "Al(111) slab": (changed(stored("al111_slab_441"), electrons=teter), {"Al": 3}),
        "LiH": (
            changed(stored("lih_molecule"), electrons=teter, basis={"ecut": "10 Ha", "grid": [30] * 3}),
            {"Li": 3, "H": 1},
        ),
        "O2, spin": (changed(stored("o2_lda"), basis={"ecut": "10 Ha", "grid": [30] * 3}), {"O": 6}),
    }  # fmt: skip


def solve(core, case: dict, solver: str, start: str, tolerance: float = 1e-11, more: int = 0) -> tuple[dict, dict]:
    """Run a case in this process; returns the core's result and its problem.

    Where the case has a mesh, all bands are converged at two more k-points in the final potential, too.
    """
    scf = {"eigensolver": solver, "energy_tolerance": f"{tolerance:g} Ha", "precision": "double"}
    scf["initial_wavefunctions"] = start
    text = document(changed(case, scf=scf | {"max_steps": 150}))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.toml"
        path.write_text(text)
        job = prepare(core, path, threads=1, directory=folder, ranks=1)
    problem = job.problem | {"keep_density": True, "bands": job.problem["bands"] + more}
    if "kpoints" in case["electrons"] and case["electrons"]["kpoints"]["mesh"] != [1, 1, 1]:
        problem["band_path"] = GENERAL
    return core.Session(problem, keep_plans=False).solve(), problem


def matrix_levels(problem: dict, result: dict, valence: dict[str, int]) -> tuple[list, list, int]:
    """Return the lowest eigenvalues by spin and k-point, those on the path, and the largest number of plane waves."""
    cell = np.array(problem["cell"])
    entries = {name: dense.gth(name, charge) for name, charge in valence.items()}
    atoms = [(entries[problem["species"][kind]], np.array(place)) for kind, *place in problem["atoms"]]
    energy = dense.teter if "TETER" in problem["xc"] else dense.perdew_wang
    spins = dense.potentials(cell, atoms, problem["ecut"], result["density"], energy)
    points = [list(point[:3]) for point in result["kpoints"]]
    path = problem["band_path"]
    found, waves = [], 0
    for v in spins:
        rows = [dense.levels(cell, atoms, problem["ecut"], v, k, problem["bands"]) for k in points + path]
        found.append([row[0] for row in rows])
        waves = max(waves, *(row[1] for row in rows))
    return [rows[: len(points)] for rows in found], [rows[len(points) :] for rows in found], waves


def row_of(result: dict, exact: list, on_path: list) -> dict:
    """Return how far eigenvalues exceed those of the matrix: occupied, empty except the highest, and on the path."""
    occupied, empty = [], []
    for levels, occupations, known in zip(result["eigenvalues"], result["occupations"], exact, strict=True):
        for k, (ours, electrons, theirs) in enumerate(zip(levels, occupations, known, strict=True)):
            above = np.array(ours)[: len(theirs)] - theirs[: len(ours)]
            filled = np.abs(np.array(electrons)) / result["kpoints"][k][3] > OCCUPIED
            filled = filled[: len(above)]
            occupied += above[filled].tolist()
            empty += above[: len(ours) - BUFFER][~filled[: len(ours) - BUFFER]].tolist()
    path = []
    for levels, known in zip(result.get("path", {}).get("eigenvalues", []), on_path, strict=False):
        path += [
            x
            for ours, theirs in zip(levels, known, strict=True)
            for x in (np.array(ours)[: len(theirs)] - theirs).tolist()
        ]
    return {
        "occupied_Ha": max(map(abs, occupied)),
        "missed": sum(x > MISS for x in (*occupied, *path)),
        "states": len(occupied),
        "empty_Ha": max(empty, default=None),
        "path_Ha": max(map(abs, path), default=None),
        "free_Ha": result["energy"]["free"],
        "converged": result["converged"],
        "steps": result["scf_steps"],
        "recovered": result["recovered_states"],
    }


def whole_energies(core) -> list[dict]:
    """Return the free energy of fcc aluminium at two volumes: of wavegrid, of the whole matrix, of ABINIT."""
    rows, known = [], reference("al1_eos")["volumes"]
    for point in known[:2]:
        case = changed(scaled(stored("al1_eos"), point["volume_scale"]), symmetry={"use": False})
        result, problem = solve(core, case, "davidson", "lcao", 1e-13)
        atoms = [(dense.gth("Al", 3), np.zeros(3))]
        width = problem["smearing"]["width"]
        size = np.array(problem["cell"]), atoms, problem["ecut"]
        matrix = dense.free_energy(*size, result["density"][0], result["kpoints"], problem["bands"], width)
        matrix += result["energy"]["ion_ion"] + result["energy"]["local_g0"]
        ours, abinit = result["energy"]["free"], point["energies_Ha"]["free"]
        rows.append({"volume": point["volume_bohr3"], "ours_Ha": ours, "matrix_Ha": matrix, "abinit_Ha": abinit})
    return rows


def study(jobs: int, names: list[str] | None = None) -> dict:
    """Run every solver on every case, in this process."""
    core = core_loader.load()
    core.mpi_start()
    rows = []
    for name, (case, valence) in cases().items():
        if names is not None and name not in names:
            continue
        best, problem = solve(core, case, "lobpcg", "lcao", 1e-12)
        exact, on_path, waves = matrix_levels(problem, best, valence)
        head = {"case": name, "plane_waves": waves}
        for solver in SOLVERS:
            for start in ("lcao", "random"):
                result, _ = solve(core, case, solver, start)
                rows.append(head | {"solver": solver, "start": start, "more": 0} | row_of(result, exact, on_path))
        for solver in ("davidson", "lobpcg"):
            result, _ = solve(core, case, solver, "random", more=MORE)
            rows.append(head | {"solver": solver, "start": "random", "more": MORE} | row_of(result, exact, on_path))
    energies = whole_energies(core)
    core.mpi_stop()
    missed = sum(row["missed"] for row in rows)
    worst = max(row["occupied_Ha"] for row in rows)
    apart = max(abs(row["ours_Ha"] - row["matrix_Ha"]) for row in energies)
    agrees = missed == 0 and all(row["converged"] for row in rows) and apart < SAME
    return {"rows": rows, "missed": missed, "energies": energies, "worst_Ha": worst, "agrees": agrees}


def show(answer: dict) -> str:
    """Return the table."""

    def figure(value: float | None) -> str:
        return "" if value is None else f"{value:.0e}"

    rows = [
        [
            f"{row['case']}, {row['plane_waves']} waves",
            f"`{row['solver']}`" + (f", {row['more']} more bands" if row["more"] else ""),
            row["start"],
            str(row["states"]),
            figure(row["occupied_Ha"]),
            figure(row["path_Ha"]),
            figure(row["empty_Ha"]),
            str(row["missed"]),
            f"{row['steps']}, {row['recovered']}",
        ]
        for row in answer["rows"]
    ]
    head = (
        "case | solver | start | occupied states | occupied (Ha) | fixed potential | empty | missed | steps, recovered"
    )
    energies = [
        [f"{row['volume']:.4f}", f"{row['ours_Ha']:.13f}"]
        + [f"{row['ours_Ha'] - row[other]:.1e}" for other in ("matrix_Ha", "abinit_Ha")]
        for row in answer["energies"]
    ]
    below = markdown("fcc Al, volume (bohr^3) | F (Ha) | minus that of the matrix | minus ABINIT", energies)
    return markdown(head, rows) + "\n\n" + below
