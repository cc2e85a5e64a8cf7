#!/usr/bin/env python3
"""Al108 beside Quantum ESPRESSO's pw.x: the wall time that wavegrid has to beat, on this machine, in this run.

    python3 benchmarks/against_pwx/run.py                    # 1 and 2 ranks, 3 repeats, about 6 minutes
    python3 benchmarks/against_pwx/run.py --repeats 1 --no-accuracy --json times.json
    python3 benchmarks/against_pwx/run.py --codes pwx-upf,pwx-gth    # the peer alone

Both codes solve the same system: 108 Al atoms in the perfect 3x3x3 fcc cell, Gamma, 15203 plane waves, grid 48^3,
217 bands, Fermi-Dirac kT = 0.00735 Ha, Perdew-Zunger LDA. pw.x runs twice, with the norm-conserving UPF that it ships
and with wavegrid's GTH potential; runs alternate between the codes, BLAS has one thread per rank and picks its kernel
by itself. The energies of the codes are not the same number: pw.x cuts the density at ecutrho, wavegrid does not, and
the UPF is another potential. Accuracy is |F - F_converged| of each code with itself.

Exit code: 0 done; 1 a run failed; 2 wrong arguments; 3 a program or file is missing. Standard library only.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
GTH_FILE = HERE / "Al-q3.gth"
UPF_NAME = "Al.pz-vbc.UPF"
UPF_FOLDERS = (Path("/usr/share/espresso/pseudo"), Path("/usr/share/quantum-espresso/pseudo"))

EDGE = 7.6533909  # bohr, the cubic cell of four atoms
SUPERCELL = 3
SITES = ((0.0, 0.0, 0.0), (0.0, 0.5, 0.5), (0.5, 0.0, 0.5), (0.5, 0.5, 0.0))
NUM_BANDS = 217
GRID = 48
ECUT_HA = 8.8309  # 240 eV; the sphere of 15203 plane waves
ECUTRHO_RY = 43.0  # the largest sphere that pw.x takes in 48^3 is a little larger
KT_HA = 0.00735  # 0.2 eV
EXIT_FAILED, EXIT_MISSING = 1, 3


class RunError(Exception):
    """A code ended without a converged result."""


class MissingError(Exception):
    """A program or file is not on this machine."""


@dataclasses.dataclass
class Result:
    """One finished calculation."""

    elapsed: float  # seconds, from start to end of the process
    inside: float | None  # seconds, the code's own total
    free: float  # Ha
    scf_steps: int | None
    h_per_band: float | None
    ffts_per_band: float | None
    version: str
    kernels: list[str]  # OpenBLAS kernels that the processes announced


def pwx_input(potential: Path, tolerance_ha: float, outdir: str) -> str:
    """The input of pw.x; tolerance_ha bounds its `estimated scf accuracy`."""
    size = SUPERCELL * EDGE
    cells = itertools.product(range(SUPERCELL), repeat=3)
    atoms = [[(n + s) / SUPERCELL for n, s in zip(cell, site, strict=True)] for cell in cells for site in SITES]
    ry = 2.0
    return "\n".join(
        [
            "&control",
            f"  calculation='scf', prefix='al', outdir='{outdir}', pseudo_dir='{potential.parent}/', disk_io='none'",
            "/",
            "&system",
            f"  ibrav=0, nat={len(atoms)}, ntyp=1, nbnd={NUM_BANDS}, nosym=.true., input_dft='PZ'",
            f"  ecutwfc={ry * ECUT_HA:.4f}, ecutrho={ECUTRHO_RY}",
            # without nr1s... the energies are garbage and pw.x still exits 0
            f"  nr1={GRID}, nr2={GRID}, nr3={GRID}, nr1s={GRID}, nr2s={GRID}, nr3s={GRID}",
            f"  occupations='smearing', smearing='fd', degauss={ry * KT_HA:.4f}",
            "/",
            "&electrons",
            f"  conv_thr={ry * tolerance_ha:.3e}",
            "/",
            "ATOMIC_SPECIES",
            f"  Al 26.98 {potential.name}",
            "K_POINTS gamma",
            "CELL_PARAMETERS bohr",
            *(" ".join(f"{size * (i == j):.10f}" for j in range(3)) for i in range(3)),
            "ATOMIC_POSITIONS crystal",
            *("Al " + " ".join(f"{x:.16f}" for x in atom) for atom in atoms),
            "",
        ]
    )


def wavegrid_input(tolerance_ha: float, directory: Path) -> str:
    """The input of wavegrid for the same system."""
    atoms = ", ".join(json.dumps(["Al", *site]) for site in SITES)
    return f"""title = "Al108"
