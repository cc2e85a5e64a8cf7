"""The syntax of CIF files: names with values, and loops of them, each value with its line.

S. R. Hall, F. H. Allen, I. D. Brown, Acta Cryst. A47, 655 (1991), 10.1107/S010876739101067X.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from wavegrid.base.text import counted, printable
from wavegrid.errors import InputError

_TOKEN = re.compile(r"""'(?:[^']|'(?=\S))*'(?=\s|$)|"(?:[^"]|"(?=\S))*"(?=\s|$)|\S+""")
_NUMERAL = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?:\(\d+\)?)?")
_KEYWORDS = ("data_", "loop_", "save_", "global_", "stop_")


class Value(NamedTuple):
    """A value as the file writes it, without quotation marks."""

    text: str
    line: int
    quoted: bool = False

    @property
    def unknown(self) -> bool:
        """Whether the file leaves it open: ? (unknown) or . (not applicable)."""
        return not self.quoted and self.text in ("?", ".")

    def number(self) -> float | None:
        """Return the number, without its standard deviation; None where it is no finite one."""
        match = _NUMERAL.fullmatch(self.text)
        number = float(match[1]) if match else math.nan
        return number if math.isfinite(number) else None

    def shown(self) -> str:
        """Return the value as messages show it."""
        return printable(" ".join(self.text.split()))[:60]

    @property
    def _begins_an_item(self) -> bool:
        return not self.quoted and (self.text.startswith("_") or self.text.casefold().startswith(_KEYWORDS))


@dataclass
class Block:
    """A data block: its name and the values of every item by name, in lower case and with _ for a point."""

    name: str
    items: dict[str, list[Value]] = field(default_factory=dict)

    def column(self, *names: str) -> list[Value] | None:
        """Return the values of the first of these items that the block has."""
        return next((self.items[name] for name in names if name in self.items), None)

    def one(self, *names: str) -> Value | None:
        """Return the value of the first of these items that is known."""
        values = (self.items[name][0] for name in names if self.items.get(name))
        return next((value for value in values if not value.unknown), None)


def parse(text: str) -> list[Block]:
    """Return the data blocks of a CIF text; raises InputError with the line of what is not valid."""
    blocks: list[Block] = []
    tokens = list(_tokens(text))
    at = 0
    while at < len(tokens):
        token = tokens[at]
        word = token.text.casefold()
        if not token._begins_an_item:
            raise InputError(f"line {token.line}: '{token.shown()}' belongs to no name; valid: a name with its value")
        if word.startswith("data_"):
            blocks.append(Block(token.text[5:]))
            at += 1
        elif not blocks:
            raise InputError(f"line {token.line}: '{token.shown()}' before the first data block; valid: data_NAME")
        elif word == "loop_":
            at = _loop(tokens, at + 1, blocks[-1])
        elif token.text.startswith("_"):
            at = _item(tokens, at, blocks[-1])
        else:
            raise InputError(f"line {token.line}: '{token.shown()}'; valid: data blocks with names and loops")
    return blocks


def _tokens(text: str) -> Iterator[Value]:
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        if lines[at].startswith(";"):
            end = next((i for i in range(at + 1, len(lines)) if lines[i].startswith(";")), None)
            if end is None:
                raise InputError(f"line {at + 1}: a text that begins with ; has no end; valid: a line with ; behind it")
            yield Value("\n".join([lines[at][1:], *lines[at + 1 : end]]).strip(), at + 1, quoted=True)
            at = end + 1
            continue
        for match in _TOKEN.finditer(lines[at]):
            if match[0].startswith("#"):
                break
            quoted = len(match[0]) > 1 and match[0][0] in "'\"" and match[0][-1] == match[0][0]
            yield Value(match[0][1:-1] if quoted else match[0], at + 1, quoted)
        at += 1


def _values(tokens: list[Value], at: int) -> int:
    """Return where the values that begin at `at` end."""
    while at < len(tokens) and not tokens[at]._begins_an_item:
        at += 1
    return at


def _item(tokens: list[Value], at: int, block: Block) -> int:
    """Read a name with its value; a value without quotation marks ends with its line."""
    name, end = tokens[at], _values(tokens, at + 1)
    if end == at + 1:
        raise InputError(f"line {name.line}: {name.shown()} has no value; valid: a name with its value")
    values = _joined(tokens[at + 1 : end])
    if len(values) > 1:
        raise InputError(
            f"line {values[1].line}: '{values[1].shown()}' follows the value of {name.shown()}; valid: one value"
        )
    _add(block, name, values)
    return end


def _loop(tokens: list[Value], at: int, block: Block) -> int:
    """Read the names of a loop and its rows."""
    begin = at
    while at < len(tokens) and not tokens[at].quoted and tokens[at].text.startswith("_"):
        at += 1
    names, end = tokens[begin:at], _values(tokens, at)
    if not names:
        raise InputError(f"line {tokens[begin - 1].line}: a loop without names; valid: names and a value of each")
    values = tokens[at:end]
    if len(names) == 1:
        values = _joined(values)
    if len(values) % len(names):
        raise InputError(
            f"line {_incomplete(values, len(names))}: a loop of {counted(len(names), 'name')} has "
            f"{counted(len(values), 'value')}; valid: rows that are complete"
        )
    for column, name in enumerate(names):
        _add(block, name, values[column :: len(names)])
    return end


def _joined(values: list[Value]) -> list[Value]:
    """Join what stands in a line: "P 21/n" and "x, y, z" are often written without quotation marks."""
    joined: list[Value] = []
    for value in values:
        if joined and joined[-1].line == value.line and not joined[-1].quoted and not value.quoted:
            joined[-1] = Value(f"{joined[-1].text} {value.text}", value.line)
        else:
            joined.append(value)
    return joined


def _incomplete(values: list[Value], names: int) -> int:
    """Return the first line that holds another number of values than there are names, else the last one."""
    counts: dict[int, int] = {}
    for value in values:
        counts[value.line] = counts.get(value.line, 0) + 1
    return next((line for line, count in counts.items() if count != names), values[-1].line)


def _add(block: Block, name: Value, values: list[Value]) -> None:
    key = name.text.casefold().replace(".", "_")
    if [value.text for value in block.items.get(key, values)] != [value.text for value in values]:
        raise InputError(
            f"line {name.line}: {name.shown()} twice in its block, with different values; valid: each name once"
        )
    block.items[key] = values
