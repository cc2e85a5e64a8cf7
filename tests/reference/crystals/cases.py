"""The crystals, slabs and molecules of this folder, and the three input files of each."""

from __future__ import annotations

import dataclasses
import itertools
import math
from pathlib import Path

HERE = Path(__file__).resolve().parent
POTENTIALS = HERE / "pseudopotentials"
KT = 0.00735  # Ha, 0.2 eV
A_AL = 7.6533909  # bohr, 4.05 Angstrom
NUMBER = {"H": 1, "Li": 3, "C": 6, "O": 8, "Na": 11, "Mg": 12, "Al": 13, "Si": 14, "Cl": 17, "Fe": 26}
MASS = {
    "H": 1.008,
    "Li": 6.94,
    "C": 12.011,
    "O": 15.999,
    "Na": 22.99,
    "Mg": 24.305,
    "Al": 26.982,
    "Si": 28.086,
    "Cl": 35.45,
    "Fe": 55.845,
}

# our name -> (libxc's names, ixc of ABINIT (negative: through libxc), input_dft of pw.x, table of GTH potentials)
FUNCTIONALS = {
    "teter": ("LDA_XC_TETER93", 1, None, "lda"),
    "pz": ("LDA_X+LDA_C_PZ", 2, "PZ", "lda"),
    "pw": ("LDA_X+LDA_C_PW", -1012, "SLA+PW", "lda"),
    "pbe": ("GGA_X_PBE+GGA_C_PBE", -101130, "PBE", "pbe"),
    "r2scan": ("R2SCAN", -497498, None, "pbe"),  # meta-GGA: cases of ../meta_gga
    "scan": ("SCAN", -263267, None, "pbe"),
    "rscan": ("RSCAN", -493494, None, "pbe"),
    "tpss": ("TPSS", -202231, "TPSS", "pbe"),
    "revtpss": ("REVTPSS", -212241, None, "pbe"),
}
# our name -> (occopt of ABINIT, smearing of pw.x)
SMEARINGS = {"fermi-dirac": (3, "fd"), "gaussian": (7, "gauss")}


@dataclasses.dataclass(frozen=True)
class Case:
    """One calculation: lengths in bohr, energies in Ha, atoms (potential, fractional coordinates).

    A potential is `Al-q3` of our GTH tables or the name of a file in `pseudopotentials`. `moments` are the starting
    moments per element (mu_B), `moment` fixes the total moment, `volumes` scale the cell for an equation of state,
    `path` lists k-points of an extra calculation in the fixed potential.
    """

    about: str
    cell: list[list[float]]
    atoms: list[tuple[str, list[float]]]
    ecut: float
    grid: list[int]
    bands: int
    mesh: list[int] = dataclasses.field(default_factory=lambda: [1, 1, 1])
    shift: list[float] = dataclasses.field(default_factory=lambda: [0.0, 0.0, 0.0])
    xc: str = "teter"
    smearing: str | None = None
    width: float = KT
    moments: dict[str, float] | None = None
    moment: float | None = None
    charge: float = 0.0
    volumes: list[float] | None = None
    path: dict[str, list[float]] | None = None
    buffer: int = 3  # top bands left out of the convergence test
    controls: tuple[str, ...] = ()  # lines of input.abi to repeat the case with, such as "ixc 11" (ABINIT's own PBE)
    lines: tuple[str, ...] = ()  # more of input.abi
    derivatives: bool = False  # forces and stress are kept too

    @property
    def kinds(self) -> list[str]:
        """The potentials, each once."""
        return list(dict.fromkeys(kind for kind, _ in self.atoms))

    @property
    def codes(self) -> list[str]:
        """The codes that can run it: pw.x has no Teter-Pade and reads no psp8."""
        twin = FUNCTIONALS[self.xc][2] and not any(kind.endswith(".psp8") for kind in self.kinds)
        return ["abinit", "pwx"] if twin else ["abinit"]


def element(kind: str) -> str:
    """Element of `Al-q3` or `Si.psp8`."""
    return kind.replace(".", "-").split("-")[0]


def potential_file(case: Case, kind: str, code: str) -> str:
    """File of a potential; UPF version 1 for ABINIT, which refuses version 2."""
    if kind.endswith(".UPF"):
        return kind.replace(".UPF", ".v1.UPF") if code == "abinit" else kind
    return kind if "." in kind else f"{kind}-{FUNCTIONALS[case.xc][3]}.gth"


