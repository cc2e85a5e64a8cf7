"""The input of ABINIT for a case."""

from wavegrid.comparison.functionals import LIBXC
from wavegrid.comparison.inputs import occupations, potentials
from wavegrid.comparison.inputs.case import Case
from wavegrid.comparison.inputs.mesh import product_of
from wavegrid.crystal.elements import ELEMENTS
from wavegrid.errors import InputError

PROGRAM, MAIN = "ABINIT", "abinit.abi"
COMMAND = "abinit abinit.abi > abinit.log"
OUTPUT = "abinit.abo"

_SMEARINGS = {"fermi-dirac": 3, "gaussian": 7, "methfessel-paxton": 6}


def files(case: Case) -> dict[str, str]:
    """Return the texts of abinit.abi and of the potentials by their names; raises InputError."""
    written = [potentials.for_abinit(potential) for potential in case.potentials]
    elements = [potential.element for potential in case.potentials]
    lines = [f'pseudos "{", ".join(name for name, _ in written)}"', "acell 1 1 1", "rprim", *map(_vector, case.cell)]
    lines += [f"ntypat {len(elements)}", "znucl " + " ".join(str(ELEMENTS[element].number) for element in elements)]
    lines += [f"natom {len(case.atoms)}", "typat"]
    lines += [str(elements.index(species.potential.element) + 1) for species, _ in case.atoms]
    lines += ["xred", *(_vector(place) for _, place in case.atoms)]
    lines += [f"ixc {_functional(case.xc)}", f"ecut {case.ecut:.12g}"]
    if case.dispersion is not None:
        if case.dispersion != "d3-bj":
            raise InputError(f'ABINIT has no dispersion correction "{case.dispersion}"; valid: d3-bj')
        lines += ["vdw_xc 7"]
    if case.charge:
        lines += [f"charge {case.charge:g}"]
    if case.grid is not None:
        lines += [_grid("ngfft", case.grid), "boxcutmin 1.0"]
    lines += _density(case)
    if case.bands is not None:
        lines += [f"nband {case.bands}"]
    lines += [*_kpoints(case), *([] if case.symmetric else ["nsym 1"]), *_occupations(case)]
    lines += [f"toldfe {case.tolerance:.3e}", "nstep 200", "prtwf 0", "prtden 0", "prteig 0", "prtebands 0", "prtgsr 0"]
    lines += [f"optforces {int(case.forces)}", f"optstress {int(case.stress)}", "prtvol 2"]
    lines += ["chkprim 0", "chksymbreak 0", "chksymtnons 0", "maxnsym 2000", ""]
    return {MAIN: "\n".join(lines), **dict(written)}


def _grid(name: str, grid: list[int]) -> str:
    return f"{name} " + " ".join(str(product_of((2, 3, 5), n)) for n in grid)


def _density(case: Case) -> list[str]:
    """Return the lines of PAW: the sphere of the density is the largest that its grid holds, at least 4 pawecutdg."""
    if all(potential.format == potentials.PAW_XML for potential in case.potentials):
        cutoff = max(case.ecut, (case.density_ecut or 0) / 4)
        grid = [_grid("ngfftdg", case.density_grid)] if case.density_grid and case.grid else []
        return [f"pawecutdg {cutoff:.12g}", *grid, "pawxcdev 0"]
    if case.density_ecut is not None:
        raise InputError(
            "density_ecut: ABINIT has a grid of its own for the density with PAW alone; valid: without density_ecut, "
            "or PAW XML for all elements"
        )
    return []


def _functional(xc: str) -> int:
    numbers = [LIBXC.get(name) for name in xc.split("+")]
    if None in numbers:
        raise InputError(f"no number of {xc} for ABINIT is known here; valid: {', '.join(LIBXC)}, joined by +")
    first, *second = [number for number in numbers if number is not None]
    return -(1000 * first + second[0]) if second else -first


def _kpoints(case: Case) -> list[str]:
    if case.kpoints is not None:
        rows = [_vector(point[:3]) for point in case.kpoints]
        weights = [f"{point[3]:.12f}" for point in case.kpoints]
        return ["kptopt 0", f"nkpt {len(rows)}", "kpt", *rows, "wtk", *weights]
    if case.mesh is None:
        return ["kptopt 0", "nkpt 1", "kpt 0 0 0"]
    return ["kptopt 1", "ngkpt " + " ".join(map(str, case.mesh)), "nshiftk 1", f"shiftk {_vector(case.shift)}"]


def _occupations(case: Case) -> list[str]:
    lines = []
    if case.smearing is not None:
        kind, width = case.smearing
        if kind not in _SMEARINGS:
            raise InputError(f'ABINIT has no smearing "{kind}"; valid: {", ".join(_SMEARINGS)}')
        lines += [f"occopt {_SMEARINGS[kind]}", f"tsmear {width:.12g}"]
    if case.occupations is not None:
        lines += ["occopt 0", "occ", *occupations.rows(case)]
    if case.spins == 2:
        lines += ["nsppol 2", "spinat", *(f"0 0 {species.moment:.8g}" for species, _ in case.atoms)]
    if case.total_magnetisation is not None:
        lines += _fixed_moment(case, case.total_magnetisation)
    return lines


def _fixed_moment(case: Case, moment: float) -> list[str]:
    """Return the occupations of a total moment; ABINIT 9.6 miscounts those of bands beyond a spin that is empty."""
    if case.smearing is not None or case.bands is None:
        return [f"spinmagntarget {moment:g}"]
    electrons = sum(species.potential.valence for species, _ in case.atoms) - case.charge
    filled = [round((electrons + sign * moment) / 2) for sign in (1, -1)]
    return [
        "occopt 0",
        "occ",
        *(" ".join("1" if band < count else "0" for band in range(case.bands)) for count in filled),
    ]


def _vector(values: list[float]) -> str:
    return " ".join(f"{value:.14f}" for value in values)
