"""psp8 files rewritten as UPF, number by number: pw.x 6.7 reads no psp8."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wavegrid.comparison.numbers import real
from wavegrid.errors import InputError

_RY = 2.0  # in 1 Ha
_FOUR_PI = 12.566370614359172


@dataclass
class Psp8:
    """The parts of a scalar-relativistic psp8 file, in Ha and bohr on a uniform mesh."""

    charge: float
    r: list[float]
    local: list[float]
    projectors: list[tuple[int, float, list[float]]]  # angular momentum, energy, r times the function
    core: list[float] | None  # 4 pi times the density
    valence: list[float]  # 4 pi times the density


def read(path: Path) -> Psp8:
    """Read a psp8 file whose local part is no channel of its own; raises InputError for another one."""
    _, *lines = path.read_text(errors="replace").splitlines()
    try:
        return _read(path, iter([line.split() for line in lines if line.strip()]))
    except (StopIteration, ValueError, IndexError):  # in a layout that only the core reads
        raise InputError(
            f"{path}: pw.x reads no psp8, and the layout of this file differs from that of its generator ONCVPSP; "
            "valid: the file as it was generated"
        ) from None


def _read(path: Path, rows: Iterator[list[str]]) -> Psp8:
    """Read the lines after the title, split into words."""
    charge_row, code_row, core_row, counts_row, switch_row = itertools.islice(rows, 5)
    l_max, l_local, points = (int(word) for word in code_row[2:5])
    if switch_row[0] != "1" or l_local <= l_max:  # a second 1 is for the core of the atom, in two more columns
        raise InputError(
            f"{path}: pw.x reads no psp8, and this file cannot be rewritten as UPF; valid: one with a valence density, "
            "without spin-orbit terms and with a local part beyond l_max"
        )
    counts = [int(word) for word in counts_row[: l_max + 1]]
    projectors = []
    for angular in [angular for angular in range(l_max + 1) if counts[angular]]:
        energies = [real(word) for word in next(rows)[1:]]
        columns = _table(rows, points)
        projectors += [(angular, *pair) for pair in zip(energies, columns[1:], strict=True)]
    next(rows)
    r, local = _table(rows, points)
    core = _table(rows, points)[1] if real(core_row[1]) > 0 else None
    return Psp8(real(charge_row[1]), r, local, projectors, core, _table(rows, points)[1])


def _table(rows: Iterator[list[str]], count: int) -> list[list[float]]:
    """Return the columns of `count` rows, the row numbers left out."""
    table = [[real(word) for word in row[1:]] for row in itertools.islice(rows, count)]
    return [list(column) for column in zip(*table, strict=True)]


def as_upf(potential: Psp8, element: str, functional: str) -> str:
    """Return a norm-conserving UPF file of version 2: Ry, an odd number of mesh points for Simpson's rule."""
    size = len(potential.r) - (len(potential.r) + 1) % 2
    r, count = potential.r[:size], len(potential.projectors)
    header = {
        "generated": "from psp8",
        "element": element,
        "pseudo_type": "NC",
        "relativistic": "scalar",
        "is_ultrasoft": "F",
        "is_paw": "F",
        "is_coulomb": "F",
        "has_so": "F",
        "has_wfc": "F",
        "has_gipaw": "F",
        "core_correction": "T" if potential.core else "F",
        "functional": functional,
        "z_valence": f"{potential.charge:.8f}",
        "total_psenergy": "0.0",
        "l_max": str(max((angular for angular, _, _ in potential.projectors), default=0)),
        "l_local": "-1",
        "mesh_size": str(size),
        "number_of_wfc": "0",
        "number_of_proj": str(count),
    }
    lines = ['<UPF version="2.0.1">', "<PP_HEADER"]
    lines += [f'{key}="{value}"' for key, value in header.items()] + ["/>"]
    lines += [f'<PP_MESH mesh="{size}">', *_array("PP_R", r), *_array("PP_RAB", [r[1] - r[0]] * size), "</PP_MESH>"]
    if potential.core:
        lines += _array("PP_NLCC", [value / _FOUR_PI for value in potential.core[:size]])
    lines += [*_array("PP_LOCAL", [_RY * value for value in potential.local[:size]]), "<PP_NONLOCAL>"]
    for i, (angular, _, function) in enumerate(potential.projectors, 1):
        names = f' index="{i}" angular_momentum="{angular}" cutoff_radius_index="{size}" cutoff_radius="{r[-1]}"'
        lines += _array(f"PP_BETA.{i}", function[:size], names)
    strengths = [0.0] * count**2
    for i, (_, energy, _) in enumerate(potential.projectors):
        strengths[i * (count + 1)] = _RY * energy
    lines += [*_array("PP_DIJ", strengths), "</PP_NONLOCAL>", "<PP_PSWFC>", "</PP_PSWFC>"]
    density = [x * x * value for x, value in zip(r, potential.valence, strict=False)]
    return "\n".join([*lines, *_array("PP_RHOATOM", density), "</UPF>", ""])


def _array(tag: str, values: list[float], attributes: str = "") -> list[str]:
    """Return an element with four numbers to a line."""
    lines = [" ".join(f"{value:.15e}" for value in values[i : i + 4]) for i in range(0, len(values), 4)]
    return [f'<{tag} type="real" size="{len(values)}" columns="4"{attributes}>', *lines, f"</{tag}>"]
