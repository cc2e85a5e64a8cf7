"""What the datasets and attributes of a checkpoint file mean: the tables of docs/checkpoint.md."""

from wavegrid.checkpoint import layout

_TYPES = {"f8": "float64", "i4": "int32", "u8": "uint64", "i": "integer", "S": "text"}

ATTRIBUTES = {
    "format": f'"{layout.FORMAT}"',
    "version": "1; 2 with a meta-GGA; 3 with datasets; 4 with spinors, 5 and a magnetic group, 6 and datasets",
    "half_sphere": "0 or 1",
    "program": "that wrote the file",
    "created": "ISO 8601, UTC",
    "single_precision": "1: bands had been iterated in it, and norms are 1 to its rounding",
    "converged": "0 or 1",
    "steps": "of the loop",
    "block": f"elements of a checksum block, {layout.BLOCK}",
    "space_group": "of the International Tables",
    "space_group_number": "its number",
}

_HEADER = {
    "versionnumber": "1",
    "flavor": "2: complex",
    "kpoints/nspin": "spins",
    "kpoints/nspinor": "1",
    "kpoints/nrk": "k-points",
    "kpoints/mnband": "bands",
    "kpoints/ngkmax": "largest `ngk`",
    "kpoints/ecutwfc": "Ry",
    "kpoints/kgrid": "mesh of k-points; 0 where they were listed",
    "kpoints/shift": "of the mesh",
    "kpoints/ngk": "G-vectors of each k-point",
    "kpoints/ifmin": "first occupied band, from 1",
    "kpoints/ifmax": "last occupied band",
    "kpoints/w": "weights",
    "kpoints/rk": "k-points, fractional",
    "kpoints/el": "eigenvalues, Ry",
    "kpoints/occ": "occupations, 0 to 1",
    "gspace/ng": "points of the FFT box",
    "gspace/ecutrho": "Ry, four times `ecutwfc`",
    "gspace/FFTgrid": "FFT box",
    "gspace/components": "every G of the box, in the order of `gvecs`",
    "symmetry/ntran": "operations",
    "symmetry/cell_symmetry": "0 cubic, 1 hexagonal",
    "symmetry/mtrx": "W of one operation for each rotation, zeros behind `ntran`",
    "symmetry/tnp": "-2 pi W^-1 w, from -pi to pi",
    "crystal/celvol": "volume of the cell, bohr^3",
    "crystal/recvol": "volume of the reciprocal cell, 1/bohr^3",
    "crystal/alat": "length of the first lattice vector, bohr",
    "crystal/blat": "2 pi / `alat`",
    "crystal/nat": "atoms",
    "crystal/avec": "lattice vectors as rows, in `alat`",
    "crystal/bvec": "reciprocal vectors, in `blat`",
    "crystal/adot": "inner products of the lattice vectors, bohr^2",
    "crystal/bdot": "inner products of the reciprocal vectors, 1/bohr^2",
    "crystal/atyp": "atomic numbers",
    "crystal/apos": "positions, Cartesian, in `alat`",
}

_DATA = {
    "cell": "lattice vectors as rows, bohr",
    "species": "element symbols",
    "atom_species": "index into `species`",
    "positions": "fractional",
    "ecut": "Ha",
    "grid": "FFT grid; with `[basis] density_ecut` that of the density",
    "kpoints": "in units of the reciprocal vectors",
    "weights": "add up to 1",
    "rotations": "W of the space group under which the k-points are irreducible: x -> W x + w, fractional",
    "translations": "w",
    "time_reversed": "with a magnetic group: 1 for an operation with time reversal",
    "eigenvalues": "Ha",
    "occupations": "electrons, weights included",
    "fermi": "Ha",
    "energy": "free energy, Ha",
    "input": "JSON: the input file as it was read",
    "versions": "JSON: libraries",
    "density": "electrons/bohr^3: n, and with two spins m = n_up - n_down",
    "potential": "effective local potential of each spin made from `density`, Ha",
    "kinetic_density": "with a meta-GGA: tau, in the components of `density`, Ha/bohr^3",
    "matrix_sizes": "with ultrasoft or PAW datasets: rows of each atom's matrix, 0 without PAW",
    "matrix_datasets": "a hash of each atom's projectors: rho_ij of others is not taken",
    "matrices": "rho_ij = sum f <psi|p_i><p_j|psi>, in the components of `density`: elements of each atom, row by row; "
    "of spinors real plus imaginary part",
    "checksums/coeffs": "XXH3-64 of each block of a row; blocks of all k-points in order",
    "checksums/gvecs": "of the same blocks",
    "checksums/density": "of each block of a component",
    "checksums/potential": "the same",
    "checksums/kinetic_density": "the same",
}

_WAVES = {
    "gvecs": "Miller indices, k-point after k-point; within one by increasing gz, then gy, then gx",
    "coeffs": "real and imaginary part of c(G); sum over G of |c|^2 = 1, or <psi|S|psi> = 1",
}

_GROUPS = {"wfns": _WAVES, "mf_header": _HEADER, "wavegrid": _DATA}


def tables() -> dict[str, list[str]]:
    """Return the lines of each table by its name: the groups of the file, and the attributes of /wavegrid."""
    made = {group: _table(group, meanings) for group, meanings in _GROUPS.items()}
    rows = [f"| `{name}` | {_TYPES[kind]} | {ATTRIBUTES[name]} |" for name, kind in layout.ATTRIBUTES.items()]
    return made | {"attributes": ["| attribute | type | meaning |", "|---|---|---|", *rows]}


def _table(group: str, meanings: dict[str, str]) -> list[str]:
    rows = []
    for path, (kind, letters) in layout.ALL.items():
        if path.startswith(f"{group}/"):
            name = path.removeprefix(f"{group}/")
            meaning = meanings[name].replace("|", "\\|")
            shape = f"({', '.join(map(str, letters))})" if letters else "scalar"
            rows.append(f"| `{name}` | {_TYPES[kind]} | {shape} | {meaning} |")
    return ["| dataset | type | shape | meaning |", "|---|---|---|---|", *rows]
