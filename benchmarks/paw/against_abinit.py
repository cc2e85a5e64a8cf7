"""PAW XML in wavegrid and ABINIT: one row for each system."""

from __future__ import annotations

import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from comparing import SCALE, TIGHT, differences
from inputs import scaled, system, text_of, with_tolerance
from local_tail import with_exact_tail
from other_codes import Finished, run_abinit, run_wavegrid

# A tolerance of the energy leaves forces at 1e-6 Ha/bohr; spheres of O and H overlap.
CONVERGED = "toldfe 0\ntolvrs 1e-16\npawovlp -1"
HEAD = (
    "system | energy (Ha/atom) | energy of the other geometry (Ha/atom) | forces (Ha/bohr) | stress (GPa) | steps | "
    "with usexcnhat 1 in ABINIT: energy, of the other geometry (Ha/atom)"
)


def with_exact_tails(text: str, folder: Path) -> str:
    """Return the input with datasets whose tails are exact, which are written into the folder."""
    for file in tomllib.loads(text)["electrons"]["pseudopotentials"].values():
        copy = folder / Path(file).name
        copy.write_text(with_exact_tail(Path(file).read_text()))
        text = text.replace(f'"{file}"', f'"{copy}"')
    return text


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
