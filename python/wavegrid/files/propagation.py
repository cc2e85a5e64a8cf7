"""The table of a propagation in time: one line for each step, complete whenever the run ends."""

import json
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from wavegrid.errors import EnvironmentFault, InputError
from wavegrid.files.names import PROPAGATION

if TYPE_CHECKING:
    from wavegrid.model.reports import Activity

_HEAD = "# propagation in time by wavegrid; units hbar/Ha, Ha, bohr, e"
_AXES = ("x", "y", "z")
_FEWEST = 3  # lines


class PropagationTable:
    """Writes `path` while the core reports; a context manager, which makes the file with the first line."""

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        """Of a run with a kick (`momentum`, `gauge`) or without, and `electrons` and `volume` of the cell (bohr^3)."""
        self._path, self._about = path, about
        self._file: TextIO | None = None

    def __enter__(self) -> "PropagationTable":
        """Write nothing yet."""
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def add(self, report: "Activity") -> None:
        """Add the line of a step, which is then on its way to the disk; raises EnvironmentFault where that fails."""
        vectors = {name: report[name] for name in ("dipole", "current", "field") if name in report}
        numbers = [report["time"], report["energy"], report["electrons"], *(x for one in vectors.values() for x in one)]
        try:
            if self._file is None:
                self._file = self._path.open("w")
                columns = [f"{name}_{axis}" for name in vectors for axis in _AXES]
                self._file.write(f"{_HEAD}\n# {json.dumps(self._about)}\n")
                self._file.write(",".join(["step", "time", "energy", "electrons", *columns]) + "\n")
            self._file.write(",".join([str(report["done"]), *(f"{number:.15g}" for number in numbers)]) + "\n")
            self._file.flush()
        except OSError as fault:
            raise EnvironmentFault(f"{self._path}: cannot be written: {fault.strerror}") from None


@dataclass(frozen=True)
class Propagated:
    """A table that was read."""

    path: Path
    columns: dict[str, list[float]]
    momentum: list[float] | None
    """of the kick, 1/bohr; None without one"""
    electrons: float
    volume: float
    """of the cell, bohr^3"""


def read(place: Path) -> Propagated:
    """Return a table, or the one in a directory; a line that is not complete is left out. Raises InputError."""
    path = place / PROPAGATION if place.is_dir() else place
    valid = 'valid: the directory of a run with kind = "propagate", or its propagation.csv'
    try:
        lines = path.read_text().splitlines(keepends=True)
        about = json.loads(lines[1].removeprefix("#")) if lines[0].strip() == _HEAD else None
        if about is None:
            raise ValueError
        names = lines[2].strip().split(",")
        rows = [list(map(float, line.split(","))) for line in lines[3:] if line.endswith("\n")]
        columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
        kick = about["kick"]
        found = Propagated(path, columns, kick and kick["momentum"], about["electrons"], about["volume"])
    except OSError as fault:
        raise InputError(f"{path}: cannot be read: {fault.strerror}; {valid}") from None
    except (ValueError, IndexError, KeyError, TypeError):
        raise InputError(f"{path}: is not the table of a propagation; {valid}") from None
    if len(columns["time"]) < _FEWEST:
        raise InputError(f"{path}: has {len(columns['time'])} steps; valid: at least {_FEWEST}")
    return found
