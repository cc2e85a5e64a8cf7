"""What all parts of result.json share."""

import json
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict

Vector = tuple[float, float, float]
Tensor = tuple[Vector, Vector, Vector]
KPoint = tuple[float, float, float, float]
FermiLevel = float | tuple[float, float]
ByState = list[list[list[float]]]


def _finite(tables: dict[str, Any]) -> dict[str, Any]:
    try:
        json.dumps(tables, allow_nan=False, default=str)
    except ValueError:
        raise ValueError("holds a number that is not finite") from None
    return tables


InputTables = Annotated[dict[str, Any], AfterValidator(_finite)]


class Part(BaseModel):
    """A table of result.json: no keys but those listed, and no numbers that are not finite."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)
