"""PAW XML in wavegrid and ABINIT: one row for each system."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from comparing import SCALE, TIGHT, differences
from inputs import scaled, system, text_of, with_tolerance
from local_tail import with_exact_tail
from other_codes import Finished, run_abinit, run_wavegrid
from refine_xml import refined_xml

# A tolerance of the energy leaves forces at 1e-6 Ha/bohr; spheres of O and H overlap.
CONVERGED = "toldfe 0\ntolvrs 1e-16\npawovlp -1"
HEAD = (
    "system | energy (Ha/atom) | energy of the other geometry (Ha/atom) | forces (Ha/bohr) | stress (GPa) | steps | "
    "with usexcnhat 1 in ABINIT: energy, of the other geometry (Ha/atom)"
)

REFINED = ["fe", "gaas", "nai", "ni", "si2", "water"]
REFINED_HEAD = (
    "system; as it is, half the spacing of radii, and four times the density cutoff | energy (Ha/atom) | "
    "forces (Ha/bohr) | stress (GPa) | ours, ABINIT's minus the first (Ha)"
)


def with_datasets(text: str, folder: Path, changed: Callable[[str], str]) -> str:
    """Return the input with changed datasets, which are written into the folder."""
    for file in tomllib.loads(text)["electrons"]["pseudopotentials"].values():
        copy = folder / Path(file).name
        copy.write_text(changed(Path(file).read_text()))
        text = text.replace(f'"{file}"', f'"{copy}"')
    return text


def with_exact_tails(text: str, folder: Path) -> str:
    """Return the input with datasets whose local potentials end as -Z/r."""
    return with_datasets(text, folder, with_exact_tail)


def denser(text: str, factor: float) -> str:
    """Return the input with a density cutoff `factor` times as high."""
    return re.sub(r'(density_ecut = )"(\S+) Ha"', lambda m: f'{m.group(1)}"{factor * float(m.group(2))} Ha"', text)


def three(text: str, timeout: float) -> tuple[Finished, Finished, Finished]:
    """Run wavegrid, and ABINIT with exchange and correlation without and with the compensation charge."""
    with TemporaryDirectory(prefix="paw_") as place:
        folder = Path(place)
        text = with_exact_tails(text, folder)
        ours = run_wavegrid(with_tolerance(text, TIGHT), folder, timeout)
        theirs = [
            run_abinit(
                system(text, folder), TIGHT, folder / f"abinit{choice}", timeout, f"usexcnhat {choice}\n{CONVERGED}"
            )
            for choice in (0, 1)
        ]
        return ours, *theirs


def row(name: str, folders: list[Path], timeout: float) -> dict[str, Any]:
    """Return differences, ours minus ABINIT's."""
    text = text_of("abinit_systems", name, folders)
    found = {"system": name, "input": text}
    ours, *theirs = three(text, timeout)
    moved, *others = three(scaled(text, SCALE), timeout)
    for key, one, other in zip(("usexcnhat_0", "usexcnhat_1"), theirs, others, strict=True):
        found[key] = differences(ours, one)
        found[key]["difference"] = differences(moved, other)["energy"] - found[key]["energy"]
    found["steps"] = [ours.found.steps, theirs[0].found.steps]
    return found


def cells(found: dict[str, Any]) -> list[str]:
    """Return a row of the table."""
    own, other = found["usexcnhat_0"], found["usexcnhat_1"]
    energies = [f"{own['energy']:.1e}", f"{own['difference']:.1e}", f"{own['forces']:.0e}", f"{own['stress']:.4f}"]
    steps = "{}, {}".format(*found["steps"])
    return [found["system"], *energies, steps, f"{other['energy']:.1e}, {other['difference']:.1e}"]


def refined_row(name: str, folders: list[Path], timeout: float) -> dict[str, Any]:
    """Return differences at usexcnhat 0 where radial meshes are finer, and where density cutoffs are higher as well."""
    text = text_of("abinit_systems", name, folders)
    found: dict[str, Any] = {"system": name, "input": text, "rows": []}
    for spacing, cutoff in ((1, 1), (2, 1), (2, 4)):
        with TemporaryDirectory(prefix="paw_") as place:
            folder = Path(place)
            changed = with_datasets(denser(text, cutoff), folder, functools.partial(refined_xml, factor=spacing))
            ours = run_wavegrid(with_tolerance(changed, TIGHT), folder, timeout)
            more = f"usexcnhat 0\n{CONVERGED}"
            theirs = run_abinit(system(changed, folder), TIGHT, folder / "abinit", timeout, more)
            found["rows"].append(differences(ours, theirs))
    return found


def refined_cells(found: dict[str, Any]) -> list[str]:
    """Return a row of the table."""
    rows = found["rows"]
    moved = [
        ", ".join(f"{row['energies'][code] - rows[0]['energies'][code]:.0e}" for row in rows[1:]) for code in (0, 1)
    ]
    return [
        found["system"],
        ", ".join(f"{row['energy']:.1e}" for row in rows),
        ", ".join(f"{row['forces']:.0e}" for row in rows),
        ", ".join(f"{row['stress']:.4f}" for row in rows),
        "; ".join(moved),
    ]
