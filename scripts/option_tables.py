"""The tables of docs/command.md: every command and option, as the command line itself has them."""

from collections.abc import Iterator
from typing import Any

import typer

from wavegrid.cli.main import app

_BOTH = ("run", "check")  # share a table


def tables() -> dict[str, list[str]]:
    """Return the lines of each table by its name: `run` for `run` and `check`, `others` for the other commands."""
    commands = dict(_commands(typer.main.get_command(app)))
    run, check = (commands.pop(name) for name in _BOTH)
    of_run, of_check = ({one.name for one in _options(command)} for command in (run, check))
    both = ["| option | of | meaning | default |", "|---|---|---|---|"]
    both += [_row(_usage(one), "both" if one.name in of_check else "`run`", *_meaning(one)) for one in _options(run)]
    both += [_row(_usage(one), "`check`", *_meaning(one)) for one in _options(check) if one.name not in of_run]
    others = ["| command | option | meaning | default |", "|---|---|---|---|"]
    for name, command in commands.items():
        words = [name, *(one.metavar or one.name.upper() for one in command.params if one not in _options(command))]
        others.append(_row(f"`{' '.join(words)}`", "", command.help.split("\n")[0].removesuffix("."), ""))
        others += [_row("", _usage(one), *_meaning(one)) for one in _options(command)]
    return {"run": both, "others": others}


# The parser is click, or a copy of it in Typer: its classes have no one name, hence Any.
def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    if hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from _commands(inner, (*path, name))
    else:
        yield " ".join(path), command


def _options(command: Any) -> list[Any]:
    return [one for one in command.params if one.param_type_name == "option"]


def _usage(option: Any) -> str:
    values = (option.metavar or "").split("|")
    last = f" or `{values.pop()}`" if len(values) > 1 else ""
    words = [f"`{f'{name} {values[0]}'.rstrip()}`" for name in option.opts] + [f"`{value}`" for value in values[1:]]
    return ", ".join(words) + last


def _meaning(option: Any) -> tuple[str, str]:
    default = "" if option.default in (None, False) else f"`{option.default}`"
    return (option.help or "").removesuffix("."), default


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("\\[", "[").replace("|", "\\|") for cell in cells) + " |"
