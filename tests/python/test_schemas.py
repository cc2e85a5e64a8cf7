"""One schema: what the core, the documentation and the JSON schemas say follows from the models of input and result."""

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from conftest import EXAMPLES, GOOD, invoke, schema

from wavegrid.input import fields
from wavegrid.input.models import Input
from wavegrid.process import core_loader
from wavegrid.results import report

ROOT = EXAMPLES.parent
INPUTS = [
    *EXAMPLES.glob("*.toml"),
    *(ROOT / "benchmarks").glob("*/*.toml"),
    *(ROOT / "tests/reference").glob("crystals/*/case.toml"),
]
# Where the names and defaults of the core stand in the input.
SECTIONS = {
    "augmentation": "basis",
    "projectors": "basis",
    "projector_accuracy": "basis",
    "orbitals": "basis",
    "smearing": "electrons",
    "charge": "electrons",
    "exchange": "electrons",
    "partition": "parallel",
    "transport": "parallel",
    "deterministic": "parallel",
    "forces": "output",
    "hubbard": "electrons",
    "potential": "output",
    "stress": "output",
    "checkpoint": "output",
}


def field_of(key: str) -> fields.FieldInfo:
    """Return the field of a key of the core such as "mixing.beta"."""
    section: type[fields.Section] = Input
    *path, name = (SECTIONS.get(key.partition(".")[0], "scf"), *key.split("."))
    for part in path:
        section = fields.table_of(section.model_fields[part])
    return section.model_fields[name]


def every_field(section: type[fields.Section] = Input, path: str = "") -> Iterator[tuple[str, fields.FieldInfo]]:
    """Yield path and field of every key of the input."""
    for name, field in section.model_fields.items():
        yield f"{path}{name}", field
        if (table := fields.table_of(field)) is not None:
            yield from every_field(table, f"{path}{name}.")


def test_files_are_up_to_date() -> None:
    script = [sys.executable, ROOT / "scripts/make_schemas.py", "--check"]
    answer = subprocess.run(script, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout) == (0, "")


def test_the_core_knows_the_same_names() -> None:
    for key, names in core_loader.load().enumerations().items():
        assert set(fields.choices(field_of(key))) - {"auto"} == set(names) - {"auto"}, key


def test_the_core_has_the_same_defaults() -> None:
    for key, value in core_loader.load().defaults().items():
        section = Input.model_validate(tomllib.loads(GOOD))
        found: object = getattr(section, SECTIONS.get(key.partition(".")[0], "scf"))
        for name in key.split("."):
            found = getattr(found, name)
        assert found == value, key


def test_defaults_are_valid_values() -> None:
    """Defaults are checked like values of a file; those of the JSON schema are what a file would hold."""
    for path, field in every_field():
        if field.default_factory is not None:
            assert field.default_factory() is not None, path


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_inputs_follow_the_schema(path: Path) -> None:
    schema("input").validate(tomllib.loads(path.read_text()))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('ecut = "240 eV"', 'ecut = "240"'),
        ('ecut = "240 eV"', "ecut = 240"),
        ("bands = 10", "bands = 0"),
        ("bands = 10", "band = 10"),
        ("grid = [16,16,16]", "grid = [16,16]"),
        ('"fermi-dirac"', '"fermi"'),
        ('eigensolver = "rmm-diis"', "eigensolver = 1"),
        ('[["Al",0,0,0],', '[["Al",0,0],'),
    ],
)
def test_the_schema_refuses_what_the_program_refuses(old: str, new: str) -> None:
    assert old in GOOD
    with pytest.raises(jsonschema.ValidationError):
        schema("input").validate(tomllib.loads(GOOD.replace(old, new)))


def test_every_example_is_valid() -> None:
    """The examples of a key, which messages show, follow its schema and are read as they are written."""
    properties = schema("input").schema["properties"]
    for path, field in every_field():
        at = {"properties": properties}
        for name in path.split("."):
            options = (at, *at.get("anyOf", ()), at.get("items", {}))  # a table, one of several, or a list of tables
            at = next(option for option in options if name in option.get("properties", ()))["properties"][name]
        for example in field.examples or ():
            jsonschema.Draft7Validator(at).validate(example)
            assert tomllib.loads(f"key = {fields.toml(example)}")["key"] == example, path


def test_schemas_are_printed() -> None:
    for name in ("input", "result"):
        answer = invoke("schema", name)
        assert (answer.exit_code, answer.stdout) == (0, (ROOT / f"python/wavegrid/data/{name}.schema.json").read_text())
    answer = invoke("schema", "results")
    assert (answer.exit_code, answer.stderr) == (
        2,
        "error: schema results: unknown; valid: input, result; did you mean 'result'?\n",
    )


def test_versions_agree() -> None:
    assert schema("result").schema["properties"]["schema_version"]["const"] == report.SCHEMA_VERSION
    assert "schema_version" in schema("result").schema["required"]
