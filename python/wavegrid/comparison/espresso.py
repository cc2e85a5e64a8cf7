"""The main output of pw.x (Quantum ESPRESSO), for comparisons. Its energies are in Ry, its stress is a pressure."""

from wavegrid.comparison.calculation import Calculation, Matrix
from wavegrid.comparison.extract import Extract
from wavegrid.comparison.functionals import of_espresso
from wavegrid.units import HARTREE_IN_EV

_RY = 0.5  # Ha
_BEGIN = r"^ +Self-consistent Calculation"
_FREE = r"^!+ +total energy +=(.*)$"
_UNCONVERGED = r"^ +total energy +=(.*)$"  # of an iteration
_TERMS = {
    "internal": r"internal energy E=F\+TS +=(.*)$",
    "entropy": r"smearing contrib\. \(-TS\) +=(.*)$",
    "one-electron": r"one-electron contribution +=(.*)$",
    "hartree": r"hartree contribution +=(.*)$",
    "xc": r"xc contribution +=(.*)$",
    "dispersion": r"DFT-D3 Dispersion +=(.*)$",
    "ion_ion": r"ewald contribution +=(.*)$",
}
_FERMI = (  # pattern, numbers that follow, how many of them are Fermi levels
    (r"the Fermi energy is(.*)$", 1, 1),
    (r"the spin up/dw Fermi energies are(.*)$", 2, 2),
    (r"highest occupied, lowest unoccupied level \(ev\):(.*)$", 2, 1),
    (r"highest occupied level \(ev\):(.*)$", 1, 1),
)
_NUM_BANDS = r"number of Kohn-Sham states *=(.*)$"
_GTH_WITH_PROJECTORS = r"GTH norm-conserving PP.*\n.*[1-9] beta functions"
_TIME = r"\S+?[dhms]"
_SMEARING = {"marzari-vanderbilt": "cold"}
_SECONDS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}


def is_output(text: str) -> bool:
    """Whether a text is an output of pw.x."""
    return "Program PWSCF" in text


def parse(output: Extract) -> Calculation:
    """Return the calculation; of several geometries the last that has an energy. Raises InputError."""
    run = output.parts("Program PWSCF")[-1]
    version = run.first(r"Program PWSCF v[.]?(\S+)")
    found = Calculation(output.file, f"pw.x {version.text}" if version else "pw.x")
    found.levels_with_g0 = True
    loop = _loop(run, found)
    if loop is None:
        return found
    headers = run.until(loop.start).parts("bravais-lattice index")  # another one before the last loop of a vc-relax
    header = headers[-1] if headers else run.until(loop.start)
    _settings(found, run, header)
    _energies(found, loop)
    found.fermi = _fermi(loop)
    found.kpoints, found.eigenvalues = _bands(loop, header)
    if found.atoms is not None:
        found.forces = _forces(loop, found.atoms)
    found.stress = _stress(loop)
    if found.stress is not None and header.has(_GTH_WITH_PROJECTORS):
        found.notes.append(f"{found.file}: pw.x 6.7 errs in the stress of GTH pseudopotentials with projectors")
    if not run.has("JOB DONE"):
        found.notes.append(f"{found.file}: has no end; pw.x was stopped, or is still running")
    if clock := run.last(r"^ +PWSCF +:.*CPU(.*)WALL"):
        found.seconds = sum(part.number(part.text[-1]) * _SECONDS[part.text[-1]] for part in clock.all(_TIME))
    return found


def _loop(run: Extract, found: Calculation) -> Extract | None:
    """Return the last self-consistency loop that has an energy, with all that follows up to the next one."""
    loops = run.parts(_BEGIN)
    with_energy = [loop for loop in loops if loop.has(_FREE) or loop.has(_UNCONVERGED)]
    if not with_energy:
        return None
    if with_energy[-1] is not loops[-1]:
        found.notes.append(f"{found.file}: of the geometry before that in which pw.x was stopped")
    if run.has("The maximum number of steps has been reached"):
        found.notes.append(f"{found.file}: pw.x has reached nstep, its number of steps, before the end")
    return with_energy[-1]


def _energies(found: Calculation, loop: Extract) -> None:
    """Add energies, whether they have converged, and the number of steps."""
    free = loop.last(_FREE)
    energy = free or loop.last(_UNCONVERGED)
    assert energy is not None
    found.energies["free"] = energy.number("Ry") * _RY
    found.converged = free is not None and loop.has("convergence has been achieved")
    if steps := loop.last(r"convergence (?:has been achieved in|NOT achieved after)(.*?)(?:: stopping)? *$"):
        found.steps = steps.integer("iterations")
    if free is None:
        return
    printed = loop.since(free.end)
    found.energies |= {
        name: value.number("Ry") * _RY for name, pattern in _TERMS.items() if (value := printed.first(pattern))
    }
    found.energies.setdefault("internal", found.energies["free"])
    found.energies.setdefault("entropy", 0.0)


def _fermi(loop: Extract) -> list[float]:
    """Return the Fermi level, Ha; two where the spins have their own.

    Without smearing it is the highest occupied level, where there is one of both spins.
    """
    for pattern, count, used in _FERMI:
        levels = loop.last(pattern)
        if levels and not (":" in pattern and loop.has("SPIN DOWN")):
            values = levels.numbers(count, "" if ":" in pattern else "ev")
            return [value / HARTREE_IN_EV for value in values[:used]]
    return []


