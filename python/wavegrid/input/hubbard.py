"""The table [electrons.hubbard] as the core takes it."""

from typing import Any

from wavegrid.errors import did_you_mean
from wavegrid.input.document import Document
from wavegrid.input.models import Input

Start = tuple[str, int, list[list[float]]]
"""element, number of the shell in the input, and its occupations"""


def starts(document: Document, spec: Input, kind: str, restart: str | None) -> list[list[Start]]:
    """Return the initial occupations of each start, where there are several; refuse what has only one."""
    given = {} if spec.electrons.hubbard is None else spec.electrons.hubbard.shells()
    several = [
        (name, number, shell.initial_occupations)
        for name, shells in given.items()
        for number, shell in enumerate(shells)
        if shell.initial_occupations is not None and len(shell.initial_occupations) > 1
    ]
    if not several:
        return []
    element, _, found = several[0]
    key = ("electrons", "hubbard", element, "initial_occupations")
    what = f"hubbard.{element}: {len(found)} initial occupations"
    for other, _, others in several:
        if len(others) != len(found):
            raise document.error(key, f"{what}, and {len(others)} of {other}; valid: as many, or one")
    if kind != "scf":
        raise document.error(key, f'{what} with kind = "{kind}"; valid: one, or kind = "scf"')
    if restart is not None:
        raise document.error(key, f"{what} with --restart, whose matrices are the start; valid: one")
    return [[(name, number, of_shell[start]) for name, number, of_shell in several] for start in range(len(found))]


def settings(document: Document, spec: Input, species: list[str]) -> dict[str, Any] | None:
    """Return the projectors and the shells by element; refuse elements that the structure does not have."""
    given = spec.electrons.hubbard
    if given is None:
        return None
    shells = given.shells()
    for element in shells:
        if element not in species:
            raise document.error(
                ("electrons", "hubbard", element),
                f"hubbard.{element}: the structure has no such element; valid: {', '.join(species)}"
                + did_you_mean(element, species),
            )
    if not shells:
        raise document.error(("electrons", "hubbard"), f"hubbard has no element; valid: {species[0]} = {{ shell, u }}")
    return {
        "projectors": given.projectors,
        "shells": {
            element: [
                {
                    "shell": shell.shell.casefold(),
                    "u": shell.u,
                    "j": shell.j,
                    "occupations": shell.initial_occupations[0] if shell.initial_occupations else [[], []],
                }
                for shell in of_element
            ]
            for element, of_element in shells.items()
        },
    }
