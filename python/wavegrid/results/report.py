"""The content of result.json and the table on the screen."""

import math
import platform
from collections.abc import Iterator
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

from rich.table import Table

import wavegrid
from wavegrid.base.text import counted, megabytes
from wavegrid.job.job import Job
from wavegrid.model.core_result import CoreResult
from wavegrid.model.crystal import Energy
from wavegrid.model.part import ByState, FermiLevel
from wavegrid.model.problem import Problem
from wavegrid.model.result import Result
from wavegrid.model.run_statistics import AugmentationUsed, ExactExchangeUsed, Restart
from wavegrid.process import machine
from wavegrid.results.gap import has_levels
from wavegrid.results.motion import part_name
from wavegrid.results.structure import structure
from wavegrid.units import E_BOHR_IN_DEBYE, E_PER_BOHR2_IN_C_PER_M2, HARTREE_IN_EV

SCHEMA_VERSION = 4  # of result.json; `model` describes it
# Energy at zero smearing = free energy - share * (-TS): M. Methfessel, A. T. Paxton, 10.1103/PhysRevB.40.3616;
# G. Kresse, J. Furthmueller, 10.1016/0927-0256(96)00008-0. With cold smearing and tetrahedra it is the free energy.
_SMEARING_SHARE = {"fermi-dirac": 1 / 2, "gaussian": 1 / 2, "methfessel-paxton": 1 / 3}
SUMS = ("free", "internal", "extrapolated")  # of the energies; the others are terms
_ATOMS_SHOWN = 6  # whose charges and moments are on the screen
_NOTEWORTHY = 0.005  # if one is as large, e or mu_B
_SAME_SIDES = 0.005 / HARTREE_IN_EV  # Ha; work functions that are shown as one


def complete(core: ModuleType, job: Job, result: CoreResult, *, seconds: float, predicted_bytes: int) -> Result:
    """Return the content of result.json: the core's result with title, input, versions and machine.

    `seconds` is the wall time from the arrival of the job to the end of the solution; it becomes `wall_seconds.total`,
    and what the core did not count (set-up in Python) goes to `wall_seconds.other`. `memory` holds
    the prediction for a rank and the largest peak.
    """
    found = result.written()
    times = dict(found["wall_seconds"])
    times["total"] = max(seconds, times["total"])
    counted_times = sum(time for name, time in times.items() if name not in ("total", "other"))
    times["other"] = max(0.0, times["total"] - counted_times)
    content = {
        "schema_version": SCHEMA_VERSION,
        "title": job.title,
        "structure": structure(job.problem, job.fixed),
        **found,
        "energy": found["energy"] | {"extrapolated": without_smearing(job, result.energy)},
        **_occupations(job.problem),
        **job.density_cutoff(),
        "wall_seconds": times,
        "memory": {"predicted_mib_per_rank": _mib(predicted_bytes), "peak_mib_per_rank": _mib(result.peak_bytes)},
        "versions": {"wavegrid": wavegrid.__version__, "python": platform.python_version(), **core.versions()},
        "machine": machine.describe(),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "pseudopotentials": job.pseudopotentials,
        "notes": job.notes,
        "warnings": [*job.warnings, *(one.content() for one in result.warnings)],
        "input_file": job.file,
        "input": job.input,
    }
    return Result.read(content)


def _occupations(problem: Problem) -> dict[str, Any]:
    """Return the smearing and the magnetisation that is held fixed, where there are any, given or by default."""
    used = {"smearing": problem["smearing"], "fixed_magnetisation": problem["total_magnetisation"]}
    return {name: value for name, value in used.items() if value is not None}


def without_smearing(job: Job, energy: Energy) -> float:
    """Return the energy (Ha) extrapolated to zero smearing, to the order that the kind of smearing allows."""
    smearing = job.problem["smearing"]
    share = 0.0 if smearing is None else _SMEARING_SHARE.get(smearing["kind"], 0.0)
    return energy.free - share * energy.entropy


def _mib(count: float) -> float:
    return round(count / 2**20, 1)


