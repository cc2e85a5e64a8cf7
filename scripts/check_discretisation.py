#!/usr/bin/env python3
"""Check that only python/wavegrid/discretisation/ and input/basis/ ask whether a calculation has plane waves or a mesh.

    scripts/check_discretisation.py [ROOT]

Prints file:line for each place that asks; exit code 1 where there is one. The rest of the package calls the methods of
what the two choose.py return. A place asks where it

- has the name of a discretisation, "realspace" or "planewaves", as a string of its own;
- reads a key of [basis] that only one of them has: `basis.ecut`, `.spacing`, `.boundary`, or `basis.method`;
- looks for "ecut" in a table, or for the part "mesh" of figures or of a result;
- imports the classes of one of them.
"""

import ast
import sys
from pathlib import Path

PACKAGE = "python/wavegrid"
ALLOWED = (
    "discretisation/",
    "input/basis/",
    "partition/choose.py",  # has a module for each
    "input/models/basis.py",  # defines the keys
    "bench/chain.py",  # writes the input of a mesh
    "bench/halo.py",  # measures halo exchanges of meshes
)
_NAMES = ("realspace", "planewaves")
_KEYS = ("method", "ecut", "spacing", "boundary")
_HOLDERS = ("figures", "estimate", "result", "content")  # of the part "mesh"
_CLASSES = tuple(
    f"wavegrid.{package}.{name}" for package in ("discretisation", "input.basis") for name in ("mesh", "plane_waves")
)


def asks(node: ast.AST) -> bool:
    """Return whether a node asks which discretisation there is."""
    match node:
        case ast.Constant(value=str(value)):
            return value in _NAMES
        case ast.Attribute(value=ast.Name(id="basis") | ast.Attribute(attr="basis"), attr=key):
            return key in _KEYS
        case ast.Compare(left=ast.Constant(value="ecut")):
            return True
        case ast.Compare(left=ast.Constant(value="mesh"), comparators=[ast.Name(id=holder)]):
            return holder in _HOLDERS
        case ast.Subscript(value=ast.Name(id=holder), slice=ast.Constant(value="mesh")):
            return holder in _HOLDERS
        case ast.Call(func=ast.Attribute(value=ast.Name(id=holder), attr="get"), args=[ast.Constant("mesh"), *_]):
            return holder in _HOLDERS
        case ast.ImportFrom(module=str(module), names=names):
            return any(f"{module}.{one.name}".startswith(_CLASSES) for one in names)
    return False


def docstrings(tree: ast.AST) -> set[ast.AST]:
    """Return the texts that are statements of their own."""
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def found(path: Path) -> list[tuple[int, str]]:
    """Return number and text of each line of a file that asks."""
    text = path.read_text()
    tree = ast.parse(text)
    ignored = docstrings(tree)
    lines = text.splitlines()
    numbers = {node.lineno for node in ast.walk(tree) if node not in ignored and asks(node)}
    return [(number, lines[number - 1].strip()) for number in sorted(numbers)]


def main() -> int:
    """Check all files of the package."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    failed = False
    for path in sorted((root / PACKAGE).rglob("*.py")):
        if str(path.relative_to(root / PACKAGE)).startswith(ALLOWED):
            continue
        for number, line in found(path):
            failed = True
            print(f"{path.relative_to(root)}:{number}: asks which discretisation it is: {line}")
    if failed:
        print("discretisation: ask one of the two choose.py, and call a method of what it returns")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
