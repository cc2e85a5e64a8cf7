"""What is not there yet, and is refused by name: files, functionals, keys and values as users of other programs try."""

from dataclasses import dataclass

from wavegrid.input.locate import KeyPath


@dataclass(frozen=True)
class Planned:
    """A capability that does not exist yet."""

    name: str
    message: str
    """the part of the refusal that names it"""
    key: str = ""
    """of the input; empty: a file or a functional that the library refuses"""
    values: tuple[str, ...] = ()
    """what a user may write at the key; empty: the key itself does not exist, by this or another name of `names`"""
    names: tuple[str, ...] = ()


PLANNED: tuple[Planned, ...] = ()


def message_for_key(key: KeyPath) -> str:
    """Return the refusal of a key that the input does not know; empty where nothing planned has it."""
    section, name = ".".join(map(str, key[:-1])), str(key[-1])
    for one in PLANNED:
        if one.key.rpartition(".")[0] == section and name.casefold() in one.names:
            return f"'{name}': {one.message}; valid: without it"
    return ""


def message_for_value(key: KeyPath, value: object) -> str:
    """Return what is planned of a value that a key does not take; empty where nothing is."""
    dotted = ".".join(map(str, key))
    return next((one.message for one in PLANNED if one.key == dotted and str(value).casefold() in one.values), "")
