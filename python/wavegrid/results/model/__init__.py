"""The content of result.json as data models: names, types and meanings of all its keys.

A run does not import this: its numbers are plain dictionaries. The JSON schema (`schema`) and docs/result.md are made
from it, and tests compare the results of real runs with the schema. `schema_version`, also in `report`, rises with
every change that a reader of older files would notice.
"""

from wavegrid.results.model.part import FermiLevel, KPoint, Tensor, Vector
from wavegrid.results.model.result import Result

__all__ = ["FermiLevel", "KPoint", "Result", "Tensor", "Vector"]
