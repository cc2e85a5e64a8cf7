"""Lines of keys in TOML texts."""

import tomllib
import tracemalloc

import pytest

from wavegrid.input.locate import key_lines, line_of

TEXT = """\
# [not.a.section]
title = "a # b"   # comment

[structure]
cell = [
  [1, 0, 0],  # first ]
  [0, 1, 0],
  [0, 0, 1],
]
atoms = [["Al", 0, 0, 0],
         ['Li', 0.5, 0.5, 0.5]]
text = \"\"\"
[fake]
key = 1 \\\"\"\" still
\"\"\"
other = '''it's
x = 2'''
"quoted.key" = { kind = "x", deep = { width = 1 } }
when = 1979-05-27 07:32:00
last = true
[ electrons . smearing ]
kind.name = "fd"
[[list]]
a = 1
[[list]]
a = 2
[list.sub]
b = [1,
2,
]
"""


def test_lines_of_every_kind_of_key() -> None:
    lines = key_lines(TEXT)
    expected = {
        ("title",): 2,
        ("structure",): 4,
        ("structure", "cell"): 5,
        ("structure", "cell", 1, 1): 7,
        ("structure", "atoms", 0): 10,
        ("structure", "atoms", 1): 11,
        ("structure", "text"): 12,
        ("structure", "other"): 16,
        ("structure", "quoted.key", "deep", "width"): 18,
        ("structure", "when"): 19,
        ("structure", "last"): 20,
        ("electrons", "smearing"): 21,
        ("electrons", "smearing", "kind", "name"): 22,
        ("list", 0, "a"): 24,
        ("list", 1, "a"): 26,
        ("list", 1, "sub", "b"): 28,
        ("list", 1, "sub", "b", 1): 29,
    }
    assert {path: lines.get(path) for path in expected} == expected


def test_finds_every_key_that_tomllib_finds() -> None:
    def paths(value: object, path: tuple = ()) -> list[tuple]:
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        return [path] * bool(path) + [found for key, part in items for found in paths(part, (*path, key))]

    lines = key_lines(TEXT)
    missing = [path for path in paths(tomllib.loads(TEXT)) if path not in lines]
    # Headers name electrons and list only as part of a longer name.
    assert missing == [("electrons",), ("list",)]


def test_falls_back_to_the_nearest_parent() -> None:
    lines = key_lines(TEXT)
    assert line_of(lines, ("structure", "unit")) == 4
    assert line_of(lines, ("nowhere", "at", "all")) == 1
    assert key_lines("") == {}
    assert line_of(key_lines("a = 1"), ("a",)) == 1


@pytest.mark.parametrize(
    "value",
    ['"aaaa"', r'"\n\n"', '"""a\na\n"""', r'"""\n""a"""', "'aaaa'", "'''a\n'''", "1 " + "#\n" * 2, "1 " + "# a\n  "],
)
def test_memory_is_a_few_bytes_for_each_character(value: str) -> None:
    """Where a regular expression remembers each of its steps it takes more than 100."""
    middle = len(value) // 2
    begins = next((quotes for quotes in ('"""', "'''", '"', "'") if value.startswith(quotes)), "1 ")
    ends = begins if begins != "1 " else ""
    text = f"a = {begins}{value[len(begins) : len(value) - len(ends)] * (400_000 // middle)}{ends}\nb = 2\n"
    tomllib.loads(text)
    tracemalloc.start()
    lines = key_lines(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert lines[("b",)] == text.count("\n")
    assert peak < 5 * len(text)
