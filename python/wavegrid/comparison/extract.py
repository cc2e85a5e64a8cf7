"""Parts of the output of another program. Their numbers are finite, or the error names file and line."""

import itertools
import re
from dataclasses import dataclass

from wavegrid.base.text import counted, printable
from wavegrid.comparison.numbers import NotANumber, numbers
from wavegrid.errors import InputError

_VALID = "valid: an output without damage"


@dataclass(frozen=True)
class Extract:
    """The characters from `start` to `end` of a text, which is that of `file`.

    Patterns are those of `re` with MULTILINE. Where a pattern has a group, that is what is found.
    """

    file: str
    whole: str
    start: int
    end: int

    @property
    def text(self) -> str:
        """The characters."""
        return self.whole[self.start : self.end]

    def all(self, pattern: str) -> list["Extract"]:
        """Return what a pattern matches, in order."""
        matches = re.compile(pattern, re.MULTILINE).finditer(self.whole, self.start, self.end)
        return [Extract(self.file, self.whole, *match.span(match.re.groups and 1)) for match in matches]

    def first(self, pattern: str) -> "Extract | None":
        """Return the first match, None where there is none."""
        match = re.compile(pattern, re.MULTILINE).search(self.whole, self.start, self.end)
        return Extract(self.file, self.whole, *match.span(match.re.groups and 1)) if match else None

    def last(self, pattern: str) -> "Extract | None":
        """Return the last match, None where there is none."""
        found = self.all(pattern)
        return found[-1] if found else None

    def has(self, pattern: str) -> bool:
        """Whether a pattern matches anywhere."""
        return self.first(pattern) is not None

    def until(self, end: int) -> "Extract":
        """Return the part up to a place of the text."""
        return Extract(self.file, self.whole, self.start, min(max(end, self.start), self.end))

    def since(self, start: int) -> "Extract":
        """Return the part from a place of the text on."""
        return Extract(self.file, self.whole, min(max(start, self.start), self.end), self.end)

    def parts(self, pattern: str) -> list["Extract"]:
        """Return the parts that begin where a pattern matches; what is before the first is left out."""
        starts = [match.start for match in self.all(pattern)]
        return [Extract(self.file, self.whole, *ends) for ends in itertools.pairwise([*starts, self.end])]

    def numbers(self, count: int | None = None, unit: str = "") -> list[float]:
        """Return the numbers that this consists of, up to the unit that must follow them.

        Raises InputError for anything else, and where their number is not `count`.
        """
        text = self.text.rstrip()
        if not text.endswith(unit) or self.end == len(self.whole):
            raise self.error(f"the line is cut off after '{text.strip()[-40:]}'; {_VALID}")
        try:
            found = numbers(text.removesuffix(unit))
        except NotANumber as fault:
            raise self.since(self.start + fault.position).error(f"{fault}; {_VALID}") from None
        if count is not None and len(found) != count:
            raise self.error(f"{counted(len(found), 'number')} where {count} belong; {_VALID}")
        return found

    def number(self, unit: str = "") -> float:
        """Return the one number that this consists of, but for its unit; raises InputError."""
        return self.numbers(1, unit)[0]

    def integer(self, unit: str = "") -> int:
        """Return the one integer that this consists of, but for its unit; raises InputError."""
        value = self.number(unit)
        if value != int(value):
            raise self.error(f"{value:g} where an integer belongs; {_VALID}")
        return int(value)

    def error(self, message: str) -> InputError:
        """Return the error that names file and line of the start."""
        line = self.whole.count("\n", 0, self.start) + 1
        return InputError(f"{self.file}:{line}: {printable(message)}")


def whole(text: str, file: str) -> Extract:
    """Return all of a text; `file` names it in errors."""
    return Extract(file, text, 0, len(text))
