"""The table [parallel]."""

from typing import Annotated, Literal

from wavegrid.input.fields import Flag, GroupCount, Kind, Path, Section, key
from wavegrid.model.names import MeshPartitionName, OverlapName, PartitionName, TransportName


class Parallel(Section):
    """How k-points, bands and plane waves are distributed over the ranks, and how their values are exchanged."""

    kpoint_groups: GroupCount | None = key(
        None, "groups of ranks, each with a share of the k-points and spins", omitted="chosen by estimated cost"
    )
    band_groups: GroupCount | None = key(
        None, "groups within each of these, each with a share of the bands", omitted="chosen by estimated cost"
    )
    rows: GroupCount | None = key(
        None,
        "with `columns`: process grid of a band group, whose ranks share the plane waves; the product of all four "
        "numbers is then the number of ranks",
        omitted="chosen by estimated cost",
    )
    columns: GroupCount | None = key(None, "together with `rows`", omitted="chosen by estimated cost")
    partition: Literal["auto", PartitionName, MeshPartitionName] = key(
        "auto",
        'how the sticks of the sphere of plane waves are distributed; on a mesh "metis" (which is "auto") or "block": '
        "how its points are",
    )
    transport: Literal["auto", TransportName] = key(
        "auto",
        "MPI operations of the transposes or, on a mesh, the halo exchanges, and of bands between band groups; "
        '"auto" measures several during the run, takes the fastest',
    )
    overlap: Literal["auto", OverlapName] = key(
        "auto",
        "on a mesh: what is computed during a halo exchange: nothing; inner points, with calls of MPI in between "
        '("polling"), or while another thread calls MPI, which needs a core more; "auto" measures "off" and "polling" '
        "during the run",
    )
    two_level: Flag = key(
        True, "on a mesh: the points are divided over the nodes first, and those of a node over its ranks"
    )
    reorder: Flag = key(
        True,
        "on a mesh with `two_level = false`: parts that exchange much are given to ranks of the same node",
    )
    machine: Annotated[Path, Kind("path", 'a file that "wavegrid bench machine" has written')] | None = key(
        None,
        'file of "wavegrid bench machine", for which groups and "auto" partition are chosen',
        omitted="a node of the 2020s",
        examples=["machine.toml"],
    )
    transports_file: Annotated[Path, Kind("path", 'a file name that keeps what "auto" has measured')] | None = key(
        None,
        'file that keeps what "auto" has measured for later runs',
        omitted="nothing is kept",
        examples=["transports.txt"],
    )
    deterministic: Flag = key(
        False,
        "bitwise equal results on any number of ranks and any partition, at the same numbers of groups; double "
        "precision, one group each unless set (decision 0007)",
    )
