#!/usr/bin/env python3
"""Time of hybrid functionals next to pw.x 6.7 (Debian's): the same potentials, cutoff, mesh of q and singularity.

    .venv/bin/python benchmarks/exact_exchange/against_pwx.py                    # short cases, one rank and two
    .venv/bin/python benchmarks/exact_exchange/against_pwx.py --cases si64,h2o32 --ranks 2
    .venv/bin/python benchmarks/exact_exchange/against_pwx.py --json times.json --repeats 3

PBE0, symmetry as each code has it, real bands at Gamma, pw.x with ACE and without files. `wall` and `cpu`: seconds of
the whole process, the start included; of `repeats` runs that alternate, the least. `inside`: the total that each code
says itself. `outer`: how often the exchange of all bands was computed. The last columns are the errors of the energies,
next to the converged one of the same code (CONVERGED), micro-Ha per atom.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "common"))

from processes import Process, RunError, duration, timed  # noqa: E402

PSEUDO = Path("/usr/share/espresso/pseudo")
SI = ROOT / "tests/reference/projections/Si.UPF"
POTENTIALS = {
    "Si": SI,
    "Mg": PSEUDO / "Mg.pz-n-vbc.UPF",
    "O": PSEUDO / "O.blyp-mt.UPF",
    "H": PSEUDO / "H.blyp-vbc.UPF",
}
FCC = ((0.0, 0.0, 0.0), (0.0, 0.5, 0.5), (0.5, 0.0, 0.5), (0.5, 0.5, 0.0))
RY = 0.5  # Ha

Atom = tuple[str, float, float, float]


@dataclasses.dataclass(frozen=True)
class Case:
    """A system; positions are fractional."""

    cell: list[list[float]]
    atoms: list[Atom]
    ecut: float
    bands: int
    mesh: int | None = None  # k and q along each axis; none: Gamma
    long: bool = False


def cubic(edge: float) -> list[list[float]]:
    """Return the cell of a cube."""
    return [[edge if i == j else 0.0 for j in range(3)] for i in range(3)]


def fcc(edge: float) -> list[list[float]]:
    """Return the primitive cell."""
    return [[0.0 if i == j else edge / 2 for j in range(3)] for i in range(3)]


def diamond(cells: int) -> list[Atom]:
    """Return silicon in so many cubic cells along each axis."""
    sites = [*FCC, *(tuple(x + 0.25 for x in site) for site in FCC)]
    corners = [(i, j, k) for i in range(cells) for j in range(cells) for k in range(cells)]
    return [
        ("Si", *((x + n) / cells for x, n in zip(site, corner, strict=True))) for corner in corners for site in sites
    ]


def water(molecules: int, edge: float) -> list[Atom]:
    """Return molecules on a cubic lattice, turned against each other, until there are enough."""
    across = round(molecules ** (1 / 3) + 0.499)
    bend, bond = (1.1077, 1.4304), 1.0
    atoms: list[Atom] = []
    for number in range(molecules):
        place = [number // across**2, number // across % across, number % across]
        x, y, z = ((n + 0.5) / across for n in place)
        a, b = bend[0] * bond / edge, bend[1] * bond / edge
        shift = {0: ((0, a, b), (0, a, -b)), 1: ((b, 0, a), (-b, 0, a)), 2: ((a, b, 0), (a, -b, 0))}[number % 3]
        atoms.append(("O", x, y, z))
        atoms += [("H", x + one[0], y + one[1], z + one[2]) for one in shift]
    return atoms


CASES = {
    "si2": Case(fcc(10.26), [("Si", 0, 0, 0), ("Si", 0.25, 0.25, 0.25)], 10, 4, mesh=4),
    "si8": Case(cubic(10.26), diamond(1), 10, 16),
    "si8d": Case(cubic(10.26), [("Si", 0.1 / 10.26, 0, 0), *diamond(1)[1:]], 10, 16),
    "mgo": Case(fcc(7.96), [("Mg", 0, 0, 0), ("O", 0.5, 0.5, 0.5)], 40, 4, mesh=2),
    "h2o": Case(cubic(16.0), water(1, 16.0), 35, 4),
    "si64": Case(cubic(20.52), diamond(2), 10, 128, long=True),
    "h2o32": Case(cubic(18.65), water(32, 18.65), 35, 128, long=True),
}
# Ha, ours and pw.x's: to 1e-9 Ha, and to 1e-10 Ry.
CONVERGED: dict[str, tuple[float, float]] = {}


def our_input(case: Case, tolerance: float) -> str:
    """Return the input of wavegrid."""
    points = f"kpoints = {{ mesh = {[case.mesh] * 3} }}" if case.mesh else ""
    potentials = ", ".join(f'{one} = "{POTENTIALS[one]}"' for one in dict.fromkeys(atom[0] for atom in case.atoms))
    return f"""\
