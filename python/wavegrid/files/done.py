"""Files of what is done of a task: they grow part by part, and a run that was ended goes on after the last one."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wavegrid.errors import InputError
from wavegrid.files import store

Part = dict[str, Any]


@dataclass(frozen=True)
class DoneFile:
    """Such a file in the directory of a run."""

    name: str
    writer: str
    """what it says of itself"""
    parts: str
    """the name of its parts, in the plural"""
    checked: Callable[[Part], Part]
    """returns a part that was read; raises ValueError, LookupError or TypeError for one that is none"""

    def write(self, directory: Path, identity: str, parts: list[Part], token: str) -> None:
        """Write the parts of an input with this identity (JSON); raises EnvironmentFault where that is impossible."""
        content = {"written": f"{self.writer}, by wavegrid", "identity": identity, self.parts: parts}
        store.write(directory / self.name, json.dumps(content, indent=1).encode(), token, in_run=True)

    def known(self, restart: str, identity: str) -> list[Part]:
        """Return the parts that were done in the directory of a checkpoint, by a run with the same input."""
        path = Path(restart).with_name(self.name)
        try:
            content = json.loads(path.read_text())
            return [self.checked(one) for one in content[self.parts]] if content["identity"] == identity else []
        except FileNotFoundError:
            return []
        except (OSError, ValueError, LookupError, TypeError):
            raise InputError(f"{path}: is damaged; valid: remove it, and its {self.parts} are computed again") from None
