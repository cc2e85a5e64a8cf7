"""Counts the places where the name of an energy term stands in the sources: adding a term must stay cheap."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "bindings", "python/wavegrid")
# Places as a quoted name or a key of a results model (docs/energy-terms.md).
PLACES = {
    "hartree": 7,
    "ion_ion": 8,
    "local_g0": 7,
    "nlcc": 6,
    "entropy": 11,
    "external": 16,
}


def places(name: str) -> list[str]:
    """Return the lines that hold the name of a term, as a text or as a field of a model of results."""
    pattern = re.compile(rf'"{name}"|^    {name}_?: (float|list\[Vector\]|Tensor)\b')
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".hpp", ".py"):
                lines = path.read_text().splitlines()
                found += [f"{path.relative_to(ROOT)}:{i + 1}" for i, line in enumerate(lines) if pattern.search(line)]
    return found


@pytest.mark.parametrize("name", PLACES)
def test_a_name_stands_in_few_places(name: str) -> None:
    """A new place needs a reason: raise the number with it."""
    found = places(name)
    assert len(found) == PLACES[name], "\n".join(found)
