"""What differs between two calculations."""

import math
from typing import Any

import numpy as np

from wavegrid.comparison.calculation import Calculation, Matrix

_SAME_POINT = 2e-4  # of two k-points in units of the reciprocal vectors: pw.x prints four decimals
_AT_FERMI = 1e-5  # Ha: ABINIT prints five decimals
_IDENTITY = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
_FIRST = ("free", "internal", "entropy", "one-electron")  # of the energies; the other terms follow


def compare(first: Calculation, second: Calculation) -> dict[str, Any]:
    """Return energies, eigenvalues, forces, stress, steps and seconds of both, their differences, and the settings.

    Differences are those of the second from the first, Ha and bohr. What one of them does not say is left out; `notes`
    says why something that both have was not compared.
    """
    notes = [*first.notes, *second.notes]
    answer: dict[str, Any] = {
        "files": [first.file, second.file],
        "programs": [first.program, second.program],
        "converged": [first.converged, second.converged],
        "settings": _settings(first, second),
        "energies": _energies(first, second, notes),
        "notes": notes,
    }
    for name, found in (("eigenvalues", _eigenvalues(first, second, notes)), ("forces", _forces(first, second, notes))):
        if found is not None:
            answer[name] = found
    if first.stress is not None and second.stress is not None:
        answer["stress"] = _largest(first.stress, second.stress)
    for name in ("steps", "seconds"):
        pair = [getattr(first, name), getattr(second, name)]
        if None not in pair:
            answer[name] = pair
    return answer | _fermi_levels(first, second)


def _fermi_levels(first: Calculation, second: Calculation) -> dict[str, list[float]]:
    """Return the pair of Fermi levels; two pairs where the spins of one have their own."""
    if not first.fermi or not second.fermi:
        return {}
    if len(first.fermi) == len(second.fermi) == 1:
        return {"fermi": [first.fermi[0], second.fermi[0]]}
    return {f"fermi_{name}": [first.fermi_of(spin), second.fermi_of(spin)] for spin, name in enumerate(("up", "down"))}


def _settings(first: Calculation, second: Calculation) -> dict[str, list[Any]]:
    """Return the settings that differ; of two results of ours all keys of their inputs."""
    if first.input is not None and second.input is not None:
        one, other = _flat(first.input), _flat(second.input)
        one |= {"ranks": first.settings["ranks"]}
        other |= {"ranks": second.settings["ranks"]}
    else:
        one, other = first.settings, second.settings
        both = one.keys() & other.keys()
        one, other = ({name: side[name] for name in side if name in both} for side in (one, other))
    names = [name for name in one | other if not _same(one.get(name), other.get(name))]
    return {name: [one.get(name), other.get(name)] for name in names}


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-6)
    return bool(one == other)


def _flat(table: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Return the keys of tables in tables with dotted names; what names the run, not the physics, is left out."""
    found: dict[str, Any] = {}
    for name, value in table.items():
        if before == "" and name in ("title", "output"):
            continue
        found |= _flat(value, f"{before}{name}.") if isinstance(value, dict) else {f"{before}{name}": value}
    return found


def _energies(first: Calculation, second: Calculation, notes: list[str]) -> dict[str, list[float]]:
    one, other = first.terms(), second.terms()
    found = {
        name: [one[name], other[name], other[name] - one[name]]
        for name in dict.fromkeys((*_FIRST, *one))
        if name in one and name in other
    }
    if first.atoms and second.atoms:
        each = [first.energies["free"] / first.atoms, second.energies["free"] / second.atoms]
        found["free, per atom"] = [*each, each[1] - each[0]]
        if first.atoms != second.atoms:
            notes.append(f"{first.atoms} and {second.atoms} atoms: only energies per atom correspond")
    return found


def _eigenvalues(first: Calculation, second: Calculation, notes: list[str]) -> dict[str, Any] | None:
    """Return differences of the levels up to the Fermi level, at the k-points that both have, Ha.

    The Fermi level is that of the first, or of the second where the first has none.
    """
    if not first.eigenvalues or not second.eigenvalues:
        return None
    if not first.eigenvalues[0][0] or not second.eigenvalues[0][0]:
        notes.append("eigenvalues: one calculation did not compute its states one by one")
        return None
    if first.spinors != second.spinors:
        notes.append("eigenvalues: the bands of one calculation have two components, those of the other one")
        return None
    if len(first.eigenvalues) != len(second.eigenvalues):
        notes.append("eigenvalues: one calculation has spin, the other not")
        return None
    pairs = _pairs(first.kpoints, second.kpoints, [_IDENTITY, *first.rotations, *second.rotations])
    if not pairs:
        notes.append("eigenvalues: no k-point is in both")
        return None
    if len(pairs) < min(len(first.kpoints), len(second.kpoints)):
        counts = f"{len(first.kpoints)} and {len(second.kpoints)}"
        notes.append(
            f"eigenvalues: of {counts} k-points {len(pairs)} {'corresponds' if len(pairs) == 1 else 'correspond'}"
        )
    differences = [
        other - one
        for spin, (of_one, of_other) in enumerate(zip(first.eigenvalues, second.eigenvalues, strict=True))
        for i, j in pairs
        for one, other in zip(of_one[i], of_other[j], strict=False)
        if _is_occupied((first, one), (second, other), spin)  # higher ones need not have converged
    ]
    if not differences:
        return None
    mean = sum(differences) / len(differences)
    if first.levels_with_g0 != second.levels_with_g0:
        notes.append("pw.x counts the G = 0 part of the local pseudopotentials in its levels: they have another zero")
    return {
        "largest": max(map(abs, differences)),
        "mean": mean,
        "largest_without_mean": max(abs(difference - mean) for difference in differences),
        "levels": len(differences),
        "kpoints": [len(pairs), len(first.kpoints), len(second.kpoints)],
    }


def _is_occupied(first: tuple[Calculation, float], second: tuple[Calculation, float], spin: int) -> bool:
    """Whether a level, given in both calculations, is up to the Fermi level of one of them; or none has one."""
    for calculation, level in (first, second):
        if calculation.fermi:
            return level <= calculation.fermi_of(spin) + _AT_FERMI
    return True


def _pairs(first: Matrix, second: Matrix, rotations: list[list[list[int]]]) -> list[tuple[int, int]]:
    """Return places of k-points that are equal up to a rotation of the crystal, a sign and reciprocal vectors."""
    turned = np.concatenate([np.array(rotations), -np.array(rotations)])
    others, free = np.array(second), np.ones(len(second), bool)
    found = []
    for i, point in enumerate(first):
        apart = (turned @ point)[:, None, :] - others
        same = np.abs(apart - np.round(apart)).max(axis=2).min(axis=0) < _SAME_POINT
        if (same & free).any():
            j = int(np.argmax(same & free))
            found.append((i, j))
            free[j] = False
    return found


def _forces(first: Calculation, second: Calculation, notes: list[str]) -> float | None:
    if first.forces is None or second.forces is None:
        return None
    if len(first.forces) != len(second.forces):
        notes.append(f"forces: on {len(first.forces)} and {len(second.forces)} atoms")
        return None
    return _largest(first.forces, second.forces)


def _largest(first: list[list[float]], second: list[list[float]]) -> float:
    return max(abs(y - x) for one, other in zip(first, second, strict=True) for x, y in zip(one, other, strict=True))
