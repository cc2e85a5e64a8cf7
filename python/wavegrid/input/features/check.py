"""Issues the refusals of combinations."""

from typing import TYPE_CHECKING

from wavegrid.discretisation import choose
from wavegrid.errors import InputError
from wavegrid.input.features.capabilities import BY_NAME
from wavegrid.input.features.capability import Asked, Value
from wavegrid.input.features.refusals import BY_PAIR, REFUSALS
from wavegrid.model.problem import Problem

if TYPE_CHECKING:
    from wavegrid.input.document import Document

_HERE = [one for one in REFUSALS if not one.elsewhere]
_NAMES = {name for one in _HERE for name in (one.first, one.second)}


def check(document: "Document", asked: Asked) -> None:
    """Raise InputError, with file and line, for the first pair of capabilities in the input that do not combine."""
    values = {name: BY_NAME[name].asked(asked) for name in _NAMES}
    for one in _HERE:
        first, second = values[one.first], values[one.second]
        if _is_asked(first) and _is_asked(second):
            message = one.message.format(first=_shown(first), second=_shown(second))
            raise document.error(BY_NAME[one.first].path(first), message)


def check_command(command: str, file: str, problem: Problem) -> None:
    """Raise InputError, with the name of the input `file`, where a command does not combine with its discretisation.

    `problem`: the argument of the core.
    """
    discretisation = choose.from_problem(problem)
    capability = discretisation.capability(discretisation.periodic(problem))
    if one := BY_PAIR.get(frozenset((command, capability))):
        raise InputError(f"{file}: {one.message}")


def _is_asked(value: Value) -> bool:
    return bool(value)


def _shown(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
