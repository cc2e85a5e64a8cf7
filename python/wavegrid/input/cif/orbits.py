"""The atoms that symmetry operations make from sites."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from wavegrid.errors import InputError
from wavegrid.input.cif.sites import Site
from wavegrid.input.cif.space_groups import Operations
from wavegrid.input.fields import MOST_ATOMS

_ONE_ATOM = 0.1  # angstrom: images of a site that are closer are one atom
_MOST_NAMES = 3  # in a note
_LARGEST_STABILISER = 48  # operations that leave a site where it is, at most
_EXACT = 1e-4  # angstrom: distances that only the file's digits cause and that need no note


@dataclass(frozen=True)
class Structure:
    """All atoms of a cell."""

    sites: list[Site]
    counts: list[int]  # atoms of each site
    fractional: np.ndarray  # (atoms, 3)
    notes: list[str]

    def symbols(self) -> list[str]:
        """Return the element of each atom."""
        return [site.symbol for site, count in zip(self.sites, self.counts, strict=True) for _ in range(count)]


def apply(operations: Operations, sites: list[Site], cell: np.ndarray) -> Structure:
    """Return the images of all sites, each atom once; raises InputError for two elements at one place."""
    if len(sites) * len(operations) > _LARGEST_STABILISER * MOST_ATOMS:
        raise InputError(
            f"{len(operations)} operations on {len(sites)} sites are too many; valid: at most {MOST_ATOMS} atoms in all"
        )
    orbits, moves = zip(*(_orbit(operations, site, cell) for site in sites), strict=True)
    fractional = np.concatenate(orbits)
    owner = np.repeat(np.arange(len(sites)), [len(orbit) for orbit in orbits])
    twice = _coinciding(sites, fractional, owner, cell)
    kept = ~np.isin(owner, list(twice))
    counts = [0 if index in twice else len(orbit) for index, orbit in enumerate(orbits)]
    notes = []
    if moved := [site.name for site, move in zip(sites, moves, strict=True) if move > _EXACT]:
        notes.append(
            f"{_listed(moved)} up to {max(moves):.2g} Angstrom from special positions, to which the calculation moves "
            "them: images that nearly coincide are one atom"
        )
    if twice:
        names = [f"{sites[second].name} of {sites[first].name}" for second, first in sorted(twice.items())]
        notes.append(f"{_listed(names)} images of other sites: each atom is taken once")
    return Structure(sites, counts, fractional[kept], notes)


def _listed(names: list[str]) -> str:
    """Return `sites A, B and C are`, with a number for those beyond a few."""
    shown = names[:_MOST_NAMES] + ([f"{len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else [])
    if len(shown) == 1:
        return f"site {shown[0]} is"
    return f"sites {', '.join(shown[:-1])} and {shown[-1]} are"


def _orbit(operations: Operations, site: Site, cell: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the different images of a site, in [0, 1), and by how much it is moved (angstrom).

    A site near a special position is moved onto it.
    """
    if len(operations) == 1:
        return _folded(site.fractional[None]), 0.0
    place = site.fractional
    apart = _nearest(operations.rotations @ place + operations.translations - place)
    near = np.linalg.norm(apart @ cell, axis=1) < _ONE_ATOM
    shift = apart[near].mean(axis=0)
    place = place + shift
    images = operations.rotations @ place + operations.translations
    between = np.linalg.norm(_nearest(images[:, None] - images) @ cell, axis=2)
    same = between < _EXACT
    if (closest := between[~same]).size and closest.min() < _ONE_ATOM:
        raise InputError(
            f"images of site {site.name} are {closest.min():.2g} Angstrom apart: neither one atom nor several; valid: "
            "coordinates with more digits"
        )
    distinct = same.argmax(axis=1) == np.arange(len(images))
    return _folded(images[distinct]), float(np.linalg.norm(shift @ cell))


def _folded(fractional: np.ndarray) -> np.ndarray:
    """Return positions in [0, 1)."""
    folded = fractional % 1.0
    return np.where(1 - folded < 1e-9, 0.0, folded)


def _nearest(apart: np.ndarray) -> np.ndarray:
    """Return differences of fractional coordinates between nearest images."""
    return apart - np.round(apart)


def _coinciding(sites: list[Site], fractional: np.ndarray, owner: np.ndarray, cell: np.ndarray) -> dict[int, int]:
    """Return the sites that only repeat another one, and which; refuse two different atoms at one place."""
    reach = _ONE_ATOM * np.linalg.norm(np.linalg.inv(cell), 2)  # of fractional coordinates at this distance
    twice: dict[int, int] = {}
    for i, j in sorted(cKDTree(fractional, boxsize=1).query_pairs(min(reach, 0.49))):
        distance = float(np.linalg.norm(_nearest(fractional[i] - fractional[j]) @ cell))
        first, second = sites[owner[i]], sites[owner[j]]
        if distance >= _ONE_ATOM or owner[j] in twice:
            continue
        if first.symbol != second.symbol:
            raise InputError(
                f"the sites {first.name} ({first.symbol}) and {second.name} ({second.symbol}) are {distance:.2g} "
                "Angstrom apart; valid: one atom at each place"
            )
        twice[int(owner[j])] = int(owner[i])
    return twice


def has_symmetry(structure: Structure, operations: Operations, cell: np.ndarray) -> bool:
    """Return whether every operation maps the atoms onto atoms of the same element."""
    if operations.distorting(cell) is not None:
        return False
    symbols = np.array(structure.symbols())
    tree = cKDTree(structure.fractional % 1.0, boxsize=1)
    for rotation, translation in zip(operations.rotations, operations.translations, strict=True):
        images = (structure.fractional @ rotation.T + translation) % 1.0
        distances, nearest = tree.query(np.where(images < 1, images, 0.0))
        if distances.max() * np.linalg.norm(cell, axis=1).max() > _ONE_ATOM or (symbols[nearest] != symbols).any():
            return False
    return True


def same_atoms(first: Structure, second: Structure, cell: np.ndarray) -> bool:
    """Return whether two structures of the same sites are equal."""
    if first.counts != second.counts:
        return False
    tree = cKDTree(first.fractional % 1.0, boxsize=1)
    distances, nearest = tree.query(second.fractional % 1.0)
    same = np.array(first.symbols())[nearest] == np.array(second.symbols())
    return bool(same.all() and distances.max() * np.linalg.norm(cell, axis=1).max() < _ONE_ATOM)
