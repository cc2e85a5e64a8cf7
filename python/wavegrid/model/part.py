"""What all parts of a result share. No library is imported: ranks make results, too."""

import json
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, dataclass_transform, get_args

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core.core_schema import CoreSchema

Vector = tuple[float, float, float]
Tensor = tuple[Vector, Vector, Vector]
KPoint = tuple[float, float, float, float]
FermiLevel = float | tuple[float, float]
ByState = list[list[list[float]]]


class _Finite:
    """Of tables of any content: pydantic refuses numbers that are not finite."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core.core_schema import no_info_after_validator_function

        return no_info_after_validator_function(_finite, handler(source))


def _finite(tables: dict[str, Any]) -> dict[str, Any]:
    try:
        json.dumps(tables, allow_nan=False, default=str)
    except ValueError:
        raise ValueError("holds a number that is not finite") from None
    return tables


InputTables = Annotated[dict[str, Any], _Finite]


def key_of(attribute: str) -> str:
    """Return the key of an attribute, which ends in "_" where the key is a word of Python."""
    return attribute.removesuffix("_")


@dataclass_transform(kw_only_default=True)
class Part:
    """A table of result.json with its keys as attributes: made by keywords, by `read`, or with all checks by pydantic.

    Only what was given is written; an attribute that was not has its default.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        cls.__pydantic_config__ = {
            "extra": "forbid",
            "allow_inf_nan": False,
            "use_attribute_docstrings": True,
            "alias_generator": key_of,
            "json_schema_extra": {"description": cls.__doc__},
        }
        dataclass(init=False, repr=False, eq=False)(cls)

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.content() == other.content()

    @classmethod
    def read(cls, content: dict[str, Any]) -> Self:
        """Return the part that a dictionary describes, such as the core's result; values are not checked."""
        kind: Any = cls
        known, made = _attributes(kind), cls()
        for key, value in content.items():
            attribute, inner = known.get(key, (key, None))
            vars(made)[attribute] = value if inner is None else _read(inner, value)
        return made

    def content(self) -> dict[str, Any]:
        """Return the table with its keys, in the order in which they were given, as dictionaries and lists."""
        return {key_of(name): _plain(value) for name, value in vars(self).items() if value is not None}


@cache
def _attributes(cls: Any) -> dict[str, tuple[str, type[Part] | None]]:
    """Return for each key of a part its attribute, and the part in its value, if there is one."""
    return {key_of(one.name): (one.name, part_in(one.type)) for one in fields(cls)}


def part_in(hint: Any) -> type[Part] | None:
    """Return the part inside a type such as `Forces | None` or `list[Measured]`."""
    if isinstance(hint, type) and issubclass(hint, Part):
        return hint
    return next(filter(None, map(part_in, get_args(hint))), None)


def _read(kind: type[Part], value: Any) -> Any:
    if isinstance(value, dict):
        return kind.read(value)
    return [_read(kind, one) for one in value] if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    if isinstance(value, Part):
        return value.content()
    holds_parts = isinstance(value, list) and value and isinstance(value[0], Part)
    return [_plain(one) for one in value] if holds_parts else value
