"""`wavegrid help` and `wavegrid completion`."""

from typing import Annotated

import typer

from wavegrid.cli.guard import guarded
from wavegrid.errors import InputError, did_you_mean

SHELLS = ("bash", "zsh", "fish")
PROGRAM = "wavegrid"
COMPLETE = "_WAVEGRID_COMPLETE"  # set by the scripts when the shell asks for completions


@guarded
def help_(
    context: typer.Context,
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[COMMAND]...", help="For example: run, or bench fft.")
    ] = None,
) -> None:
    """Print the help of wavegrid or of one of its commands, as `wavegrid COMMAND --help` does."""
    at = context.find_root()
    for name in command or []:
        known = getattr(at.command, "commands", {})
        if name not in known:
            names = ", ".join(known) if known else f"'{at.command_path}' has no further commands"
            raise InputError(
                f"help {' '.join(command or [])}: unknown '{name}'; valid: {names}{did_you_mean(name, known)}"
            )
        at = type(at)(known[name], info_name=name, parent=at)
    typer.echo(at.get_help())


@guarded
def completion(shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish")]) -> None:
    """Print the script that completes commands and options in SHELL.

    bash: eval "$(wavegrid completion bash)" in ~/.bashrc; zsh: the same with zsh in ~/.zshrc, after compinit;
    fish: wavegrid completion fish > ~/.config/fish/completions/wavegrid.fish
    """
    if shell not in SHELLS:
        raise InputError(f"completion {shell}: unknown; valid: {', '.join(SHELLS)}{did_you_mean(shell, SHELLS)}")
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    typer.echo(get_completion_script(prog_name=PROGRAM, complete_var=COMPLETE, shell=shell))
