"""Run wavegrid and pw.x on a system; time, memory and results of one run."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
from pathlib import Path

from processes import MissingError, Process, RunError, blas_kernels, clock, duration, timed
from systems import UPF_NAME, System, pools, pwx_input, wavegrid_input


@dataclasses.dataclass
class Result:
    """One finished calculation."""

    elapsed: float  # seconds, from start to end of the process
    inside: float | None  # seconds, the code's own total
    peak_mib: float  # of the largest rank
    free: float  # Ha
    scf_steps: int | None
    h_per_band: float | None
    ffts_per_band: float | None
    version: str
    kernels: list[str]  # OpenBLAS kernels that the processes announced
    how: str  # eigensolver, precision, division of the ranks


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


def parse_pwx(system: System, process: Process, groups: int) -> Result:
    """Numbers of pw.x's output. Raises RunError if it did not converge."""
    output = process.output
    free = re.search(r"^!\s+total energy\s+=\s+(\S+) Ry", output, re.M)
    steps = re.search(r"convergence has been achieved in\s+(\d+) iterations", output)
    inside = re.search(r"PWSCF\s+:.*?CPU(.*?)WALL", output)
    version = re.search(r"Program PWSCF v\.(\S+)", output)
    if not (free and steps and inside and version):
        raise RunError("pw.x ended without convergence\n" + "\n".join(output.splitlines()[-15:]))
    # One transform carries one or two bands; H takes two. Each call of sum_band transforms every band once more. The
    # clocks are those of one pool.
    together, points = system.bands_per_transform, system.kpoints // groups
    states = system.bands * points
    _, transforms = clock(output, "fftw")
    _, densities = clock(output, "sum_band")
    of_density = densities * points * -(-system.bands // together)
    return Result(
        elapsed=process.elapsed,
        inside=duration(inside.group(1)),
        peak_mib=process.peak_mib,
        free=float(free.group(1)) / 2,
        scf_steps=int(steps.group(1)),
        h_per_band=(transforms - of_density) * together / (2 * states) if transforms else None,
        ffts_per_band=together * transforms / states if transforms else None,
        version=version.group(1),
        kernels=blas_kernels(process),
        how=f"davidson, {groups} pools",
    )


def check_potential(potential: Path | None) -> Path:
    """Where the potential is; raises MissingError where it is not."""
    if potential is None or not potential.is_file():
        raise MissingError(f"{UPF_NAME} is missing: apt-get install quantum-espresso-data (or give --upf PATH)")
    return potential.resolve()


class Pwx:
    """pw.x with one pseudopotential."""

    def __init__(self, name: str, program: str | None, system: System, potential: Path | None) -> None:
        """Check that the program and the potential exist."""
        self.name, self.system = name, system
        if program is None or shutil.which(program) is None:
            raise MissingError("pw.x is missing: apt-get install quantum-espresso (or give --pwx PATH)")
        self.program, self.potential = shutil.which(program), check_potential(potential)

    def __call__(self, ranks: int, tolerance_ha: float, folder: Path, timeout: float) -> Result:
        """One calculation in an empty folder."""
        shutil.copy(self.potential, folder)
        potential, groups = folder / self.potential.name, pools(self.system, ranks)
        (folder / "pw.in").write_text(pwx_input(self.system, potential, tolerance_ha, "./out"))
        command = [*launcher(ranks), self.program, "-nk", str(groups), "-in", "pw.in"]
        return parse_pwx(self.system, timed(command, folder, timeout), groups)


class Wavegrid:
    """Our own command, in one precision with one pseudopotential."""

    def __init__(self, name: str, program: Path, system: System, precision: str, potential: Path | None) -> None:
        """Check that the command and the potential exist."""
        self.name, self.system, self.precision = name, system, precision
        if not program.is_file():
            raise MissingError(f"{program} is missing: `make build`, or only pw.x by --codes pwx-upf,pwx-gth")
        self.potential = check_potential(potential)
        self.program = program.resolve()

    def __call__(self, ranks: int, tolerance_ha: float, folder: Path, timeout: float) -> Result:
        """One calculation in an empty folder."""
        # The final tolerance of the converged run is below what single precision reaches.
        precision = self.precision if tolerance_ha > 1e-10 else "auto"
        (folder / "in.toml").write_text(
            wavegrid_input(self.system, self.potential, precision, tolerance_ha, folder / "out")
        )
        process = timed([str(self.program), "run", "in.toml", "--ranks", str(ranks)], folder, timeout)
        path = folder / "out" / "result.json"
        try:
            result = json.loads(path.read_text())
            if not result["converged"]:
                raise RunError(f"wavegrid did not converge on {ranks} ranks")
            split, states = result["parallel"], self.system.bands * self.system.kpoints
            groups = f"{split['kpoint_groups']} k-point groups, {split['band_groups']} band groups"
            return Result(
                elapsed=process.elapsed,
                inside=result["wall_seconds"]["total"],
                peak_mib=process.peak_mib,
                free=result["energy"]["free"],
                scf_steps=result["scf_steps"],
                h_per_band=result["h_applications"] / states,
                ffts_per_band=result["ffts"] / states,
                version=str(result["versions"].get("wavegrid", "unknown")),
                kernels=blas_kernels(process),
                how=f"{result['eigensolver']}, {result['precision']}, {groups}",
            )
        except (OSError, ValueError, KeyError) as error:
            raise RunError(f"{path}: {type(error).__name__}: {error}") from error
