"""The header of a checkpoint: all but wave functions and fields, checked so that everything else may rely on it."""

import math
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from wavegrid.checkpoint import layout, sizes
from wavegrid.checkpoint.reader import attribute, damaged, read, text, version
from wavegrid.errors import InputError

if TYPE_CHECKING:
    import h5py

_SUM = 1e-6  # how far the weights may add up to another number than 1
_VALID = {  # of attributes
    "half_sphere": (0, 1),
    "single_precision": (0, 1),
    "converged": (0, 1),
    "steps": (0, 1_000_000_000),
    "block": (1, layout.BLOCK),
    "space_group_number": (1, 230),
}


@dataclass(frozen=True)
class Header:
    """The content of a checkpoint except wave functions and fields; Hartree and bohr."""

    half_sphere: bool
    single_precision: bool
    program: str
    created: str
    converged: bool
    steps: int
    block: int  # elements of a checksum block
    cell: np.ndarray  # (3, 3), lattice vectors as rows
    species: list[str]
    atom_species: list[int]
    positions: np.ndarray  # (atoms, 3), fractional
    ecut: float
    grid: tuple[int, int, int]
    kpoints: np.ndarray  # (k, 3), in units of the reciprocal vectors
    weights: np.ndarray  # (k)
    mesh: list[int]  # zeros where k-points were listed
    shift: list[float]
    ngk: list[int]  # G-vectors of each k-point
    spins: int
    components: int  # of a band: 2 for spinors
    num_fields: int  # components of density and potential
    bands: int  # 0: the states were not computed one by one
    electrons: float  # of the occupations: 0 without bands
    fermi: list[float]
    energy: float
    matrix_sizes: list[int]  # rows of each atom's matrix rho_ij, 0 if ultrasoft; empty if norm-conserving
    input: str
    versions: str

    def has_overlap(self) -> bool:
        """Return whether bands are normalised with the overlap S of ultrasoft or PAW datasets."""
        return bool(self.matrix_sizes)

    def require_bands(self, path: object) -> None:
        """Raise InputError for a file without bands."""
        if self.bands == 0:
            raise InputError(
                f"{path} has no bands, since purification of more than 1000 local orbitals does not compute its "
                "states one by one; valid: a checkpoint with bands"
            )

    def full(self) -> int:
        """Return how many electrons a full state holds."""
        return 1 if self.spins == 2 or self.components == 2 else 2

    def symbols(self) -> list[str]:
        """Return the element of each atom."""
        return [self.species[index] for index in self.atom_species]

    def volume(self) -> float:
        """Return the volume of the cell, bohr^3."""
        return float(abs(np.linalg.det(self.cell)))

    def reciprocal(self) -> np.ndarray:
        """Return the reciprocal vectors as rows, 2 pi included, 1/bohr."""
        return 2 * np.pi * np.linalg.inv(self.cell).T


def read_header(file: "h5py.File") -> Header:
    """Return what the file holds; reads small datasets only. Raises InputError for the first that is wrong.

    All sizes are compared before, those that a claim alone could make large.
    """
    sizes.check_claims(file)
    attributes = {name: attribute(file["wavegrid"], name, kind) for name, kind in layout.ATTRIBUTES.items()}
    values = {
        name: read(file, f"wavegrid/{name}")
        for name in ("cell", "species", "atom_species", "positions", "ecut", "grid", "kpoints", "weights")
        + ("occupations", "fermi", "energy", "input", "versions")
    }
    ngk = [int(count) for count in read(file, layout.NGK)]
    header = Header(
        half_sphere=bool(attributes["half_sphere"]),
        single_precision=bool(attributes["single_precision"]),
        program=str(attributes["program"]),
        created=str(attributes["created"]),
        converged=bool(attributes["converged"]),
        steps=int(attributes["steps"]),
        block=int(attributes["block"]),
        cell=values["cell"],
        species=[text(symbol) for symbol in values["species"].tolist()],
        atom_species=values["atom_species"].tolist(),
        positions=values["positions"],
        ecut=float(values["ecut"]),
        grid=tuple(values["grid"].tolist()),
        kpoints=values["kpoints"],
        weights=values["weights"],
        mesh=read(file, "mf_header/kpoints/kgrid").tolist(),
        shift=read(file, "mf_header/kpoints/shift").tolist(),
        ngk=ngk,
        spins=values["occupations"].shape[1],
        components=2 if version(file) >= layout.VERSION_OF_SPINORS else 1,
        num_fields=file[layout.DENSITY].shape[0],
        bands=values["occupations"].shape[2],
        electrons=float(values["occupations"].sum()),
        fermi=values["fermi"].tolist(),
        energy=float(values["energy"]),
        matrix_sizes=_matrix_sizes(file),
        input=text(values["input"].item()),
        versions=text(values["versions"].item()),
    )
    _check_attributes(file, attributes)
    _check_header(file, header)
    return header


