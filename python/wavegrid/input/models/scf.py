"""The table [scf] with its mixing."""

from typing import Annotated, Literal

from wavegrid.input.fields import Section, energy, key, number, whole
from wavegrid.input.models.defaults import DIFFERENCE_TOLERANCE, MD_TOLERANCE
from wavegrid.model.names import EigensolverName, PreconditionerName, ScfMethodName


class Mixing(Section):
    """Mixing of the density from those of earlier steps, preconditioned."""

    method: Literal["pulay", "broyden"] = key("pulay", "Pulay's method (DIIS) or Broyden's second method")
    beta: Annotated[float, number(0.001, 2)] = key(
        1.0, "mixing parameter: share of the preconditioned residual that is added to the density", examples=[0.5]
    )
    preconditioner: Literal["auto", PreconditionerName] = key(
        "auto",
        '"kerker" for metals, "dielectric" for solids with a gap, "ldos" (from the local density of states) for '
        'metallic slabs, none for molecules and single layers; "auto" chooses one, and another where the loop '
        "stagnates",
    )
    k0: Annotated[float, number(0.001, 1000)] = key(
        1.2, "wave number of the Kerker preconditioner, 1/bohr", examples=[1.2]
    )
    epsilon: Annotated[float, number(0.001, 1e6)] = key(
        10.0, "dielectric constant of the dielectric preconditioner", examples=[10.0]
    )
    history: Annotated[int, whole(100)] = key(
        8, "number of earlier steps that are used; 1 is linear mixing", examples=[8]
    )


class Scf(Section):
    """The self-consistency loop."""

    method: ScfMethodName = key(
        "mixing",
        '"mixing": the density is mixed until it is that of its bands; "direct": the energy is minimised over the '
        "bands by conjugate gradients, for fixed occupations (molecules, insulators), in double precision: about half "
        "the applications of H in more, shorter steps (decision 0016)",
    )
    eigensolver: Literal["auto", EigensolverName] = key(
        "auto",
        '"auto": on a mesh "chebyshev"; on plane waves "lobpcg" from random wave functions and below 64 bands, else '
        '"rmm-diis"; `result.json` says which and why',
    )
    energy_tolerance: Annotated[float, energy(1e-14, 1)] = key(
        "1e-7 Ha",
        "the loop ends when the estimated error of the free energy is below it, or below the rounding of the "
        "energy and no longer falling",
        omitted="1e-7 Ha; with a relaxation or a reaction path what its `force_tolerance` needs, at most 1e-7 Ha; "
        f"{MD_TOLERANCE:g} Ha with molecular dynamics, {DIFFERENCE_TOLERANCE:g} Ha with elastic constants, phonons and "
        "vibrations",
        examples=["1e-7 Ha"],
    )
    max_steps: Annotated[int, whole(100_000)] = key(
        60, "largest number of steps; a run that needs more ends with exit code 1 and advice", examples=[60]
    )
    mixing: Mixing = key(
        Mixing, "mixing of the density", omitted="all of its defaults", examples=[{"beta": 0.5, "history": 8}]
    )
    initial_wavefunctions: Literal["lcao", "random"] = key(
        "lcao", "linear combinations of atomic orbitals, or random numbers"
    )
    precision: Literal["auto", "mixed", "double"] = key(
        "auto",
        '"mixed": single precision except in the last steps and for all energies; "auto": "mixed" up to 500 electrons '
        "and down to a tolerance of 1e-11 Ha per electron (decision 0006)",
    )
