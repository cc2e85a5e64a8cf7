"""The figures of Gao et al.'s Tables 3 and 4 for any input file: how evenly a partition deals out the plane waves."""

from pathlib import Path
from types import ModuleType

from rich.table import Table

from wavegrid import structure
from wavegrid.errors import InputError, did_you_mean
from wavegrid.input import read
from wavegrid.launch import parse_count
from wavegrid.problem import choose_grid

SCHEMES = ("greedy", "cyclic", "balanced")
KEYS = ("scheme", "ranks", "rows", "columns", "plane_waves", "max", "min", "mean", "imbalance")


def parse_ranks(text: str) -> list[int]:
    """Return the rank counts of a comma-separated list; raises InputError for anything else."""
    return [parse_count("--ranks", part.strip()) for part in text.split(",")]


def parse_schemes(text: str) -> list[str]:
    """Return the schemes of a comma-separated list; raises InputError that names the nearest."""
    names = [part.strip() for part in text.split(",")]
    for name in names:
        if name not in SCHEMES:
            raise InputError(f"--scheme {name}: unknown; valid: {', '.join(SCHEMES)}{did_you_mean(name, SCHEMES)}")
    return names


def figures(core: ModuleType, file: Path, ranks: list[int], schemes: list[str]) -> list[dict]:
    """Return one dictionary per number of ranks and scheme, in this order. Needs no MPI."""
    document, spec = read(file)
    cell = structure.build(document, spec.structure).cell.tolist()
    grid = choose_grid(core, document, spec.basis, cell, [])
    rows = []
    for count in ranks:
        for scheme in schemes:
            row = core.partition_figures(cell, spec.basis.ecut, grid, True, scheme, count)
            rows.append({key: row[key] for key in KEYS})
    return rows


def table(title: str, rows: list[dict]) -> Table:
    """Return the figures as a table for the terminal."""
    result = Table(title=title, title_justify="left")
    for key in KEYS:
        result.add_column(key.replace("_", " "), justify="left" if key == "scheme" else "right")
    for row in rows:
        mean, imbalance = f"{row['mean']:.1f}", f"{row['imbalance']:.3f}"
        result.add_row(*(str(row[key]) for key in KEYS[:-2]), mean, imbalance)
    return result
