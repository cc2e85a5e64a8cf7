"""What of a response of shells is done."""

from dataclasses import asdict, dataclass
from pathlib import Path

from wavegrid.files.done import DoneFile, Part
from wavegrid.files.names import HUBBARD_RESPONSE


@dataclass(frozen=True)
class Point:
    """Electrons of all shells in a shifted potential."""

    shell: int
    """the number of the shifted one, from 0"""
    screened: bool
    """whether the density is self-consistent"""
    share: float
    """of the largest shift"""
    electrons: tuple[float, ...]

    def is_same(self, shell: int, share: float, *, screened: bool) -> bool:
        """Return whether it is this one."""
        return (self.shell, self.screened, self.share) == (shell, screened, share)


def _point(given: Part) -> Point:
    electrons = tuple(float(one) for one in given["electrons"])
    return Point(int(given["shell"]), bool(given["screened"]), float(given["share"]), electrons)


FILE = DoneFile(HUBBARD_RESPONSE, "response of shells", "points", lambda part: asdict(_point(part)))


class PointTable:
    """Writes the file whenever there is a point more."""

    def __init__(self, directory: Path, identity: str, known: list[Part], token: str) -> None:
        """Of an input with this identity (JSON); `known`: points of an earlier run."""
        self._directory, self._identity, self._token = directory, identity, token
        self.points = [_point(one) for one in known]

    def add(self, point: Point) -> None:
        """Add a point; raises EnvironmentFault where it cannot be written."""
        self.points.append(point)
        FILE.write(self._directory, self._identity, [asdict(one) for one in self.points], self._token)

    def find(self, shell: int, share: float, *, screened: bool) -> Point | None:
        """Return a point that is done."""
        return next((one for one in self.points if one.is_same(shell, share, screened=screened)), None)
