"""Mistakes in the command line itself, such as an unknown option: one line on stderr, as for every other mistake."""

import sys
from collections.abc import Sequence
from typing import Any

from typer.core import TyperGroup

from wavegrid.base.text import printable
from wavegrid.errors import EXIT_BAD_INPUT, did_you_mean

_LONGEST = 500  # characters of a message


class Group(TyperGroup):
    """A group of commands whose help shows the whole first paragraph of each."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands."""
        for command in self.commands.values():
            command.short_help = " ".join((command.help or "").split("\n\n")[0].split())
        super().format_commands(ctx, formatter)


class Program(Group):
    """The group of all commands; the parser's own report of a mistake has four lines and a frame."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line and end the process with its exit code, or return it where not standalone."""
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except Exception as fault:  # the parser's classes have other names in other versions
            if not standalone_mode or not hasattr(fault, "format_message"):
                raise
            if type(fault).__name__ == "NoArgsIsHelpError":
                fault.show()  # type: ignore[attr-defined]
            else:
                print(f"error: {_explain(fault)}", file=sys.stderr)
            sys.exit(EXIT_BAD_INPUT)
        if not standalone_mode:
            return code
        sys.exit(code if isinstance(code, int) else 0)


def _explain(fault: Any) -> str:
    """Return the parser's message with what is valid and the nearest name."""
    message = " ".join(fault.format_message().partition(" Did you mean")[0].split()).rstrip(".")
    message = printable(message[:1].lower() + message[1:])[:_LONGEST]
    context = getattr(fault, "ctx", None)
    commands = getattr(getattr(context, "command", None), "commands", {})
    if commands and message.startswith("no such command"):
        return f"{message}; valid: {', '.join(commands)}{did_you_mean(message.split(chr(39))[1], commands)}"
    return message if context is None else f"{message}; valid: see '{context.command_path} --help'"
