"""The ground state of a chain of Li and H on a mesh: the shares of communication in the time of the run."""

from pathlib import Path
from types import ModuleType

from wavegrid.bench.program import Row
from wavegrid.checks.ranks import Ranks
from wavegrid.input.document import Document
from wavegrid.process import machine

SPACING = 0.3  # bohr
MOLECULES = 4
_BOND, _PERIOD, _END = 3.1, 6.2, 8.0  # bohr: Li-H, from molecule to molecule, from an end of the cell to an atom
OVERLAPS = ("off", "polling")


def measure(core: ModuleType, ranks: int, transport: str, overlap: str) -> Row:
    """Compute the chain on so many ranks, which divide the points of the mesh alone, and return its times.

    Shares are those of the wall time of the calculation on rank 0; an exchange is packing, waiting and unpacking.
    """
    document = Document(Path("chain"), _input(transport, overlap), {})
    with Ranks(core, document, ranks=ranks, threads=1) as group:
        result = group.solve(group.job(), f"on {ranks} ranks")
    assert result.mesh is not None
    wall = result.wall_seconds
    halo = sum(sent.seconds for sent in result.traffic if sent.purpose == "halo")
    seconds = {"halo": halo, "other_exchanges": wall.exchange - halo, "reductions": wall.reductions}
    return {
        "context": "chain",
        "ranks": ranks,
        "transport": result.parallel.transport,
        "overlap": result.mesh.overlap,
        "oversubscribed": ranks > machine.usable_cores(),
        "points": result.mesh.points,
        "steps": result.scf_steps,
        "seconds": wall.total,
        **{name: part / wall.total for name, part in seconds.items()},
        "communication": sum(seconds.values()) / wall.total,
    }


def _input(transport: str, overlap: str) -> Row:
    """Return the values of the input file."""
    length, width = 2 * _END + (MOLECULES - 1) * _PERIOD + _BOND, 14.0
    places = [_END + number * _PERIOD + shift for number in range(MOLECULES) for shift in (0.0, _BOND)]
    elements = ["Li", "H"] * MOLECULES
    atoms = [[element, width / 2, width / 2, z] for element, z in zip(elements, places, strict=True)]
    return {
        "title": "chain of Li and H",
        "structure": {
            "cell": [[width, 0.0, 0.0], [0.0, width, 0.0], [0.0, 0.0, length]],
            "unit": "bohr",
            "coordinates": "cartesian",
            "atoms": atoms,
        },
        "basis": {
            "method": "realspace",
            "spacing": f"{SPACING} bohr",
            "region": {"kind": "cylinder", "axis": 3, "radius": "6.5 bohr", "length": f"{length - 2} bohr"},
            "boundary": "free",
        },
        "electrons": {"xc": "LDA-TETER", "pseudopotentials": {"Li": "gth-lda-q1", "H": "gth-lda"}},
        "parallel": {"kpoint_groups": 1, "band_groups": 1, "transport": transport, "overlap": overlap},
    }