def mesh_points(mesh: list[int], shift: list[float]) -> list[tuple[list[float], float]]:
    """The points (n_i + s_i) / N_i of a mesh in (-1/2, 1/2], one of each pair k, -k, and their weights (sum 1)."""
    points: dict[tuple[int, ...], int] = {}
    assert all(2 * s == round(2 * s) for s in shift), shift
    period = [2 * n for n in mesh]  # in units of half a step
    for n in itertools.product(*(range(size) for size in mesh)):
        steps = tuple((2 * i + round(2 * s)) % p for i, s, p in zip(n, shift, period, strict=True))
        mirror = tuple(-i % p for i, p in zip(steps, period, strict=True))
        key = mirror if mirror in points else steps
        points[key] = points.get(key, 0) + 1
    answer = []
    for steps, count in points.items():
        folded = [(i - p if 2 * i > p else i) / p for i, p in zip(steps, period, strict=True)]
        answer.append((folded, count / math.prod(mesh)))
    return answer


def scaled(case: Case, factor: float) -> Case:
    """The case with `factor` times its volume."""
    length = factor ** (1 / 3)
    return dataclasses.replace(case, cell=[[x * length for x in row] for row in case.cell], volumes=None)


def vector(values: list[float]) -> str:
    """Numbers with all their digits."""
    return " ".join(f"{value:.16g}" for value in values)


def abinit_input(case: Case, control: str = "") -> str:
    """Return input.abi of a case, with one more or another line."""
    points = mesh_points(case.mesh, case.shift)
    gamma = len(points) == 1 and points[0][0] == [0.0, 0.0, 0.0]
    files = ", ".join(potential_file(case, kind, "abinit") for kind in case.kinds)
    lines = [
        f"# {case.about}",
        'pp_dirpath "../pseudopotentials"',
        f'pseudos "{files}"',
        "acell 1 1 1",
        "rprim",
        *(f"  {vector(row)}" for row in case.cell),
        f"ntypat {len(case.kinds)}",
        f"znucl {' '.join(str(NUMBER[element(kind)]) for kind in case.kinds)}",
        f"natom {len(case.atoms)}",
        f"typat {' '.join(str(case.kinds.index(kind) + 1) for kind, _ in case.atoms)}",
        "xred",
        *(f"  {vector(position)}" for _, position in case.atoms),
        "chkprim 0",
        "nsym 1",
        f"ixc {FUNCTIONALS[case.xc][1]}   # {FUNCTIONALS[case.xc][0]}",
        f"ecut {case.ecut} Hartree",
        f"ngfft {' '.join(map(str, case.grid))}",
        "boxcutmin 2.0",
        "mqgrid 10001   # spline error of the form factors below 1e-12 Ha",
        f"kptopt 0  nkpt {len(points)}   # one of each pair k, -k of the whole mesh",
        "kpt",
        *(f"  {vector(point)}" for point, _ in points),
        "wtk",
        *(f"  {weight:.16g}" for _, weight in points),
        f"istwfk {'2' if gamma else f'{len(points)}*1'}",
        f"nband {case.bands}  nbdbuf {case.buffer}",
        f"occopt {SMEARINGS[case.smearing][0] if case.smearing else 1}",
        *([f"tsmear {case.width} Hartree"] if case.smearing else []),
        *abinit_spin(case),
        *([f"charge {case.charge}"] if case.charge else []),
        "iscf 7  nstep 200  tolwfr 1.0d-20  nline 6  nnsclo 2",
        "prteig 0  prtden 0  prtebands 0",
        "optforces 0  optstress 0",
        *case.lines,
    ]
    if control:
        lines = [line for line in lines if line.split()[0] != control.split()[0]] + [control]
    return "\n".join(lines) + "\n"


def abinit_derivatives_input(case: Case) -> str:
    """Return derivatives.abi of a case: the same calculation with forces and stress."""
    return abinit_input(case).replace("optforces 0  optstress 0", "optforces 1  optstress 1")


def pwx_derivatives_input(case: Case) -> str:
    """Return derivatives.in of a case for pw.x."""
    return pwx_input(case).replace("calculation='scf',", "calculation='scf', tprnfor=.true., tstress=.true.,")


