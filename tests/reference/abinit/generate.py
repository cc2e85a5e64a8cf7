#!/usr/bin/env python3
"""Make the ABINIT reference values of this folder.

    python3 generate.py --list
    python3 generate.py al4_fine_fd si2      # rewrite the inputs, run, rewrite reference.json
    python3 generate.py --inputs-only        # rewrite input.abi and the pseudopotentials of all cases

Needs Debian's `abinit` (9.6.2) and, for the table of pseudopotentials, `cp2k-data`; standard library only.
Every case is one folder: input.abi, *.psp10 and reference.json. The tests read the folders, never this script.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
GTH_POTENTIALS = Path("/usr/share/cp2k/GTH_POTENTIALS")
ATOMIC_NUMBER = {"H": 1, "Li": 3, "O": 8, "Al": 13, "Si": 14, "Ti": 22, "Ge": 32, "Pb": 82}
A_AL = 7.6533909  # bohr, 4.05 Angstrom
KT = 0.00735  # Ha, 0.2 eV

# occopt of ABINIT and what it is
SMEARING = {
    1: None,
    3: {"kind": "fermi-dirac"},
    4: {"kind": "marzari-thesis", "a": -0.5634},
    5: {"kind": "marzari-thesis", "a": -0.8165},
    6: {"kind": "methfessel-paxton", "order": 1},
    7: {"kind": "gaussian"},
}

# key in the EnergyTerms document of ABINIT's output -> our name
ENERGY_KEYS = {
    "kinetic": "kinetic",
    "hartree": "hartree",
    "xc": "xc",
    "Ewald energy": "ewald",
    "local_psp": "local",
    "psp_core": "core",
    "non_local_psp": "nonlocal",
    "'-kT*entropy'": "smearing",
}


@dataclasses.dataclass(frozen=True)
class Case:
    """One calculation: lengths in bohr, energies in Ha, atoms (potential, fractional coordinates)."""

    about: str
    cell: list[list[float]]
    atoms: list[tuple[str, list[float]]]
    ecut: float
    grid: list[int]
    bands: int
    occopt: int = 1
    width: float | None = None
    buffer: int = 4  # top bands left out of the convergence test


def cubic(a: float) -> list[list[float]]:
    """Rows of a cubic cell."""
    return [[a, 0.0, 0.0], [0.0, a, 0.0], [0.0, 0.0, a]]


def fcc(a: float) -> list[list[float]]:
    """Rows of the primitive cell of the face-centred cubic lattice."""
    return [[0.0, a / 2, a / 2], [a / 2, 0.0, a / 2], [a / 2, a / 2, 0.0]]


FCC_SITES = [[0.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
AL4 = [("Al-q3", site) for site in FCC_SITES]
# about 0.05 bohr (0.0065 of the edge) each, no symmetry left
AL4_DISPLACED = [
    ("Al-q3", [0.0031, -0.0052, 0.0023]),
    ("Al-q3", [-0.0044, 0.5037, 0.4969]),
    ("Al-q3", [0.5058, 0.0019, 0.4973]),
    ("Al-q3", [0.4966, 0.4949, -0.0027]),
]
ROCKSALT_LI = FCC_SITES
ROCKSALT_H = [[0.5, 0.5, 0.5], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]]
TRICLINIC = [[8.0, 0.0, 0.0], [1.3, 8.6, 0.0], [-0.9, 1.1, 7.7]]
WATER = [("O-q6", [0.51, 0.47, 0.49]), ("H-q1", [0.68, 0.56, 0.50]), ("H-q1", [0.40, 0.57, 0.63])]


def al4(about: str, ecut: float, grid: int, occopt: int = 3, atoms: list = AL4, width: float = KT) -> Case:
    """Four aluminium atoms in the cubic cell."""
    return Case(about, cubic(A_AL), atoms, ecut, [grid] * 3, 24, occopt, width)


CASES = {
    "al4_fine_fd": al4("Al4, perfect, the first line of issue 2's table", 15.0, 30),
    "al4_coarse_fd": al4("Al4, perfect, grid below 4 gmax: the cut of V_loc and V_H matters", 8.8309, 16),
    "al4_displaced_fine_fd": al4("Al4, no symmetry", 15.0, 30, 3, AL4_DISPLACED),
    "al4_displaced_coarse_fd": al4("Al4, no symmetry, coarse grid", 8.8309, 16, 3, AL4_DISPLACED),
    "si2": Case(
        "Si2, primitive (non-orthogonal) cell, second atom moved off its site, fixed occupations",
        fcc(10.26),
        [("Si-q4", [0.0, 0.0, 0.0]), ("Si-q4", [0.257, 0.246, 0.2535])],
        12.0,
        [27, 27, 27],
        12,
    ),
    "lih8_q3": Case(
        "LiH, rocksalt, Li with its 1s (a local potential only: no projectors at all)",
        cubic(7.72),
        [("Li-q3", s) for s in ROCKSALT_LI] + [("H-q1", s) for s in ROCKSALT_H],
        20.0,
        [32, 32, 32],
        20,
    ),
    "lih_q1_molecule": Case(
        "LiH molecule, Li without its 1s, in an orthorhombic box with a non-cubic grid",
        [[9.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 0.0, 12.0]],
        [("Li-q1", [0.49, 0.52, 0.37]), ("H-q1", [0.52, 0.50, 0.62])],
        20.0,
        [40, 45, 50],
        8,
    ),
    "water_triclinic": Case(
        "H2O in a small triclinic box, three different edges of the grid", TRICLINIC, WATER, 25.0, [40, 45, 36], 12
    ),
    "pbolih_triclinic": Case(
        "PbO and LiH molecules in a triclinic box: s3 p2 d1 on Pb, an empty p channel on O, s and p on Li, none on H",
        [[10.5, 0.0, 0.0], [1.3, 10.0, 0.0], [-0.9, 1.1, 9.5]],
        [
            ("Pb-q4", [0.15, 0.21, 0.29]),
            ("O-q6", [0.45, 0.31, 0.42]),
            ("Li-q1", [0.60, 0.72, 0.84]),
            ("H-q1", [0.35, 0.77, 0.79]),
        ],
        25.0,
        [48, 48, 45],
        14,
    ),
    "al4_displaced_coarse_gaussian": al4("Gaussian smearing", 8.8309, 16, 7, AL4_DISPLACED, 0.015),
    "al4_displaced_coarse_mp1": al4("Methfessel-Paxton smearing, first order", 8.8309, 16, 6, AL4_DISPLACED, 0.015),
    "al4_displaced_coarse_cold4": al4("Marzari's cubic smearing, a = -0.5634", 8.8309, 16, 4, AL4_DISPLACED, 0.015),
    "al4_displaced_coarse_cold5": al4("Marzari's cubic smearing, a = -0.8165", 8.8309, 16, 5, AL4_DISPLACED, 0.015),
    "ti1": Case(
        "Ti with 4 electrons, fcc, one atom: d projector and partly filled d states",
        fcc(7.8),
        [("Ti-q4", [0.0, 0.0, 0.0])],
        20.0,
        [32, 32, 32],
        16,
        3,
        KT,
    ),
}


def gth_entry(potential: str) -> tuple[str, list[list[str]]]:
    """Name line and the token rows of `Al-q3` in CP2K's GTH_POTENTIALS (LDA table)."""
    element, valence = potential.split("-")
    lines = GTH_POTENTIALS.read_text().splitlines()
    for start, line in enumerate(lines):
        words = line.split()
        if words[:1] == [element] and f"GTH-PADE-{valence}" in words[1:]:
            rows = []
            for row in lines[start + 1 :]:
                if row.startswith("#") or re.match(r"[A-Z]", row):
                    return line, rows
                rows.append(row.split())
    raise SystemExit(f"{potential} is not in {GTH_POTENTIALS}")


