"""The options of a run, as the command line gives them and as the launcher passes them to the ranks."""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


@dataclass
class Request:
    """The options of `wavegrid run`, and the terminal of the process that started the ranks."""

    file: Path
    ranks: int | None = None
    threads: int = 1
    quiet: bool = False
    directory: str | None = None
    explain: bool = False
    trace: str | None = None
    restart: str | None = None
    strict: bool = False
    as_json: bool = False
    memory_check: bool = True
    keeps_files: bool = True  # False: the directory goes with the program, nobody needs to know what is in it
    waits: bool = False  # of ranks: the launcher is in reach and still checks their job
    terminal: bool = False
    width: int | None = None

    def to_json(self) -> str:
        """Return the request as text for the command line of a rank."""
        return json.dumps(dataclasses.asdict(self) | {"file": str(self.file)})

    @classmethod
    def from_json(cls, text: str) -> "Request":
        """Return the request that `to_json` has written."""
        values = json.loads(text)
        return cls(**values | {"file": Path(values["file"])})

    @property
    def silent(self) -> bool:
        """Whether nothing but errors and, if asked for, JSON is printed."""
        return self.quiet or self.as_json

    def console(self) -> "Console":
        """Return the console that the run prints to."""
        from wavegrid.display.console import make_console

        return make_console(terminal=self.terminal, width=self.width, quiet=self.silent)
