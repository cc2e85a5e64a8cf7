"""Our own results, for comparisons."""

from pathlib import Path

from wavegrid.api.result import load
from wavegrid.comparison.calculation import Calculation
from wavegrid.comparison.functionals import of_ours


def read(path: Path) -> Calculation:
    """Return the calculation of a result.json or of its directory; raises InputError."""
    result = load(path)
    content = result.content()
    energies = {name: value for name, value in content["energy"].items() if name != "extrapolated"}
    fermi = result.fermi_level
    smearing = result.input.get("electrons", {}).get("smearing")
    settings = {
        "functional": of_ours(result.input["electrons"]["xc"]),
        "k-points": len(result.kpoints),
        "bands": result.num_bands,
        "FFT grid": list(result.grid),
        "smearing": smearing["kind"] if smearing else "none",
        "ranks": result.parallel.ranks,
    }
    return Calculation(
        str(path),
        f"wavegrid {result.versions.get('wavegrid', '')}".strip(),
        result.converged,
        energies,
        [list(point[:3]) for point in result.kpoints],
        result.eigenvalues,
        fermi=sum(fermi) / 2 if isinstance(fermi, tuple) else fermi,
        forces=None if result.forces is None else [list(force) for force in result.forces.total],
        stress=None if result.stress is None else [list(row) for row in result.stress.total],
        atoms=len(result.structure.species),
        steps=result.scf_steps,
        seconds=result.wall_seconds.total,
        settings=settings,
        input=result.input,
    )
