"""What a run would be on a number of ranks: sizes, memory, parallel layout, as `check --json` prints them."""

from typing import NotRequired, TypedDict


class MeshFigures(TypedDict):
    """A mesh in real space. Lengths in bohr."""

    points: int
    arms: int  # points of a stencil
    spacing: list[float]
    poisson_grid: list[int]


class ProjectorFigures(TypedDict):
    """Where projectors are applied; of those in real space radius (bohr), points, and error of the energy (Ha)."""

    kind: str
    reason: str
    error_estimate: NotRequired[float]
    radius: NotRequired[float]
    points: NotRequired[int]


class TransformFigures(TypedDict):
    """One transform of a band on the busiest rank; "first": the first of two transposes."""

    flops: float
    messages: float
    bytes: float
    first_messages: float
    first_bytes: float


class TimeFigures(TypedDict):
    """An estimate of the time: seconds if the loop takes so many steps, and the factor by which it may be wrong."""

    seconds: float
    steps: int
    factor: float


class EstimatedFigures(TypedDict):
    """What the core says of sizes and of the parallel layout."""

    kpoints: int
    kpoints_description: str
    mode: str
    plane_waves: int
    kpoint_groups: int
    band_groups: int
    groups_reason: str
    eigensolver: str
    eigensolver_reason: str
    rows: int
    columns: int
    partition: str
    partition_reason: str
    max_plane_waves: int
    min_plane_waves: int


class LocalOrbitalFigures(TypedDict):
    """Local orbitals: their number, products of pairs at the points of both boxes, points of a box for operators, the
    functions of other ranks that a rank needs.
    """

    functions: int
    pair_values: float
    wide_points: float
    remote_values: float
    remote_atoms: int


class PotentialFigures(TypedDict):
    """The pseudopotential of an element, as in result.json (`PseudopotentialUsed`)."""

    element: str
    name: str
    valence: int
    functional: str
    recommended_ecut: float
    recommended_ecut_source: str
    recommended_spacing: float
    ecut_error: float


class Figures(EstimatedFigures):
    """All figures of a run."""

    title: str
    task: str
    atoms: int
    electrons: float
    spins: int
    bands: int
    path_points: int
    mesh: MeshFigures | None
    projectors: ProjectorFigures | None
    local_orbitals: LocalOrbitalFigures | None
    grid: list[int]
    density_grid: list[int] | None
    density_ecut: float | None
    density_ecut_reason: str
    ranks: int
    transform: TransformFigures
    bytes_per_rank: int
    memory_parts: dict[str, int]
    pseudopotentials: list[PotentialFigures]
    notes: list[str]
    warnings: list[dict[str, str]]
    time: NotRequired[TimeFigures]
