"""The same calculation as input of pw.x and of ABINIT: cell, atoms, cutoff, k-points, occupations, spin, charge."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import potentials
from ase.data import atomic_masses, atomic_numbers

RY = 2.0  # in 1 Ha
# our name -> (ixc of ABINIT, input_dft of pw.x)
FUNCTIONALS = {"PBE": (11, "PBE"), "LDA-PW": (7, "SLA+PW")}
# our name -> (occopt of ABINIT, smearing of pw.x)
SMEARINGS = {"fermi-dirac": (3, "fd"), "gaussian": (7, "gauss")}


@dataclasses.dataclass(frozen=True)
class Species:
    """Atoms of one element that start with the same moment: pw.x gives starting moments by species."""

    element: str
    moment: float
    file: Path
    valence: float


@dataclasses.dataclass(frozen=True)
class Twin:
    """What the inputs need: bohr, fractional coordinates, Ha."""

    name: str
    cell: list[list[float]]
    atoms: list[tuple[Species, list[float]]]
    ecut: float
    xc: str
    mesh: list[int] | None  # None: Gamma alone, real wave functions
    shift: list[float]
    smearing: tuple[str, float] | None
    spins: int
    moment: float | None  # of the cell, held fixed
    charge: float

    @property
    def species(self) -> list[Species]:
        """All species, each once."""
        return list(dict.fromkeys(species for species, _ in self.atoms))


def twin_of(name: str, data: dict, problem: dict) -> Twin:
    """Return what an input of ours, as read (`data`) and prepared (`problem`), says to the other codes."""
    electrons = data["electrons"]
    files = {element: Path(path) for element, path in electrons["pseudopotentials"].items()}
    valences = {element: potentials.read(path).charge for element, path in files.items()}
    moments = problem["initial_magnetic_moments"] or [0.0] * len(problem["atoms"])
    atoms = []
    for (number, *place), moment in zip(problem["atoms"], moments, strict=True):
        element = problem["species"][number]
        atoms.append((Species(element, moment, files[element], valences[element]), place))
    smearing = problem["smearing"] and (problem["smearing"]["kind"], problem["smearing"]["width"])
    kpoints = electrons.get("kpoints", {})
    return Twin(
        name,
        problem["cell"],
        atoms,
        problem["ecut"],
        electrons["xc"],
        kpoints.get("mesh"),
        kpoints.get("shift", [0.0, 0.0, 0.0]),
        smearing,
        problem["spins"],
        problem["total_magnetisation"],
        problem["charge"],
    )


def _vector(values: list[float]) -> str:
    return " ".join(f"{value:.12f}" for value in values)


def write_pwx(twin: Twin, tolerance: float, folder: Path) -> None:
    """Write pw.in and the potentials; `tolerance` (Ha) bounds pw.x's estimated accuracy."""
    functional = FUNCTIONALS[twin.xc][1]
    labels = {species: f"{species.element}{i}" for i, species in enumerate(twin.species, 1)}
    for species in twin.species:
        text = potentials.as_upf(potentials.read(species.file), species.element, functional)
        (folder / f"{species.element}.UPF").write_text(text)
    system = [f"ibrav=0, nat={len(twin.atoms)}, ntyp={len(labels)}, input_dft='{functional}'"]
    system += [f"ecutwfc={RY * twin.ecut:.6f}, tot_charge={twin.charge}"]
    if twin.smearing:
        kind, width = twin.smearing
        system += [f"occupations='smearing', smearing='{SMEARINGS[kind][1]}', degauss={RY * width:.8f}"]
    if twin.spins == 2:
        starts = enumerate((species.moment / species.valence for species in labels), 1)
        system += ["nspin=2", *(f"starting_magnetization({i})={share:.6f}" for i, share in starts)]
    if twin.moment is not None:
        system += [f"tot_magnetization={twin.moment}"]
    lines = ["&control", "  calculation='scf', prefix='x', outdir='out', pseudo_dir='.', disk_io='none'", "/"]
    lines += ["&system", *(f"  {line}" for line in system), "/"]
    lines += ["&electrons", f"  conv_thr={RY * tolerance:.3e}", "/", "ATOMIC_SPECIES"]
    for species, label in labels.items():
        mass = atomic_masses[atomic_numbers[species.element]]
        lines.append(f"  {label} {mass:.4f} {species.element}.UPF")
    if twin.mesh is None:
        lines.append("K_POINTS gamma")
    else:
        steps = [round(2 * shift) for shift in twin.shift]
        lines += ["K_POINTS automatic", " ".join(str(count) for count in [*twin.mesh, *steps])]
    lines += ["CELL_PARAMETERS bohr", *map(_vector, twin.cell), "ATOMIC_POSITIONS crystal"]
    lines += [f"{labels[species]} {_vector(place)}" for species, place in twin.atoms]
    (folder / "pw.in").write_text("\n".join([*lines, ""]))


def write_abinit(twin: Twin, tolerance: float, folder: Path) -> None:
    """Write abinit.abi; `tolerance` (Ha) bounds the change of the energy in two consecutive steps."""
    elements = list(dict.fromkeys(species.element for species in twin.species))
    files = {species.element: species.file for species in twin.species}
    lines = ['pp_dirpath "/"', 'pseudos "' + ", ".join(str(files[element]).lstrip("/") for element in elements) + '"']
    lines += ["acell 1 1 1", "rprim", *map(_vector, twin.cell)]
    lines += [f"ntypat {len(elements)}", "znucl " + " ".join(str(atomic_numbers[element]) for element in elements)]
    lines += [f"natom {len(twin.atoms)}", "typat"]
    lines += [str(elements.index(species.element) + 1) for species, _ in twin.atoms]
    lines += ["xred", *(_vector(place) for _, place in twin.atoms)]
    lines += [f"ixc {FUNCTIONALS[twin.xc][0]}", f"ecut {twin.ecut}", f"charge {twin.charge}"]
    if twin.mesh is None:
        lines += ["kptopt 0", "nkpt 1", "kpt 0 0 0"]
    else:
        lines += ["kptopt 1", "ngkpt " + " ".join(map(str, twin.mesh)), "nshiftk 1", f"shiftk {_vector(twin.shift)}"]
    if twin.smearing:
        kind, width = twin.smearing
        lines += [f"occopt {SMEARINGS[kind][0]}", f"tsmear {width}"]
    if twin.spins == 2:
        lines += ["nsppol 2", "spinat", *(f"0 0 {species.moment}" for species, _ in twin.atoms)]
    if twin.moment is not None:
        lines += [f"spinmagntarget {twin.moment}"]
    lines += [f"toldfe {tolerance:.3e}", "nstep 200", "prtwf 0", "prtden 0", "prteig 0", "prtebands 0", "prtgsr 0"]
    lines += ["optforces 0", "optstress 0", "chkprim 0", "chksymbreak 0", "maxnsym 2000", ""]
    (folder / "abinit.abi").write_text("\n".join(lines))
