"""Every pair of capabilities: the input is accepted, or refused with the declared words, by us and by the library."""

import functools
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import feature_inputs
import pytest

from wavegrid.errors import InputError
from wavegrid.input.features import check
from wavegrid.input.features.capabilities import BY_NAME, CAPABILITIES
from wavegrid.input.features.capability import Asked
from wavegrid.input.features.refusals import BY_PAIR, SAME, Refusal
from wavegrid.job.prepare import prepare
from wavegrid.process import core_loader


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the working directory, with the potential of a file; pseudopotentials are read once."""
    path, core = tmp_path_factory.mktemp("features"), core_loader.load()
    feature_inputs.write_files(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        patch.setattr(core, "pseudopotential_info", functools.cache(core.pseudopotential_info))
        yield path


def refusal(folder: Path, *names: str) -> str:
    """Return the message with which the input of capabilities is refused, without file and line; empty for none."""
    path = folder / "in.toml"
    path.write_text(feature_inputs.text(*names))
    try:
        prepare(core_loader.load(), path)
    except InputError as fault:
        return re.sub(r"^\S*in\.toml:\d+: ", "", str(fault))
    return ""


def pattern(message: str) -> str:
    """Return the pattern of a declared message."""
    return re.sub(r"\\{(first|second)?\\}", ".+", re.escape(message)) if message else ""


def fits(declared: Refusal | None, found: str) -> bool:
    """Return whether an answer is the declared one."""
    return not found if declared is None else bool(re.fullmatch(pattern(declared.message), found))


def test_every_capability_has_an_input(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the input asks for it."""
    asked: list[Asked] = []
    monkeypatch.setattr(check, "check", lambda _, found: asked.append(found))
    for one in CAPABILITIES:
        if one.key:
            assert refusal(folder, one.name) == ""
            assert one.asked(asked[-1]), one.name


def test_every_refusal_is_of_known_capabilities() -> None:
    """A pair is refused once."""
    for pair in BY_PAIR:
        assert pair <= BY_NAME.keys()


@pytest.mark.parametrize("part", range(4))
def test_all_pairs(folder: Path, part: int) -> None:
    """Accepted or refused, as declared."""
    wrong = []
    for first, second in itertools.islice(feature_inputs.pairs(), part, None, 4):
        declared = BY_PAIR.get(frozenset((first.name, second.name)))
        found = refusal(folder, first.name, second.name)
        if not fits(declared, found):
            wrong.append(f"{first.name} + {second.name}: {found or 'accepted'}")
    assert not wrong, "\n".join(wrong)


def test_the_library_refuses_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that uses it without our check is refused, in its own words."""
    monkeypatch.setattr(check, "check", lambda *_: None)
    wrong = []
    for one in BY_PAIR.values():
        combined = feature_inputs.combine(BY_NAME[one.first], BY_NAME[one.second])
        if not combined or (one.elsewhere and not one.library):
            continue
        found = refusal(folder, one.first, one.second)
        expected = pattern(one.library.replace(SAME, one.message))
        if not re.fullmatch(expected, found):
            wrong.append(f"{one.first} + {one.second}: {found or 'accepted'}")
    assert not wrong, "\n".join(wrong)
