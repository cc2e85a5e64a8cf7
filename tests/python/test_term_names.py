"""Counts the places where names of energy terms, keys and results stand in the sources: adding one must stay cheap."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "bindings", "python/wavegrid")
# Places as a quoted name or a key of a results model (docs/energy-terms.md).
PLACES = {
    "hartree": 7,
    "ion_ion": 8,
    "local_g0": 8,
    "nlcc": 6,
    "entropy": 13,  # two solvers
    "external": 19,  # two tasks ask whether there is one
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


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("k0", ["bindings/python/problem.cpp", "python/wavegrid/input/models/scf.py"]),  # of [scf] mixing
        ("hpsi_deviation", ["bindings/python/result.cpp", "python/wavegrid/model/result.py"]),
    ],
)
def test_a_key_and_a_result_pass_through_two_files(name: str, files: list[str]) -> None:
    """What else a new one touches is in C++, and a test (docs/input-keys.md, docs/architecture.md)."""
    found = [
        str(path.relative_to(ROOT))
        for folder in ("bindings", "python/wavegrid")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".cpp", ".hpp", ".py") and re.search(rf"\b{name}\b", path.read_text())
    ]
    assert [path for path in found if path != "bindings/python/enumerations.cpp"] == files  # defaults, for a test
