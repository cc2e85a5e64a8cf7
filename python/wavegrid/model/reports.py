"""What the core reports while it solves, as dictionaries that a program may get as they are."""

from typing import Any, NotRequired, TypedDict

from wavegrid.model.part import Vector


class Step(TypedDict):
    """A finished step of the self-consistency loop. Energies in Ha."""

    step: int
    free_energy: float
    error_estimate: float
    seconds: float
    h_applications: NotRequired[int]
    num_bands: NotRequired[int]
    single_precision: NotRequired[bool]
    rounding: NotRequired[float]
    total_magnetisation: NotRequired[float]


class Activity(TypedDict):
    """What the core does besides steps: "mixing" as the loop begins; after it other stages.

    These are "derivatives", "checkpoint", "bands", "propagation" and "response".
    `done` of `total` k-points of "bands", steps of "propagation", or fields of "response"; the preconditioner of
    "mixing", and why this one.
    Of a step in time its numbers, as in `PropagationLine`.
    """

    stage: str
    done: int
    total: int
    groups: int
    seconds: float
    preconditioner: NotRequired[str]
    reason: NotRequired[str]
    time: NotRequired[float]
    energy: NotRequired[float]
    electrons: NotRequired[float]
    dipole: NotRequired[list[float]]
    current: NotRequired[list[float]]
    magnetic_moment: NotRequired[list[float]]
    field: NotRequired[list[float]]
    forces: NotRequired[list[list[float]]]
    excited: NotRequired[float]
    positions: NotRequired[list[list[float]]]
    ion_kinetic: NotRequired[float]
    occupations: NotRequired[list[float]]
    density: NotRequired[list[Any]]
    density_first: NotRequired[Vector]
