"""The example of docs/result.md has keys of result.json."""

import json
import re
from pathlib import Path
from typing import Any

from wavegrid.results.schema import result_schema

PAGE = (Path(__file__).parents[2] / "docs/result.md").read_text()


def unknown(value: Any, part: dict[str, Any], place: str = "") -> list[str]:
    """Return the keys of a value that its part of the schema does not have."""
    if isinstance(value, list):
        return [key for one in value for key in unknown(one, part["items"], place)]
    if not isinstance(value, dict):
        return []
    keys = part["properties"]
    return [
        key
        for name, one in value.items()
        for key in (unknown(one, keys[name], f"{place}{name}.") if name in keys else [f"{place}{name}"])
    ]


def test_keys_of_the_example() -> None:
    text = re.search(r"^```json\n(.*?)^```$", PAGE, re.S | re.M)
    assert text
    example = json.loads(re.sub(r"//.*$", "", text[1], flags=re.M))
    assert unknown(example, result_schema()) == []
    assert unknown({"energy": {"nonsense": 1}}, result_schema()) == ["energy.nonsense"]
