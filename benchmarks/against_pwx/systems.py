"""The systems that both codes solve, and the input of each code."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
UPF_NAME = "Al.pz-vbc.UPF"
FCC_SITES = ((0.0, 0.0, 0.0), (0.0, 0.5, 0.5), (0.5, 0.0, 0.5), (0.5, 0.5, 0.0))
DIAMOND_SITES = FCC_SITES + tuple(tuple(x + 0.25 for x in site) for site in FCC_SITES)
MASS = {"Al": 26.98, "Si": 28.086}
RY = 2.0  # in 1 Ha


@dataclasses.dataclass(frozen=True)
class System:
    """A supercell of a cubic cell, in the local density approximation of Perdew and Zunger, without symmetry."""

    name: str
    element: str
    edge: float  # bohr, of the cubic cell
    sites: tuple[tuple[float, float, float], ...]  # in it, fractional
    supercell: int  # cells along each axis
    ecut: float  # Ha
    ecutrho: float  # Ry, of pw.x: its largest sphere in the grid, at most four times the cutoff
    grid: int  # points along each axis
    bands: int  # per k-point
    gth: Path  # in the layout that pw.x reads
    width: float | None = None  # Ha, Fermi-Dirac; None: fixed occupations
    mesh: int | None = None  # k-points along each axis, Gamma-centred; None: Gamma alone, real wave functions
    upf: str | None = None  # the potential that pw.x ships
    projectors: str = "reciprocal"  # of wavegrid

    @property
    def kpoints(self) -> int:
        """Number of k-points: on meshes of 2 no two are each other's mirror image."""
        return 1 if self.mesh is None else self.mesh**3

    @property
    def bands_per_transform(self) -> int:
        """pw.x transforms two bands at once where wave functions are real."""
        return 2 if self.mesh is None else 1

    def about(self) -> str:
        """One line."""
        points = "Gamma" if self.mesh is None else f"{self.mesh}x{self.mesh}x{self.mesh} k-points, no symmetry"
        occupations = "fixed occupations" if self.width is None else f"Fermi-Dirac {self.width} Ha"
        return f"{self.name}, {points}: {self.bands} bands, grid {self.grid}^3, ecut {self.ecut} Ha, {occupations}, PZ"


AL_GTH = HERE / "Al-q3.gth"
SI_GTH = ROOT / "tests/reference/crystals/pseudopotentials/Si-q4-lda.gth"
AL = {"element": "Al", "edge": 7.6533909, "sites": FCC_SITES, "ecut": 8.8309, "gth": AL_GTH, "width": 0.00735}
SI = {"element": "Si", "edge": 10.26, "sites": DIAMOND_SITES, "ecut": 12.0, "ecutrho": 96.0, "gth": SI_GTH, "mesh": 2}
SYSTEMS = {
    system.name: system
    for system in (
        # 240 eV: the sphere of 15203 plane waves; the largest sphere that pw.x takes in 48^3 is a little above 43 Ry
        System("al108", **AL, supercell=3, ecutrho=43.0, grid=48, bands=217, upf=UPF_NAME),
        # minutes: --tolerance 1e-6 --repeats 1 --ranks 2 --codes wavegrid,wavegrid-double,pwx-gth --no-accuracy
        System("al500", **AL, supercell=5, ecutrho=43.0, grid=80, bands=1001, upf=UPF_NAME, projectors="auto"),
        System("si64", **SI, supercell=2, grid=64, bands=128),
        # small, to see that everything works
        System("al4", **AL, supercell=1, ecutrho=43.0, grid=16, bands=12, upf=UPF_NAME),
        System("si8", **SI, supercell=1, grid=32, bands=16),
    )
}


def pwx_input(system: System, potential: Path, tolerance_ha: float, outdir: str) -> str:
    """The input of pw.x; tolerance_ha bounds its `estimated scf accuracy`."""
    size, grid, count = system.supercell * system.edge, system.grid, system.supercell
    cells = itertools.product(range(count), repeat=3)
    atoms = [[(n + s) / count for n, s in zip(cell, site, strict=True)] for cell in cells for site in system.sites]
    occupations = "occupations='fixed'"
    if system.width is not None:
        occupations = f"occupations='smearing', smearing='fd', degauss={RY * system.width:.4f}"
    kpoints = ["K_POINTS gamma"]
    if system.mesh is not None:
        points = itertools.product(range(system.mesh), repeat=3)
        kpoints = ["K_POINTS crystal", str(system.kpoints)]
        kpoints += [" ".join(f"{n / system.mesh:.16f}" for n in point) + " 1" for point in points]
    return "\n".join(
        [
            "&control",
            f"  calculation='scf', prefix='x', outdir='{outdir}', pseudo_dir='{potential.parent}/', disk_io='none'",
            "/",
            "&system",
            f"  ibrav=0, nat={len(atoms)}, ntyp=1, nbnd={system.bands}, nosym=.true., noinv=.true., input_dft='PZ'",
            f"  ecutwfc={RY * system.ecut:.4f}, ecutrho={system.ecutrho}",
            # without nr1s... the energies are garbage and pw.x still exits 0
            f"  nr1={grid}, nr2={grid}, nr3={grid}, nr1s={grid}, nr2s={grid}, nr3s={grid}",
            f"  {occupations}",
            "/",
            "&electrons",
            f"  conv_thr={RY * tolerance_ha:.3e}",
            "/",
            "ATOMIC_SPECIES",
            f"  {system.element} {MASS[system.element]} {potential.name}",
            *kpoints,
            "CELL_PARAMETERS bohr",
            *(" ".join(f"{size * (i == j):.10f}" for j in range(3)) for i in range(3)),
            "ATOMIC_POSITIONS crystal",
            *(f"{system.element} " + " ".join(f"{x:.16f}" for x in atom) for atom in atoms),
            "",
        ]
    )


def wavegrid_input(system: System, potential: Path, precision: str, tolerance_ha: float, directory: Path) -> str:
    """The input of wavegrid for the same system."""
    atoms = ", ".join(json.dumps([system.element, *site]) for site in system.sites)
    more = []
    if system.width is not None:
        more.append(f'smearing = {{ kind = "fermi-dirac", width = "{system.width} Ha" }}')
    if system.mesh is not None:
        more.append(f"kpoints = {{ mesh = {[system.mesh] * 3} }}")
    electrons = "\n".join(more)
    return f"""title = "{system.name}"
[structure]
cell = {[[system.edge * (i == j) for j in range(3)] for i in range(3)]}
unit = "bohr"
atoms = [{atoms}]
coordinates = "fractional"
supercell = {[system.supercell] * 3}
[basis]
ecut = "{system.ecut} Ha"
grid = {[system.grid] * 3}
projectors = "{system.projectors}"
[electrons]
xc = "LDA_X+LDA_C_PZ"
pseudopotentials = {{ {system.element} = {json.dumps(str(potential))} }}
bands = {system.bands}
{electrons}
[symmetry]
use = false
[scf]
precision = "{precision}"
energy_tolerance = "{tolerance_ha:.3e} Ha"
[output]
directory = {json.dumps(str(directory))}
checkpoint = false
"""


def pools(system: System, ranks: int) -> int:
    """pw.x's groups of k-points: a number that divides them evenly."""
    return math.gcd(system.kpoints, ranks)
