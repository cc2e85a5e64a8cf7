"""The usual keywords of ASE's calculators, in eV and Angstrom, as keys of the input's tables."""

from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from ase import Atoms
from ase.calculators.calculator import kpts2sizeandoffsets

from wavegrid.api.parameters import TABLES, check_names
from wavegrid.errors import InputError, did_you_mean
from wavegrid.input.locate import KeyPath

_DISTRIBUTIONS = {
    "fermi-dirac": "fermi-dirac",
    "fermi": "fermi-dirac",
    "fd": "fermi-dirac",
    "gaussian": "gaussian",
    "gauss": "gaussian",
    "methfessel-paxton": "methfessel-paxton",
    "mp": "methfessel-paxton",
    "marzari-vanderbilt": "cold",
    "cold": "cold",
    "mv": "cold",
}


def _as_given(value: Any, _atoms: Atoms) -> Any:
    return value


def _functional(name: Any, _atoms: Atoms) -> Any:
    """ASE's LDA is the parametrisation that most calculators mean by it."""
    return "LDA-PW" if isinstance(name, str) and name.upper() == "LDA" else name


def _in_ev(value: Any, _atoms: Atoms) -> Any:
    return f"{float(value)!r} eV" if _is_number(value) else value


def _spin(value: Any, _atoms: Atoms) -> str:
    if not isinstance(value, bool | np.bool_):
        raise ValueError("valid: True or False")
    return "collinear" if value else "none"


def _smearing(value: Any, atoms: Atoms) -> dict[str, Any]:
    """Return the table of (name, width) or (name, width, order), or of GPAW's dictionary."""
    if isinstance(value, Mapping):
        value = (value.get("name"), value.get("width"), *([value["order"]] if "order" in value else []))
    if not isinstance(value, tuple | list) or not 2 <= len(value) <= 3:
        raise ValueError("valid: a name and a width in eV, as ('fermi-dirac', 0.1)")
    name, width, *order = value
    kind = _DISTRIBUTIONS.get(str(name).lower().replace(" ", "-").replace("_", "-"))
    if kind is None:
        near = did_you_mean(str(name), tuple(_DISTRIBUTIONS))
        raise ValueError(f"valid names: fermi-dirac, gaussian, methfessel-paxton, marzari-vanderbilt{near}")
    if order and (kind != "methfessel-paxton" or order[0] != 1):
        raise ValueError("valid: an order only for methfessel-paxton, and only 1")
    return {"kind": kind, "width": _in_ev(width, atoms)}


def _kpoints(value: Any, atoms: Atoms) -> dict[str, Any] | None:
    """Return the table of ASE's `kpts`: a mesh of Monkhorst and Pack, a density, or points; None: Gamma alone."""
    if isinstance(value, Mapping):
        if "path" in value:
            raise ValueError("valid: a mesh; bands along a path are those of wavegrid.run(task={'kind': 'bands'}, ...)")
        if "kpts" in value:
            return _points(value["kpts"])
        if unknown := set(value) - {"size", "density", "gamma", "even"}:
            raise ValueError(f"'{min(unknown)}' is none of its keys; valid: size, density, gamma, even, kpts")
        return _mesh(*kpts2sizeandoffsets(atoms=atoms, **value))
    if _is_number(value):
        return _mesh(*kpts2sizeandoffsets(density=float(value), atoms=atoms))
    if np.shape(value) == (3,):
        return _mesh(value, (0, 0, 0))
    return _points(value)


def _points(points: Any) -> dict[str, Any]:
    try:
        found = np.array(points, dtype=float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.ndim != 2 or found.shape[1] != 3 or len(found) == 0:
        raise ValueError("valid: three numbers of points, points of three coordinates, a density, or a dictionary")
    return {"list": found.tolist()}


def _mesh(size: Any, offsets: Any) -> dict[str, Any] | None:
    """Return the table of ASE's mesh k = (n + 1/2) / N - 1/2 + offset."""
    if not all(isinstance(count, Integral) and int(count) > 0 for count in size):
        raise ValueError("valid: three numbers of points, at least 1")
    counts = [int(count) for count in size]
    shift = [((count % 2 == 0) / 2 + offset * count) % 1 for count, offset in zip(counts, offsets, strict=True)]
    if counts == [1, 1, 1] and not any(shift):
        return None
    return {"mesh": counts, "shift": [round(part, 9) for part in shift]}


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


# Keyword, its table and key, and what it says there.
KEYWORDS: dict[str, tuple[str, str, Callable[[Any, Atoms], Any]]] = {
    "xc": ("electrons", "xc", _functional),
    "pseudopotentials": ("electrons", "pseudopotentials", _as_given),
    "ecut": ("basis", "ecut", _in_ev),
    "kpts": ("electrons", "kpoints", _kpoints),
    "smearing": ("electrons", "smearing", _smearing),
    "nbands": ("electrons", "bands", _as_given),
    "charge": ("electrons", "charge", _as_given),
    "spinpol": ("electrons", "spin", _spin),
    "maxiter": ("scf", "max_steps", _as_given),
}
SPELLED: dict[KeyPath, str] = {(table, key): name for name, (table, key, _) in KEYWORDS.items()}


def tables_and_spelling(parameters: Mapping[str, Any], atoms: Atoms) -> tuple[dict[str, Any], dict[KeyPath, str]]:
    """Return the tables of the input that the keywords stand for, and the keywords by the keys that they gave.

    A keyword that is None counts as left out. Raises InputError for an unknown keyword, for a value that is none of its
    kind, and for a key that a table gives, too.
    """
    valid = (*TABLES, *KEYWORDS)
    if parameters.get("txt") is not None:
        raise InputError("WaveGrid(txt=...): writes no text; valid: None, or wavegrid.run, which shows each step")
    parameters = {name: value for name, value in parameters.items() if name != "txt"}
    check_names({name: {} for name in parameters}, valid, "WaveGrid")
    tables = {
        name: dict(value) if isinstance(value, Mapping) else value
        for name, value in parameters.items()
        if name in TABLES
    }
    spelled: dict[KeyPath, str] = {}
    for name, (section, key, convert) in KEYWORDS.items():
        if (value := parameters.get(name)) is None:
            continue
        table = tables.setdefault(section, {})
        if not isinstance(table, dict):
            continue  # refused with the tables
        if key in table:
            raise InputError(f"WaveGrid({name}=..., {section}={{'{key}': ...}}): given twice; valid: one of them")
        try:
            found = convert(value, atoms)
        except (TypeError, ValueError) as fault:
            raise InputError(f"WaveGrid({name}={value!r}): not valid; {fault}") from None
        if found is not None:
            table[key] = found
        spelled[section, key] = name
    return tables, spelled
