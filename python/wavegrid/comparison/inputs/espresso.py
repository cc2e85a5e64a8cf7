"""The input of pw.x for a case."""

import math

from ase.data import atomic_masses, atomic_numbers

from wavegrid.comparison.functionals import ESPRESSO
from wavegrid.comparison.inputs import occupations, potentials
from wavegrid.comparison.inputs.case import Case, Potential, Species
from wavegrid.comparison.inputs.mesh import product_of
from wavegrid.errors import InputError, did_you_mean
from wavegrid.model.names import TETRAHEDRA

PROGRAM, MAIN = "pw.x", "pw.in"
COMMAND = "pw.x -in pw.in > pw.out"
OUTPUT = "pw.out"

_RY = 2.0  # in 1 Ha
_SMEARINGS = {"fermi-dirac": "fd", "gaussian": "gauss", "methfessel-paxton": "mp", "cold": "mv"}

_DISPERSION = {
    "d2": "vdw_corr='grimme-d2'",
    "d3-bj": "vdw_corr='grimme-d3', dftd3_version=4, dftd3_threebody=.false.",
}


def files(case: Case) -> dict[str, str]:
    """Return the texts of pw.in and of the potentials by their names; raises InputError."""
    if case.xc not in ESPRESSO:
        valid = ", ".join(ESPRESSO)
        raise InputError(f"pw.x has no functional {case.xc}; valid: {valid}{did_you_mean(case.xc, ESPRESSO)}")
    functional = ESPRESSO[case.xc]
    names: dict[Potential, str] = {}
    written: dict[str, str] = {}
    for potential in case.potentials:
        name, text = potentials.for_espresso(potential, functional)
        names[potential], written[name] = name, text
    labels = _labels(case)
    lines = ["&control", *_control(case), "/", "&system", *_system(case, functional, labels), "/"]
    lines += ["&electrons", f"  conv_thr={_RY * case.tolerance:.3e}, electron_maxstep=200", "/", "ATOMIC_SPECIES"]
    for species, label in labels.items():
        mass = atomic_masses[atomic_numbers[species.potential.element]]
        lines.append(f"  {label} {mass:.4f} {names[species.potential]}")
    lines += [*_kpoints(case), "CELL_PARAMETERS bohr", *map(_vector, case.cell), "ATOMIC_POSITIONS crystal"]
    lines += [f"{labels[species]} {_vector(place)}" for species, place in case.atoms]
    lines += ["OCCUPATIONS", *occupations.rows(case)] if case.occupations is not None else []
    return {MAIN: "\n".join([*lines, ""]), **written}


def _labels(case: Case) -> dict[Species, str]:
    """Return a name for each species; pw.x allows three characters."""
    letters = "123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    count: dict[str, int] = {}
    answer = {}
    for species in case.species:
        element = species.potential.element
        number = count[element] = count.get(element, 0) + 1
        if number > len(letters):
            raise InputError(f"{element} has more than {len(letters)} initial moments; valid for pw.x: fewer")
        answer[species] = f"{element}{letters[number - 1]}"
    return answer


def _control(case: Case) -> list[str]:
    lines = ["  calculation='scf', prefix='x', outdir='out', pseudo_dir='.', disk_io='none', verbosity='high'"]
    if case.forces or case.stress:
        lines += [f"  tprnfor={_flag(case.forces)}, tstress={_flag(case.stress)}"]
    return lines


def _system(case: Case, functional: str, labels: dict[Species, str]) -> list[str]:
    lines = [f"  ibrav=0, nat={len(case.atoms)}, ntyp={len(labels)}, input_dft='{functional}'"]
    lines += [f"  ecutwfc={_RY * case.ecut:.8f}, tot_charge={case.charge:g}"]
    if case.bands is not None:
        lines += [f"  nbnd={case.bands}"]
    if case.grid is not None:
        cutoff, grid, smooth = _density(case, case.grid)
        lines += [f"  ecutrho={_RY * cutoff:.8f}"]
        # Without nr1s, nr2s and nr3s the energies are wrong, and pw.x still exits with 0.
        counts = enumerate(zip(grid, smooth, strict=True), 1)
        lines += ["  " + ", ".join(f"nr{i}={dense}, nr{i}s={coarse}" for i, (dense, coarse) in counts)]
    if not case.symmetric:
        lines += ["  nosym=.true., noinv=.true."]
    if case.occupations is not None:
        lines += ["  occupations='from_input'"]
    elif case.smearing is None:
        lines += ["  occupations='fixed'"]
    elif case.smearing[0] in TETRAHEDRA:
        lines += [f"  occupations='{case.smearing[0].replace('-', '_')}'"]
    else:
        kind, width = case.smearing
        lines += [f"  occupations='smearing', smearing='{_SMEARINGS[kind]}', degauss={_RY * width:.10f}"]
    if case.spins == 2:
        shares = [species.moment / species.potential.valence for species in labels]
        lines += ["  nspin=2", *(f"  starting_magnetization({i})={share:.6f}" for i, share in enumerate(shares, 1))]
    if case.total_magnetisation is not None:
        lines += [f"  tot_magnetization={case.total_magnetisation:g}"]
    if case.dispersion is not None:
        if case.dispersion not in _DISPERSION:
            raise InputError(f'pw.x has no dispersion correction "{case.dispersion}"; valid: {", ".join(_DISPERSION)}')
        lines += [f"  {_DISPERSION[case.dispersion]}"]
    return lines


def _density(case: Case, grid: list[int]) -> tuple[float, list[int], list[int]]:
    """Return cutoff (Ha) and grid of the density, and the grid of the wave functions.

    pw.x has the density in a sphere, whose grid holds all of it.

    The sphere of four times the cutoff of the wave functions holds all their products. A grid that aliases these gets
    the largest sphere that it holds.
    """
    if case.density_ecut is not None and case.density_grid is not None:
        return case.density_ecut, case.density_grid, grid
    # m steps of G along the lattice vector a hold a sphere of radius 2 pi m / |a|.
    steps = [2 * math.pi / math.hypot(*row) for row in case.cell]
    if case.aliased:
        radius = min((n - 1) // 2 * step for n, step in zip(grid, steps, strict=True))
        return min(4 * case.ecut, radius**2 / 2), grid, grid
    needed = [2 * math.floor(math.sqrt(8 * case.ecut) / step) + 1 for step in steps]
    enough = [product_of((2, 3, 5, 7), max(pair)) for pair in zip(grid, needed, strict=True)]
    return 4 * case.ecut, enough, enough


def _kpoints(case: Case) -> list[str]:
    if case.kpoints is not None:
        rows = [f"{_vector(point[:3])} {point[3]:.12f}" for point in case.kpoints]
        return ["K_POINTS crystal", str(len(rows)), *rows]
    if case.mesh is None:
        return ["K_POINTS gamma"]
    steps = [2 * shift for shift in case.shift]
    if any(step not in (0, 1) for step in steps):
        raise InputError(f"shift = {case.shift}: pw.x knows no such mesh; valid: 0 or 0.5 along each axis")
    return ["K_POINTS automatic", " ".join(f"{count:g}" for count in [*case.mesh, *steps])]


def _vector(values: list[float]) -> str:
    return " ".join(f"{value:.14f}" for value in values)


def _flag(value: bool) -> str:
    return ".true." if value else ".false."
