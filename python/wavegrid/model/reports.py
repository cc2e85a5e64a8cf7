"""What the core reports while it solves, as dictionaries that a program may get as they are."""

from typing import NotRequired, TypedDict


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
    """What the core does after the loop: "derivatives", "checkpoint", or "bands" at `done` of `total` k-points."""

    stage: str
    done: int
    total: int
    groups: int
    seconds: float