def _matrix_sizes(file: "h5py.File") -> list[int]:
    """Return the rows of each atom's matrix; refuses what no dataset has."""
    if layout.MATRIX_SIZES not in layout.datasets(version(file)):
        return []
    rows = read(file, layout.MATRIX_SIZES)
    if ((rows < 0) | (rows > layout.MOST_ROWS)).any():
        raise damaged(file.filename, f"/{layout.MATRIX_SIZES}: is not between 0 and {layout.MOST_ROWS}")
    return [int(count) for count in rows]


def _check_attributes(file: "h5py.File", attributes: dict[str, int | str]) -> None:
    """Refuse attributes that no run writes."""
    for name, (lowest, highest) in _VALID.items():
        if not lowest <= int(attributes[name]) <= highest:
            raise damaged(file.filename, f"/wavegrid: {name} is {attributes[name]}; valid: {lowest} to {highest}")
    try:
        datetime.fromisoformat(str(attributes["created"]))
    except ValueError:
        raise damaged(file.filename, f"/wavegrid: created is '{attributes['created']}', not a time") from None
    for name in ("program", "space_group"):
        if not str(attributes[name]).isprintable() or not attributes[name]:
            raise damaged(file.filename, f"/wavegrid: {name} is no name")


def _check_header(file: "h5py.File", header: Header) -> None:
    """Refuse sizes that contradict each other, on which everything that reads the fields relies."""
    if min(header.ngk, default=0) < 1:
        raise damaged(file.filename, f"/{layout.NGK}: is not above zero")
    if header.half_sphere and (len(header.ngk) != 1 or header.kpoints.any()):
        raise damaged(file.filename, "/wavegrid/kpoints: half of a sphere for k-points other than Gamma")
    if header.num_fields not in ((1, 4) if header.components == 2 else (header.spins,)):
        raise damaged(file.filename, f"/{layout.DENSITY}: {header.num_fields} components")
    if header.spins not in (1, 3 - header.components) or header.bands < 0:
        raise damaged(file.filename, f"/wavegrid/occupations: {header.spins} spins, {header.bands} bands")
    if not all(0 <= index < len(header.species) for index in header.atom_species):
        raise damaged(file.filename, "/wavegrid/atom_species: beyond the species")
    blocks = [layout.num_blocks(counts, header.block) for counts in (header.ngk, [math.prod(header.grid)])]
    counts = {"g": sum(header.ngk), "c": blocks[0], "d": blocks[1], "m": sum(rows**2 for rows in header.matrix_sizes)}
    sizes.compare(file, dict(zip("xyz", header.grid, strict=True)) | counts)
    _check_numbers(file, header)


def _check_numbers(file: "h5py.File", header: Header) -> None:
    """Refuse numbers that are not finite or that no calculation has."""
    for name in ("cell", "positions", "kpoints", "weights", "shift", "ecut", "fermi", "energy", "electrons"):
        if not np.isfinite(getattr(header, name)).all():
            place = {"electrons": "wavegrid/occupations", "shift": "mf_header/kpoints/shift"}.get(
                name, f"wavegrid/{name}"
            )
            raise damaged(file.filename, f"/{place}: holds a value that is not a finite number")
    wrong = {
        "wavegrid/cell": header.cell.shape != (3, 3) or not header.volume() > 0,
        "wavegrid/ecut": not header.ecut > 0,
        "wavegrid/positions": header.positions.shape != (len(header.atom_species), 3),
        "wavegrid/weights": (header.weights < 0).any() or abs(header.weights.sum() - 1) > _SUM,
        "wavegrid/occupations": header.bands > 0 and not header.electrons > 0,
    }
    for name, is_wrong in wrong.items():
        if is_wrong:
            raise damaged(file.filename, f"/{name}: not possible in a calculation")