[structure]
cell = {[[EDGE * (i == j) for j in range(3)] for i in range(3)]}
unit = "bohr"
atoms = [{atoms}]
coordinates = "fractional"
supercell = {[SUPERCELL] * 3}
[basis]
ecut = "{ECUT_HA} Ha"
grid = {[GRID] * 3}
[electrons]
xc = "LDA_X+LDA_C_PZ"
pseudopotentials = "gth-lda"
bands = {NUM_BANDS}
smearing = {{ kind = "fermi-dirac", width = "{KT_HA} Ha" }}
[scf]
eigensolver = "rmm-diis"
energy_tolerance = "{tolerance_ha:.3e} Ha"
[output]
directory = {json.dumps(str(directory))}
"""


def run_environment() -> dict[str, str]:
    """One BLAS thread per rank, the kernel chosen by OpenBLAS, and its name on stderr."""
    environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
    environment.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", OPENBLAS_VERBOSE="2")
    return environment


def timed(command: list[str], folder: Path, timeout: float) -> tuple[float, str, str]:
    """Run a command in `folder`: seconds, stdout, stderr. Raises RunError unless it exits 0 in time."""
    start = time.perf_counter()
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=run_environment(),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        raise RunError(f"no end after {timeout:g} s: {' '.join(command)}") from None
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
        raise RunError(f"exit code {done.returncode}: {' '.join(command)}\n{tail}")
    return elapsed, done.stdout, done.stderr


def blas_kernels(text: str) -> list[str]:
    """Kernels that OpenBLAS announced with OPENBLAS_VERBOSE=2."""
    return sorted(set(re.findall(r"^Core: (\S+)", text, re.M)))


def launcher(ranks: int) -> list[str]:
    """The Open MPI command that Debian's pw.x needs."""
    mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    if mpirun is None:
        raise MissingError("mpirun is missing: apt-get install openmpi-bin")
    command = [mpirun, "-n", str(ranks)]
    if os.geteuid() == 0:
        command.append("--allow-run-as-root")
    if ranks > (os.cpu_count() or 1):
        command.append("--oversubscribe")
    return command


def clock(output: str, name: str) -> tuple[float, int]:
    """Wall seconds and calls of one of pw.x's clocks (0, 0 if it is absent)."""
    found = re.search(rf"^\s*{re.escape(name)}\s*:.*CPU\s*([\d.]+)s WALL \(\s*(\d+) calls", output, re.M)
    return (float(found.group(1)), int(found.group(2))) if found else (0.0, 0)


def duration(text: str) -> float:
    """Seconds in pw.x's `1h 2m 3.45s`, parts optional and blanks allowed."""
    parts = re.findall(r"([\d.]+)\s*([dhms])", text)
    return sum(float(value) * {"d": 86400, "h": 3600, "m": 60, "s": 1}[unit] for value, unit in parts)


def parse_pwx(elapsed: float, output: str, errors: str) -> Result:
    """Numbers of pw.x's output. Raises RunError if it did not converge."""
    free = re.search(r"^!\s+total energy\s+=\s+(\S+) Ry", output, re.M)
    steps = re.search(r"convergence has been achieved in\s+(\d+) iterations", output)
    inside = re.search(r"PWSCF\s+:.*?CPU(.*?)WALL", output)
    version = re.search(r"Program PWSCF v\.(\S+)", output)
    if not (free and steps and inside and version):
        raise RunError("pw.x ended without convergence\n" + "\n".join(output.splitlines()[-15:]))
    # two bands share one complex transform; each call of sum_band transforms every band once more
    pairs = (NUM_BANDS + 1) // 2
    _, transforms = clock(output, "fftw")
    _, densities = clock(output, "sum_band")
    return Result(
        elapsed=elapsed,
        inside=duration(inside.group(1)),
        free=float(free.group(1)) / 2,
        scf_steps=int(steps.group(1)),
        h_per_band=(transforms - densities * pairs) / NUM_BANDS if transforms else None,
        ffts_per_band=2 * transforms / NUM_BANDS if transforms else None,
        version=version.group(1),
        kernels=blas_kernels(errors + output),
    )


