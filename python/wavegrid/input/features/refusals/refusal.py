"""A pair of capabilities that do not combine, and words that several of them share."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wavegrid.discretisation.choose import NOT_ON_MESH
from wavegrid.input.features.capabilities import MESHES, WAVES


@dataclass(frozen=True)
class Refusal:
    """Two capabilities that do not combine."""

    first: str
    """whose key the message names"""
    second: str
    message: str
    """with {first} and {second}, what the input has at their keys"""
    library: str = ""
    """the words of the library where they differ; `SAME`; empty: the library does not know one of the two"""
    elsewhere: bool = False
    """issued where more is known: by the library, of k-points; by input/electrons.py, of a dispersion's parameters"""


SAME = "{message}"
LIBRARY_STRESS = "stress is wanted and the boundary is free; valid: a periodic boundary, or no stress"
SPINORS = "spinors: "
PLANE_WAVES = 'method = "planewaves"'
CASIDA = 'kind = "casida"'
WANNIER = 'kind = "wannier"'
TIME = ("propagation", "atoms in time")
TASKS = ("propagation", "Casida", "Born charges", "Wannier functions")  # which are no other's
IN_FIELDS = 'kind = "born"'
FREE, FREE_WAVES = MESHES[1:], WAVES[1:]


def each(
    firsts: Iterable[str], seconds: Iterable[str], message: str, library: str = "", *, elsewhere: bool = False
) -> Iterator[Refusal]:
    """Yield the refusal of each of the `firsts` with each of the `seconds`."""
    for first in firsts:
        for second in seconds:
            yield Refusal(first, second, message, library, elsewhere)


def on_mesh(meshes: Iterable[str], first: str, what: str, valid: str, library: str = "") -> Iterator[Refusal]:
    """Yield that `first`, which is `what` in the input, is refused on each of the `meshes`."""
    return each([first], meshes, f"{what} {NOT_ON_MESH}; valid: {valid}", library)
