"""The table [electrons.hubbard]."""

from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from wavegrid.input.fields import Read, Section, key, measure, text
from wavegrid.model.names import HubbardProjectorsName
from wavegrid.units import ENERGY_UNITS

_NUMBERS = {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 1}, "minItems": 1, "maxItems": 7}
_PAIR = {"type": "array", "items": _NUMBERS, "minItems": 2, "maxItems": 2}


def _depth(value: Any) -> int:
    """Return how many lists lie in each other."""
    return 1 + _depth(value[0]) if isinstance(value, list) and value else 0


def _occupations(value: Any) -> list[list[list[float]]]:
    """Return for each start the occupations of majority and minority spin; one list is that of both."""
    starts = value if _depth(value) == 3 else [value if _depth(value) == 2 else [value, value]]
    for rows in starts:
        if not isinstance(rows, list) or len(rows) != 2 or not all(isinstance(row, list) and row for row in rows):
            raise ValueError("neither a list nor two lists")
        for entry in (entry for row in rows for entry in row):
            if isinstance(entry, bool) or not isinstance(entry, int | float) or not 0 <= entry <= 1:
                raise ValueError("not numbers from 0 to 1")
    return [[[float(entry) for entry in row] for row in rows] for rows in starts]


_OCCUPATIONS = Read(
    "one or two lists of numbers, or several pairs",
    "a list of numbers from 0 to 1, one for each orbital of the shell, or two lists: majority and minority spin; or a "
    "list of such pairs",
    _occupations,
    {"anyOf": [_NUMBERS, _PAIR, {"type": "array", "items": _PAIR, "minItems": 1}]},
)


class HubbardShell(Section):
    """U on a shell of an element."""

    shell: Annotated[str, text("text", "a shell that the pseudopotential names", most=10)] = key(
        ..., "of the pseudopotential's orbitals", examples=["3d"]
    )
    u: Annotated[float, measure("energy", ENERGY_UNITS, 0, 2)] = key(..., "U", examples=["5 eV"])
    j: Annotated[float, measure("energy", ENERGY_UNITS, 0, 0.5)] | None = key(
        None,
        "J of Liechtenstein's form, with double counting of the atomic limit",
        omitted="Dudarev's form",
        examples=["0.9 eV"],
    )
    initial_occupations: Annotated[list[list[list[float]]], _OCCUPATIONS] | None = key(
        None,
        "with which the loop begins, of the real harmonics m = -l to l; majority spin is along the atom's initial "
        "magnetic moment. Which of several minima is found depends on them: with several pairs the run starts from "
        "each, and its result is the lowest minimum",
        omitted="Hund's rules",
        examples=[[[1, 1, 1, 1, 1], [1, 0, 0, 0, 0]]],
    )


class Hubbard(Section):
    """DFT+U: `projectors`, and for each element with a U a table, or a list of them: of several shells."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, validate_default=True)
    entries: ClassVar[type[Section] | None] = HubbardShell
    __pydantic_extra__: dict[str, list[HubbardShell]] = Field(init=False)

    projectors: HubbardProjectorsName = key(
        "ortho-atomic",
        "the pseudopotentials' orbitals, made orthonormal over all atoms (Löwdin) or as they are",
    )

    @model_validator(mode="before")
    @classmethod
    def _lists(cls, value: Any) -> Any:
        """Make a list of one of a table."""
        if not isinstance(value, dict):
            return value
        return {
            name: one if name in cls.model_fields or (isinstance(one, list) and one) else [one]
            for name, one in value.items()
        }

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the JSON schema: an element has a table or a list of them."""
        schema = handler(core)
        found = handler.resolve_ref_schema(schema)
        several = found["additionalProperties"] | {"minItems": 1}
        found["additionalProperties"] = {"anyOf": [several["items"], several]}
        return schema

    def shells(self) -> dict[str, list[HubbardShell]]:
        """Return the tables of the elements."""
        found: dict[str, Any] | None = self.__pydantic_extra__
        return dict(found or {})
