"""A remark on an input or a result, and lists of them. Ranks import this: no library."""

from collections.abc import Iterable
from dataclasses import dataclass

from wavegrid.base.text import counted, printable
from wavegrid.errors import InputError


@dataclass(frozen=True)
class Remark:
    """A sentence for the user and a fixed name for scripts; `warning`: the result may be wrong, else information."""

    name: str
    text: str
    warning: bool = True


def warnings(remarks: Iterable[Remark]) -> list[dict[str, str]]:
    """Return the warnings among the remarks as result.json has them."""
    return [{"name": remark.name, "message": printable(remark.text)} for remark in remarks if remark.warning]


def notes(remarks: Iterable[Remark]) -> list[str]:
    """Return the texts of the other ones."""
    return [printable(remark.text) for remark in remarks if not remark.warning]


def refuse(file: str, found: list[dict[str, str]]) -> None:
    """Raise InputError where there are warnings: what --strict does before a run."""
    if found:
        raise InputError(refusal(file, found))


def refusal(file: str, found: list[dict[str, str]]) -> str:
    """Return all warnings in one line."""
    messages = "; ".join(f"{warning['message']} [{warning['name']}]" for warning in found)
    return f"{file}: {counted(len(found), 'warning')} with --strict: {messages}"
