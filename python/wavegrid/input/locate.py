"""Maps every key of a TOML text to its line, so that messages can name file and line.

`tomllib` gives values without positions. This scanner walks the same text and keeps positions without values; it relies
on `tomllib` having accepted the text already, so it checks nothing.
"""

import re
import tomllib
from collections.abc import Callable

KeyPath = tuple[str | int, ...]

# Repetitions of groups are bounded: Python keeps some 100 bytes for each of them.
_BLANK = re.compile(r"[ \t\r\n]+|(?:#[^\n]*\n?){1,1000}")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE = re.compile(r"[^,\]}\n#]*")
_STOPS = {  # by the quotes that open a string: those that close it, or characters that do not
    '"""': re.compile(r'(?:\\.){1,1000}|"{3,5}', re.DOTALL),
    "'''": re.compile("'{3,5}"),
    '"': re.compile(r'(?:\\.){1,1000}|"'),
    "'": re.compile("'"),
}


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line (from 1) of every key, array element and section header of a valid TOML text."""
    return _Scanner(text).document()


def line_of(lines: dict[KeyPath, int], path: KeyPath) -> int:
    """Return the line of a key path, or of its nearest parent in the file; 1 where there is none."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1


class _Scanner:
    """A recursive walk over the text; `pos` is the next unread character."""

    def __init__(self, text: str):
        self.text = text
        self.pos = 0
        self.counted = 0  # up to here the newlines are counted
        self.line = 1  # of that place
        self.lines: dict[KeyPath, int] = {}
        self.table_counts: dict[KeyPath, int] = {}  # [[name]] headers seen so far

    def document(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        while self.skip_blank():
            if self.text[self.pos] == "[":
                table = self.header()
            else:
                self.pair(table)
        return self.lines

    def header(self) -> KeyPath:
        start = self.pos
        brackets = 2 if self.text.startswith("[[", start) else 1
        self.pos += brackets
        keys = self.keys()
        self.pos += brackets
        path = self.resolve(keys, is_array=brackets == 2)
        self.record(path, start)
        return path

    def resolve(self, keys: list[str], *, is_array: bool) -> KeyPath:
        """Turn header keys into a path that names the current element of each array of tables on the way."""
        path: KeyPath = ()
        for index, key in enumerate(keys):
            path += (key,)
            if is_array and index == len(keys) - 1:
                self.table_counts[path] = self.table_counts.get(path, -1) + 1
            if path in self.table_counts:
                path += (self.table_counts[path],)
        return path

    def pair(self, table: KeyPath) -> None:
        start = self.pos
        path = table
        for key in self.keys():
            path += (key,)
            self.record(path, start)
        self.skip_blank()
        self.pos += 1  # the equals sign
        self.value(path)

    def keys(self) -> list[str]:
        """Read a dotted key and the blanks after it."""
        keys = []
        while True:
            self.skip_blank()
            quoted = self.string()
            if quoted is None:
                keys.append(self.read(_BARE_KEY))
            else:
                keys.append(tomllib.loads(f"key = {quoted}")["key"])
            self.skip_blank()
            if self.text[self.pos] != ".":
                return keys
            self.pos += 1

    def value(self, path: KeyPath) -> None:
        self.skip_blank()
        if self.text[self.pos] == "{":
            self.items("}", lambda _: self.pair(path))
        elif self.text[self.pos] == "[":
            self.items("]", lambda index: self.element((*path, index)))
        elif self.string() is None:
            self.read(_BARE_VALUE)

    def element(self, path: KeyPath) -> None:
        self.record(path, self.pos)
        self.value(path)

    def items(self, closing: str, read_item: Callable[[int], None]) -> None:
        """Read the comma-separated items of an array or inline table, brackets included."""
        self.pos += 1
        index = 0
        while self.skip_blank() and self.text[self.pos] != closing:
            read_item(index)
            index += 1
            self.skip_blank()
            if self.text[self.pos] == ",":
                self.pos += 1
        self.pos += 1

    def string(self) -> str | None:
        """Read a string with its quotes; return None where there is none."""
        start = self.pos
        for quotes, stop in _STOPS.items():
            if self.text.startswith(quotes, start):
                self.pos += len(quotes)
                while self.read(stop, search=True)[0] == "\\":
                    pass
                return self.text[start : self.pos]
        return None

    def skip_blank(self) -> bool:
        """Skip spaces, newlines and comments; return whether anything is left."""
        while match := _BLANK.match(self.text, self.pos):
            self.pos = match.end()
        return self.pos < len(self.text)

    def read(self, pattern: re.Pattern[str], *, search: bool = False) -> str:
        """Read what a pattern matches at this place, or behind it, which in a valid text it does."""
        match = (pattern.search if search else pattern.match)(self.text, self.pos)
        assert match is not None
        self.pos = match.end()
        return match[0]

    def record(self, path: KeyPath, pos: int) -> None:
        """Keep the line of a place that is not before that of the last call."""
        self.line += self.text.count("\n", self.counted, pos)
        self.counted = pos
        self.lines.setdefault(path, self.line)
