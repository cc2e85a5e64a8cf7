"""PAW in wavegrid alone: layouts, symmetry and restarts; the same dataset in two formats."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from comparing import SCALE, TIGHT, differences
from inputs import find, names, scaled, system, text_of, with_tolerance
from other_codes import run_abinit, run_wavegrid

SPLIT = ["al4_paw", "ni_paw", "si2"]
SPLITS_HEAD = "system | largest difference of a layout (Ha) | without symmetry | restarted on 2 ranks"
LAYOUTS = {
    2: ("kpoint_groups = 2", "band_groups = 2", "rows = 2\ncolumns = 1", "rows = 1\ncolumns = 2"),
    3: ("kpoint_groups = 3", "band_groups = 3", "rows = 3\ncolumns = 1", "rows = 1\ncolumns = 3"),
}
EXACT, LOOSE = 1e-12, 1e-4  # Ha
# Of JTH's silicon as UPF, with the convention of xc of Kresse and Joubert, and as XML, with Bloechl's.
UPF = "Si.GGA_PBE-JTH.upf"
FILES_HEAD = (
    "system | difference of the energies of two geometries, XML minus UPF (Ha/atom) | in ABINIT, usexcnhat 0 minus 1 | "
    "forces (Ha/bohr), both"
)


def split_row(name: str, folders: list[Path], timeout: float) -> dict[str, Any]:
    """Return energies (Ha) minus that of a run on one rank."""
    text = text_of("systems" if name in names("systems") else "abinit_systems", name, folders)
    found: dict[str, Any] = {"system": name, "input": text, "layouts": {}}

    def energy(changed: str, tolerance: float, *options: str) -> float:
        return run_wavegrid(with_tolerance(changed, tolerance), folder, timeout, *options).found.energies["free"]

    with TemporaryDirectory(prefix="paw_") as place:
        folder = Path(place)
        found["energy"] = expected = energy(text, EXACT)
        for ranks, layouts in LAYOUTS.items():
            for layout in layouts:
                again = energy(f"{text}\n[parallel]\n{layout}\n", EXACT, "--ranks", str(ranks))
                found["layouts"][f"{ranks} ranks, {layout}"] = again - expected
        found["symmetry"] = energy(f"{text}\n[symmetry]\nuse = false\n", EXACT) - expected
        energy(text.replace("checkpoint = false", "checkpoint = true"), LOOSE)
        begun = (folder / "out").rename(folder / "begun") / "checkpoint.h5"
        found["restart"] = energy(text, EXACT, "--ranks", "2", "--restart", str(begun)) - expected
    return found


def split_cells(found: dict[str, Any]) -> list[str]:
    """Return a row of the table."""
    largest = max(map(abs, found["layouts"].values()))
    return [found["system"], f"{largest:.0e}", f"{found['symmetry']:.0e}", f"{found['restart']:.0e}"]


def file_row(name: str, folders: list[Path], timeout: float) -> dict[str, Any]:
    """Return what the two conventions give for the energy between two geometries, here and in ABINIT."""
    text = text_of("abinit_systems", name, folders)
    found: dict[str, Any] = {"system": name, "input": text}
    with TemporaryDirectory(prefix="paw_") as place:
        folder = Path(place)
        for key, geometry in (("first", text), ("second", scaled(text, SCALE))):
            as_upf = re.sub(r'"\S+\.xml"', f'"{find(UPF, folders)}"', geometry)
            xml, upf = (run_wavegrid(with_tolerance(one, TIGHT), folder, timeout) for one in (geometry, as_upf))
            bloechl, kresse = (
                run_abinit(system(geometry, folder), TIGHT, folder / f"{key}{one}", timeout, f"usexcnhat {one}")
                for one in (0, 1)
            )
            found[key] = {"ours": differences(xml, upf), "abinit": differences(bloechl, kresse)}
    return found


def file_cells(found: dict[str, Any]) -> list[str]:
    """Return a row of the table."""
    ours, abinit = (found["second"][code]["energy"] - found["first"][code]["energy"] for code in ("ours", "abinit"))
    forces = ", ".join(f"{found['first'][code]['forces']:.1e}" for code in ("ours", "abinit"))
    return [found["system"], f"{ours:.2e}", f"{abinit:.2e}", forces]
