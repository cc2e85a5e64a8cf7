#!/usr/bin/env python3
"""Write docs/features.md, the tables of what works with what, from the declaration and the list of tests.

    .venv/bin/python scripts/make_features.py [--check] [--untested]

The declaration is python/wavegrid/input/features, the list tests/features.toml. With --check only compares; exit code 1
where the page is not up to date, and in any case where a test of the list does not exist. --untested prints the pairs
that are accepted and that no test shows.
"""

import argparse
import itertools
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from wavegrid.input.features.capabilities import BASIS, BY_NAME, CAPABILITIES, COMMANDS, alternatives
from wavegrid.input.features.capability import Capability
from wavegrid.input.features.refusals import BY_PAIR

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests/python"))

import feature_inputs  # noqa: E402

PAGE = ROOT / "docs/features.md"
LIST = ROOT / "tests/features.toml"
TESTED, REFUSED, UNTESTED = "✓✗·"
HEAD = """# What works with what

Can two capabilities be combined? Find the table that has one of them as a column: the one that comes first on this
page. The other is a row of it.

| symbol | meaning |
|---|---|
| ✓ and a number | works: a test computes with both and compares with something independent, such as another program, \
another layout or a derivative of the energy. The number is that of the [test](#tests) |
| ✗ and a number | refused before anything is computed, with the [message](#refusals) of this number |
| · | accepted, and no test shows it: compare with plane waves, or with another solver, before you rely on it |
| empty | both replace each other, or the pair has no meaning |

Of {pairs} pairs, tests show {tested}, {refused} are refused, {untested} are accepted without a test. The page is made
by `scripts/make_features.py` from the declaration that also issues the refusals; a test builds an input of each pair
and compares the answer.

Discretisations: `mesh` is a crystal in real space, periodic in all directions; `mesh, partly free` a chain or layer;
`mesh, free` a molecule; `waves, partly free` and `waves, free` the same in plane waves.
"""


@dataclass
class Evidence:
    """Tests and refusals by pair; numbers in the order in which the tables name them first."""

    shown: dict[frozenset[str], str]
    tests: dict[str, int]
    messages: dict[str, int]

    def cell(self, first: Capability, second: Capability) -> str:
        """Return the cell of a pair."""
        pair = frozenset((first.name, second.name))
        if refusal := BY_PAIR.get(pair):
            number = self.messages.setdefault(_readable(refusal.message), len(self.messages) + 1)
            return f"[{REFUSED}{number}](#r{number})"
        if test := self.shown.get(pair):
            number = self.tests.setdefault(test, len(self.tests) + 1)
            return f"[{TESTED}{number}](#t{number})"
        return UNTESTED if combine(first, second) else ""


def combine(first: Capability, second: Capability) -> bool:
    """Return whether both together mean something."""
    if alternatives(first, second):
        return False
    if not {first.name, second.name}.isdisjoint(COMMANDS):
        return BASIS in (first.group, second.group)
    return feature_inputs.combine(first, second) if first.key and second.key else True


def _readable(message: str) -> str:
    """Return a message with dots for what the input has."""
    return re.sub(r"\{(first|second)?\}", "...", message)


def shown_pairs(listed: dict[str, list[list[str]]]) -> dict[frozenset[str], str]:
    """Return the test of each pair: of several the one of the calculation with the fewest capabilities."""
    best: dict[frozenset[str], tuple[int, str]] = {}
    for test, calculations in listed.items():
        for names in calculations:
            for pair in map(frozenset, itertools.combinations(names, 2)):
                best[pair] = min(best.get(pair, (sys.maxsize, "")), (len(names), test))
    return {pair: test for pair, (_, test) in best.items()}


def faults(listed: dict[str, list[list[str]]]) -> list[str]:
    """Return what is wrong in the list: tests that do not exist, unknown capabilities, pairs that are refused."""
    found = []
    for test, calculations in listed.items():
        path, _, name = test.partition("::")
        pattern = (
            rf"^def {name}\(" if path.endswith(".py") else r"^(TYPED_)?TEST\(" + name.replace(".", r",\s*") + r"\)"
        )
        if not (ROOT / path).is_file() or not re.search(pattern, (ROOT / path).read_text(), re.MULTILINE):
            found.append(f"{test}: there is no such test")
        for names in calculations:
            found += [f"{test}: unknown capability '{one}'" for one in names if one not in BY_NAME]
            refused = [pair for pair in itertools.combinations(names, 2) if frozenset(pair) in BY_PAIR]
            found += [f"{test}: {first} and {second} are refused" for first, second in refused]
    return found


def table(group: str, evidence: Evidence) -> list[str]:
    """Return the lines of the table whose columns are a group; nothing where no row has an entry."""
    columns = [one for one in CAPABILITIES if one.group == group]
    start = CAPABILITIES.index(columns[0])
    lines, last = [], ""
    for row in CAPABILITIES[start + 1 :]:
        before = [one for one in columns if CAPABILITIES.index(one) < CAPABILITIES.index(row)]
        cells = [evidence.cell(one, row) for one in before] + [""] * (len(columns) - len(before))
        if not any(cells):
            continue
        if row.group != last:
            lines.append(f"| **{row.group}** |" + " |" * len(columns))
            last = row.group
        lines.append(f"| {row.name} | {' | '.join(cells)} |")
    head = [f"## {group}", "", f"| | {' | '.join(one.name for one in columns)} |", "|---" * (len(columns) + 1) + "|"]
    return [*head, *lines, ""] if lines else []


def page(listed: dict[str, list[list[str]]]) -> str:
    """Return the whole page."""
    evidence = Evidence(shown_pairs(listed), {}, {})
    tables = [line for group in dict.fromkeys(one.group for one in CAPABILITIES) for line in table(group, evidence)]
    cells = [evidence.cell(*pair) for pair in itertools.combinations(CAPABILITIES, 2)]
    tested, refused, untested = (sum(symbol in cell for cell in cells) for symbol in (TESTED, REFUSED, UNTESTED))
    head = HEAD.format(pairs=tested + refused + untested, tested=tested, refused=refused, untested=untested)
    lines = [head, *tables]
    lines += ["## Refusals", "", "| | message |", "|---|---|"]
    lines += [f'| <a id="r{number}"></a>{number} | `{text}` |' for text, number in evidence.messages.items()]
    lines += ["", "## Tests", "", "| | test |", "|---|---|"]
    lines += [f'| <a id="t{number}"></a>{number} | `{test}` |' for test, number in evidence.tests.items()]
    return "\n".join(lines) + "\n"


def untested(listed: dict[str, list[list[str]]]) -> list[str]:
    """Return the pairs that are accepted and that no test shows."""
    evidence = Evidence(shown_pairs(listed), {}, {})
    pairs = itertools.combinations(CAPABILITIES, 2)
    return [f"{one.name} + {other.name}" for one, other in pairs if evidence.cell(one, other) == UNTESTED]


def main() -> int:
    """Write or compare the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    parser.add_argument("--untested", action="store_true", help="print the pairs that no test shows")
    arguments = parser.parse_args()
    listed = tomllib.loads(LIST.read_text())
    if wrong := faults(listed):
        print(*(f"{LIST.relative_to(ROOT)}: {one}" for one in wrong), sep="\n")
        return 1
    if arguments.untested:
        print(*untested(listed), sep="\n")
        return 0
    text = page(listed)
    if PAGE.exists() and PAGE.read_text() == text:
        return 0
    if arguments.check:
        print(f"{PAGE.relative_to(ROOT)}: is not up to date; run .venv/bin/python scripts/make_features.py")
        return 1
    PAGE.write_text(text)
    print(f"written: {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
