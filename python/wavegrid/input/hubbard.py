"""The table [electrons.hubbard] as the core takes it."""

from typing import Any

from wavegrid.errors import did_you_mean
from wavegrid.input.document import Document
from wavegrid.input.models import Input


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
            element: {
                "shell": shell.shell.casefold(),
                "u": shell.u,
                "j": shell.j,
                "occupations": shell.initial_occupations or [[], []],
            }
            for element, shell in shells.items()
        },
    }
