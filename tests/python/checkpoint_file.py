"""A writer of checkpoint files in plain Python, for tests: made-up wave functions and density, all else consistent."""

import itertools
import json
from pathlib import Path

import h5py
import numpy as np
import xxhash

CELL = np.array([[7.0, 0.0, 0.0], [0.5, 6.5, 0.0], [0.0, 0.3, 6.0]])  # bohr
POSITIONS = [[0.0, 0.0, 0.0], [0.25, 0.5, 0.5], [0.6, 0.1, 0.7]]
SPECIES, ATOM_SPECIES = ["Al", "Li"], [0, 0, 1]
MATRIX_SIZES = [2, 0, 3]
ECUT, GRID, BANDS = 3.0, (9, 10, 12), 3
KPOINTS = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.25]]


def write(
    path: Path, *, half: bool = True, spins: int = 1, block: int = 40, seed: int = 7, matrices: bool = False
) -> dict:
    """Write a checkpoint with half a sphere at Gamma, or whole ones at two k-points; returns all datasets by name.

    `matrices`: with those of PAW atoms, version 3 of the format.
    """
    rng = np.random.default_rng(seed)
    kpoints = np.array(KPOINTS[:1] if half else KPOINTS)
    spheres = [sphere(k, half=half) for k in kpoints]
    weights = np.full(len(kpoints), 1 / len(kpoints))
    occupations = np.broadcast_to(weights[:, None, None] * (2.0 / spins), (len(kpoints), spins, BANDS)).copy()
    occupations[..., -1] = 0
    density = rng.uniform(0.5, 1.5, (spins, *GRID))
    volume = np.linalg.det(CELL)
    density[0] *= occupations.sum() / (density[0].mean() * volume)
    eigenvalues = np.sort(rng.uniform(-0.3, 0.5, occupations.shape), axis=2)
    data = {
        "wfns/gvecs": np.concatenate(spheres),
        "wfns/coeffs": coefficients(rng, spheres, spins, half=half),
        "wavegrid/density": density,
        "wavegrid/potential": rng.normal(size=(spins, *GRID)),
        "wavegrid/cell": CELL,
        "wavegrid/species": np.array(SPECIES, dtype="S2"),
        "wavegrid/atom_species": np.array(ATOM_SPECIES, np.int32),
        "wavegrid/positions": np.array(POSITIONS),
        "wavegrid/ecut": np.float64(ECUT),
        "wavegrid/grid": np.array(GRID, np.int32),
        "wavegrid/kpoints": kpoints,
        "wavegrid/weights": weights,
        "wavegrid/rotations": np.eye(3, dtype=np.int32)[None],
        "wavegrid/translations": np.zeros((1, 3)),
        "wavegrid/eigenvalues": eigenvalues,
        "wavegrid/occupations": occupations,
        "wavegrid/fermi": np.array([0.25]),
        "wavegrid/energy": np.float64(-8.125),
        "wavegrid/input": np.bytes_(json.dumps({"title": "made up"})),
        "wavegrid/versions": np.bytes_(json.dumps({"wavegrid": "0.1.0"})),
        **header(kpoints, weights, [len(part) for part in spheres], eigenvalues, occupations, half=half),
    }
    if matrices:
        data |= atom_matrices(rng, spins)
    with h5py.File(path, "w", libver=("v110", "v110")) as file:
        for name, values in data.items():
            file.create_dataset(name, data=text_like_the_core(values))
        attributes = file["wavegrid"].attrs
        attributes["format"] = text_like_the_core(np.bytes_("wavegrid checkpoint"))
        attributes["program"] = text_like_the_core(np.bytes_("wavegrid 0.1.0"))
        attributes["created"] = text_like_the_core(np.bytes_("2026-11-21T12:00:00Z"))
        attributes["space_group"] = text_like_the_core(np.bytes_("P1"))
        numbers = {
            "version": 3 if matrices else 1,
            "space_group_number": 1,
            "half_sphere": half,
            "single_precision": 0,
            "converged": 1,
            "steps": 9,
            "block": block,
        }
        for name, value in numbers.items():
            attributes[name] = np.int32(value)
        add_checksums(file, [len(part) for part in spheres], block)
    return data


def atom_matrices(rng: np.random.Generator, spins: int) -> dict:
    """Return symmetric matrices of the atoms, one after the other, and their sizes."""
    found = [rng.normal(size=(spins, n, n)) for n in MATRIX_SIZES]
    rows = [(part + part.swapaxes(1, 2)).reshape(spins, -1) for part in found]
    return {
        "wavegrid/matrix_sizes": np.array(MATRIX_SIZES, np.int32),
        "wavegrid/matrix_datasets": np.arange(1, len(MATRIX_SIZES) + 1, dtype=np.int32),
        "wavegrid/matrices": np.concatenate(rows, axis=1),
    }


def text_like_the_core(values: np.ndarray) -> np.ndarray:
    """Return texts as UTF-8 of fixed length, as the core writes them; h5py's own are ASCII."""
    found = np.asarray(values)
    return found.astype(h5py.string_dtype("utf-8", found.dtype.itemsize)) if found.dtype.kind == "S" else found


def sphere(k: np.ndarray, *, half: bool) -> np.ndarray:
    """Return the G-vectors of a k-point by rising gz, gy, gx."""
    reciprocal = 2 * np.pi * np.linalg.inv(CELL).T
    found = []
    for gz, gy, gx in itertools.product(range(-6, 7), repeat=3):
        inside = 0.5 * np.sum(((k + [gx, gy, gz]) @ reciprocal) ** 2) <= ECUT
        if inside and (not half or (gz, gy, gx) >= (0, 0, 0)):
            found.append([gx, gy, gz])
    return np.array(found, np.int32)


