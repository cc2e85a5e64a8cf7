"""Geometries that groups of ranks solve at the same time, each group with a session of its own."""

import json
from collections.abc import Callable
from typing import Any

from wavegrid.errors import InputError
from wavegrid.files.store import as_json
from wavegrid.launch.ranks import OnStep, Ranks
from wavegrid.model.core_result import CoreResult
from wavegrid.model.problem import Problem


class ImageGroup:
    """The group of this rank. All members are collective over all ranks, with the same arguments."""

    def __init__(self, core: Any, groups: int, make: Callable[..., Ranks]) -> None:
        """Divide the ranks into groups of consecutive ones; `make` makes the ranks of one."""
        rank, count = core.mpi_start()
        of_rank = [number * groups // count for number in range(count)]
        self._core, self._groups, self._mine = core, groups, of_rank[rank]
        self._leads = rank == of_rank.index(self._mine)
        self._ranks = make(of_rank.count(self._mine), complete=self._leads, group=core.RankGroup(self._mine))

    def solve(self, problems: list[Problem], on_step: OnStep | None = None) -> list[str]:
        """Solve the share of this group; return on rank 0 the answers of all groups, as texts."""
        done: dict[str, Any] = {}
        for number in range(self._mine, len(problems), self._groups):
            try:
                done[str(number)] = {"result": self._ranks.solve(problems[number], on_step=on_step).content()}
            except (self._core.BadInput, InputError) as fault:  # on all ranks of the group
                done[str(number)] = {"refused": str(fault)}
        texts: list[str] = self._core.gather(as_json(done) if self._leads else "")
        return texts

    def gathered(self, texts: list[str]) -> list[CoreResult | str]:
        """Return the results of all groups in their order, or why one was refused; nothing but on rank 0."""
        found = {int(number): one for text in texts if text for number, one in json.loads(text).items()}
        return [
            found[number].get("refused") or CoreResult.read(found[number]["result"]) for number in range(len(found))
        ]
