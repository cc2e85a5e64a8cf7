"""A table of modules, and for each the modules that it may use directly: read, checked for cycles, drawn."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

Graph = dict[str, list[str]]


def read_graph(path: Path, name: str) -> Graph:
    """Return a table; ValueError where it is not a mapping of names to lists of known names. `name`: for messages."""
    graph = tomllib.loads(path.read_text())
    for module, uses in graph.items():
        if not isinstance(uses, list):
            raise ValueError(f"{name}: {module} needs a list of modules, not {uses!r}")
        for used in uses:
            if used not in graph or used == module:
                others = ", ".join(other for other in graph if other != module)
                raise ValueError(f"{name}: {module} lists {used!r}; valid are {others}")
    return graph


def find_cycle(graph: Graph) -> list[str]:
    """Return the modules of one cycle, the first repeated at the end; empty where the graph has none."""
    finished: set[str] = set()

    def visit(module: str, path: list[str]) -> list[str]:
        if module in path:
            return [*path[path.index(module) :], module]
        if module in finished:
            return []
        for name in graph[module]:
            if cycle := visit(name, [*path, module]):
                return cycle
        finished.add(module)
        return []

    return next((cycle for module in graph if (cycle := visit(module, []))), [])


def permissions(graph: Graph) -> set[tuple[str, str]]:
    """Return the pairs (module, used module) that a table allows."""
    return {(module, name) for module, uses in graph.items() for name in uses}


def check_table(graph: Graph, name: str, folder: str, present: set[str]) -> Iterator[str]:
    """Yield what is wrong with the table itself: cycles, modules that are not `present` in the `folder`."""
    if cycle := find_cycle(graph):
        yield f"{name}: the modules form a cycle: {' -> '.join(cycle)}"
    for module in graph:
        if module not in present:
            yield f"{name}: there is no folder {folder}/{module}"


def mermaid(graph: Graph) -> str:
    """Return the graph as a Mermaid flowchart: an arrow from a module to each one it uses, unless a path implies it."""

    def reachable(module: str) -> set[str]:
        return set(graph[module]).union(*(reachable(name) for name in graph[module]))

    lines = ["flowchart TD"]
    for module, uses in graph.items():
        implied = set().union(*(reachable(name) for name in uses))
        lines += [f"  {module} --> {name}" for name in uses if name not in implied]
    return "\n".join(lines)
