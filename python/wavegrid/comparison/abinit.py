"""The main output of ABINIT, for comparisons; Ha and bohr."""

from dataclasses import dataclass

from wavegrid.comparison import functionals
from wavegrid.comparison.calculation import Calculation, Matrix
from wavegrid.comparison.extract import Extract
from wavegrid.units import HARTREE_IN_EV

_TERMS = {
    "kinetic": "kinetic",
    "hartree": "hartree",
    "xc": "xc",
    "ion_ion": "Ewald energy",
    "local_g0": "psp_core",
    "local": "local_psp",
    "nonlocal": "non_local_psp",
    "entropy": "'?-kT\\*entropy'?",
    "internal": "internal",
    "free": "total_energy",
}
# By occopt. 4 and 5 are the cubic functions of Marzari's thesis, not our cold smearing.
_SMEARING = {
    3: "fermi-dirac",
    4: "marzari (a = -0.5634)",
    5: "marzari (a = -0.8165)",
    6: "methfessel-paxton",
    7: "gaussian",
}
_ITERATION = r"^ ETOT(.*)$"  # number and energy of a step of the loop, and more
_POINT = r"^ kpt#"
_AFTER_LEVELS = r"^ *(?:(?!NaN|Inf)[A-Za-z].*|--.*)?$"  # an empty line, words, or a YAML document


@dataclass(frozen=True)
class DataSet:
    """A data set: its part of the output, its number, and the input variables of all of them."""

    part: Extract
    number: int
    variables: Extract

    def variable(self, name: str) -> Extract | None:
        """Return the first line of an input variable, that of this data set or else of all of them."""
        own = self.variables.first(rf"^[-P ]+{name}{self.number}((?: .*)?)$")
        return own or self.variables.first(rf"^[-P ]+{name}((?: .*)?)$")

    def integer(self, name: str, default: int) -> int:
        """Return the first value of an input variable that is an integer."""
        found = self.variable(name)
        return (found.first(r"\S+") or found).integer() if found else default

    def energy(self, name: str, default: float) -> float:
        """Return the value of an input variable that is an energy, Ha."""
        found = self.variable(name)
        return found.numbers(1, "Hartree" if "Hartree" in found.text else "")[0] if found else default


def is_output(text: str) -> bool:
    """Whether a text is an output of ABINIT."""
    return "of ABINIT" in text[:2000]


def parse(output: Extract) -> Calculation:
    """Return the calculation: of several data sets and geometries the last that has an energy. Raises InputError."""
    version = output.first(r"Version +(\S+) +of ABINIT")
    found = Calculation(output.file, f"ABINIT {version.text}" if version else "ABINIT")
    data = _data_set(output, found)
    if data is None:
        return found
    loop = _loop(data.part, found)
    _settings(found, data)
    _energies(found, loop)
    found.kpoints, found.eigenvalues = _bands(loop)
    summary = _block(loop, "ResultsGS")
    fermi = summary.first(r"^fermie *:(.*)$")
    if fermi and not data.variable("spinmagntarget"):  # of a fixed moment the spins have their own
        found.fermi = [fermi.number()]
    found.forces = _rows(summary, "cartesian_forces", found.atoms or 1)
    found.stress = _rows(summary, "cartesian_stress_tensor", 3)
    if times := output.last(r"^\+Overall time at end.*$"):
        found.seconds = (times.first("wall=(.*)") or times).number()
    else:
        found.notes.append(f"{found.file}: has no end; ABINIT was stopped, or is still running")
    return found


def _data_set(output: Extract, found: Calculation) -> DataSet | None:
    """Return the last data set with a self-consistency loop; of bands after the loop there are levels only."""
    title = output.first("outvars: echo values of preprocessed")
    after = output.last(r"^ -outvars: echo values of variables after")
    parts = output.until(after.start if after else output.end).parts("^== DATASET")
    usable = [part for part in parts if part.has(_ITERATION)]
    if title is None or not usable:
        return None
    number = (usable[-1].first("^== DATASET(.*?)=") or usable[-1]).integer()
    if len(parts) > 1:
        found.notes.append(f"{found.file}: of {len(parts)} data sets that of number {number}")
    return DataSet(usable[-1], number, output.since(title.end).until(parts[0].start))


