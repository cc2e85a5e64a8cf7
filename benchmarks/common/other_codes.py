"""One input of ours in wavegrid, pw.x and ABINIT: inputs, runs on one rank, results as `wavegrid compare` has them."""

from __future__ import annotations

import dataclasses
import re
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import ModuleType
from typing import Any

from processes import MissingError, RunError, timed

from wavegrid.api.result import load
from wavegrid.comparison import read
from wavegrid.comparison.calculation import Calculation
from wavegrid.comparison.inputs import abinit, espresso, write
from wavegrid.comparison.inputs.case import case_of
from wavegrid.job.prepare import prepare

ROOT = Path(__file__).resolve().parents[2]
WAVEGRID = ROOT / ".venv" / "bin" / "wavegrid"
NICE = ("nice", "-n", "5")
PACKAGES = {"pw.x": "quantum-espresso", "abinit": "abinit"}


class System:
    """An input of ours and what it says to the other codes."""

    def __init__(self, core: ModuleType, path: Path, **changes: Any) -> None:
        """Read the input; `changes`: fields of the Case that the other codes get."""
        self.name, self.path = path.stem, path
        job = prepare(core, path)
        self.text = path.read_text()
        self.case = dataclasses.replace(case_of(core, job), **changes)

    def write_inputs(self, folder: Path, tolerance: float) -> None:
        """Write the inputs of all codes into a new folder."""
        folder.mkdir(parents=True)
        shutil.copy(self.path, folder)
        for code in (espresso, abinit):
            self.write(code, folder / code.PROGRAM, tolerance)

    def write(self, code: ModuleType, folder: Path, tolerance: float) -> None:
        """Write the files of a code; `tolerance` (Ha) bounds what its own criterion measures."""
        write.save(folder, code.files(dataclasses.replace(self.case, tolerance=tolerance)))

    @property
    def gamma(self) -> bool:
        """Whether Gamma is the only k-point."""
        return self.case.mesh is None and self.case.kpoints is None


@dataclasses.dataclass
class Finished:
    """A calculation, the CPU seconds of its whole process and its total moment (mu_B), where there is one."""

    found: Calculation
    cpu: float
    moment: float | None
    folder: Path


def require(program: str) -> str:
    """Return the path of a program; raises MissingError."""
    if (path := shutil.which(program)) is None:
        raise MissingError(f"{program} is missing: apt-get install {PACKAGES[program]}")
    return path


def run_wavegrid(text: str, folder: Path, timeout: float, *options: str) -> Finished:
    """Run an input in a folder, on one rank unless the options say another number."""
    (folder / "in.toml").write_text(text)
    ranks = () if "--ranks" in options else ("--ranks", "1")
    command = [*NICE, str(WAVEGRID), "run", "in.toml", "--output", "out", "--quiet", *ranks, *options]
    process = timed(command, folder, timeout)
    magnetisation = load(folder / "out").magnetisation
    return Finished(read.read(folder / "out"), process.cpu, magnetisation and magnetisation.total, folder / "out")


def run_pwx(system: System, tolerance: float, folder: Path, timeout: float, with_files: bool = True) -> Finished:
    """Run pw.x in a new folder; without its files, which cost time, energies have 8 digits and there is no moment."""
    program = require("pw.x")
    system.write(espresso, folder, tolerance)
    main = folder / espresso.MAIN
    if with_files:
        main.write_text(main.read_text().replace("disk_io='none'", "disk_io='low'"))
    process = timed([*NICE, program, "-in", espresso.MAIN], folder, timeout)
    found = read.read(folder / "stdout")
    if not with_files:
        return Finished(found, process.cpu, None, folder)
    output = ElementTree.parse(folder / "out" / "x.save" / "data-file-schema.xml").find("output")
    if output is None:
        raise RunError("pw.x wrote no output into its XML")
    found.energies["free"] = _number(output, "total_energy/etot")
    moment = _number(output, "magnetization/total") if system.case.spins == 2 else None
    return Finished(found, process.cpu, moment, folder)


def _number(output: ElementTree.Element, path: str) -> float:
    if (value := output.findtext(path)) is None:
        raise RunError(f"pw.x wrote no {path}")
    return float(value)


def run_abinit(system: System, tolerance: float, folder: Path, timeout: float, more: str = "") -> Finished:
    """Run ABINIT in a new folder; `more`: lines at the end of its input, which replace those of the same variable."""
    program = require("abinit")
    system.write(abinit, folder, tolerance)
    main = folder / abinit.MAIN
    given = [line.split()[0] for line in more.splitlines() if line.strip()]
    kept = [line for line in main.read_text().splitlines() if not line.split() or line.split()[0] not in given]
    main.write_text("\n".join([*kept, more, ""]))
    process = timed([*NICE, program, abinit.MAIN], folder, timeout)
    text = (folder / abinit.OUTPUT).read_text()
    moment = re.findall(r"magnetization.*=\s*(\S+)\s*$", text, re.M)
    return Finished(read.read(folder / abinit.OUTPUT), process.cpu, float(moment[-1]) if moment else None, folder)
