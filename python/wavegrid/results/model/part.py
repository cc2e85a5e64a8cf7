"""What all parts of result.json share."""

from pydantic import BaseModel, ConfigDict

Vector = tuple[float, float, float]
Tensor = tuple[Vector, Vector, Vector]
KPoint = tuple[float, float, float, float]
FermiLevel = float | tuple[float, float]
ByState = list[list[list[float]]]


class Part(BaseModel):
    """A table of result.json: no keys but those listed."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)