def psp10(potential: str) -> str:
    """The potential in ABINIT's pspcod-10 (HGH-K) text form, digits as in the table, spin-orbit k_ij = 0."""
    title, rows = gth_entry(potential)
    element = potential.split("-")[0]
    rows = iter(rows)
    valence = sum(int(count) for count in next(rows))
    r_loc, num_c, *c = next(rows)
    num_channels = int(next(rows)[0])
    channels = []
    for _ in range(num_channels):
        radius, num_projectors, *h = next(rows)
        size = int(num_projectors)
        h_rows = [h] + [next(rows) for _ in range(size - 1)] if size else [[]]
        channels.append((radius, size, h_rows))
    if not channels:  # ABINIT misreads a file without any channel: write an empty s channel
        channels.append((r_loc, 0, [[]]))
    l_max = len(channels) - 1
    out = [
        f"{' '.join(title.split()[:2])}, GTH_POTENTIALS of CP2K, spin-orbit k_ij = 0",
        f" {ATOMIC_NUMBER[element]} {valence} 000000   zatom,zion,pspdat",
        f" 10 1 {l_max} {l_max} 2001 0   pspcod,pspxc,lmax,lloc,mmax,r2well",
        f" {r_loc} {num_c} {' '.join(c)}   rloc nloc c",
        f" {len(channels)}   nnonloc",
    ]
    for angular, (radius, size, h_rows) in enumerate(channels):
        out.append(f" {radius} {size} {' '.join(h_rows[0])}".rstrip())
        out += [f"   {' '.join(row)}" for row in h_rows[1:]]
        if angular:
            out += [f"   {' '.join(['0.0'] * (size - i))}" for i in range(size)]
    return "\n".join(out) + "\n"


