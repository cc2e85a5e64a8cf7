"""The systems whose local orbitals are compared with those of other codes. Lengths in bohr."""

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class System:
    """A cell, its atoms (Cartesian), the cutoff of converged plane waves (Ha), a mesh of k-points with Gamma."""

    cell: tuple[tuple[float, float, float], ...]
    atoms: tuple[tuple[str, float, float, float], ...]
    ecut: float
    mesh: int = 1
    is_metal: bool = False


WIDTH = 0.01  # Ha, Fermi-Dirac


def _cell(*lengths: float) -> tuple[tuple[float, float, float], ...]:
    return tuple(tuple(length if i == j else 0.0 for j in range(3)) for i, length in enumerate(lengths))


def _cubic(edge: float, *sites: tuple[str, float, float, float]) -> tuple[tuple[str, float, float, float], ...]:
    return tuple((element, x * edge, y * edge, z * edge) for element, x, y, z in sites)


def _ring(element: str, radius: float, middle: tuple[float, float, float]) -> list[tuple[str, float, float, float]]:
    angles = [i * math.pi / 3 for i in range(6)]
    return [(element, middle[0] + radius * math.cos(a), middle[1] + radius * math.sin(a), middle[2]) for a in angles]


def _polyethylene(number: int) -> tuple[tuple[str, float, float, float], ...]:
    atoms: list[tuple[str, float, float, float]] = []
    for i in range(2 * number):
        side = 1 if i % 2 == 0 else -1
        x, y = 2.4 * i + 1.2, 5.5 + 0.8 * side
        atoms += [("C", x, y, 5.5), ("H", x, y + 1.2 * side, 5.5 + 1.66), ("H", x, y + 1.2 * side, 5.5 - 1.66)]
    return tuple(atoms)


_FCC = ((0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0))
SYSTEMS = {
    "si8": System(
        _cell(10.26, 10.26, 10.26),
        _cubic(10.26, *(("Si", x + d, y + d, z + d) for d in (0, 0.25) for x, y, z in _FCC)),
        30,
    ),
    "h2o": System(_cell(9, 9, 9), (("O", 4.5, 4.5, 4.5), ("H", 5.931, 5.609, 4.5), ("H", 3.069, 5.609, 4.5)), 100),
    "mgo8": System(
        _cell(7.96, 7.96, 7.96),
        _cubic(
            7.96,
            *(("Mg", x, y, z) for x, y, z in _FCC),
            *(("O", (x + 0.5) % 1, (y + 0.5) % 1, (z + 0.5) % 1) for x, y, z in _FCC),
        ),
        100,
    ),
    "benzene": System(
        _cell(14, 14, 9),
        (*_ring("C", 2.6362, (7, 7, 4.5)), *_ring("H", 4.6956, (7, 7, 4.5))),
        80,
    ),
    "lih4": System(
        _cell(9, 9, 12.8),
        tuple(("Li" if i % 2 == 0 else "H", 4.5, 4.5, 3.2 * i + 1.6) for i in range(4)),
        90,
    ),
    "c4h8": System(_cell(9.6, 11, 11), _polyethylene(2), 60),
    "al": System(((0, 3.825, 3.825), (3.825, 0, 3.825), (3.825, 3.825, 0)), (("Al", 0, 0, 0),), 20, 3, is_metal=True),
}
# The crystal of 64 atoms at Gamma: these 8 at the points of a mesh that contains Gamma.
SYSTEMS["si64"] = replace(SYSTEMS["si8"], mesh=2)
