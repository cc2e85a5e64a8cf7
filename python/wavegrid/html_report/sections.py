"""The sections of a report; each is empty where the result has nothing for it."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from wavegrid.discretisation import choose
from wavegrid.html_report import html, plots
from wavegrid.input.fields import toml
from wavegrid.model.motion import FittedCurve
from wavegrid.model.result import Result
from wavegrid.model.series import ElasticConstants
from wavegrid.results import gap as gaps
from wavegrid.results.closing import line
from wavegrid.results.motion import part_name
from wavegrid.results.projections import LETTERS
from wavegrid.results.report import SUMS, phase_label, traffic_rows
from wavegrid.trace.summary import Timeline
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV

_LAYOUT = ("ranks", "threads", "kpoint_groups", "band_groups", "rows", "columns", "partition", "transport")


def head(content: Result) -> str:
    """Return title, closing line and what may be wrong."""
    machine = content.machine
    where = f"finished {content.finished} on {machine.host} ({machine.processor}, {machine.cores} cores)"
    state = f"stopped by {content.stopped}" if content.stopped is not None else line(content)
    warnings = [warning.message for warning in content.warnings]
    return "\n".join(
        [
            f"<h1>{html.escaped(content.title)}</h1>",
            html.paragraph(where, "dim"),
            html.paragraph(state, "good" if content.converged else "bad"),
            html.section("Warnings", html.listed(warnings)),
        ]
    )


def energies(content: Result) -> str:
    """Return the sums of the energy, and its terms by name, in the order of result.json."""
    values = content.energy.content()
    rows = {name: (name, f"{value:.8f}", f"{value * HARTREE_IN_EV:.6f}") for name, value in values.items()}
    sums = [rows.pop(name) for name in SUMS]
    columns = ("Ha", "eV")
    return html.section(
        "Energy", html.table(("energy", *columns), sums), html.table(("term", *columns), list(rows.values()))
    )


def convergence(content: Result) -> str:
    """Return the steps of the self-consistency loop."""
    steps = content.scf_history
    rows = [
        (
            step.step,
            "single" if step.single_precision else "double",
            f"{step.free_energy:.9f}",
            f"{step.error_estimate:.1e}" if step.error_estimate is not None else "-",
            "-" if step.h_applications is None else step.h_applications,
            f"{step.seconds:.2f}",
        )
        for step in steps
    ]
    columns = ("step", "precision", "free energy (Ha)", "error (Ha)", "H applications", "seconds")
    changes = [f"after step {change.step}: {change.what}" for change in content.scf_changes]
    plot = html.plot("the estimated error of each step", partial(plots.scf, content)) if steps else ""
    return html.section("Convergence", plot, html.first_rows(columns, rows, "steps"), html.listed(changes))


def motion(content: Result) -> str:
    """Return the course of a run of many geometries."""
    if (name := part_name(content)) is None:
        return ""
    curves = content.equation_of_state
    return html.section(
        name.capitalize(),
        html.plot(name, partial(plots.motions, content)),
        "" if curves is None or curves.fit is None else _curves(curves.fit, curves.vinet),
        "" if content.elastic is None or content.elastic.constants_GPa is None else _elastic(content.elastic),
    )


def _elastic(part: ElasticConstants) -> str:
    """Return the matrix of elastic constants, and the moduli of a polycrystal."""
    names = ("xx", "yy", "zz", "yz", "xz", "xy")
    rows = [
        (name, *(f"{value:.2f}" for value in row)) for name, row in zip(names, part.constants_GPa or [], strict=True)
    ]
    moduli = [("bulk modulus", part.bulk_modulus_GPa), ("shear modulus", part.shear_modulus_GPa)]
    averages = [(name, *(f"{value:.2f}" for value in values)) for name, values in moduli if values is not None]
    return html.table(("GPa", *names), rows) + html.table(("polycrystal (GPa)", "Voigt", "Reuss", "Hill"), averages)


def _curves(fit: FittedCurve, vinet: FittedCurve | None) -> str:
    """Return the numbers of an equation of state, with their standard errors."""
    curves = {"Birch-Murnaghan": fit} | ({} if vinet is None else {"Vinet": vinet})
    rows = list(zip(_FITTED, *(column for one in curves.values() for column in _fitted(one)), strict=True))
    columns = ("minimum of the curve", *(text for name in curves for text in (name, "error")))
    return html.table(columns, rows)


_FITTED = (
    "volume (Angstrom^3)",
    "energy (Ha)",
    "bulk modulus (GPa)",
    "its derivative by the pressure",
    "largest distance from the curve (meV)",
)


def _fitted(curve: FittedCurve) -> tuple[list[str], list[str]]:
    """Return the columns of a curve: values and errors."""
    values = [
        f"{curve.volume * BOHR_IN_ANGSTROM**3:.5f}",
        f"{curve.energy:.9f}",
        f"{curve.bulk_modulus_GPa:.3f}",
        f"{curve.bulk_modulus_derivative:.3f}",
        f"{curve.largest_deviation * HARTREE_IN_EV * 1e3:.2g}",
    ]
    volume = None if curve.volume_error is None else curve.volume_error * BOHR_IN_ANGSTROM**3
    errors = (volume, curve.energy_error, curve.bulk_modulus_error_GPa, curve.bulk_modulus_derivative_error, None)
    return values, ["" if error is None else f"{error:.1g}" for error in errors]


def levels(content: Result) -> str:
    """Return bands and density of states, else the eigenvalues."""
    found = [html.plot(name, draw) for name, draw in plots.spectrum(content)]
    fermi = content.fermi_level
    rows = [("Fermi level", *_energy(level)) for level in (fermi if isinstance(fermi, list | tuple) else [fermi])]
    for place, gap in (
        ("k-points", content.band_gap),
        ("path", None if content.bands is None else content.bands.band_gap),
    ):
        if gap:
            rows += [(f"band gap on the {place}", *_energy(gap.fundamental)), ("  direct", *_energy(gap.direct))]
    if content.magnetisation is not None:
        rows.append(("magnetisation (mu_B)", f"{content.magnetisation.total:.6f}", ""))
    if not gaps.has_levels(content):
        found = [html.paragraph(gaps.NO_LEVELS, "dim")]
    elif not found:
        found = [html.plot("eigenvalues of each k-point", partial(plots.levels, content)), _eigenvalues(content)]
    return html.section("Levels", html.table(("", "Ha", "eV"), rows), *found, _projections(content))


def _projections(content: Result) -> str:
    """Return the electrons in the orbitals of each atom."""
    found = None if content.dos is None else content.dos.projections
    if found is None:
        return ""
    spins = len(content.eigenvalues)
    letters = [l for l in LETTERS if any(l == one.l for atom in found.atoms for one in atom.orbitals)]
    rows = []
    for number, atom in enumerate(found.atoms, 1):
        electrons = {l: _sums(one.electrons for one in atom.orbitals if one.l == l) for l in letters}
        shown = [" + ".join(f"{x:.4f}" for x in electrons[l]) if electrons[l] else "-" for l in letters]
        moment = [f"{atom.magnetic_moment:.4f}"] if spins == 2 else []
        rows.append((f"{atom.element} {number}", *shown, f"{atom.charge:.4f}", *moment))
    columns = ("electrons", *letters, "Löwdin charge (e)", *(["moment (mu_B)"] if spins == 2 else []))
    spilled = f"{100 * found.spilling:.2f} % of the electrons are in no orbital of an atom"
    return html.first_rows(columns, rows, "atoms") + html.paragraph(spilled, "dim")


def _sums(rows: Iterable[Sequence[float]]) -> list[float]:
    """Return the sums of columns; none of no rows."""
    return [sum(column) for column in zip(*rows, strict=True)]


def _eigenvalues(content: Result) -> str:
    """Return the levels of the first k-point."""
    rows = []
    for spin, of_spin in enumerate(content.eigenvalues):
        weight = content.kpoints[0][3] * (2 if len(content.eigenvalues) == 1 else 1)
        for band, (level, electrons) in enumerate(zip(of_spin[0], content.occupations[spin][0], strict=True)):
            name = f"band {band + 1}" + (
                f", spin {'up' if spin == 0 else 'down'}" if len(content.eigenvalues) > 1 else ""
            )
            rows.append((name, f"{level:.6f}", f"{level * HARTREE_IN_EV:.4f}", f"{electrons / weight:.4f}"))
    return html.first_rows(("first k-point", "Ha", "eV", "occupation"), rows, "levels")


def derivatives(content: Result) -> str:
    """Return forces and stress."""
    parts = []
    if content.forces is not None:
        forces = content.forces
        factor = HARTREE_IN_EV / BOHR_IN_ANGSTROM
        rows = [
            (
                f"{element} {i + 1}",
                *(html.number(x, 7) for x in force),
                *(html.number(x * factor, 5) for x in force),
            )
            for i, (element, force) in enumerate(zip(forces.elements, forces.total, strict=True))
        ]
        columns = ("force on", "x (Ha/bohr)", "y", "z", "x (eV/Angstrom)", "y", "z")
        parts.append(html.first_rows(columns, rows, "atoms"))
        parts.append(html.paragraph(f"largest force {forces.largest:.2e} Ha/bohr, net force taken off", "dim"))
    if content.stress is not None:
        stress = [("xyz"[i], *(html.number(x, 4) for x in row)) for i, row in enumerate(content.stress.total_GPa)]
        parts.append(html.table(("stress (GPa)", "x", "y", "z"), stress))
        parts.append(html.paragraph(f"pressure {content.stress.pressure_GPa:.4f} GPa"))
    return html.section("Forces and stress", *parts)


def work(content: Result) -> str:
    """Return times, counts, memory and the parallel layout."""
    seconds, layout, memory = content.wall_seconds.content(), content.parallel, content.memory
    counts = [
        ("SCF steps", content.scf_steps),
        ("H applications", content.h_applications),
        *([("FFTs", content.ffts)] if content.mesh is None else []),
        *choose.from_result(content).size_rows(content),
        ("precision", content.precision),
        ("eigensolver", f"{content.eigensolver}: {content.eigensolver_reason}"),
        ("preconditioner", f"{content.preconditioner}: {content.preconditioner_reason}"),
        ("memory of a rank", f"{memory.peak_mib_per_rank} MiB, {memory.predicted_mib_per_rank} predicted"),
    ]
    times = [(phase_label(content, name), f"{value:.2f}") for name, value in seconds.items()]
    sent = [(name.removeprefix("sent: "), number, amount) for name, number, amount in traffic_rows(content)]
    places = [(name.replace("_", " "), getattr(layout, name)) for name in _LAYOUT]
    reasons = [layout.groups_reason, layout.partition_reason, *(one.reason for one in layout.exchanges[:1])]
    if layout.ranks == 1:  # there was nothing to choose
        reasons = []
    divided = layout.rows * layout.columns > 1
    return html.section(
        "Time and parallel layout",
        html.plot("wall time by phase", partial(plots.phases, seconds)),
        html.table(("phase", "seconds"), times),
        html.table(("", ""), counts),
        html.table(("parallel layout", ""), places),
        html.listed(filter(None, reasons)),
        html.table(("sent for", "", ""), sent) if sent else "",
        html.plot("plane waves by rank", partial(plots.partition, content)) if divided else "",
    )


def traffic(figures: Timeline | None) -> str:
    """Return what a timeline says of the messages."""
    return html.section("Traffic", html.plot("bytes sent by rank", partial(plots.traffic, figures))) if figures else ""


def sources(content: Result) -> str:
    """Return the input, the pseudopotentials, notes and versions."""
    potentials = [
        (one.element, one.name, one.valence, one.functional, f"{one.recommended_ecut:.0f} Ha")
        for one in content.pseudopotentials
    ]
    return html.section(
        "Input and versions",
        html.table(("pseudopotential", "name", "valence", "functional", "recommended ecut"), potentials),
        html.paragraph(f"k-points: {content.kpoints_description}"),
        html.listed(content.notes),
        html.paragraph(f"input {content.input_file}"),
        f"<pre>{html.escaped(_toml(content.input))}</pre>",
        html.table(("", ""), content.versions.items()),
    )


def _toml(tables: dict[str, Any]) -> str:
    """Return an input as the file writes it."""
    plain = [f"{name} = {toml(value)}" for name, value in tables.items() if not isinstance(value, dict)]
    for name, table in tables.items():
        if isinstance(table, dict):
            plain += ["", f"[{name}]", *(f"{key} = {toml(value)}" for key, value in table.items())]
    return "\n".join(plain).strip()


def _energy(value: float) -> tuple[str, str]:
    return f"{value:.6f}", f"{value * HARTREE_IN_EV:.4f}"
