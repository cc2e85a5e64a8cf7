"""The part `casida` of a result, and its table."""

from typing import Literal

from wavegrid.model.casida import Excitation, Excitations
from wavegrid.model.core_result import CoreResult, ExcitationTable
from wavegrid.units import HARTREE_IN_EV

_MOST_LISTED = 50


def excitations(
    result: CoreResult, spin: Literal["singlet", "triplet", "collinear"], electrons: float, table: str
) -> Excitations:
    """Return what the core found; `table`: the file of them all."""
    found = result.excitations
    assert found is not None
    return Excitations(
        table=table,
        spin=spin,
        pairs=found.pairs,
        level_error=found.level_error,
        sum_rule=sum(map(sum, found.strengths)) / (3 * electrons),
        lowest=[_excitation(found, n) for n in range(min(_MOST_LISTED, len(found.energies)))],
    )


def _excitation(found: ExcitationTable, number: int) -> Excitation:
    spin, from_band, to_band = found.bands[number]
    return Excitation(
        energy=found.energies[number],
        strengths=found.strengths[number],
        spin=spin,
        from_band=from_band,
        to_band=to_band,
        weight=found.weights[number],
    )


def render(found: ExcitationTable) -> bytes:
    """Return one line for each excitation: eV, strengths, the pair of bands with the largest weight."""
    lines = ["energy_eV,strength,strength_x,strength_y,strength_z,spin,from_band,to_band,weight"]
    for energy, strengths, bands, weight in zip(
        found.energies, found.strengths, found.bands, found.weights, strict=True
    ):
        numbers = [energy * HARTREE_IN_EV, sum(strengths) / 3, *strengths]
        lines.append(",".join([*(f"{x:.8g}" for x in numbers), *map(str, bands), f"{weight:.4f}"]))
    return ("# excitations by Casida's equation\n" + "\n".join(lines) + "\n").encode()