class Pwx:
    """pw.x with one pseudopotential."""

    def __init__(self, name: str, program: str | None, potential: Path | None) -> None:
        """Check that the program and the potential exist."""
        self.name = name
        if program is None or shutil.which(program) is None:
            raise MissingError("pw.x is missing: apt-get install quantum-espresso (or give --pwx PATH)")
        if potential is None or not potential.is_file():
            raise MissingError(f"{UPF_NAME} is missing: apt-get install quantum-espresso-data (or give --upf PATH)")
        self.program, self.potential = shutil.which(program), potential.resolve()

    def __call__(self, ranks: int, tolerance_ha: float, folder: Path, timeout: float) -> Result:
        """One calculation in an empty folder."""
        shutil.copy(self.potential, folder)
        (folder / "al108.in").write_text(pwx_input(folder / self.potential.name, tolerance_ha, "./out"))
        elapsed, output, errors = timed([*launcher(ranks), self.program, "-in", "al108.in"], folder, timeout)
        (folder / "al108.out").write_text(output)
        return parse_pwx(elapsed, output, errors)


class Wavegrid:
    """Our own command."""

    name = "wavegrid"

    def __init__(self, program: Path) -> None:
        """Check that the command exists."""
        if not program.is_file():
            raise MissingError(f"{program} is missing: `make build`, or only pw.x by --codes pwx-upf,pwx-gth")
        self.program = program.resolve()

    def __call__(self, ranks: int, tolerance_ha: float, folder: Path, timeout: float) -> Result:
        """One calculation in an empty folder."""
        (folder / "al108.toml").write_text(wavegrid_input(tolerance_ha, folder / "out"))
        command = [str(self.program), "run", "al108.toml", "--ranks", str(ranks)]
        elapsed, output, errors = timed(command, folder, timeout)
        path = folder / "out" / "result.json"
        try:
            result = json.loads(path.read_text())
            if not result["converged"]:
                raise RunError(f"wavegrid did not converge on {ranks} ranks")
            return Result(
                elapsed=elapsed,
                inside=result["wall_seconds"]["total"],
                free=result["energy"]["free"],
                scf_steps=result["scf_steps"],
                h_per_band=result["h_applications"] / NUM_BANDS,
                ffts_per_band=result["ffts"] / NUM_BANDS,
                version=str(result["versions"].get("wavegrid", "unknown")),
                kernels=blas_kernels(errors + output),
            )
        except (OSError, ValueError, KeyError) as error:
            raise RunError(f"{path}: {type(error).__name__}: {error}") from error


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