[structure]
cell = {case.cell}
unit = "bohr"
atoms = {json.dumps(case.atoms)}
coordinates = "fractional"
[basis]
ecut = "{case.ecut} Ha"
[electrons]
xc = "PBE0"
pseudopotentials = {{ {potentials} }}
bands = {case.bands}
{points}
[scf]
energy_tolerance = "{tolerance} Ha"
[output]
checkpoint = false
"""


def pwx_input(case: Case, tolerance: float) -> str:
    """Return the input of pw.x; `tolerance`: its conv_thr, Ry."""
    names = list(dict.fromkeys(atom[0] for atom in case.atoms))
    species = "\n".join(f"{name} 1.0 {POTENTIALS[name].name}" for name in names)
    cell = "\n".join(" ".join(map(str, row)) for row in case.cell)
    atoms = "\n".join(" ".join(map(str, atom)) for atom in case.atoms)
    q = case.mesh or 1
    points = f"K_POINTS automatic\n{q} {q} {q} 0 0 0" if case.mesh else "K_POINTS gamma"
    return f"""&control
calculation='scf', outdir='out', pseudo_dir='.', disk_io='none'
/
&system
ibrav=0, nat={len(case.atoms)}, ntyp={len(names)}, ecutwfc={2 * case.ecut}, nbnd={case.bands}, input_dft='pbe0'
nqx1={q}, nqx2={q}, nqx3={q}, x_gamma_extrapolation=.false., exxdiv_treatment='gygi-baldereschi'
/
&electrons
conv_thr={tolerance}
/
ATOMIC_SPECIES
{species}
CELL_PARAMETERS bohr
{cell}
ATOMIC_POSITIONS crystal
{atoms}
{points}
"""


@dataclasses.dataclass
class Run:
    """A finished calculation."""

    wall: float
    cpu: float
    inside: float
    outer: int
    energy: float  # Ha


def run_ours(case: Case, ranks: int, tolerance: float, folder: Path, timeout: float) -> Run:
    """Run wavegrid in an empty folder."""
    (folder / "in.toml").write_text(our_input(case, tolerance))
    command = [str(ROOT / ".venv/bin/wavegrid"), "run", "in.toml", "--ranks", str(ranks), "--output", "out", "--quiet"]
    process = timed(command, folder, timeout)
    result = json.loads((folder / "out/result.json").read_text())
    if not result["converged"]:
        raise RunError("wavegrid did not converge")
    used = result["exact_exchange"]
    return Run(
        process.elapsed,
        process.cpu,
        result["wall_seconds"]["total"],
        used["in_single"] + used["in_double"],
        result["energy"]["free"],
    )


def run_pwx(case: Case, ranks: int, tolerance: float, folder: Path, timeout: float) -> Run:
    """Run pw.x in an empty folder, with as many pools as there are ranks where there are k-points."""
    for potential in {POTENTIALS[atom[0]] for atom in case.atoms}:
        shutil.copy(potential, folder)
    (folder / "pw.in").write_text(pwx_input(case, tolerance))
    command = ["pw.x", "-nk", str(ranks if case.mesh else 1), "-in", "pw.in"]
    if ranks > 1:
        openmpi = shutil.which("mpirun.openmpi") or "mpirun"
        command = [openmpi, *(["--allow-run-as-root"] if os.geteuid() == 0 else []), "-n", str(ranks), *command]
    return parsed(timed(command, folder, timeout))


def parsed(process: Process) -> Run:
    """Return what pw.x says."""
    energies = re.findall(r"^!!? +total energy += +(\S+)", process.output, re.M)
    inside = re.search(r"PWSCF\s+:.*?CPU(.*?)WALL", process.output)
    if "EXX self-consistency reached" not in process.output or not inside:
        raise RunError("pw.x did not converge")
    outer = len(re.findall(r"est\. exchange err", process.output)) + 1  # with that of the first bands
    return Run(process.elapsed, process.cpu, duration(inside[1]), outer, RY * float(energies[-1]))


def least(runs: list[Run]) -> Run:
    """Return a run with the least times."""
    return dataclasses.replace(
        runs[-1],
        wall=min(one.wall for one in runs),
        cpu=min(one.cpu for one in runs),
        inside=min(one.inside for one in runs),
    )


def measure(name: str, ranks: int, given: argparse.Namespace) -> dict[str, object]:
    """Run both codes, print a line and return its numbers."""
    case = CASES[name]
    ours, theirs = [], []
    for _ in range(given.repeats):
        with tempfile.TemporaryDirectory() as folder:
            ours.append(run_ours(case, ranks, given.tolerance, Path(folder), given.timeout))
        with tempfile.TemporaryDirectory() as folder:
            theirs.append(run_pwx(case, ranks, given.conv_thr, Path(folder), given.timeout))
    best, other = least(ours), least(theirs)
    errors = ["", ""]
    if name in CONVERGED:
        pairs = zip((best, other), CONVERGED[name], strict=True)
        errors = [f"{1e6 * (run.energy - at) / len(case.atoms):8.3f}" for run, at in pairs]
    print(
        f"{name:6} {ranks:5}  {best.wall:7.2f} {other.wall:7.2f} {best.wall / other.wall:6.2f}  "
        f"{best.cpu:7.2f} {other.cpu:7.2f} {best.cpu / other.cpu:6.2f}  {best.inside / other.inside:6.2f}  "
        f"{best.outer:3} {other.outer:3}  {best.energy:.8f} {other.energy:.8f} {errors[0]} {errors[1]}",
        flush=True,
    )
    return {"case": name, "ranks": ranks, "ours": dataclasses.asdict(best), "pw.x": dataclasses.asdict(other)}


def main() -> None:
    """Run the cases and print ratios."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    short = ",".join(name for name, case in CASES.items() if not case.long)
    arguments.add_argument("--cases", default=short, help=", ".join(CASES))
    arguments.add_argument("--ranks", default="1,2")
    arguments.add_argument("--repeats", type=int, default=1)
    arguments.add_argument("--tolerance", type=float, default=1e-7, help="Ha, of wavegrid")
    arguments.add_argument("--conv-thr", type=float, default=2e-7, help="Ry, of pw.x")
    arguments.add_argument("--timeout", type=float, default=3000, help="s, of a run")
    arguments.add_argument("--json", type=Path)
    given = arguments.parse_args()
    print("               wall    pw.x  ratio      cpu    pw.x  ratio  inside  outer     energy, Ha")
    rows = []
    for ranks in map(int, given.ranks.split(",")):
        for name in given.cases.split(","):
            try:
                rows.append(measure(name, ranks, given))
            except RunError as error:
                print(f"{name:6} {ranks:5}  {error}", flush=True)
    for what in ("wall", "cpu", "inside"):
        ratios = [row["ours"][what] / row["pw.x"][what] for row in rows]
        if ratios:
            print(f"{what}: median {statistics.median(ratios):.2f}, largest {max(ratios):.2f}")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
