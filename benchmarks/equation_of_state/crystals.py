"""The crystals of the verification study (reference/acwf_pbe.json): cells, atoms and cutoffs."""

from __future__ import annotations

# Recommended cutoffs "high" of PseudoDojo 0.4, PBE, standard (Ha). The study adds 20 Ha: ABINIT's protocol
# verification-PBE-v1 in aiida-common-workflows.
HIGH = {
    "Al": 26, "C": 45, "Cu": 52, "Fe": 53, "Li": 41, "Mg": 48, "Na": 48, "O": 48, "Si": 24, "Ti": 46,
}  # fmt: skip
MORE = 20  # Ha

_CUBIC = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
_FCC = [[0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]]
_BCC = [[-0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.5, 0.5, -0.5]]
# Of each structure: lattice vectors in units of the cubic lattice constant, volume in units of its cube, and atoms, X
# the element. X2O3 is the primitive cubic cell of the set: X in the middle of half of the eighths, O in that of edges
# and faces.
STRUCTURES = {
    "X/SC": (_CUBIC, 1, [["X", 0, 0, 0]]),
    "X/FCC": (_FCC, 1 / 4, [["X", 0, 0, 0]]),
    "X/BCC": (_BCC, 1 / 2, [["X", 0, 0, 0]]),
    "X/Diamond": (_FCC, 1 / 4, [["X", 0, 0, 0], ["X", 1 / 4, 1 / 4, 1 / 4]]),
    "XO": (_FCC, 1 / 4, [["X", 0, 0, 0], ["O", 1 / 2, 1 / 2, 1 / 2]]),
    "XO2": (_FCC, 1 / 4, [["X", 0, 0, 0], ["O", 1 / 4, 1 / 4, 1 / 4], ["O", 3 / 4, 3 / 4, 3 / 4]]),
    "X2O": (_FCC, 1 / 4, [["O", 0, 0, 0], ["X", 1 / 4, 1 / 4, 1 / 4], ["X", 3 / 4, 3 / 4, 3 / 4]]),
    "X2O3": (
        _CUBIC,
        1,
        [
            *(["X", *place] for place in ([0.25] * 3, [0.75, 0.75, 0.25], [0.75, 0.25, 0.75], [0.25, 0.75, 0.75])),
            *(["O", *place] for place in ([0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5])),
            *(["O", *place] for place in ([0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5])),
        ],
    ),
}


def elements(name: str) -> list[str]:
    """Return the elements of a crystal such as "Mg-XO"."""
    metal, structure = name.split("-", 1)
    return list(dict.fromkeys(metal if symbol == "X" else symbol for symbol, *_ in STRUCTURES[structure][2]))


def cutoff(name: str, more: float = MORE) -> float:
    """Return the cutoff, Ha: `more` above the highest one that its elements recommend."""
    return max(HIGH[element] for element in elements(name)) + more


def structure(name: str, volume: float) -> dict:
    """Return the table [structure] of a crystal whose cell has a volume (Angstrom^3)."""
    metal, kind = name.split("-", 1)
    vectors, share, atoms = STRUCTURES[kind]
    a = (volume / share) ** (1 / 3)
    return {
        "cell": [[a * x for x in vector] for vector in vectors],
        "unit": "angstrom",
        "coordinates": "fractional",
        "atoms": [[metal if symbol == "X" else symbol, *place] for symbol, *place in atoms],
    }