def abinit_spin(case: Case) -> list[str]:
    """The lines of input.abi about spin."""
    if case.moments is None:
        return ["nsppol 1"]
    spins = [f"  0 0 {case.moments[element(kind)]}" for kind, _ in case.atoms]
    fixed = [f"spinmagntarget {case.moment}"] if case.moment is not None else []
    return ["nsppol 2  nspden 2", "spinat", *spins, *fixed]


def pwx_input(case: Case) -> str:
    """Return pw.in of a case."""
    nr1, nr2, nr3 = case.grid
    points = mesh_points(case.mesh, case.shift)
    gamma = len(points) == 1 and points[0][0] == [0.0, 0.0, 0.0]
    kpoints = ["K_POINTS gamma"]
    if not gamma:
        kpoints = [
            "K_POINTS crystal",
            str(len(points)),
            *(f"{vector(point)} {weight:.16g}" for point, weight in points),
        ]
    smearing = "occupations='fixed'"
    if case.smearing:
        width = f"{2 * case.width:.12g}"
        smearing = f"occupations='smearing', smearing='{SMEARINGS[case.smearing][1]}', degauss={width}"
    return "\n".join(
        [
            "&control",
            "  calculation='scf', prefix='x', outdir='./out', pseudo_dir='../pseudopotentials', disk_io='low'",
            "/",
            "&system",
            f"  ibrav=0, nat={len(case.atoms)}, ntyp={len(case.kinds)}, nbnd={case.bands}, nosym=.true., noinv=.true.",
            f"  ecutwfc={2 * case.ecut:.12g}, ecutrho={8 * case.ecut:.12g}, input_dft='{FUNCTIONALS[case.xc][2]}'",
            f"  nr1={nr1}, nr2={nr2}, nr3={nr3}, nr1s={nr1}, nr2s={nr2}, nr3s={nr3}",
            f"  {smearing}",
            *pwx_spin(case),
            *([f"  tot_charge={case.charge}"] if case.charge else []),
            "/",
            "&electrons",
            "  conv_thr=1e-14, diago_full_acc=.true., electron_maxstep=200, mixing_beta=0.5",
            "/",
            "ATOMIC_SPECIES",
            *(f"  {element(kind)} {MASS[element(kind)]} {potential_file(case, kind, 'pwx')}" for kind in case.kinds),
            *kpoints,
            "CELL_PARAMETERS bohr",
            *(vector(row) for row in case.cell),
            "ATOMIC_POSITIONS crystal",
            *(f"{element(kind)} {vector(position)}" for kind, position in case.atoms),
            "",
        ]
    )


def pwx_spin(case: Case) -> list[str]:
    """The lines of pw.in about spin: pw.x takes the starting moment as a fraction of the valence."""
    if case.moments is None:
        return []
    fractions = [0.4 if case.moments[element(kind)] else 0.0 for kind in case.kinds]
    lines = ["  nspin=2"] + [f"  starting_magnetization({i + 1})={f}" for i, f in enumerate(fractions)]
    return lines + ([f"  tot_magnetization={case.moment}"] if case.moment is not None else [])


def toml_input(case: Case) -> str:
    """Return case.toml of a case."""
    files = {element(kind): table_name(case, kind) for kind in case.kinds}
    electrons = [
        f'xc = "{FUNCTIONALS[case.xc][0]}"',
        "pseudopotentials = { " + ", ".join(f'{name} = "{file}"' for name, file in files.items()) + " }",
        f"bands = {case.bands}",
        f"kpoints = {{ mesh = {case.mesh}, shift = {case.shift} }}",
    ]
    if case.smearing:
        electrons.append(f'smearing = {{ kind = "{case.smearing}", width = "{case.width} Ha" }}')
    if case.moments is not None:
        electrons.append('spin = "collinear"')
        electrons.append(
            "initial_magnetic_moments = { " + ", ".join(f"{name} = {m}" for name, m in case.moments.items()) + " }"
        )
    if case.moment is not None:
        electrons.append(f"total_magnetisation = {case.moment}")
    if case.charge:
        electrons.append(f"charge = {case.charge:g}")
    atoms = [f'  ["{element(kind)}", {", ".join(f"{x:.16g}" for x in position)}],' for kind, position in case.atoms]
    return "\n".join(
        [
            f"# {case.about}",
            "[structure]",
            "cell = [" + ", ".join(f"[{', '.join(f'{x:.16g}' for x in row)}]" for row in case.cell) + "]",
            'unit = "bohr"',
            "atoms = [",
            *atoms,
            "]",
            'coordinates = "fractional"',
            "",
            "[basis]",
            f'ecut = "{case.ecut} Ha"',
            f"grid = {case.grid}",
            "",
            "[electrons]",
            *electrons,
            "",
            "[scf]",
            'energy_tolerance = "1e-10 Ha"',
            "",
        ]
    )


