"""Ultrasoft and PAW datasets in wavegrid and pw.x: one row for each system."""

from __future__ import annotations

import statistics
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from comparing import SCALE, TIGHT, differences
from inputs import denser, scaled, system, text_of, with_tolerance
from other_codes import Finished, run_pwx, run_wavegrid
from processes import RunError
from refine import refined

DENSER = 2  # times the k-points along each axis, of the runs whose time is taken
REFINED = [
    *("si2_us", "al4_us", "al4_lda_us", "mgo_mixed", "cu_lda_us", "au_lda_us", "fe_us", "tio2_us", "tio2_lda_us"),
    *("water_us", "co_us", "co_paw", "o2_paw", "bn_paw", "al4_paw"),
]
REFINED_HEAD = (
    "system; on 1, 2 and, where pw.x takes them, 4 times the points | energy (Ha/atom) | forces (Ha/bohr) | "
    "stress (GPa) | ours (Ha)"
)
HEAD = (
    "system | energy (Ha/atom) | energy of the other geometry (Ha/atom) | forces (Ha/bohr) | stress (GPa) | "
    "moment (mu_B) | steps | CPU time (s) | ratio"
)


def both(text: str, tolerance: float, timeout: float) -> tuple[Finished, Finished]:
    """Run wavegrid and pw.x on an input, both to an error of `tolerance` (Ha) by their own criteria."""
    with TemporaryDirectory(prefix="paw_") as place:
        folder = Path(place)
        ours = run_wavegrid(with_tolerance(text, tolerance), folder, timeout)
        return ours, run_pwx(system(text, folder), tolerance, folder / "pwx", timeout, tolerance <= TIGHT)


def row(name: str, folders: list[Path], repeats: int, tolerance: float, timeout: float) -> dict[str, Any]:
    """Return differences, ours minus pw.x's, and steps and CPU seconds of both at `tolerance`."""
    text = text_of("systems", name, folders)
    ours, theirs = both(text, TIGHT, timeout)
    found = differences(ours, theirs) | {"system": name, "tight_steps": [ours.found.steps, theirs.found.steps]}
    found["input"] = text
    moved = both(scaled(text, SCALE), TIGHT, timeout)
    found["energy_difference"] = differences(*moved)["energy"] - found["energy"]
    timed = [both(denser(text, DENSER), tolerance, timeout) for _ in range(repeats)]
    if timed:
        found["steps"] = [finished.found.steps for finished in timed[0]]
        found["cpu"] = [statistics.median(pair[side].cpu for pair in timed) for side in (0, 1)]
    return found


def cells(found: dict[str, Any]) -> list[str]:
    """Return a row of the table."""
    moment = f"{found['moment']:.0e}" if "moment" in found else ""
    energies = [f"{found['energy']:.1e}", f"{found['energy_difference']:.1e}"]
    line = [found["system"], *energies, f"{found['forces']:.0e}", f"{found['stress']:.3f}", moment]
    if "cpu" not in found:
        return line
    (ours, theirs), (mine, other) = found["steps"], found["cpu"]
    return [*line, f"{ours}, {theirs}", f"{mine:.1f}, {other:.1f}", f"{mine / other:.2f}"]


def summary(rows: list[dict[str, Any]]) -> str:
    """Return in how many systems steps are at most those of pw.x, and the ratios of time."""
    timed = [row for row in rows if "cpu" in row]
    if not timed:
        return ""
    fewer = sum(row["steps"][0] <= row["steps"][1] for row in timed)
    ratios = [row["cpu"][0] / row["cpu"][1] for row in timed]
    return (
        f"steps at most those of pw.x: {fewer} of {len(timed)}; time over that of pw.x: median "
        f"{statistics.median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}"
    )


def refined_row(name: str, folders: list[Path], timeout: float) -> dict[str, Any]:
    """Return differences with the datasets as they are and with finer meshes, by the factor of the number of points."""
    text = text_of("systems", name, folders)
    found: dict[str, Any] = {"system": name, "input": text}
    for factor in (1, 2, 4):
        with TemporaryDirectory(prefix="paw_") as place:
            changed = text if factor == 1 else with_refined(text, factor, Path(place))
            try:
                found[str(factor)] = differences(*both(changed, TIGHT, timeout))
            except RunError:
                if factor < 4:
                    raise
    return found


def with_refined(text: str, factor: int, folder: Path) -> str:
    """Return the input with finer datasets, which are written into the folder."""
    for file in tomllib.loads(text)["electrons"]["pseudopotentials"].values():
        copy = folder / Path(file).name
        copy.write_text(refined(Path(file).read_text(), factor))
        text = text.replace(f'"{file}"', f'"{copy}"')
    return text


def refined_cells(found: dict[str, Any]) -> list[str]:
    """Return a row of the table."""
    rows = [found[factor] for factor in ("1", "2", "4") if factor in found]
    ours = ", ".join(f"{row['energies'][0] - rows[0]['energies'][0]:.0e}" for row in rows[1:])
    energies, forces, stress = (
        ", ".join(format(row[key], form) for row in rows)
        for key, form in (("energy", ".1e"), ("forces", ".0e"), ("stress", ".3f"))
    )
    return [found["system"], energies, forces, stress, ours]