def result_table(result: Result) -> Table:
    """Return energies, counts and times as one table."""
    table = Table(title=result.title, title_justify="left", show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right", style="dim")
    energy = result.energy.content()
    for name in [name for name in energy if name not in SUMS]:
        table.add_row(name, f"{energy[name]:.8f} Ha", "")
    for name in ("internal", "free"):
        table.add_row(
            f"{name} energy", f"{energy[name]:.8f} Ha", f"{energy[name] * HARTREE_IN_EV:.6f} eV", style="bold"
        )
    for label, level in _fermi_levels(result.fermi_level):
        table.add_row(label, f"{level:.6f} Ha", f"{level * HARTREE_IN_EV:.4f} eV")
    if not has_levels(result):
        table.add_row("levels", "edges of the gap only", "more than 1000 local orbitals")
    for label, level in _work_functions(result):
        table.add_row(label, f"{level:.6f} Ha", f"{level * HARTREE_IN_EV:.4f} eV")
    if (moments := result.multipoles) is not None:
        length = math.hypot(*moments.dipole)
        table.add_row("dipole moment", f"{length:.6f} e bohr", f"{length * E_BOHR_IN_DEBYE:.4f} D")
    if (polarisation := result.polarisation) is not None:
        for axis, (along, quantum) in enumerate(zip(polarisation.along, polarisation.quanta, strict=True), 1):
            shown = (f"{value * E_PER_BOHR2_IN_C_PER_M2:.6f} C/m^2" for value in (along, quantum))
            table.add_row(f"polarisation along vector {axis}", next(shown), f"quantum {next(shown)}")
    for label, value, detail in _born_rows(result):
        table.add_row(label, value, detail)
    if result.magnetisation is not None:
        magnetisation = result.magnetisation
        table.add_row("magnetisation", f"{magnetisation.total:.6f}", f"absolute {magnetisation.absolute:.6f}")
        if magnetisation.vector is not None:
            table.add_row("its components", " ".join(f"{component + 0.0:.6f}" for component in magnetisation.vector))
    for label, values in _atomic(result):
        table.add_row(label, values, "")
    for label, values, detail in [*_shells(result), *_starts(result), *_interactions(result)]:
        table.add_row(label, values, detail)
    for found, where in ((None if result.bands is None else result.bands.band_gap, "path"), (result.band_gap, "mesh")):
        if found is not None:
            width = found.fundamental
            table.add_row(f"band gap on the {where}", f"{width:.6f} Ha", f"{width * HARTREE_IN_EV:.4f} eV")
    for one in () if result.bands is None else result.bands.extrema:
        words = f"masses {', '.join(map(_mass, one.masses))}" if one.masses else "degenerate"
        label = f"{one.edge} extremum at {' '.join(f'{x:.4f}' for x in one.kpoint)}"
        table.add_row(label, f"{one.energy:.6f} Ha", words if one.converged else "not found")
    bands = _states(result.eigenvalues)
    if result.bands is not None:
        bands += _states(result.bands.eigenvalues)
    elif result.dos is not None and len(result.kpoints) > 1:  # all were solved twice: in the loop, and to the end
        bands *= 2
    if result.levels_at_weight_zero is not None:
        bands += _states(result.levels_at_weight_zero.eigenvalues)
    of_last = "" if part_name(result) is None else " of the last geometry"
    table.add_row(f"SCF steps{of_last}", str(result.scf_steps), "" if result.converged else "not converged")
    counts = [(result.h_applications, "H applications")] + [(result.ffts, "FFTs")] * (result.mesh is None)
    for count, label in counts:
        table.add_row(label, str(count), f"{count / bands:.1f} per band")
    if result.augmentation is not None:
        table.add_row("augmentation charge", *_augmentation(result.augmentation))
    if result.exact_exchange is not None:
        table.add_row("exact exchange", *_exact_exchange(result.exact_exchange))
    for name, time in result.wall_seconds.content().items():
        share = time / max(result.wall_seconds.total, 1e-12)
        label = "wall time" if name == "total" else f"  {phase_label(result, name)}"
        table.add_row(label, f"{time:.2f} s", "" if name == "total" else f"{share:.0%}")
    if (seconds := result.derivative_seconds) is not None:
        share = seconds / max(result.wall_seconds.total, 1e-12)
        table.add_row("forces and stress, in these", f"{seconds:.2f} s", f"{share:.0%}")
    for row in traffic_rows(result):
        table.add_row(*row)
    mebibytes = (result.memory.peak_mib_per_rank, result.memory.predicted_mib_per_rank)
    peak, predicted = (megabytes(round(count * 2**20)) for count in mebibytes)
    table.add_row("memory per rank", peak, f"{predicted} predicted")
    return table


def _augmentation(used: AugmentationUsed) -> tuple[str, str]:
    """Return where the augmentation charge was summed, and its error there."""
    if used.error_estimate is None:
        return used.kind, ""
    return used.kind, f"error {used.error_estimate:.1e} Ha per atom"


def _exact_exchange(used: ExactExchangeUsed) -> tuple[str, str]:
    """Return how often exact exchange was computed, how, and how long it took."""
    times = counted(used.in_single + used.in_double, "computation")
    share = used.communication_seconds / max(used.seconds, 1e-12)
    return times, f"{used.in_single} in single precision, {used.seconds:.2f} s, {share:.0%} of it communication"


def phase_label(result: Result, name: str) -> str:
    """Return what a part of the wall time is called on the screen: on a mesh the application of H has no FFTs."""
    return "stencils" if name == "fft" and result.mesh is not None else name.replace("_", " ")


def traffic_rows(result: Result) -> list[tuple[str, str, str]]:
    """Return for each purpose of what the ranks have sent: its name, number of exchanges, amount and time."""
    return [
        (
            f"sent: {sent.purpose.replace('_', ' ')}",
            counted(sent.exchanges, "exchange"),
            f"{counted(sent.messages, 'message')}, {megabytes(sent.bytes)}, {sent.seconds:.2f} s",
        )
        for sent in result.traffic
    ]


def _born_rows(result: Result) -> Iterator[tuple[str, str, str]]:
    """Yield the dielectric tensor, and the mean charges of few atoms."""
    if (part := result.born) is None or part.dielectric is None or part.charges is None or part.charge_sum is None:
        return
    for axis, row in zip("xyz", part.dielectric, strict=True):
        yield f"dielectric tensor, {axis}", " ".join(f"{x:9.4f}" for x in row), "of the electrons"
    missing = sum(part.charge_sum[i][i] for i in range(3)) / 3
    for number, charge in enumerate(part.charges[:_ATOMS_SHOWN], 1):
        mean = sum(charge[i][i] for i in range(3)) / 3
        name = f"Born charge, {result.structure.species[number - 1]} {number}"
        yield name, f"{mean:.4f} e", f"sum of all was {missing:.4f} e" if number == 1 else ""


def _atomic(result: Result) -> list[tuple[str, str]]:
    """Charges and moments of few atoms, where they are not all about zero."""
    found = result.atomic_charges
    projections = None if result.dos is None else result.dos.projections
    atoms = [] if projections is None else projections.atoms
    values = {
        "charges of the atoms": [] if found is None else found.charges,
        "moments of the atoms": [] if found is None else found.magnetic_moments or [],
        "Löwdin charges": [atom.charge for atom in atoms],
        "Löwdin moments": [atom.magnetic_moment for atom in atoms if atom.magnetic_moment is not None],
    }
    vectors = [] if found is None else found.magnetic_moment_vectors or []
    shown = [
        f"{name} ({', '.join(f'{component + 0.0:.3f}' for component in vector)})"
        for name, vector in zip(result.structure.species, vectors, strict=False)
    ]
    rows = [("moments of the atoms", ", ".join(shown))] if 0 < len(shown) <= _ATOMS_SHOWN else []
    torques = [] if found is None else found.magnetic_torques or []
    if 0 < len(torques) <= _ATOMS_SHOWN:
        rows.append(("torques of the moments (Ha)", ", ".join(f"{math.hypot(*torque):.2e}" for torque in torques)))
    return rows + [
        (
            label,
            ", ".join(
                f"{name} {value + 0.0:.3f}" for name, value in zip(result.structure.species, of_atoms, strict=True)
            ),
        )
        for label, of_atoms in values.items()
        if 0 < len(of_atoms) <= _ATOMS_SHOWN and max(map(abs, of_atoms)) > _NOTEWORTHY
    ]


def _shells(result: Result) -> Iterator[tuple[str, str, str]]:
    """Electrons of the shells of DFT+U, of few atoms, and the eigenvalues of their occupation matrices."""
    for one in (result.hubbard or [])[:_ATOMS_SHOWN]:
        electrons = " and ".join(f"{sum(values):.4f}" for values in one.eigenvalues)
        name = f"electrons in {one.shell} of {result.structure.species[one.atom - 1]} {one.atom}"
        yield name, electrons, "; ".join(" ".join(f"{x + 0.0:.3f}" for x in values) for values in one.eigenvalues)


def _starts(result: Result) -> Iterator[tuple[str, str, str]]:
    """Minima of DFT+U from several starts, of which this is the lowest."""
    starts = result.hubbard_starts or []
    for number, one in enumerate(starts, 1):
        above = f"{one.free_energy - result.energy.free:.6f} Ha above the lowest" if one.converged else "not converged"
        yield f"start {number}", f"{one.free_energy:.9f} Ha", "this result" if one.is_result else above


def _interactions(result: Result) -> Iterator[tuple[str, str, str]]:
    """U by linear response, of few atoms."""
    response = result.hubbard_response
    if response is None or response.u_eV is None or response.error_eV is None:
        return
    values = zip(result.hubbard or [], response.u_eV, response.error_eV, strict=True)
    for one, u, error in list(values)[:_ATOMS_SHOWN]:
        name = f"U by linear response, {one.shell} of {result.structure.species[one.atom - 1]} {one.atom}"
        yield name, f"{u:.4f} eV", f"error of the fit {error:.1e} eV"


def _states(eigenvalues: ByState) -> int:
    """Count the bands of all spins and k-points."""
    return max(1, sum(len(bands) for spin in eigenvalues for bands in spin))


def _fermi_levels(fermi: FermiLevel) -> list[tuple[str, float]]:
    """Name the Fermi level, or with a fixed magnetisation that of each spin."""
    if isinstance(fermi, list | tuple):
        return [("Fermi level, up", fermi[0]), ("Fermi level, down", fermi[1])]
    return [("Fermi level", fermi)]


def _mass(mass: float | None) -> str:
    return "flat" if mass is None else f"{mass:.4f}"


def _work_functions(result: Result) -> list[tuple[str, float]]:
    """Name the work function of a slab, or those of its two sides."""
    if result.vacuum is None:
        return []
    lower, upper = result.vacuum.work_functions
    name = "work function" if result.band_gap is None else "ionisation energy"
    if abs(upper - lower) < _SAME_SIDES:
        return [(name, (lower + upper) / 2)]
    return [(f"{name}, lower side", lower), (f"{name}, upper side", upper)]


def _stopped_line(result: Result) -> str:
    """Say after which step a signal has ended a run, and from which file it continues."""
    time, written = result.propagation, result.checkpoint
    if time is not None:
        steps, file = time.steps, time.state if time.state_error is None else None
    else:
        steps, file = result.scf_steps, written.file if written is not None and written.error is None else None
    onward = f"; continue with --restart {file}" if file is not None else ""
    return f"stopped by {result.stopped} after {counted(steps, 'step')}{onward}"


def checkpoint_lines(result: Result) -> list[str]:
    """Return lines on the checkpoint that a run began with, on those it wrote, and on a signal that ended it."""
    lines = []
    if (begun := result.restart) is not None:
        lines.append(_restart_line(begun))
    written = result.checkpoint
    if written is not None and written.error is not None:
        lines.append(f"the checkpoint at the end of this run was not written: {written.error}")
    elif written is not None:
        lines.append(
            f"checkpoint {written.file}: {megabytes(round(written.bytes))}, "
            f"written {counted(written.writes, 'time')} in {written.seconds:.2f} s"
        )
    time = result.propagation
    if time is not None and time.state_error is not None:
        lines.append(f"the state in time was not written: {time.state_error}")
    if result.stopped is not None:
        lines.append(_stopped_line(result))
    return lines


def _random(begun: Restart) -> str:
    return f", {begun.bands_random} random in all" if begun.bands_random else ""


def _kinetic_density(begun: Restart) -> str:
    how = begun.kinetic_density
    return "" if how is None else f", kinetic-energy density {'of a model' if how == 'model' else how}"


def _matrices(begun: Restart) -> str:
    how = begun.matrices
    words = {"atoms": "of free atoms: other datasets", "partly": "taken where datasets are the same"}
    return "" if how is None else f", rho_ij {words.get(how, how)}"


def _restart_line(begun: Restart) -> str:
    points = [f"{counted(begun.kpoints_found, 'k-point')} found"]
    further = ((begun.kpoints_rotated, "rotated"), (begun.kpoints_missing, "missing"))
    points += [f"{count} {label}" for count, label in further if count]
    return (
        f"restart from {begun.file}: {', '.join(points)}, {counted(begun.bands_found, 'band')}{_random(begun)}, "
        f"smallest squared norm retained {begun.min_norm_retained:.6f}, density {begun.density}"
        f"{_kinetic_density(begun)}{_matrices(begun)}, {begun.seconds:.2f} s"
    )


def transport_lines(result: Result) -> list[str]:
    """Return which transport each exchange used and why."""
    exchanges = result.parallel.exchanges
    lines = [f"transport of {one.name}: {one.transport}; {one.reason}" for one in exchanges]
    return lines or ["transport: none, no rank needs values of another"]


def transport_table(result: Result) -> Table:
    """Return what the searches for transports measured, fastest first; no rows where none was searched for."""
    table = Table("exchange", "transport", box=None)
    for column in ("median", "spread"):
        table.add_column(column, justify="right")
    for exchange in result.parallel.exchanges:
        for row in exchange.measured:
            times = (f"{row.median_us:.0f} us", f"{row.spread_us:.0f} us")
            table.add_row(exchange.name, row.transport, *times)
    return table