def table_name(case: Case, kind: str) -> str:
    """`gth-lda-q3` for `Al-q3`; the path from the case's folder for a file."""
    if "." in kind:
        return f"../pseudopotentials/{kind}"
    return f"gth-{FUNCTIONALS[case.xc][3]}-{kind.split('-')[1]}"


def cubic(a: float) -> list[list[float]]:
    """Rows of a cubic cell."""
    return [[a, 0.0, 0.0], [0.0, a, 0.0], [0.0, 0.0, a]]


def fcc(a: float) -> list[list[float]]:
    """Rows of the primitive cell of the face-centred cubic lattice."""
    return [[0.0, a / 2, a / 2], [a / 2, 0.0, a / 2], [a / 2, a / 2, 0.0]]


def bcc(a: float) -> list[list[float]]:
    """Rows of the primitive cell of the body-centred cubic lattice."""
    return [[-a / 2, a / 2, a / 2], [a / 2, -a / 2, a / 2], [a / 2, a / 2, -a / 2]]


HALF = [0.5, 0.5, 0.5]
ORIGIN = [0.0, 0.0, 0.0]
FCC_SITES = [ORIGIN, [0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
VOLUMES = [0.94, 0.96, 0.98, 1.0, 1.02, 1.04, 1.06]
FCC_PATH = {
    "Gamma": ORIGIN,
    "X": [0.5, 0.0, 0.5],
    "L": HALF,
    "W": [0.5, 0.25, 0.75],
    "K": [0.375, 0.375, 0.75],
    "U": [0.625, 0.25, 0.625],
    "general": [0.11, -0.23, 0.37],
}


def al4(about: str, **more: object) -> Case:
    """Four aluminium atoms in the cubic cell."""
    settings = dict(ecut=15.0, grid=[30] * 3, bands=14, mesh=[4, 4, 4], smearing="fermi-dirac") | more
    return Case(about, cubic(A_AL), [("Al-q3", site) for site in FCC_SITES], **settings)


def si2(about: str, second: list[float] | None = None, a: float = 10.26, **more: object) -> Case:
    """Two silicon atoms in the primitive cell; the sites lie on the grid unless the second one is moved."""
    grid = 27 if second else 24
    atoms = [("Si-q4", ORIGIN), ("Si-q4", second or [0.25, 0.25, 0.25])]
    return Case(about, fcc(a), atoms, **(dict(ecut=12.0, grid=[grid] * 3, bands=11, mesh=[4, 4, 4]) | more))


def fe(about: str, xc: str, mesh: list[int] | None = None, shift: list[float] | None = None, **more: object) -> Case:
    """Ferromagnetic iron with 16 electrons."""
    settings = dict(mesh=mesh or [3, 3, 3], shift=shift or ORIGIN, xc=xc, smearing="fermi-dirac", width=0.01)
    return Case(about, bcc(5.4), [("Fe-q16", ORIGIN)], 40.0, [30] * 3, 14, moments={"Fe": 3.0}, **(settings | more))


def fe_dojo(about: str, ecut: float, grid: int, **more: object) -> Case:
    """Ferromagnetic iron with a nonlinear core correction."""
    settings = dict(mesh=[2, 2, 2], xc="pw", smearing="fermi-dirac", width=0.01, moments={"Fe": 3.0})
    lines, controls = ("nc_xccc_gspace 1",), ("ixc 7", "nc_xccc_gspace 0")
    atoms = [("Fe-lda-dojo.psp8", ORIGIN)]
    return Case(about, bcc(5.2), atoms, ecut, [grid] * 3, 14, lines=lines, controls=controls, **settings, **more)


def nacl(about: str, sodium: str, bands: int) -> Case:
    """Rock salt."""
    return Case(about, fcc(10.4), [(sodium, ORIGIN), ("Cl-q7", HALF)], 18.0, [32] * 3, bands, mesh=[2, 2, 2], xc="pz")


def oxygen(about: str, xc: str, **more: object) -> Case:
    """The oxygen molecule in a box."""
    atoms = [("O-q6", [0.5, 0.5, 0.386]), ("O-q6", [0.5, 0.5, 0.614])]
    lines = ("diemac 2",)
    return Case(about, cubic(10.0), atoms, 20.0, [45] * 3, 10, xc=xc, moments={"O": 1.0}, lines=lines, **more)


def al4_vbc(
    about: str, grid: list[int], mesh: list[int], bands: int = 14, buffer: int = 3, derivatives: bool = False
) -> Case:
    """Four aluminium atoms with pw.x's example potential."""
    atoms = [("Al.pz-vbc.UPF", site) for site in FCC_SITES]
    settings = dict(xc="pz", smearing="fermi-dirac", buffer=buffer, derivatives=derivatives)
    return Case(about, cubic(A_AL), atoms, 15.0, grid, bands, mesh=mesh, **settings)


MOVED = [0.26, 0.23, 0.28]
CASES = {
    "al4_444": al4("Al4, 4x4x4, Gamma-centred"),
    "al4_444_half": al4("Al4, 4x4x4, shifted by half a step", shift=HALF),
    "al4_444_pz": al4("Al4, 4x4x4, Gamma-centred, Perdew-Zunger", xc="pz"),
    "al1_eos": Case(
        "fcc Al, primitive cell, 6x6x6: energy against volume",
        fcc(7.5),
        [("Al-q3", ORIGIN)],
        15.0,
        [24, 24, 24],
        8,
        mesh=[6, 6, 6],
        smearing="fermi-dirac",
        volumes=VOLUMES,
    ),
    "si2_444": si2("Si, 4x4x4, Gamma-centred; bands", path=FCC_PATH),
    "si2_444_half": si2("Si, 4x4x4, shifted by half a step", shift=HALF),
    "si2_444_pz": si2("Si, 4x4x4, Gamma-centred, Perdew-Zunger", xc="pz"),
    "si2_444_pbe": si2("Si, 4x4x4, Gamma-centred, PBE", xc="pbe", controls=("ixc 11",)),
    "si2_displaced_444": si2("Si, one atom moved, 4x4x4, Gamma-centred", MOVED),
    "si2_displaced_444_half": si2("Si, one atom moved, 4x4x4, shifted by half a step", MOVED, shift=HALF),
    "si2_displaced_444_pz": si2("Si, one atom moved, 4x4x4, Perdew-Zunger", MOVED, xc="pz", derivatives=True),
    "si2_displaced_324_shifted": si2(
        "Si, one atom moved, uneven mesh, shifted along two axes", MOVED, mesh=[3, 2, 4], shift=[0.0, 0.5, 0.5], xc="pz"
    ),
    "si2_eos": si2("Si, 4x4x4: energy against volume", a=10.17, bands=8, ecut=20.0, grid=[32] * 3, volumes=VOLUMES),
    "fe_dojo_lda_222": fe_dojo("bcc Fe, collinear spin, PseudoDojo with a core density, 2x2x2", 20.0, 24),
    "fe_dojo_lda_222_fine": fe_dojo(
        "the same, where the cut of the core density hardly matters", 40.0, 36, derivatives=True
    ),
    "fe_lda_333": fe("bcc Fe, collinear spin, LDA, 3x3x3", "pw"),
    "fe_pbe_333": fe("bcc Fe, collinear spin, PBE, 3x3x3", "pbe", derivatives=True),
    "fe_pbe_222_half": fe("bcc Fe, collinear spin, PBE, 2x2x2 shifted by half a step", "pbe", [2, 2, 2], HALF),
    "mgo_pbe_222": Case(
        "MgO, Mg with 2s 2p, PBE, 2x2x2",
        fcc(7.96),
        [("Mg-q10", ORIGIN), ("O-q6", HALF)],
        25.0,
        [32, 32, 32],
        12,
        mesh=[2, 2, 2],
        xc="pbe",
        controls=("ixc 11",),
        derivatives=True,
    ),
    "nacl_q1_222": nacl("NaCl, Na with one electron, 2x2x2", "Na-q1", 8),
    "nacl_q9_222": nacl("NaCl, Na with 2s 2p, 2x2x2", "Na-q9", 12),
    "o2_lda": oxygen("O2 molecule, triplet, moment fixed, LDA", "pw", moment=2.0),
    "o2_lda_free": oxygen("O2 molecule, moment free, LDA", "pw", smearing="fermi-dirac", width=0.005),
    "o2_pbe": oxygen("O2 molecule, triplet, moment fixed, PBE", "pbe", moment=2.0, derivatives=True),
    "al4_vbc_gamma": al4_vbc("Al4, potential in UPF, Gamma, grid of pw.x", [27, 27, 27], [1, 1, 1]),
    "al4_vbc_444": al4_vbc("Al4, potential in UPF, 4x4x4, grid of pw.x", [27, 27, 27], [4, 4, 4], 17, 6),
    "al4_vbc_gamma_30": al4_vbc("Al4, potential in UPF, Gamma", [30, 30, 30], [1, 1, 1], derivatives=True),
    "al4_vbc_444_30": al4_vbc("Al4, potential in UPF, 4x4x4", [30, 30, 30], [4, 4, 4]),
    "si2_dojo_pbe_222": Case(
        "Si, PseudoDojo with a core density, PBE, 2x2x2 shifted by half a step, one atom moved",
        fcc(10.26),
        [("Si-pbe-dojo.psp8", ORIGIN), ("Si-pbe-dojo.psp8", MOVED)],
        16.0,
        [32, 32, 32],
        11,
        mesh=[2, 2, 2],
        shift=HALF,
        xc="pbe",
        lines=("nc_xccc_gspace 1",),
        controls=("ixc 11", "nc_xccc_gspace 0"),
        derivatives=True,
    ),
    "graphene_661": Case(
        "graphene, 13 bohr of vacuum, 6x6x1: the Dirac point is on the mesh",
        [[4.65, 0.0, 0.0], [-2.325, 4.65 * 0.75**0.5, 0.0], [0.0, 0.0, 13.0]],
        [("C-q4", [1 / 3, 2 / 3, 0.5]), ("C-q4", [2 / 3, 1 / 3, 0.5])],
        20.0,
        [20, 20, 54],
        10,
        mesh=[6, 6, 1],
        xc="pz",
        smearing="gaussian",
        width=0.01,
        derivatives=True,
    ),
    "al111_slab_441": Case(
        "Al(111), three layers and vacuum, 4x4x1",
        [[5.4117647, 0.0, 0.0], [-2.70588235, 5.4117647 * 0.75**0.5, 0.0], [0.0, 0.0, 24.0]],
        [("Al-q3", [2 / 3, 1 / 3, 0.316]), ("Al-q3", [0.0, 0.0, 0.5]), ("Al-q3", [1 / 3, 2 / 3, 0.684])],
        12.0,
        [18, 18, 80],
        11,
        mesh=[4, 4, 1],
        xc="pz",
        smearing="fermi-dirac",
        derivatives=True,
    ),
    "lih_molecule": Case(
        "LiH molecule in a box",
        cubic(10.0),
        [("Li-q3", [0.5, 0.5, 0.35]), ("H-q1", [0.5, 0.5, 0.65])],
        20.0,
        [45, 45, 45],
        6,
        xc="pz",
        lines=("diemac 2",),
    ),
    "water_pbe": Case(
        "H2O molecule in a box, PBE",
        cubic(10.0),
        [("O-q6", HALF), ("H-q1", [0.643, 0.5, 0.6107]), ("H-q1", [0.357, 0.5, 0.6107])],
        20.0,
        [45, 45, 45],
        8,
        xc="pbe",
        lines=("diemac 2",),
        controls=("ixc 11",),
        derivatives=True,
    ),
    "h3o_plus": Case(
        "H3O+ ion in a box with a uniform background",
        cubic(10.0),
        [
            ("O-q6", HALF),
            ("H-q1", [0.677, 0.5, 0.55]),
            ("H-q1", [0.4115, 0.6533, 0.55]),
            ("H-q1", [0.4115, 0.3467, 0.55]),
        ],
        20.0,
        [45, 45, 45],
        8,
        xc="pz",
        charge=1.0,
        lines=("diemac 2",),
        derivatives=True,
    ),
    "si2_hole_222": Case(
        "Si, one atom moved, one electron less and a uniform background, 2x2x2",
        fcc(10.26),
        [("Si-q4", ORIGIN), ("Si-q4", MOVED)],
        12.0,
        [27, 27, 27],
        11,
        mesh=[2, 2, 2],
        xc="pz",
        smearing="fermi-dirac",
        width=0.01,
        charge=1.0,
    ),
}
