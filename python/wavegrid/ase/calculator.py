"""WaveGrid: energies, forces and stresses for ASE, from ranks that stay alive between the geometries."""

from pathlib import Path
from typing import Any

from ase import Atoms
from ase.calculators.calculator import (
    CalculatorSetupError,
    SCFError,
    external_calculators,
)

from wavegrid.api.session import Session
from wavegrid.ase.keywords import tables_and_spelling
from wavegrid.errors import InputError
from wavegrid.results.advice import advice
from wavegrid.results.calculator import RankCalculator, ase_results


class WaveGrid(RankCalculator):
    """Density-functional theory by wavegrid, in plane waves or on a mesh in real space.

    The keywords are the tables of the input file (docs/input.md), with the same keys, units and defaults, and the usual
    ones of ASE's calculators, which stand for some of their keys: `xc`, `pseudopotentials`, `ecut` (eV), `kpts` (in
    every form of ASE but a path), `smearing` (name and width in eV), `nbands`, `charge`, `spinpol`, `maxiter`; and of
    all calculators `atoms`, to which it is attached, `directory` (as `folder`) and `label`::

        WaveGrid(
            basis={"ecut": "15 Ha"},
            electrons={"xc": "LDA-PZ", "pseudopotentials": "gth-lda", "kpoints": {"mesh": [4, 4, 4]}},
            ranks=2,
        )

    `ranks` (default: all cores over `threads`) and `threads` (1) count processes and their threads; `folder` is where
    the files lie that the tables name, such as pseudopotentials (default: the present directory). The atoms give
    the structure and, where a moment is not 0, the initial magnetic moments with collinear spin. Only
    `scf = {"energy_tolerance": ...}` has another default, 1e-9 Ha, for the sake of the forces.

    The first calculation starts the ranks. They keep density and wave functions: a later geometry of the same atoms
    begins with those of the one before. `close()`, or the end of the program, ends them; WaveGrid is a context
    manager, too. In a script that itself runs under mpirun, all ranks calculate together and make the same calls.

    Results in ASE's units and signs: `energy` (extrapolated to zero smearing), `free_energy` (to which forces and
    stress belong), `forces`, and with spin `magmom`; `stress` where `pbc` has a periodic direction, on a mesh where its
    boundary is periodic, and without `external`; Hirshfeld's `charges` of the atoms, and with spin their `magmoms`.
    The levels are those of ASE's `get_eigenvalues`, `get_occupation_numbers` (electrons of a state: up to 2 without
    spin), `get_ibz_k_points`, `get_k_point_weights` and `get_fermi_level` (not where a fixed moment makes two).
    All three directions are repeated periodically, whatever `pbc` says, except on a mesh with free directions, as in
    `basis={"method": "realspace", "boundary": "free", ...}`.

    Raises CalculatorSetupError for wrong keywords or atoms, SCFError where the density did not converge, and the
    package's own errors where the machine refuses. A calculation that did not converge leaves no results.
    """

    name = "wavegrid"

    def __init__(
        self,
        *,
        ranks: int | None = None,
        threads: int = 1,
        folder: str | Path | None = None,
        directory: str | Path | None = None,
        label: str | None = None,
        atoms: Atoms | None = None,
        restart: None = None,
        **parameters: Any,
    ):
        if folder is not None and directory is not None:
            raise InputError("WaveGrid(folder=..., directory=...): two names of one thing; valid: one of them")
        if restart is not None:
            raise InputError(
                f"WaveGrid(restart={restart!r}): keeps no files; valid: None, or wavegrid.run(restart='checkpoint.h5')"
            )
        here = next((one for one in (folder, directory) if one is not None), ".")
        self._session = Session(ranks=ranks, threads=threads, folder=here)
        super().__init__(self._solved, label=label, atoms=atoms, **parameters)

    def _solved(self, atoms: Atoms) -> dict[str, Any]:
        """Return the results of a geometry."""
        try:
            tables, spelled = tables_and_spelling(self.parameters, atoms)
            job = self._session.job(_at_rest(atoms), tables, caller="WaveGrid", spelled=spelled)
            result, steps = self._session.compute(job)
        except InputError as fault:
            raise CalculatorSetupError(str(fault)) from None
        if not result.converged:
            raise SCFError(
                f"the density did not converge in {result.scf_steps} steps: error "
                f"{result.error_estimate:.1e} Ha, tolerance {job.problem['energy_tolerance']:.1e} Ha; "
                f"{advice(steps, result, job.problem, job.input)}"
            )
        return ase_results(job, result)

    def close(self) -> None:
        """End the ranks; the next calculation starts others."""
        self._session.close()

    def __enter__(self) -> "WaveGrid":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def _at_rest(atoms: Atoms) -> Atoms:
    """Return the atoms without velocities, constraints and other data, which are the matter of whoever moves them."""
    moments = atoms.get_initial_magnetic_moments()
    return Atoms(atoms.numbers, atoms.positions, cell=atoms.cell, pbc=atoms.pbc, magmoms=moments)


external_calculators[WaveGrid.name] = WaveGrid