def _bands(loop: Extract, header: Extract) -> tuple[Matrix, list[Matrix]]:
    """Return k-points, in units of the reciprocal vectors, and eigenvalues by spin, k-point and band, Ha.

    The points are those of the list before the loop: while the cell changes they keep their reduced coordinates, but
    not the Cartesian ones that are printed with the levels.
    """
    titles = loop.all(r"^ +k =.*$")
    if not titles:
        return [], []
    points, bands = _kpoints(header), header.first(_NUM_BANDS)
    count = bands.integer() if bands else None
    levels = [_levels(loop, title, count) for title in titles]
    spins, each = 2 if loop.has("SPIN DOWN") else 1, len(points)
    if len(levels) != spins * each:
        raise titles[0].error(f"levels of {len(levels)} k-points where {spins * each} belong; valid: a whole output")
    return points, [levels[spin * each : (spin + 1) * each] for spin in range(spins)]


def _levels(loop: Extract, title: Extract, count: int | None) -> list[float]:
    """Return the levels that follow the title of a k-point, up to an empty line, Ha."""
    rows = loop.since(title.end).first(r"\n *\n((?: *\S.*\n)+)")
    if rows is None or not title.text.rstrip().endswith("(ev):"):
        raise title.error("the title of a k-point is damaged; valid: an output without damage")
    return [level / HARTREE_IN_EV for level in rows.numbers(count)]


def _kpoints(header: Extract) -> Matrix:
    """Return the list of k-points, in units of the reciprocal vectors."""
    import numpy as np

    axes = [axis.numbers(3) for axis in header.all(r"^ +b\(.\) = \((.*)\) *$")]
    start = header.first(r"cart\. coord\. in units 2pi/alat")
    if len(axes) != 3 or start is None:
        raise header.error("no list of k-points or reciprocal axes follows; valid: a whole output")
    end = header.since(start.end).first(r"^ *$")
    listed = header.since(start.end).until(end.start if end else header.end)
    points = [point.numbers(3) for point in listed.all(r"^ +k\(.*?\) = \((.*)\), wk")]
    try:
        return [np.linalg.solve(np.array(axes).T, point).tolist() for point in points]
    except np.linalg.LinAlgError:
        raise header.error("the reciprocal axes that follow lie in a plane; valid: an output without damage") from None


def _forces(loop: Extract, atoms: int) -> Matrix | None:
    """Return the total forces, Ha/bohr; the contributions that follow with verbosity = 'high' are left out."""
    title = loop.last(r"^ +Forces acting on atoms.*$")
    if title is None:
        return None
    rows = loop.since(title.end).all(r"^ +atom.*force =(.*)$")[:atoms]
    if len(rows) != atoms:
        raise title.error(f"forces on {len(rows)} atoms where {atoms} belong; valid: a whole output")
    return [[value * _RY for value in row.numbers(3)] for row in rows]


def _stress(loop: Extract) -> Matrix | None:
    """Return the stress, Ha/bohr^3."""
    title = loop.last(r"^ +total +stress .*$")
    if title is None:
        return None
    rows = loop.since(title.end + 1).all(r"^.*$")[:3]
    return [[-value * _RY for value in row.numbers(6)[:3]] for row in rows]


def _settings(found: Calculation, run: Extract, header: Extract) -> None:
    """Add what the header before the loop says, and the number of ranks."""
    given = found.settings
    if functional := header.first(r"Exchange-correlation= *(.+?) *$"):
        given["functional"] = of_espresso(functional.text)
    if points := header.first(r"number of k points= *(\S*)"):
        given["k-points"] = points.integer()
    if bands := header.first(_NUM_BANDS):
        given["bands"] = bands.integer()
    if ranks := run.first(r"Number of MPI processes:(.*)$"):  # with threads
        given["ranks"] = ranks.integer()
    elif (ranks := run.first(r"running on(.*)$")) and not ranks.text.rstrip().endswith("cores"):
        given["ranks"] = ranks.integer("processors")
    if cutoff := header.first(r"kinetic-energy cutoff +=(.*)$"):
        given["cutoff (Ha)"] = cutoff.number("Ry") * _RY
    if grid := header.first(r"^ +Dense +grid:(.*)$"):
        counts = grid.first(r"FFT dimensions: *\(?(.*)$") or grid
        given["FFT grid"] = [int(count) for count in counts.numbers(3, ")")]
    if atoms := header.first(r"number of atoms/cell +=(.*)$"):
        found.atoms = atoms.integer()
    width, kind = header.first(r"smearing, width \(Ry\)=(.*)$"), header.first(r"(\S+) smearing, width")
    name = kind.text.lower() if kind else ""
    given["smearing"] = _SMEARING.get(name, name) if width else "none"
    if width:
        given["smearing width (Ha)"] = width.number() * _RY
    found.spinors = header.has("Noncollinear calculation") or header.has("calculation with spin-orbit")
    if header.has("A smooth kinetic-energy cutoff is imposed"):
        found.notes.append(f"{found.file}: pw.x has changed kinetic energies near the cutoff (qcutz)")
