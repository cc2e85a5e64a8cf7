#!/usr/bin/env python3
"""wavegrid compared with Quantum ESPRESSO's pw.x on this machine, in this run: wall time and memory per rank.

    python3 benchmarks/against_pwx/run.py                    # Al108 on 1 and 2 ranks, 3 repeats, about 8 minutes
    python3 benchmarks/against_pwx/run.py --system si64      # 64 Si on 2x2x2 k-points
    python3 benchmarks/against_pwx/run.py --repeats 1 --no-accuracy --json times.json
    python3 benchmarks/against_pwx/run.py --codes pwx-upf,pwx-gth    # pw.x alone

Both codes solve the same system without symmetry (systems.py; the default is Al108: 108 Al atoms in the perfect 3x3x3
fcc cell, Gamma, 15203 plane waves, grid 48^3, 217 bands, Fermi-Dirac kT = 0.00735 Ha, Perdew-Zunger LDA). wavegrid runs
in mixed and in double precision; both codes take wavegrid's GTH potential and, for aluminium, the norm-conserving UPF
that pw.x ships; neither writes its wave functions. Runs alternate between the codes, BLAS has one thread per
rank and chooses its kernel, pw.x distributes k-points over pools. The energies of the codes are not the same number:
pw.x cuts the density at ecutrho, wavegrid does not. Accuracy is |F - F_converged| of each code with itself. Peak memory
is the largest resident set of a rank, shared libraries included.

Exit code: 0 done; 1 a run failed; 2 wrong arguments; 3 a program or file is missing. Standard library only.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import os
import platform
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))

from codes import Pwx, Result, Wavegrid  # noqa: E402
from processes import MissingError, RunError  # noqa: E402
from systems import ROOT, SYSTEMS, UPF_NAME, System  # noqa: E402

UPF_FOLDERS = (Path("/usr/share/espresso/pseudo"), Path("/usr/share/quantum-espresso/pseudo"))
# Name, precision and whether with the UPF that pw.x ships (else GTH).
OURS = {
    "wavegrid": ("mixed", False),
    "wavegrid-double": ("double", False),
    "wavegrid-upf": ("mixed", True),
    "wavegrid-upf-double": ("double", True),
}
CODES = (*OURS, "pwx-upf", "pwx-gth")
EXIT_FAILED, EXIT_MISSING = 1, 3


def machine() -> dict[str, object]:
    """Processor, cores, load, memory and system of this machine."""
    cpu, memory, system = platform.processor() or "unknown", 0.0, platform.platform()
    for path, pattern in (("/proc/cpuinfo", r"model name\s*:\s*(.+)"), ("/proc/meminfo", r"MemTotal:\s*(\d+)")):
        if Path(path).is_file() and (found := re.search(pattern, Path(path).read_text())):
            if path.endswith("cpuinfo"):
                cpu = found.group(1).strip()
            else:
                memory = int(found.group(1)) / 2**20
    if Path("/etc/os-release").is_file():
        found = re.search(r'PRETTY_NAME="(.+)"', Path("/etc/os-release").read_text())
        system = found.group(1) if found else system
    return {
        "cpu": cpu,
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(memory, 1),
        "load_at_start": round(os.getloadavg()[0], 2),
        "system": system,
    }


def kind(name: str) -> str:
    """Both precisions have one converged energy."""
    return name.removesuffix("-double")


def measure(codes: list, arguments: argparse.Namespace, scratch: Path) -> tuple[list[dict], dict[str, float]]:
    """All timed runs, alternating between the codes, then one run with a tight tolerance per code."""
    runs: dict[tuple[str, int], list[Result]] = {}
    counter = itertools.count()

    def one(code, ranks: int, tolerance: float) -> Result:
        folder = scratch / f"{next(counter):03d}_{code.name}_{ranks}"
        folder.mkdir(parents=True)
        result = code(ranks, tolerance, folder, arguments.timeout)
        figures = f"{result.elapsed:7.2f} s  {result.peak_mib:6.0f} MiB  F {result.free:.8f} Ha"
        print(f"  {code.name:20} {ranks} ranks  {figures}", file=sys.stderr)
        return result

    for repeat in range(arguments.repeats):
        print(f"repeat {repeat + 1} of {arguments.repeats}", file=sys.stderr)
        for ranks in arguments.ranks:
            for code in codes:
                runs.setdefault((code.name, ranks), []).append(one(code, ranks, arguments.tolerance))
    converged = {}
    if arguments.accuracy:
        print(f"converged energies (tolerance {arguments.tight_tolerance:g} Ha)", file=sys.stderr)
        for code in codes:
            if kind(code.name) not in converged:
                converged[kind(code.name)] = one(code, max(arguments.ranks), arguments.tight_tolerance).free
    rows = []
    for (name, ranks), results in sorted(runs.items(), key=lambda item: item[0][1]):
        seconds = [result.elapsed for result in results]
        known = converged.get(kind(name))
        errors = [] if known is None else [abs(result.free - known) for result in results]
        rows.append(
            {
                "code": name,
                "ranks": ranks,
                "seconds": statistics.median(seconds),
                "all_seconds": seconds,
                "peak_mib_per_rank": max(result.peak_mib for result in results),
                "how": results[-1].how,
                "seconds_inside": statistics.median([result.inside for result in results]),
                "free_Ha": results[-1].free,
                "error_Ha": max(errors) if errors else None,
                "scf_steps": results[-1].scf_steps,
                "h_applications_per_band": results[-1].h_per_band,
                "ffts_per_band": results[-1].ffts_per_band,
                "version": results[-1].version,
                "blas_kernels": results[-1].kernels,
            }
        )
    ours = {row["ranks"]: row["seconds"] for row in rows if row["code"] == "wavegrid"}
    for row in rows:
        row["ratio_to_wavegrid"] = row["seconds"] / ours[row["ranks"]] if row["ranks"] in ours else None
    return rows, converged


def cell(value: object, pattern: str) -> str:
    """A table cell; a missing value is a dash."""
    return "-" if value is None else format(value, pattern)


def table(report: dict) -> str:
    """The report as text."""
    host = report["machine"]
    versions = {row["code"]: row["version"] for row in report["rows"]}
    kernels = {row["code"]: "+".join(row["blas_kernels"]) or "none announced" for row in report["rows"]}
    lines = [
        report["system"]["about"],
        "machine   {cpu}, {cores} cores, {memory_gib} GiB, {system}, load at start {load_at_start}".format(**host),
        "versions  " + ", ".join(f"{code} {version}" for code, version in versions.items()),
        "BLAS      one thread per rank; " + ", ".join(f"{code}: {kernel}" for code, kernel in kernels.items()),
        f"tolerance {report['tolerance_Ha']:g} Ha on F, as each code estimates it; "
        f"seconds: median of {report['repeats']}, whole process",
        "",
        f"{'code':20}{'ranks':>6}{'seconds':>9}{'range':>17}{'inside':>8}{'/ours':>7}{'MiB/rank':>9}"
        f"{'SCF':>5}{'H/band':>8}{'FFT/band':>9}{'F (Ha)':>17}{'|F-Fconv|':>11}",
    ]
    for row in report["rows"]:
        spread = f"{min(row['all_seconds']):.2f}-{max(row['all_seconds']):.2f}"
        lines.append(
            f"{row['code']:20}{row['ranks']:>6}{row['seconds']:>9.2f}{spread:>17}"
            f"{cell(row['seconds_inside'], '.2f'):>8}"
            f"{cell(row['ratio_to_wavegrid'], '.2f'):>7}{row['peak_mib_per_rank']:>9.0f}"
            f"{cell(row['scf_steps'], 'd'):>5}{cell(row['h_applications_per_band'], '.1f'):>8}"
            f"{cell(row['ffts_per_band'], '.1f'):>9}"
            f"{row['free_Ha']:>17.8f}{cell(row['error_Ha'], '.1e'):>11}  {row['how']}"
        )
    return "\n".join(lines)


def integer_list(text: str) -> list[int]:
    """`1,2` as a list of positive integers."""
    values = [int(word) for word in text.split(",")]
    if min(values) < 1:
        raise ValueError("ranks start at 1")
    return values


def parse_arguments() -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", default="al108", choices=SYSTEMS, help="what to solve (default: al108)")
    parser.add_argument("--ranks", type=integer_list, default=[1, 2], help="comma-separated (default: 1,2)")
    parser.add_argument("--repeats", type=int, default=3, help="runs per code and rank count (default: 3)")
    parser.add_argument("--codes", help=f"of {', '.join(CODES)} (default: all that fit the system)")
    parser.add_argument("--tolerance", type=float, default=1e-7, help="Ha, asked of every code (default: 1e-7)")
    parser.add_argument("--tight-tolerance", type=float, default=1e-11, help="Ha, for the converged energies")
    parser.add_argument("--no-accuracy", dest="accuracy", action="store_false", help="skip the converged energies")
    parser.add_argument("--wavegrid", type=Path, default=ROOT / ".venv/bin/wavegrid", help="our command")
    parser.add_argument("--pwx", default="pw.x", help="pw.x, a name on PATH or a path")
    parser.add_argument("--upf", type=Path, help=f"{UPF_NAME}, if not where Debian puts it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report there too")
    parser.add_argument("--scratch", type=Path, help="keep inputs and outputs in this new folder")
    parser.add_argument("--timeout", type=float, default=900, help="seconds per run (default: 900)")
    arguments = parser.parse_args()
    fitting = [code for code in CODES if "upf" not in code or SYSTEMS[arguments.system].upf]
    arguments.codes = arguments.codes.split(",") if arguments.codes else fitting
    if unknown := set(arguments.codes) - set(fitting):
        parser.error(f"unknown code {sorted(unknown)}; {arguments.system} runs with {', '.join(fitting)}")
    if arguments.repeats < 1:
        parser.error("--repeats must be at least 1")
    if arguments.scratch and arguments.scratch.exists():
        parser.error(f"--scratch {arguments.scratch} exists already")
    return arguments


def describe(system: System) -> dict[str, object]:
    """The system in the report."""
    names = ("name", "bands", "kpoints", "grid", "ecut")
    return {"about": system.about()} | {name: getattr(system, name) for name in names} | {"kT_Ha": system.width}


def main() -> int:
    """Run the benchmark."""
    arguments = parse_arguments()
    system = SYSTEMS[arguments.system]
    upf = arguments.upf or next((d / UPF_NAME for d in UPF_FOLDERS if (d / UPF_NAME).is_file()), None)
    makers = {
        "pwx-upf": lambda: Pwx("pwx-upf", arguments.pwx, system, upf),
        "pwx-gth": lambda: Pwx("pwx-gth", arguments.pwx, system, system.gth),
    }
    for name, (precision, with_upf) in OURS.items():
        potential = upf if with_upf else system.gth
        makers[name] = functools.partial(Wavegrid, name, arguments.wavegrid, system, precision, potential)
    codes, missing = [], []
    for name in arguments.codes:
        try:
            codes.append(makers[name]())
        except MissingError as error:
            missing.append(str(error))
    if missing:
        print("\n".join(f"run.py: {line}" for line in dict.fromkeys(missing)), file=sys.stderr)
        return EXIT_MISSING
    try:
        report = {
            "system": describe(system),
            "machine": machine(),
            "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
            "repeats": arguments.repeats,
            "tolerance_Ha": arguments.tolerance,
        }
        with tempfile.TemporaryDirectory(prefix="against_pwx_") as temporary:
            scratch = arguments.scratch or Path(temporary)
            report["rows"], report["converged_free_Ha"] = measure(codes, arguments, scratch.resolve())
    except MissingError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return EXIT_MISSING
    except RunError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return EXIT_FAILED
    print(table(report))
    if any(row["code"] not in OURS and not row["blas_kernels"] for row in report["rows"]):
        print("warning: pw.x does not run on OpenBLAS, which is unfair to it: apt-get install libopenblas0-pthread")
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
