#!/usr/bin/env python3
"""Runs of many geometries: the cost of a geometry after the first one, the drift of dynamics, a vacancy and pw.x.

    make study-motion                                             # all three parts, 1 rank
    .venv/bin/python benchmarks/motion/run.py --parts dynamics,drift --ranks 2 --json motion.json

dynamics  10 steps of 1 fs at 300 K of Al108 (Gamma) and Si64 (Gamma): SCF steps, H applications and seconds of the
          first geometry and of the later ones, the share of forces and checkpoints
drift     100 steps of 1 fs of Si8 (2x2x2 k-points) at 600 K: slope of the conserved energy
vacancy   an atom taken out of the supercell of Al108 (`--cells 3`), atoms relaxed to 0.01 eV/Angstrom with the UPF file
          that pw.x ships, by wavegrid and by pw.x, each with its default number of bands; whole processes
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks/common"), str(ROOT / "benchmarks/against_pwx"), str(ROOT / "python")]

from codes import check_potential, launcher  # noqa: E402
from processes import Process, timed  # noqa: E402
from systems import SYSTEMS, UPF_NAME, System, pwx_input, wavegrid_input  # noqa: E402

from wavegrid.process import machine  # noqa: E402
from wavegrid.units import HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM  # noqa: E402

PARTS = ("dynamics", "drift", "vacancy")
FORCE = 0.01 / HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM  # Ha/bohr
UPF = Path("/usr/share/espresso/pseudo") / UPF_NAME
_LIMIT = 7200.0  # seconds of a process


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--cells", type=int, default=3, help="of the vacancy's supercell along each axis")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    arguments = parser.parse_args()
    found: dict[str, Any] = {"machine": machine.describe(), "ranks": arguments.ranks}
    with tempfile.TemporaryDirectory() as folder:
        for part in arguments.parts.split(","):
            found[part] = globals()[part](Path(folder), arguments)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0


def dynamics(folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Costs of the geometries of dynamics."""
    answer = {}
    for name in ("al108", "si64"):
        text = _gamma(SYSTEMS[name], folder / name, "1e-7 Ha")
        result, _ = _run(folder, name, text + _md(10, "300 K"), arguments.ranks)
        steps = result["dynamics"]["steps"]
        first, later = steps[0], steps[4:]
        mean = {key: sum(step[key] for step in later) / len(later) for key in ("scf_steps", "seconds")}
        answer[name] = {"first": first, "later": mean, "wall_seconds": result["wall_seconds"]}
        ratio = mean["seconds"] / first["seconds"]
        print(
            f"{name}: first geometry {first['scf_steps']} SCF steps, {first['seconds']:.2f} s; from the fifth on "
            f"{mean['scf_steps']:.1f} steps, {mean['seconds']:.2f} s ({ratio:.2f})",
            flush=True,
        )
    return answer


