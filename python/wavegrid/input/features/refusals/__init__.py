"""Pairs of capabilities that are refused, with the words that the user reads."""

from wavegrid.input.features.refusals import (
    boundaries,
    electrons,
    exchange,
    functionals,
    hubbard,
    kpoints,
    local_orbitals,
    meshes,
    propagation,
    properties,
    response,
    spinors,
)
from wavegrid.input.features.refusals.refusal import SAME, Refusal

__all__ = ["BY_PAIR", "REFUSALS", "SAME", "Refusal"]
REFUSALS: tuple[Refusal, ...] = tuple(
    refusal
    for module in (
        local_orbitals,
        meshes,
        boundaries,
        exchange,
        hubbard,
        functionals,
        electrons,
        kpoints,
        propagation,
        response,
        properties,
        spinors,
    )
    for refusal in module.REFUSALS
)
"""in the order in which they are looked at: the first that an input meets is its message"""
BY_PAIR = {frozenset((one.first, one.second)): one for one in REFUSALS}
