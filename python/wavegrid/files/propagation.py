"""The table of a propagation in time: one line for each step, complete whenever the run ends."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from wavegrid.errors import EnvironmentFault, InputError
from wavegrid.files import store
from wavegrid.files.names import PROPAGATION

if TYPE_CHECKING:
    from wavegrid.model.reports import Activity

_HEAD = "# propagation in time by wavegrid; units hbar/Ha, Ha, bohr, e"
_AXES = ("x", "y", "z")
_FEWEST = 3  # lines
_HEAD_LINES = 3


class PropagationTable:
    """Writes `path` while the core reports; a context manager, which makes the file with the first line."""

    def __init__(self, path: Path, about: dict[str, Any], earlier: str = "") -> None:
        """Of a run with a kick (`momentum`, `gauge`) or without, and `electrons` and `volume` of the cell (bohr^3).

        `earlier`: the lines, with the head, of the part of a run that it goes on from.
        """
        self._path, self._about, self._earlier = path, about, earlier
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
        given: Mapping[str, Any] = report
        vectors = {name: given[name] for name in ("dipole", "current", "magnetic_moment", "field") if name in given}
        for name in ("force", "position"):
            vectors |= {f"{name}_{atom}": one for atom, one in enumerate(given.get(f"{name}s", []), 1)}
        numbers = [report["time"], report["energy"], report["electrons"], *(x for one in vectors.values() for x in one)]
        others = {name: given[name] for name in ("ion_kinetic", "excited") if name in given}
        others |= self._by_band(given.get("occupations", []))
        try:
            if self._file is None and self._earlier:
                store.write(self._path, self._earlier.encode(), store.process_token())
                self._file = self._path.open("a")
            elif self._file is None:
                self._file = self._path.open("w")
                columns = [*(f"{name}_{axis}" for name in vectors for axis in _AXES), *others]
                self._file.write(f"{_HEAD}\n# {json.dumps(self._about)}\n")
                self._file.write(",".join(["step", "time", "energy", "electrons", *columns]) + "\n")
            self._file.write(
                ",".join([str(report["done"]), *(f"{number:.15g}" for number in (*numbers, *others.values()))]) + "\n"
            )
            self._file.flush()
        except OSError as fault:
            raise EnvironmentFault(f"{self._path}: cannot be written: {fault.strerror}") from None

    def _by_band(self, occupations: list[float]) -> dict[str, float]:
        """Return the electrons in each band of the start by the names of their columns."""
        spins = self._about.get("spins", 1)
        bands = len(occupations) // spins
        names = ["band"] if spins == 1 else ["up", "down"]
        return {f"{names[i // bands]}_{i % bands + 1}": value for i, value in enumerate(occupations)}


def kept_lines(path: Path, step: int, every: int) -> str:
    """Return a table up to a step from which a run goes on, which writes each step that `every` divides.

    Raises InputError where there is none, or where it has no line for one of these steps.
    """
    valid = f"valid: the table of the run that has saved the state, in the same directory, with write_every = {every}"
    head, lines = _lines(path, valid)
    kept = [line for line in lines if (number := int(line.split(",", 1)[0])) <= step and number % every == 0]
    if [int(line.split(",", 1)[0]) for line in kept] != list(range(0, step + 1, every)):
        raise InputError(f"{path}: does not have each {'' if every == 1 else f'{every}th '}step up to {step}; {valid}")
    return "".join(head + kept)


def _lines(path: Path, valid: str) -> tuple[list[str], list[str]]:
    """Return the head of three lines, and the other lines that are complete. Raises InputError."""
    try:
        lines = path.read_text().splitlines(keepends=True)
    except OSError as fault:
        raise InputError(f"{path}: cannot be read: {fault.strerror}; {valid}") from None
    except ValueError:
        lines = []
    if len(lines) < _HEAD_LINES or lines[0].strip() != _HEAD:
        raise InputError(f"{path}: is not the table of a propagation; {valid}")
    return lines[:_HEAD_LINES], [line for line in lines[_HEAD_LINES:] if line.endswith("\n")]


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
    lasers: list[dict[str, Any]]
    """as the core takes them: frequency in Ha"""
    rotations: list[list[list[float]]] = field(default_factory=list)
    """of the structure, Cartesian; empty: not known"""


def read(place: Path) -> Propagated:
    """Return a table, or the one in a directory; a line that is not complete is left out. Raises InputError."""
    path = place / PROPAGATION if place.is_dir() else place
    valid = 'valid: the directory of a run with kind = "propagate", or its propagation.csv'
    head, lines = _lines(path, valid)
    try:
        about = json.loads(head[1].removeprefix("#"))
        names = head[2].strip().split(",")
        rows = [list(map(float, line.split(","))) for line in lines]
        if len(rows) > _FEWEST and rows[-1][0] - rows[-2][0] != rows[1][0] - rows[0][0]:
            rows.pop()  # the last step of a run, between two that are written
        columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
        kick = about["kick"]
        found = Propagated(
            path,
            columns,
            kick and kick["momentum"],
            about["electrons"],
            about["volume"],
            about["lasers"],
            about.get("rotations", []),
        )
    except (ValueError, IndexError, KeyError, TypeError):
        raise InputError(f"{path}: is not the table of a propagation; {valid}") from None
    if len(columns["time"]) < _FEWEST:
        raise InputError(f"{path}: has {len(columns['time'])} steps; valid: at least {_FEWEST}")
    return found
