"""Errors of meshes by spacing, compared with plane waves at a converged cutoff: a table of docs/lab/mesh-accuracy.md.

Each mesh is computed with the atoms on points (of a molecule the first one) and half a spacing away along the diagonal.
A position whose symmetry needs another number of points is left out.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any

GTH = 'xc = "LDA_XC_TETER93"\npseudopotentials = '
KPOINTS = "kpoints = { mesh = [2, 2, 2] }\n"
SMEARING = 'smearing = { kind = "fermi-dirac", width = "0.00735 Ha" }\n'
DIAMOND = [[0.0, 0.0, 0.0], [0.25, 0.25, 0.25]]
FCC = [[0.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]

Vectors = list[list[float]]
Result = dict[str, Any]


@dataclasses.dataclass
class System:
    """A structure, the cutoff of its plane waves, and the points of its meshes along each lattice vector."""

    cell: Vectors  # bohr
    elements: str  # separated by blanks
    places: Vectors  # fractions of the lattice vectors
    electrons: str
    ecut: int  # Ha
    points: tuple[int, ...]

    def text(self, basis: str, shift: float = 0.0) -> str:
        """Return an input; `shift`: of all atoms, fractions of each lattice vector."""
        moved = [[x + shift for x in place] for place in self.places]
        atoms = [[element, *place] for element, place in zip(self.elements.split(), moved, strict=True)]
        return f"""[structure]
cell = {self.cell}
unit = "bohr"
coordinates = "fractional"
atoms = {json.dumps(atoms)}
[basis]
{basis}
[electrons]
{self.electrons}
[scf]
energy_tolerance = "1e-7 Ha"
"""

    def spacing(self, points: int) -> float:
        """Return the distance of points along a lattice vector, bohr; all vectors have the same length."""
        return math.hypot(*self.cell[0]) / points

    def mesh(self, points: int, shift: float) -> str:
        """Return the input of a mesh; the spacing is a little larger, as the program rounds points up."""
        basis = f'method = "realspace"\nspacing = "{self.spacing(points) + 1e-6} bohr"'
        return self.text(basis, shift)


def cube(edge: float) -> Vectors:
    """Return the vectors of a cubic cell."""
    return [[edge, 0.0, 0.0], [0.0, edge, 0.0], [0.0, 0.0, edge]]


def fcc(edge: float) -> Vectors:
    """Return the vectors of the face-centred cell of a cube."""
    half = edge / 2
    return [[0.0, half, half], [half, 0.0, half], [half, half, 0.0]]


def molecule(edge: float, elements: str, places: Vectors, electrons: str, ecut: int, points: tuple[int, ...]) -> System:
    """Return a molecule in a cube; its places are in bohr."""
    return System(cube(edge), elements, [[x / edge for x in place] for place in places], electrons, ecut, points)


LDA = f'{GTH}"gth-lda"\n'
SYSTEMS = {
    "si2": System(fcc(10.26), "Si Si", DIAMOND, LDA + KPOINTS, 50, (18, 20, 21, 24)),
    "al4": System(cube(7.6533909), "Al Al Al Al", FCC, LDA + KPOINTS + SMEARING, 35, (18, 20, 24)),
    "c2": System(fcc(6.7406), "C C", DIAMOND, LDA + KPOINTS, 120, (16, 18, 20, 24)),
    "fe2": System(
        cube(5.4),
        "Fe Fe",
        [[0.0, 0.0, 0.0], [0.5, 0.5, 0.5]],
        f'{GTH}"gth-lda-q8"\nspin = "collinear"\ninitial_magnetic_moments = {{ Fe = 2.5 }}\n' + KPOINTS + SMEARING,
        180,
        (20, 24, 28, 32, 36),
    ),
    "lih": molecule(
        9.0,
        "Li H",
        [[0.0, 0.0, 0.0], [0.0, 0.0, 3.0]],
        f'{GTH}{{ Li = "gth-lda-q1", H = "gth-lda" }}\n',
        140,
        (30, 36, 40, 45),
    ),
    "h2": molecule(8.0, "H H", [[0.0, 0.0, 0.0], [0.0, 0.0, 1.4]], LDA, 140, (27, 32, 36, 40)),
    "h2o": molecule(8.0, "O H H", [[0.0, 0.0, 0.0], [1.43, 0.0, 1.11], [-1.43, 0.0, 1.11]], LDA, 280, (40, 45, 50, 64)),
}


def compare(
    names: list[str], coarsest: int, check: Callable[[str], Result], solve: Callable[[str], Result]
) -> list[Result]:
    """Print and return the errors of each mesh, the `coarsest` of each system.

    `check` and `solve` return what `wavegrid check --json` prints for an input, and the result of a run.
    """
    rows = []
    for name in names:
        system = SYSTEMS[name]
        atoms = len(system.places)
        reference = solve(system.text(f'ecut = "{system.ecut} Ha"'))["energy"]["free"]
        print(f"{name:5} plane waves of {system.ecut} Ha: {reference:.7f} Ha", flush=True)
        for points in system.points[:coarsest]:
            errors: list[float | None] = []
            for shift in (0.0, 0.5 / points):
                text = system.mesh(points, shift)
                fits = check(text)["grid"] == [points] * 3
                errors.append((solve(text)["energy"]["free"] - reference) / atoms if fits else None)
            rows.append({"case": "accuracy", "system": name, "spacing": system.spacing(points), "errors": errors})
            shown = ", ".join("" if error is None else f"{1e4 * error:.2f}" for error in errors)
            print(f"{name:5} {system.spacing(points):.3f} bohr: {shown}  (1e-4 Ha per atom)", flush=True)
    return rows