def _loop(data: Extract, found: Calculation) -> Extract:
    """Return the last self-consistency loop with an energy, and all that follows up to the next one."""
    loops = data.parts("^--- !BeginCycle") or [data]  # versions below 9 do not mark them
    with_energy = [loop for loop in loops if loop.has(_ITERATION)] or [data]
    if with_energy[-1].end < loops[-1].end:
        found.notes.append(f"{found.file}: of the geometry before that in which ABINIT was stopped")
    if data.has(r"was not enough Broyd/MD steps"):
        found.notes.append(f"{found.file}: ABINIT has reached ntime, its number of steps, before the end")
    return with_energy[-1]


def _energies(found: Calculation, loop: Extract) -> None:
    """Add energies, whether they have converged, and the number of steps."""
    terms = _block(loop, "EnergyTerms")
    found.energies = {
        name: value.number() for name, label in _TERMS.items() if (value := terms.first(rf"^{label} *:(.*)$"))
    }
    last = loop.last(_ITERATION)
    assert last is not None
    steps, energy = (last.first(r"\S+ +\S+") or last).numbers(2)
    found.steps = int(steps)
    found.energies.setdefault("free", energy)  # of a loop after which nothing was printed
    found.converged = loop.has(r"At SCF step.*\n?.*(?:second time|converged)")
    if terms.text:
        found.energies.setdefault("internal", found.energies["free"])
        found.energies.setdefault("entropy", 0.0)


def _settings(found: Calculation, data: DataSet) -> None:
    found.atoms = data.integer("natom", 1)
    found.spinors = data.integer("nspinor", 1) == 2
    smearing = _SMEARING.get(data.integer("occopt", 1), "none")
    given = found.settings
    given["functional"] = functionals.of_abinit(data.integer("ixc", 1))
    given["k-points"] = data.integer("nkpt", 1)
    given["smearing"] = smearing
    if smearing != "none":
        given["smearing width (Ha)"] = data.energy("tsmear", 0.01)
    if data.variable("ecut"):
        given["cutoff (Ha)"] = data.energy("ecut", 0.0)
    if data.variable("nband"):
        given["bands"] = data.integer("nband", 0)
    if grid := data.variable("ngfft"):
        given["FFT grid"] = [int(count) for count in grid.numbers(3)]
    if (smoothed := data.energy("ecutsm", 0.0)) > 0:
        found.notes.append(
            f"{found.file}: ABINIT has changed kinetic energies within {smoothed:g} Ha of the cutoff (ecutsm)"
        )


def _block(loop: Extract, name: str) -> Extract:
    """Return the last YAML document of a kind, or an empty extract."""
    start = loop.last(rf"^--- !{name}")
    if start is None:
        return loop.until(loop.start)
    rest = loop.since(start.start)
    end = rest.first(r"^\.\.\.")
    if end is None:
        raise rest.error(f"{name} without its end; valid: a whole output")
    return rest.until(end.start)


def _rows(block: Extract, name: str, count: int) -> Matrix | None:
    """Return the rows of an array of a YAML document."""
    title = block.first(rf"^{name} *:.*$")
    if title is None or "null" in title.text:
        return None
    rows = block.since(title.end + 1).all(r"^(?:- \[)?(.*)$")[:count]
    return [row.numbers(3, "]") for row in rows]


def _bands(loop: Extract) -> tuple[Matrix, list[Matrix]]:
    """Return k-points and eigenvalues by spin, k-point and band, Ha; ABINIT prints the first k-point, or all."""
    unit = 1.0
    tables = loop.parts(r"^ Eigenvalues \(hartree\) for nkpt=")
    if not tables:
        unit = HARTREE_IN_EV
        tables = loop.parts(r"^ Eigenvalues \( *eV *\) for nkpt=")
    points: Matrix = []
    spins: list[Matrix] = []
    for table in tables:
        blocks = table.parts(_POINT)
        points = [_number_list(block, r"kpt=(.*)\(reduced coord\)", 3) for block in blocks]
        spins.append([[level / unit for level in _levels(block)] for block in blocks])
    return points, spins


def _levels(block: Extract) -> list[float]:
    """Return the levels of a k-point: as many as its title says."""
    (count,) = _number_list(block, r"nband=(.*?),", 1)
    title = block.first(r"^.*\n")
    rest = block.since(title.end if title else block.end)
    end = rest.first(_AFTER_LEVELS)
    return rest.until(end.start if end else rest.end).numbers(int(count))


def _number_list(block: Extract, pattern: str, count: int) -> list[float]:
    found = block.first(pattern)
    if found is None:
        raise block.error("the title of a k-point is damaged; valid: an output without damage")
    return found.numbers(count)
