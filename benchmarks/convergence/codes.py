"""Run wavegrid, pw.x and ABINIT on one system; steps, work, time and energy of a run."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from pathlib import Path

from other_codes import System
from processes import MissingError, RunError, clock, timed

from wavegrid.comparison.inputs import abinit, espresso

RY = 2.0  # in 1 Ha


@dataclasses.dataclass
class Result:
    """One finished calculation; None where the code does not say."""

    seconds: float  # of the whole process
    cpu: float  # the same on the clocks of its processes, user and system
    converged: bool
    steps: int
    free: float  # Ha
    h_per_band: float | None = None
    ffts_per_band: float | None = None
    estimate: float | None = None  # Ha, of the error, by the code itself
    phases: dict[str, float] | None = None  # our seconds by phase, and `total`: without start and end


class Wavegrid:
    """Our own command with its defaults, and `settings` for [scf]."""

    def __init__(self, program: Path, settings: str = "") -> None:
        """Check that the command exists."""
        if not program.is_file():
            raise MissingError(f"{program} is missing: `make build`, or only the other codes by --codes pwx,abinit")
        self.program, self.settings = program.resolve(), settings

    def __call__(self, system: System, tolerance: float, folder: Path, timeout: float) -> Result:
        """One calculation in an empty folder."""
        text = f'{system.text}directory = "{folder}/out"\n[scf]\nenergy_tolerance = "{tolerance:.3e} Ha"\n'
        (folder / "in.toml").write_text(text + self.settings)
        process = timed([str(self.program), "run", "in.toml", "--ranks", "1"], folder, timeout, codes=(0, 1))
        path = folder / "out" / "result.json"
        if not path.is_file():
            raise RunError(process.output + process.errors)
        result = json.loads(path.read_text())
        states = sum(len(of_k) for of_spin in result["eigenvalues"] for of_k in of_spin)
        return Result(
            process.elapsed,
            process.cpu,
            result["converged"],
            result["scf_steps"],
            result["energy"]["free"],
            result["h_applications"] / states,
            result["ffts"] / states,
            result["error_estimate"],
            phases=result["wall_seconds"],
        )


class Pwx:
    """Quantum ESPRESSO's pw.x with its defaults."""

    def __init__(self, program: str = "pw.x") -> None:
        """Check that the program exists."""
        if shutil.which(program) is None:
            raise MissingError("pw.x is missing: apt-get install quantum-espresso")
        self.program = program

    def __call__(self, system: System, tolerance: float, folder: Path, timeout: float) -> Result:
        """One calculation in an empty folder."""
        system.write(espresso, folder, tolerance)
        process = timed([self.program, "-in", "pw.in"], folder, timeout, codes=(0, 1, 2, 3))
        output = process.output
        energies = re.findall(r"^!?\s+total energy\s+=\s+(\S+) Ry", output, re.M)
        course = [float(x) / RY for x in re.findall(r"estimated scf accuracy\s+<\s+(\S+) Ry", output)]
        if not energies or not course:
            raise RunError("pw.x printed no energy\n" + "\n".join(output.splitlines()[-15:]))
        converged = "convergence has been achieved" in output
        free = float(energies[-1]) / RY
        result = Result(process.elapsed, process.cpu, converged, len(course), free, estimate=course[-1])
        bands = re.search(r"number of Kohn-Sham states\s*=\s*(\d+)", output)
        points = re.search(r"number of k points\s*=\s*(\d+)", output)
        _, transforms = clock(output, "fftw")
        if bands and points and transforms:
            # One transform carries two bands at Gamma. Each call of sum_band transforms every band once more.
            together, states = 2 if system.gamma else 1, int(bands.group(1)) * int(points.group(1))
            _, densities = clock(output, "sum_band")
            result.ffts_per_band = together * transforms / states
            result.h_per_band = (result.ffts_per_band - densities) / 2
        return result


class Abinit:
    """ABINIT with its defaults; it does not count applications of H."""

    def __init__(self, program: str = "abinit") -> None:
        """Check that the program exists."""
        if shutil.which(program) is None:
            raise MissingError("abinit is missing: apt-get install abinit abinit-data")
        self.program = program

    def __call__(self, system: System, tolerance: float, folder: Path, timeout: float) -> Result:
        """One calculation in an empty folder."""
        system.write(abinit, folder, tolerance)
        process = timed([self.program, "abinit.abi"], folder, timeout, codes=(0,))
        output = (folder / "abinit.abo").read_text()
        steps = re.findall(r"^ ETOT\s*(\d+)\s+(\S+)\s+(\S+)", output, re.M)
        if not steps:
            raise RunError("ABINIT printed no energy\n" + "\n".join(process.output.splitlines()[-15:]))
        number, energy, change = steps[-1]
        converged = re.search(r"At SCF step\s+\d+.*\n\s+for the second time", output) is not None
        return Result(process.elapsed, process.cpu, converged, int(number), float(energy), estimate=abs(float(change)))