def input_text(case: Case) -> str:
    """input.abi of a case."""
    kinds = list(dict.fromkeys(potential for potential, _ in case.atoms))
    vector = "  {:.16g} {:.16g} {:.16g}".format
    lines = [
        f"# {case.about}",
        f'pseudos "{", ".join(f"{kind}.psp10" for kind in kinds)}"',
        "acell 1 1 1",
        "rprim",
        *(vector(*row) for row in case.cell),
        f"ntypat {len(kinds)}",
        f"znucl {' '.join(str(ATOMIC_NUMBER[kind.split('-')[0]]) for kind in kinds)}",
        f"natom {len(case.atoms)}",
        f"typat {' '.join(str(kinds.index(potential) + 1) for potential, _ in case.atoms)}",
        "xred",
        *(vector(*position) for _, position in case.atoms),
        "chkprim 0",
        "nsym 1",
        "ixc 1   # Teter 93",
        f"ecut {case.ecut} Hartree",
        f"ngfft {' '.join(map(str, case.grid))}",
        "boxcutmin 1.5",
        "mqgrid 10001   # spline error of the form factors below 1e-12 Ha",
        "kptopt 0  nkpt 1  kpt 0 0 0  wtk 1",
        "nsppol 1",
        f"nband {case.bands}  nbdbuf {case.buffer}",
        f"occopt {case.occopt}",
        *([f"tsmear {case.width} Hartree"] if case.width else []),
        "iscf 7  nstep 200  tolwfr 1.0d-24  nline 8  nnsclo 2",
        "prteig 1  prtden 0  prtebands 0",
        "optforces 0  optstress 0",
    ]
    return "\n".join(lines) + "\n"


def write_inputs(name: str) -> Path:
    """Write input.abi and the pseudopotentials of a case; returns its folder."""
    case, folder = CASES[name], HERE / name
    folder.mkdir(exist_ok=True)
    for kind in dict.fromkeys(potential for potential, _ in case.atoms):
        (folder / f"{kind}.psp10").write_text(psp10(kind))
    (folder / "input.abi").write_text(input_text(case))
    return folder


def wfk_records(path: Path) -> list[bytes]:
    """The records of a Fortran unformatted file."""
    data, at, records = path.read_bytes(), 0, []
    while at < len(data):
        (length,) = struct.unpack_from("<i", data, at)
        records.append(data[at + 4 : at + 4 + length])
        at += length + 8
    return records


def wfk_bands(path: Path, bands: int) -> tuple[list[float], list[float], int]:
    """Eigenvalues (Ha), occupations and number of plane waves from ABINIT's binary _WFK file, one k-point.

    After the header come (npw, nspinor, nband), the G-vectors, (eigenvalues, occupations) and the coefficients.
    """
    records = wfk_records(path)
    for i, record in enumerate(records[:-2]):
        if len(record) == 12:
            num_pw, num_spinor, num_band = struct.unpack("<3i", record)
            if (num_spinor, num_band) == (1, bands) and len(records[i + 1]) == 12 * num_pw:
                values = struct.unpack(f"<{2 * bands}d", records[i + 2])
                return list(values[:bands]), list(values[bands:]), num_pw
    raise SystemExit(f"no eigenvalues found in {path}")


