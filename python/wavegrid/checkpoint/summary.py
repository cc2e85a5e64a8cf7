"""The output of `wavegrid checkpoint info`."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from wavegrid.base.text import counted, megabytes
from wavegrid.checkpoint import layout
from wavegrid.checkpoint.header import Header, read_header
from wavegrid.checkpoint.reader import damaged, find, opened


def formula(symbols: list[str]) -> str:
    """Return elements and counts in order of appearance, such as Al3Mg."""
    return "".join(f"{symbol}{count if count > 1 else ''}" for symbol, count in Counter(symbols).items())


def info(path: Path) -> dict[str, Any]:
    """Return what a checkpoint holds; reads its small datasets only. Hartree and bohr."""
    with opened(path) as file:
        header = read_header(file)
        version = int(file["wavegrid"].attrs["version"])
        sizes = {
            name.rpartition("/")[2]: int(find(file, name).nbytes)
            for name in (layout.COEFFS, layout.GVECS, *layout.fields(version), layout.MATRICES)
            if name in layout.datasets(version)
        }
    try:
        title = json.loads(header.input).get("title", "")
        versions = json.loads(header.versions)
    except (ValueError, AttributeError, RecursionError):
        raise damaged(path, "/wavegrid/input or versions: not JSON") from None
    return {
        "file": str(path),
        "title": str(title),
        "formula": formula(header.symbols()),
        "atoms": [[symbol, *place] for symbol, place in zip(header.symbols(), header.positions.tolist(), strict=True)],
        "cell": header.cell.tolist(),
        "volume": header.volume(),
        "electrons": header.electrons if header.bands > 0 else None,
        "kpoints": [[*k, w] for k, w in zip(header.kpoints.tolist(), header.weights.tolist(), strict=True)],
        "mesh": header.mesh,
        "shift": header.shift,
        "spins": header.spins,
        "bands": header.bands,
        "ecut": header.ecut,
        "grid": list(header.grid),
        "plane_waves": header.ngk,
        "half_sphere": header.half_sphere,
        "energy": header.energy,
        "fermi_level": header.fermi,
        "converged": header.converged,
        "steps": header.steps,
        "program": header.program,
        "created": header.created,
        "format_version": version,
        "versions": versions,
        "bytes": {"file": path.stat().st_size, **sizes},
    }


def lines(summary: dict[str, Any]) -> list[str]:
    """Return the lines that `checkpoint info` prints."""
    points, waves = summary["kpoints"], summary["plane_waves"]
    mesh = f" of a {' x '.join(map(str, summary['mesh']))} mesh" if any(summary["mesh"]) else ""
    half = ", half of the sphere (real wave functions)" if summary["half_sphere"] else ""
    sphere = str(waves[0]) if len(set(waves)) == 1 else f"{min(waves)} to {max(waves)}"
    state = "converged" if summary["converged"] else "not converged"
    lengths = np.linalg.norm(summary["cell"], axis=1)
    sizes = ", ".join(f"{name} {megabytes(count)}" for name, count in summary["bytes"].items() if name != "file")
    known = summary["electrons"]
    electrons = "" if known is None else f"{counted(round(known, 6), 'electron')}, "
    return [
        f"{summary['file']}: {summary['title'] or summary['formula']}, {state} after "
        f"{counted(summary['steps'], 'SCF step')}, free energy {summary['energy']:.9f} Ha",
        f"  {counted(len(summary['atoms']), 'atom')} ({summary['formula']}), "
        f"{electrons}cell {' x '.join(f'{length:.4f}' for length in lengths)} bohr, {summary['volume']:.3f} bohr^3",
        f"  {counted(len(points), 'k-point')}{mesh}, {counted(summary['spins'], 'spin')}, "
        f"{counted(summary['bands'], 'band')}",
        f"  cutoff {summary['ecut']:.6g} Ha, {sphere} plane waves{half}, grid {' x '.join(map(str, summary['grid']))}",
        f"  Fermi level {' and '.join(f'{level:.6f}' for level in summary['fermi_level'])} Ha",
        f"  {megabytes(summary['bytes']['file'])}: {sizes}",
        f"  written by {summary['program']}, {summary['created']}, format {summary['format_version']}",
    ]


def describe(header: Header) -> str:
    """Return one line on a checkpoint, for the notes of a run that begins with it."""
    state = "converged" if header.converged else "not converged"
    return (
        f"{formula(header.symbols())}, {counted(len(header.ngk), 'k-point')}, {counted(header.bands, 'band')}, "
        f"{state} after {counted(header.steps, 'step')}"
    )
