"""What of a response of shells is done: the file grows by one shifted potential after the other."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wavegrid.errors import InputError
from wavegrid.files import store
from wavegrid.files.names import HUBBARD_RESPONSE

_WRITER = "response of shells, by wavegrid"


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


class PointTable:
    """Writes the file whenever there is a point more."""

    def __init__(self, directory: Path, identity: str, known: list[dict[str, Any]], token: str) -> None:
        """Of an input with this identity (JSON); `known`: points of an earlier run."""
        self._path, self._identity, self._token = directory / HUBBARD_RESPONSE, identity, token
        self.points = [_point(one) for one in known]

    def add(self, point: Point) -> None:
        """Add a point; raises EnvironmentFault where it cannot be written."""
        self.points.append(point)
        content = {"written": _WRITER, "identity": self._identity, "points": [asdict(one) for one in self.points]}
        store.write(self._path, json.dumps(content, indent=1).encode(), self._token, in_run=True)

    def find(self, shell: int, share: float, *, screened: bool) -> Point | None:
        """Return a point that is done."""
        return next((one for one in self.points if one.is_same(shell, share, screened=screened)), None)


def known(restart: str, identity: str) -> list[dict[str, Any]]:
    """Return the points that were done in the directory of a checkpoint, by a run with the same input."""
    path = Path(restart).with_name(HUBBARD_RESPONSE)
    try:
        content = json.loads(path.read_text())
        points: list[dict[str, Any]] = content["points"] if content["identity"] == identity else []
        return [asdict(_point(one)) for one in points]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, LookupError, TypeError):
        raise InputError(f"{path}: is damaged; valid: remove it, and its potentials are computed again") from None


def _point(given: dict[str, Any]) -> Point:
    electrons = tuple(float(one) for one in given["electrons"])
    return Point(int(given["shell"]), bool(given["screened"]), float(given["share"]), electrons)
