#!/usr/bin/env python3
"""Check that each module of src/ includes only the modules that src/modules.toml allows it.

    scripts/check_includes.py [--mermaid] [ROOT]

Prints file:line for each violation; exit code 1 where there is one. With --mermaid the allowed graph is printed as a
Mermaid flowchart, without the edges that a longer path implies. The drawing in docs/architecture.md has to be the same.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from module_graph import Graph, check_table, mermaid, permissions, read_graph

TABLE = "src/modules.toml"
DRAWING = "docs/architecture.md"
UMBRELLA = "wavegrid.hpp"  # in src/ itself, includes the stable headers of all modules
SUFFIXES = (".hpp", ".h", ".cpp")

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def included_module(target: str, graph: Graph) -> str | None:
    """Return the module that an include names, None where it is none of ours."""
    if target == "mpi.h":
        return "mpi"
    prefix, _, rest = target.partition("/")
    module, slash, _ = rest.partition("/")
    return module if prefix == "wavegrid" and slash and module in graph else None


def check_sources(root: Path, graph: Graph) -> Iterator[str]:
    """Yield a line for each include that is not allowed, and for each permission that no include uses."""
    source = root / "src"
    unused = permissions(graph)
    for path in sorted(path for path in source.rglob("*") if path.suffix in SUFFIXES):
        module = path.relative_to(source).parts[0]
        where = path.relative_to(root)
        if module == UMBRELLA:
            continue
        if module not in graph:
            yield f"{where}:1: {module} is not in {TABLE}; modules: {', '.join(graph)}"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not (include := _INCLUDE.match(line)):
                continue
            name = included_module(include[2], graph)
            if name is None and include[1] == '"':
                yield f"{where}:{number}: {module} includes {include[2]}; write <wavegrid/module/file.hpp>"
            elif name not in (None, module, *graph[module]):
                allowed = ", ".join(graph[module]) or "itself alone"
                yield f"{where}:{number}: {module} includes {include[2]}; allowed: {allowed}"
            unused.discard((module, name))
    for module, name in sorted(unused):
        yield f"{TABLE}: {module} may include {name}, but no file does; remove it"


def check_drawing(root: Path, graph: Graph) -> Iterator[str]:
    """Yield a line where the document that shows the graph shows another one."""
    path = root / DRAWING
    if path.exists() and f"```mermaid\n{mermaid(graph)}\n```" not in path.read_text():
        yield f"{DRAWING}: the drawing is not that of {TABLE}; replace it by the output of check_includes.py --mermaid"


def main() -> int:
    """Check the tree of this script, or the one given."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).parents[1], help="the source tree")
    parser.add_argument("--mermaid", action="store_true", help="print the allowed graph instead of checking it")
    arguments = parser.parse_args()
    try:
        graph = read_graph(arguments.root / TABLE, TABLE)
    except (OSError, ValueError) as error:  # tomllib's error is a ValueError
        print(f"includes: {error}")
        return 1
    folders = {path.name for path in (arguments.root / "src").iterdir() if path.is_dir()}
    violations = list(check_table(graph, TABLE, "src", folders))
    if arguments.mermaid and not violations:
        print(mermaid(graph))
        return 0
    violations += check_sources(arguments.root, graph)
    violations += check_drawing(arguments.root, graph) if not violations else []
    print("\n".join(violations) or "includes: every module includes only what src/modules.toml allows")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