def measure(codes: list, arguments: argparse.Namespace, scratch: Path) -> tuple[list[dict], dict[str, float]]:
    """All timed runs, alternating between the codes, then one tight run per code. Progress goes to stderr."""
    runs: dict[tuple[str, int], list[Result]] = {}
    counter = itertools.count()

    def one(code, ranks: int, tolerance: float) -> Result:
        folder = scratch / f"{next(counter):03d}_{code.name}_{ranks}"
        folder.mkdir(parents=True)
        result = code(ranks, tolerance, folder, arguments.timeout)
        print(f"  {code.name:9} {ranks} ranks  {result.elapsed:7.2f} s  F {result.free:.8f} Ha", file=sys.stderr)
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
            converged[code.name] = one(code, max(arguments.ranks), arguments.tight_tolerance).free
    rows = []
    for (name, ranks), results in sorted(runs.items(), key=lambda item: item[0][1]):
        seconds = [result.elapsed for result in results]
        errors = [abs(result.free - converged[name]) for result in results] if name in converged else []
        rows.append(
            {
                "code": name,
                "ranks": ranks,
                "seconds": statistics.median(seconds),
                "all_seconds": seconds,
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
    ours = {row["ranks"]: row["seconds"] for row in rows if row["code"] == Wavegrid.name}
    for row in rows:
        row["ratio_to_wavegrid"] = row["seconds"] / ours[row["ranks"]] if row["ranks"] in ours else None
    return rows, converged


def cell(value: object, pattern: str) -> str:
    """A table cell; a missing value is a dash."""
    return "-" if value is None else format(value, pattern)


def table(report: dict) -> str:
    """The report as text."""
    host, system = report["machine"], report["system"]
    versions = {row["code"]: row["version"] for row in report["rows"]}
    kernels = {row["code"]: "+".join(row["blas_kernels"]) or "none announced" for row in report["rows"]}
    lines = [
        "Al108, Gamma: {bands} bands, grid {grid}^3, ecut {ecut_Ha} Ha, Fermi-Dirac {kT_Ha} Ha, PZ".format(**system),
        "machine   {cpu}, {cores} cores, {memory_gib} GiB, {system}, load at start {load_at_start}".format(**host),
        "versions  " + ", ".join(f"{code} {version}" for code, version in versions.items()),
        "BLAS      one thread per rank; " + ", ".join(f"{code}: {kernel}" for code, kernel in kernels.items()),
        f"tolerance {report['tolerance_Ha']:g} Ha on F, as each code estimates it; "
        f"seconds: median of {report['repeats']}, whole process",
        "",
        f"{'code':10}{'ranks':>6}{'seconds':>9}{'range':>15}{'inside':>8}{'/ours':>7}"
        f"{'SCF':>5}{'H/band':>8}{'FFT/band':>9}{'F (Ha)':>17}{'|F-Fconv|':>11}",
    ]
    for row in report["rows"]:
        spread = f"{min(row['all_seconds']):.2f}-{max(row['all_seconds']):.2f}"
        lines.append(
            f"{row['code']:10}{row['ranks']:>6}{row['seconds']:>9.2f}{spread:>15}"
            f"{cell(row['seconds_inside'], '.2f'):>8}"
            f"{cell(row['ratio_to_wavegrid'], '.2f'):>7}{cell(row['scf_steps'], 'd'):>5}"
            f"{cell(row['h_applications_per_band'], '.1f'):>8}{cell(row['ffts_per_band'], '.1f'):>9}"
            f"{row['free_Ha']:>17.8f}{cell(row['error_Ha'], '.1e'):>11}"
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
    parser.add_argument("--ranks", type=integer_list, default=[1, 2], help="comma-separated (default: 1,2)")
    parser.add_argument("--repeats", type=int, default=3, help="runs per code and rank count (default: 3)")
    parser.add_argument("--codes", default="wavegrid,pwx-upf,pwx-gth", help="which of these to run (default: all)")
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
    arguments.codes = arguments.codes.split(",")
    if unknown := set(arguments.codes) - {"wavegrid", "pwx-upf", "pwx-gth"}:
        parser.error(f"unknown code {sorted(unknown)}; choose from wavegrid, pwx-upf, pwx-gth")
    if arguments.repeats < 1:
        parser.error("--repeats must be at least 1")
    if arguments.scratch and arguments.scratch.exists():
        parser.error(f"--scratch {arguments.scratch} exists already")
    return arguments


def main() -> int:
    """Run the benchmark."""
    arguments = parse_arguments()
    upf = arguments.upf or next((d / UPF_NAME for d in UPF_FOLDERS if (d / UPF_NAME).is_file()), None)
    makers = {
        "wavegrid": lambda: Wavegrid(arguments.wavegrid),
        "pwx-upf": lambda: Pwx("pwx-upf", arguments.pwx, upf),
        "pwx-gth": lambda: Pwx("pwx-gth", arguments.pwx, GTH_FILE),
    }
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
            "system": {"name": "Al108", "bands": NUM_BANDS, "grid": GRID, "ecut_Ha": ECUT_HA, "kT_Ha": KT_HA},
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
    if any(row["code"] != "wavegrid" and not row["blas_kernels"] for row in report["rows"]):
        print("warning: pw.x does not run on OpenBLAS, which is unfair to it: apt-get install libopenblas0-pthread")
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