def energy_terms(output: str) -> dict[str, float]:
    """The EnergyTerms document of ABINIT's main output under our names."""
    document = re.findall(r"--- !EnergyTerms\n(.*?)\n\.\.\.", output, re.S)[-1]
    found = {}
    for line in document.splitlines():
        key, _, value = (part.strip() for part in line.partition(":"))
        if key in ENERGY_KEYS:
            found[ENERGY_KEYS[key]] = float(value)
        elif key == "total_energy":
            found["free"] = float(value)
    found.setdefault("smearing", 0.0)
    return {key: found[key] for key in ("free", *ENERGY_KEYS.values())}


def run(name: str) -> dict:
    """Run ABINIT on a case and write its reference.json."""
    case, folder = CASES[name], write_inputs(name)
    with tempfile.TemporaryDirectory(prefix="abinit_") as scratch:
        for path in folder.iterdir():
            shutil.copy(path, scratch)
        environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"}
        with (Path(scratch) / "log").open("w") as log:
            subprocess.run(["abinit", "input.abi"], cwd=scratch, stdout=log, stderr=log, check=True, env=environment)
        output = (Path(scratch) / "input.abo").read_text()
        eigenvalues, occupations, num_pw = wfk_bands(Path(scratch) / "inputo_WFK", case.bands)
    smearing = SMEARING[case.occopt]
    last = re.findall(r"^ ETOT\s*(\d+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)", output, re.M)[-1]
    version = re.search(r"\.Version\s+(\S+)\s+of ABINIT", output).group(1)
    reference = {
        "about": case.about,
        "code": "ABINIT",
        "version": version,
        "command": "abinit input.abi",
        "structure": {
            "cell_bohr": case.cell,
            "atoms": [[kind.split("-")[0], *position] for kind, position in case.atoms],
            "coordinates": "fractional",
            "pseudopotentials": {kind.split("-")[0]: f"gth-lda-{kind.split('-')[1]}" for kind, _ in case.atoms},
        },
        "kpoints": [[0.0, 0.0, 0.0]],
        "ecut_Ha": case.ecut,
        "grid": case.grid,
        "bands": case.bands,
        "smearing": smearing and {**smearing, "width_Ha": case.width, "occopt": case.occopt},
        "xc": "LDA_XC_TETER93",
        "boxcut": float(re.search(r"boxcut\(ratio\)=\s*(\S+)", output).group(1)),
        "plane_waves_half_sphere": num_pw,
        "energies_Ha": energy_terms(output),
        "fermi_Ha": fermi_level(output) if smearing else None,
        "eigenvalues_Ha": [eigenvalues],
        "occupations": [occupations],
        "unconverged_top_bands": case.buffer,
        "convergence": {
            "scf_steps": int(last[0]),
            "last_change_Ha": float(last[2].replace("D", "E")),
            "wave_function_residual": float(last[3].replace("D", "E")),
            "density_residual": float(last[4].replace("D", "E")),
        },
    }
    text = json.dumps(reference, indent=2)
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m.group(1)) + "]", text)
    (folder / "reference.json").write_text(text + "\n")
    return reference


def fermi_level(output: str) -> float:
    """The Fermi level in Ha, nine digits."""
    return float(re.findall(r"fermie\s*:\s*(\S+)", output)[-1])


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="cases to make (default: all)")
    parser.add_argument("--list", action="store_true", help="print the cases and stop")
    parser.add_argument("--inputs-only", action="store_true", help="write inputs, do not run ABINIT")
    arguments = parser.parse_args()
    if unknown := set(arguments.cases) - set(CASES):
        parser.error(f"unknown case {sorted(unknown)}; known: {', '.join(CASES)}")
    for name in arguments.cases or CASES:
        if arguments.list:
            print(f"{name:32} {CASES[name].about}")
        elif arguments.inputs_only:
            write_inputs(name)
        else:
            reference = run(name)
            energies = reference["energies_Ha"]
            drift = energies["free"] - math.fsum(value for key, value in energies.items() if key != "free")
            print(f"{name:32} F {energies['free']:.10f} Ha, terms off by {drift:.1e}, {reference['convergence']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
