"""Our own results, for comparisons."""

from pathlib import Path
from typing import Any

from wavegrid.api.result import Result, load
from wavegrid.comparison.calculation import Calculation
from wavegrid.comparison.functionals import of_ours
from wavegrid.crystal import symmetry
from wavegrid.discretisation import choose
from wavegrid.errors import InputError


def read(path: Path) -> Calculation:
    """Return the calculation of a result.json or of its directory; raises InputError."""
    result = load(path)
    if any(len(of_spin) != len(result.kpoints) for of_spin in result.eigenvalues):
        raise InputError(f"{path}: eigenvalues and k-points differ in number; valid: a result.json without damage")
    fermi = result.fermi_level
    try:
        settings, used = _settings(result), _input_used(result)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"{path}: its table 'input' is damaged; valid: a result.json without damage") from None
    notes = []
    if result.relaxation is not None and not result.relaxation.converged:
        notes.append(f"{path}: wavegrid has stopped before the end of the relaxation")
    return Calculation(
        str(path),
        f"wavegrid {result.versions.get('wavegrid', '')}".strip(),
        result.converged,
        {name: value for name, value in result.energy.content().items() if name != "extrapolated"},
        [list(point[:3]) for point in result.kpoints],
        result.eigenvalues,
        _rotations(result),
        fermi=list(fermi) if isinstance(fermi, tuple) else [fermi],
        forces=None if result.forces is None else [list(force) for force in result.forces.total],
        stress=None if result.stress is None else [list(row) for row in result.stress.total],
        atoms=len(result.structure.species),
        steps=result.scf_steps,
        seconds=result.wall_seconds.total,
        settings=settings,
        input=used,
        notes=notes,
    )


def _rotations(result: Result) -> list[symmetry.Rotation]:
    """Return the rotations of the crystal; with spin only where the moments of the atoms are known."""
    charges = result.atomic_charges
    moments = charges.magnetic_moments if charges is not None else None
    if len(result.eigenvalues) == 2 and moments is None:
        return []
    crystal = result.structure
    return symmetry.of_crystal(
        [list(vector) for vector in crystal.cell],
        crystal.species,
        [list(place) for place in crystal.fractional],
        moments,
    )


def _input_used(result: Result) -> dict[str, Any]:
    """Return the input with the smearing (Ha) and the fixed magnetisation of the run, which may be defaults."""
    used = {
        "smearing": result.smearing and result.smearing.content(),
        "total_magnetisation": result.fixed_magnetisation,
    }
    given = {name: value for name, value in used.items() if value is not None}
    return result.input | {"electrons": result.input["electrons"] | given}


def _settings(result: Result) -> dict[str, Any]:
    """Return the settings by the names and in the units that all programs share."""
    electrons = result.input["electrons"]
    found = {
        "functional": of_ours(electrons["xc"]),
        "k-points": len(result.kpoints),
        "bands": result.num_bands,
        "FFT grid": list(result.density_grid or result.grid),
        "smearing": result.smearing.kind if result.smearing else "none",
        "ranks": result.parallel.ranks,
    }
    found |= choose.from_tables(result.input).shared_settings(result.input)
    if result.smearing:
        found["smearing width (Ha)"] = result.smearing.width
    return found
