"""First guesses of Wannier functions: orbitals on atoms or other places, r^l exp(-r^2 / 2 s^2) times real harmonics."""

import math
import re
from dataclasses import dataclass

import numpy as np

from wavegrid.checkpoint.header import Header
from wavegrid.errors import InputError

_WIDTH = 1.2  # s, bohr
_S, _P, _D = ["s"], ["pz", "px", "py"], ["dz2", "dxz", "dyz", "dx2-y2", "dxy"]
_SHELLS = {"s": _S, "p": _P, "d": _D}
_HYBRIDS: dict[str, list[dict[str, float]]] = {
    "sp": [{"s": 1, "px": 1}, {"s": 1, "px": -1}],
    "sp2": [
        {"s": math.sqrt(2), "px": -1, "py": math.sqrt(3)},
        {"s": math.sqrt(2), "px": -1, "py": -math.sqrt(3)},
        {"s": math.sqrt(2), "px": 2},
    ],
    "sp3": [{"s": 1, "px": x, "py": y, "pz": z} for x, y, z in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))],
}
VALID = 'an element, or f=x,y,z, with orbitals: "Si:sp3", "Cu:s;d", "f=0.25,0.25,0.25:s"'
_SITE = re.compile(r"f\s*=\s*([^,]+),([^,]+),([^,]+)")


@dataclass(frozen=True)
class Projection:
    """One first guess."""

    place: tuple[float, float, float]  # fractional
    shares: dict[str, float]  # of the real harmonics, whose squares add up to 1


def read(texts: list[str], header: Header) -> list[Projection]:
    """Return the orbitals of projections as Wannier90 writes them; raises InputError."""
    found = []
    for text in texts:
        site, colon, orbitals = text.partition(":")
        names = [name.strip() for name in orbitals.split(";") if name.strip()]
        if not colon or not names:
            raise InputError(f"projection '{text}'; valid: {VALID}")
        for place in _places(text, site.strip(), header):
            for name in names:
                found += [Projection(place, shares) for shares in _orbitals(text, name)]
    return found


def _places(text: str, site: str, header: Header) -> list[tuple[float, float, float]]:
    symbols = header.symbols()
    if site in symbols:
        return [tuple(at) for at, symbol in zip(header.positions.tolist(), symbols, strict=True) if symbol == site]
    if (found := _SITE.fullmatch(site)) is not None:
        try:
            return [(float(found[1]), float(found[2]), float(found[3]))]
        except ValueError:
            pass
    raise InputError(f"projection '{text}': there is no {site}; valid: {VALID}")


def _orbitals(text: str, name: str) -> list[dict[str, float]]:
    if name in _SHELLS:
        return [{one: 1.0} for one in _SHELLS[name]]
    if name in (*_S, *_P, *_D):
        return [{name: 1.0}]
    if name in _HYBRIDS:
        return [
            {one: share / math.hypot(*shares.values()) for one, share in shares.items()} for shares in _HYBRIDS[name]
        ]
    raise InputError(
        f"projection '{text}': there is no orbital {name}; valid: {', '.join([*_SHELLS, *_P, *_D, *_HYBRIDS])}"
    )


def coefficients(projections: list[Projection], k: np.ndarray, waves: np.ndarray, reciprocal: np.ndarray) -> np.ndarray:
    """Return the plane waves (n, G) of the orbitals at k, but for a factor of all orbitals of the same l."""
    vectors = (k + waves) @ reciprocal
    square = (vectors**2).sum(axis=1)
    radial = np.exp(-square * _WIDTH**2 / 2)
    harmonics = {name: value * radial for name, value in _harmonics(vectors * _WIDTH).items()}
    rows = []
    for one in projections:
        phase = np.exp(-2j * np.pi * ((k + waves) @ np.array(one.place)))
        rows.append(phase * sum(share * harmonics[name] for name, share in one.shares.items()))
    found = np.array(rows)
    return np.asarray(found / np.linalg.norm(found, axis=1)[:, None])


def _harmonics(q: np.ndarray) -> dict[str, np.ndarray]:
    """Return (-i)^l q^l times real harmonics, with the same norm for all of them under exp(-q^2 / 2)."""
    x, y, z = q.T
    square = x**2 + y**2 + z**2
    first, second = -1j * math.sqrt(2), -2 / math.sqrt(3)
    return {
        "s": np.ones(len(q)),
        "px": first * x,
        "py": first * y,
        "pz": first * z,
        "dz2": second * (3 * z**2 - square) / 2,
        "dxz": second * math.sqrt(3) * x * z,
        "dyz": second * math.sqrt(3) * y * z,
        "dx2-y2": second * math.sqrt(3) * (x**2 - y**2) / 2,
        "dxy": second * math.sqrt(3) * x * y,
    }