def coefficients(rng: np.random.Generator, spheres: list[np.ndarray], spins: int, *, half: bool) -> np.ndarray:
    """Return normalised bands (bands, spins, G, 2)."""
    parts = []
    for vectors in spheres:
        c = rng.normal(size=(BANDS, spins, len(vectors), 2))
        norm = np.sum(c**2, axis=(2, 3))
        if half:
            c[:, :, 0, 1] = 0  # c(0) is real
            norm = 2 * np.sum(c**2, axis=(2, 3)) - c[:, :, 0, 0] ** 2
        parts.append(c / np.sqrt(norm)[..., None, None])
    return np.concatenate(parts, axis=2)


def header(kpoints, weights, ngk: list[int], eigenvalues, occupations, *, half: bool) -> dict:
    """Return BerkeleyGW's header."""
    reciprocal = 2 * np.pi * np.linalg.inv(CELL).T
    volume = np.linalg.det(CELL)
    spins, alat = eigenvalues.shape[1], np.linalg.norm(CELL[0])
    blat = 2 * np.pi / alat
    by_spin = np.swapaxes(eigenvalues, 0, 1), np.swapaxes(occupations, 0, 1)
    components = [
        [(i + n // 2) % n - n // 2 for i, n in zip(at, GRID, strict=True)]
        for at in itertools.product(*map(range, GRID))
    ]
    components.sort(key=lambda g: g[::-1])
    mtrx = np.zeros((48, 3, 3), np.int32)
    mtrx[0] = np.eye(3)
    numbers = {"versionnumber": 1, "flavor": 2}
    numbers |= {f"kpoints/{name}": value for name, value in (("nspin", spins), ("nspinor", 1), ("nrk", len(ngk)))}
    numbers |= {"kpoints/mnband": BANDS, "kpoints/ngkmax": max(ngk), "gspace/ng": len(components)}
    numbers |= {"symmetry/ntran": 1, "symmetry/cell_symmetry": 0, "crystal/nat": len(POSITIONS)}
    arrays = {
        "kpoints/ecutwfc": 2 * ECUT, "gspace/ecutrho": 8 * ECUT,
        "kpoints/kgrid": np.array([1, 1, 1] if half else [0, 0, 0], np.int32), "kpoints/shift": np.zeros(3),
        "kpoints/ngk": np.array(ngk, np.int32), "kpoints/ifmin": np.ones((spins, len(ngk)), np.int32),
        "kpoints/ifmax": np.full((spins, len(ngk)), BANDS - 1, np.int32), "kpoints/w": weights, "kpoints/rk": kpoints,
        "kpoints/el": 2 * by_spin[0], "kpoints/occ": (by_spin[1] > 0).astype(float),
        "gspace/FFTgrid": np.array(GRID, np.int32), "gspace/components": np.array(components, np.int32),
        "symmetry/mtrx": mtrx, "symmetry/tnp": np.zeros((48, 3)), "crystal/celvol": volume,
        "crystal/recvol": (2 * np.pi) ** 3 / volume, "crystal/alat": alat, "crystal/blat": blat,
        "crystal/avec": CELL / alat, "crystal/bvec": reciprocal / blat, "crystal/adot": CELL @ CELL.T,
        "crystal/bdot": reciprocal @ reciprocal.T, "crystal/atyp": np.array([13, 13, 3], np.int32),
        "crystal/apos": np.array(POSITIONS) @ CELL / alat,
    }  # fmt: skip
    arrays |= {name: np.int32(value) for name, value in numbers.items()}
    return {f"mf_header/{name}": np.asarray(values) for name, values in arrays.items()}


def add_checksums(file: h5py.File, ngk: list[int], block: int) -> None:
    """Write checksums of what the file holds now, in place of those that it has."""
    bulky = ("wfns/gvecs", "wfns/coeffs", "wavegrid/density", "wavegrid/potential")
    file.pop("wavegrid/checksums", None)
    for name in bulky:
        values = file[name][()]
        rows = values.reshape(-1, values.shape[2], 2) if name.endswith("coeffs") else values[None]
        counts, lead = ngk, values.shape[:2] if name.endswith("coeffs") else ()
        if name.startswith("wavegrid"):
            rows, counts, lead = values.reshape(len(values), -1), [int(np.prod(GRID))], values.shape[:1]
        sums = [[digest(part) for part in parts(row, counts, block)] for row in rows]
        stored = np.array(sums, np.uint64).reshape(*lead, -1)
        file.create_dataset(f"wavegrid/checksums/{name.rpartition('/')[2]}", data=stored)

    def visit(name: str, thing: object) -> None:
        if isinstance(thing, h5py.Dataset) and name not in bulky and "checksums" not in name:
            thing.attrs["xxh3"] = np.uint64(digest(np.asarray(thing[()])))

    file.visititems(visit)


def parts(row: np.ndarray, counts: list[int], block: int) -> list[np.ndarray]:
    """Cut a row into blocks, none across two k-points."""
    of_k = np.split(row, np.cumsum(counts)[:-1])
    return [part[first : first + block] for part in of_k for first in range(0, len(part), block)]


def digest(values: np.ndarray) -> int:
    """Return XXH3-64 of the bytes of an array."""
    return xxhash.xxh3_64_intdigest(values.tobytes())