def drift(folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Drift of the conserved energy."""
    system = SYSTEMS["si8"]
    text = wavegrid_input(system, system.gth, "auto", 1e-10, folder / "si8")
    result, _ = _run(folder, "si8", text + _md(100, "600 K"), arguments.ranks)
    part = result["dynamics"]
    print(
        f"si8: {len(part['steps']) - 1} steps, mean temperature {part['mean_temperature']:.0f} K, drift "
        f"{part['drift']:.1e} Ha per atom and ps",
        flush=True,
    )
    return {"drift": part["drift"], "mean_temperature": part["mean_temperature"]}


def vacancy(folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """The relaxation of a vacancy by both codes."""
    potential = check_potential(UPF)
    cells = arguments.cells
    system = SYSTEMS["al108"].__class__(**{**_fields(SYSTEMS["al108"]), "supercell": cells, "grid": 16 * cells})
    bands = round(0.6 * 3 * (4 * cells**3 - 1))
    system = system.__class__(**{**_fields(system), "bands": bands, "name": f"al{4 * cells**3 - 1}"})
    tolerance = min(1e-7, (4 * cells**3 - 1) * (FORCE / 3) ** 2)  # that of wavegrid for this force
    text = wavegrid_input(system, potential, "auto", tolerance, folder / "vacancy")
    text = re.sub(r"^bands = .*\n", "", text, flags=re.M)  # our default; that of pw.x is 1.2 * 1.5 bands per atom
    result, process = _run(folder, "vacancy", _without_atom(text, system) + "[relax]\n", arguments.ranks)
    part = result["relaxation"]
    last = part["geometries"][-1]
    steps = [one["scf_steps"] for one in part["geometries"]]
    ours = {"geometries": len(steps), "free": last["free_energy"], "scf_steps": sum(steps), "steps": steps}
    ours |= {"falls": part["geometries"][0]["free_energy"] - last["free_energy"], **_costs(process)}
    ours["largest_force"] = last["largest_force"]
    print(f"{system.name}: wavegrid {ours}", flush=True)
    peers = _pwx(system, potential, tolerance, folder, arguments.ranks)
    ratios = {what: ours[what] / peers[what] for what in ("seconds", "cpu_seconds")}
    print(f"{system.name}: pw.x {peers}; over those of pw.x: {ratios}", flush=True)
    return {"wavegrid": ours, "pwx": peers, "ratios": ratios}


def _pwx(system: System, potential: Path, tolerance: float, folder: Path, ranks: int) -> dict[str, Any]:
    text = pwx_input(system, potential, tolerance, str(folder / "out"))
    text = text.replace("calculation='scf'", f"calculation='relax', forc_conv_thr={2 * FORCE:.4e}, etot_conv_thr=1.0")
    text = text.replace("ATOMIC_SPECIES", "&ions\n/\nATOMIC_SPECIES").replace(
        f"nat={4 * system.supercell**3}", f"nat={4 * system.supercell**3 - 1}"
    )
    lines = text.split("\n")
    del lines[lines.index("ATOMIC_POSITIONS crystal") + 1]
    (folder / "pw.in").write_text("\n".join(lines))
    process = timed([*launcher(ranks), "pw.x", "-in", "pw.in"], folder, _LIMIT)
    energies = re.findall(r"^!\s+total energy\s+=\s+(\S+) Ry", process.output, re.M)
    steps = re.findall(r"convergence has been achieved in\s+(\d+) iterations", process.output)
    if "End of BFGS Geometry Optimization" not in process.output:
        raise SystemExit("pw.x did not relax\n" + "\n".join(process.output.splitlines()[-15:]))
    falls = (float(energies[0]) - float(energies[-1])) / 2
    counts = {"geometries": len(energies), "scf_steps": sum(map(int, steps)), "steps": list(map(int, steps))}
    return {**counts, "free": float(energies[-1]) / 2, "falls": falls, **_costs(process)}


def _fields(system: System) -> dict[str, Any]:
    return {name: getattr(system, name) for name in system.__dataclass_fields__}


def _gamma(system: System, directory: Path, tolerance: str) -> str:
    gamma = system.__class__(**{**_fields(system), "mesh": None})
    text = wavegrid_input(gamma, system.gth, "auto", 1e-7, directory)
    return text.replace('energy_tolerance = "1.000e-07 Ha"', f'energy_tolerance = "{tolerance}"')


def _md(steps: int, temperature: str) -> str:
    return f'[md]\nsteps = {steps}\ntimestep = "1 fs"\ntemperature = "{temperature}"\n'


def _without_atom(text: str, system: System) -> str:
    """Replace the supercell by its atoms but the first one."""
    size, count = system.supercell * system.edge, system.supercell
    cells = [(i, j, k) for i in range(count) for j in range(count) for k in range(count)]
    places = [[(n + s) / count for n, s in zip(cell, site, strict=True)] for cell in cells for site in system.sites]
    atoms = ", ".join(json.dumps([system.element, *place]) for place in places[1:])
    text = re.sub(r"^atoms = .*$", f"atoms = [{atoms}]", text, flags=re.M)
    text = re.sub(r"^supercell = .*$", "", text, flags=re.M)
    return re.sub(r"^cell = .*$", f"cell = {[[size * (i == j) for j in range(3)] for i in range(3)]}", text, flags=re.M)


def _costs(process: Process) -> dict[str, float]:
    return {"seconds": process.elapsed, "cpu_seconds": process.cpu}


def _run(folder: Path, name: str, text: str, ranks: int) -> tuple[dict[str, Any], Process]:
    (folder / f"{name}.toml").write_text(text.replace("checkpoint = false\n", ""))
    command = [str(ROOT / ".venv/bin/wavegrid"), "run", f"{name}.toml", "--ranks", str(ranks), "--quiet"]
    process = timed(command, folder, _LIMIT)
    return json.loads((folder / name / "result.json").read_text()), process


if __name__ == "__main__":
    sys.exit(main())
