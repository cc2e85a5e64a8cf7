#!/usr/bin/env python3
"""Check that each package of python/wavegrid imports only the packages that python/layers.toml allows it.

    scripts/check_python_layers.py [--mermaid] [ROOT]

Counts imports anywhere in a file, those for type checks too; `import wavegrid` (for its version) is free. Prints
file:line for each violation; exit code 1 where there is one. With --mermaid the allowed graph is printed.
"""

import argparse
import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from module_graph import Graph, check_table, mermaid, permissions, read_graph

TABLE = "python/layers.toml"
PACKAGE = "python/wavegrid"
TOP = "wavegrid"  # in the table: __init__ and __main__


def imported_modules(node: ast.AST) -> Iterator[str]:
    """Yield the dotted names below wavegrid that a statement imports."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.level == 0:
        names = [f"{node.module}.{alias.name}" for alias in node.names]
    else:
        return
    for name in names:
        first, _, rest = name.partition(".")
        if first == "wavegrid" and rest:
            yield rest


def check_sources(root: Path, graph: Graph) -> Iterator[str]:
    """Yield a line for each import that is not allowed, and for each permission that no import uses."""
    unused = permissions(graph)
    for path in sorted((root / PACKAGE).rglob("*.py")):
        relative, where = path.relative_to(root / PACKAGE), path.relative_to(root)
        module = relative.parts[0].removesuffix(".py")
        module = TOP if module in ("__init__", "__main__") else module
        if module not in graph:
            yield f"{where}:1: {module} is not in {TABLE}; packages: {', '.join(graph)}"
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level:
                yield f"{where}:{node.lineno}: a relative import; write from wavegrid.PACKAGE.MODULE"
            for name in imported_modules(node):
                used = name.partition(".")[0]
                if used in graph and used not in (module, *graph[module]):
                    allowed = ", ".join(graph[module]) or "itself alone"
                    yield f"{where}:{node.lineno}: {module} imports wavegrid.{name}; allowed: {allowed}"
                unused.discard((module, used))
    for module, name in sorted(unused):
        yield f"{TABLE}: {module} may import {name}, but no file does; remove it"


def main() -> int:
    """Check the tree of this script, or the one given."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).parents[1], help="the source tree")
    parser.add_argument("--mermaid", action="store_true", help="print the allowed graph instead of checking it")
    arguments = parser.parse_args()
    root = arguments.root
    try:
        graph = read_graph(root / TABLE, TABLE)
    except (OSError, ValueError) as error:  # tomllib's error is a ValueError
        print(f"layers: {error}")
        return 1
    present = {path.stem for path in (root / PACKAGE).iterdir() if path.is_dir() or path.suffix == ".py"}
    violations = list(check_table(graph, TABLE, PACKAGE, present | {TOP}))
    if arguments.mermaid and not violations:
        print(mermaid(graph))
        return 0
    violations += check_sources(root, graph)
    print("\n".join(violations) or f"layers: every package imports only what {TABLE} allows")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
