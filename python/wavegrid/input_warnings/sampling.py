"""Remarks on k-points: too few of them, and those that cost time without use."""

import math
from collections.abc import Iterator

from wavegrid.input.kpoints import mesh_for, spacings, symmetric_mesh
from wavegrid.input.vacuum import VACUUM
from wavegrid.input_warnings.remark import Remark
from wavegrid.input_warnings.setup import Setup

# Largest distance between k-points without a remark, 1/bohr, 2 pi included. With smearing (a metal) that of the default
# of VASP, KSPACING = 0.5/angstrom: with meshes around Gamma and a width of 0.27 eV Al is off by 8 mHa per atom at 0.36,
# 1 at 0.28, 2 at 0.24, 0.2 at 0.18. Without smearing, energies are off by (mHa per atom)
#   Si 48 (at 0.53), 12 (0.35), 3.4 (0.27), 1.2 (0.21)    diamond 12 (0.54), 2.8 (0.40), 0.8 (0.32), 0.1 (0.27)
#   MgO 31 (0.68), 3.3 (0.46), 2.6 (0.34)                 NaCl 89 (1.02), 4.5 (0.51), 0.1 (0.34)
METAL_SPACING = 0.27
INSULATOR_SPACING = 0.35
# A density of states is plotted in finer steps than an energy needs.
DOS_SPACING = 0.15
# What the remarks advise.
METAL_ADVICE = 0.15
INSULATOR_ADVICE = 0.2


def remarks(setup: Setup) -> Iterator[Remark]:
    """Yield the remarks on k-points; how many a list has is the user's own choice."""
    if setup.mesh is None:
        yield from _incomplete_stars(setup)
        return
    yield from _coarse(setup, setup.mesh)
    yield from _coarse_for_dos(setup, setup.mesh)
    yield from _along_vacuum(setup, setup.mesh)
    yield from _without_symmetry(setup, setup.mesh)
    yield from _symmetry_off(setup, setup.mesh)


def _incomplete_stars(setup: Setup) -> Iterator[Remark]:
    points = setup.kpoints.problem
    listed = (points["kpoints"] or {}).get("list", [])
    if points["symmetry"]:
        yield from _weights_unlike_stars(setup, listed)
        return
    if setup.core.has_whole_stars(setup.symmetric_crystal(), listed):
        return
    yield Remark(
        "kpoints_stars_incomplete",
        "the list of k-points has not all that the symmetry of the crystal makes equivalent to them, or with other "
        "weights, and the density is that of the list; where they are the irreducible points of a mesh (inputs of "
        "pw.x, IBZKPT): kpoints irreducible = true",
        warning=False,
    )


def _weights_unlike_stars(setup: Setup, points: list[list[float]]) -> Iterator[Remark]:
    """Irreducible points of a mesh, but by the symmetry of another crystal, such as one whose atoms are in place."""
    from wavegrid.input_warnings import stars  # imports numpy

    if not stars.have_their_weights(setup.crystal, setup.moments, points):
        yield Remark(
            "kpoints_of_another_symmetry",
            "the weights of the irreducible list of k-points are not in proportion to the number of points that the "
            "symmetry of the crystal makes equivalent to each: the list is that of a crystal of another symmetry, and "
            "energies and forces lack the missing points; valid: the irreducible points for these atoms, or a mesh",
        )


def _coarse(setup: Setup, mesh: list[int]) -> Iterator[Remark]:
    metal = setup.spec.electrons.smearing is not None
    limit, advice = (METAL_SPACING, METAL_ADVICE) if metal else (INSULATOR_SPACING, INSULATOR_ADVICE)
    apart = spacings(setup.crystal.cell, mesh)
    wide = [axis for axis in setup.periodic_axes() if apart[axis] > limit]
    if not wide:
        return
    cell = setup.crystal.cell
    usual = [n if axis in setup.periodic_axes() else 1 for axis, n in enumerate(mesh_for(cell, advice))]
    usual = symmetric_mesh(setup.core, setup.symmetric_crystal(), usual)
    kind = "with smearing" if metal else "with a gap"
    words = (
        f"k-points {max(apart[axis] for axis in wide):.3g}/bohr apart; usual for a crystal {kind} is {advice}/bohr or "
        f"less: write kpoints = {{ mesh = {usual} }} in [electrons]"
    )
    if math.prod(mesh) == 1:
        yield Remark("kpoints_gamma_alone", f"Gamma is the only k-point of a periodic crystal: {words}")
    else:
        yield Remark("kpoints_coarse", f"the mesh of k-points is coarse: {words}")


def _coarse_for_dos(setup: Setup, mesh: list[int]) -> Iterator[Remark]:
    across = spacings(setup.crystal.cell, mesh)
    apart = max((across[axis] for axis in setup.periodic_axes()), default=0.0)
    if setup.spec.task.kind == "dos" and apart > DOS_SPACING:
        yield Remark(
            "dos_mesh_coarse",
            f"a density of states from k-points {apart:.3g}/bohr apart shows their single levels; usual is "
            f"{DOS_SPACING / 2}/bohr or less",
            warning=False,
        )


def _along_vacuum(setup: Setup, mesh: list[int]) -> Iterator[Remark]:
    for axis, empty in enumerate(setup.empty):
        if empty > VACUUM and mesh[axis] > 1:
            yield Remark(
                "kpoints_along_vacuum",
                f"{mesh[axis]} k-points along lattice vector {axis + 1}, across which {empty:.0f} bohr are "
                "empty: 1 gives the same in less time",
                warning=False,
            )


def _without_symmetry(setup: Setup, mesh: list[int]) -> Iterator[Remark]:
    """Meshes that rotations of the crystal do not map onto themselves: its stress and its forces lack the symmetry."""
    crystal, shift = setup.symmetric_crystal(), setup.kpoints.shift()
    if setup.isolated or math.prod(mesh) == 1 or setup.core.lost_rotations(crystal, mesh, shift) == 0:
        return
    better = symmetric_mesh(setup.core, crystal, mesh)
    symmetric = setup.core.lost_rotations(crystal, better, [0, 0, 0]) == 0
    advice = f", such as kpoints = {{ mesh = {better} }}" if symmetric else ""
    yield Remark(
        "kpoints_without_symmetry",
        "the mesh of k-points lacks the symmetry of the crystal: forces and stress have parts that symmetry excludes; "
        f"better is a mesh around Gamma{advice}",
    )


def _symmetry_off(setup: Setup, mesh: list[int]) -> Iterator[Remark]:
    """Where [external] alone keeps a symmetric crystal from having fewer k-points."""
    if setup.spec.external is None or setup.spec.symmetry.use is not None or math.prod(mesh) == 1:
        return
    from wavegrid.input_warnings import stars  # imports numpy

    if all(setup.spec.basis.periodic()) and stars.has_rotations(setup.crystal, setup.moments):
        yield Remark(
            "external_without_symmetry",
            "with [external] the symmetry of the crystal is not used, which needs more k-points: leave it out where "
            "both sides of a slab are equal and no field is wanted",
            warning=False,
        )
