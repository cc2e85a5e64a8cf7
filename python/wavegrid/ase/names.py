"""What ASE finds by name without `import wavegrid`: the calculator, and the format of result.json.

ASE loads this module with its own formats, by the entry point in pyproject.toml. It therefore imports nothing large.
"""

from typing import TYPE_CHECKING, Any

from ase.calculators.calculator import external_calculators
from ase.utils.plugins import ExternalIOFormat

if TYPE_CHECKING:
    from ase import Atoms

    from wavegrid.ase.calculator import WaveGrid

NAME = "wavegrid"

result = ExternalIOFormat(
    desc="wavegrid result.json",
    code="1S",
    module=__name__,
    magic=b'{\n "schema_version": *\n "title": *\n "structure": {*',
)


class ByName:
    """Stands for WaveGrid among ASE's calculators until one is made."""

    def __new__(cls, *arguments: Any, **keywords: Any) -> "WaveGrid":  # type: ignore[misc]
        """Return a WaveGrid."""
        from wavegrid.ase.calculator import WaveGrid

        return WaveGrid(*arguments, **keywords)


external_calculators.setdefault(NAME, ByName)


def read_wavegrid_result(file: str) -> "Atoms":
    """Return the atoms of a result.json with energy, forces and what else ASE knows, in its units."""
    from wavegrid.api.result import load

    return load(file).atoms()
