"""A capability, and what an input asks for as far as it has been read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wavegrid.input.locate import KeyPath
from wavegrid.input.models import Input

if TYPE_CHECKING:
    from wavegrid.input.pseudopotentials import Choice


@dataclass(frozen=True)
class Asked:
    """An input, and of its functional and pseudopotentials what has been read."""

    spec: Input
    kind: str
    """of the task"""
    xc: str = ""
    """libxc's names; empty: not read yet"""
    potentials: "tuple[tuple[str, Choice], ...]" = ()
    """element and pseudopotential; empty: not read yet"""


Value = str | float | bool | None
"""What an input has at the key of a capability, as a message shows it; false or None: it does not ask for it."""


@dataclass(frozen=True)
class Capability:
    """Something that an input may ask for."""

    name: str
    group: str
    """that of its table: capabilities of an exclusive group replace each other"""
    key: str
    """which a refusal names, such as "basis.method"; with {} for the value, where that is a key; empty for commands and
    interfaces, which no input asks for"""
    asked: Callable[[Asked], Value]

    def path(self, value: Value) -> KeyPath:
        """Return the key as a document has it; `value`: what the input has there."""
        return tuple(self.key.format(value).split("."))
