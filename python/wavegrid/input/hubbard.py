"""The table [electrons.hubbard] as the core takes it."""

from typing import Any

from wavegrid.errors import did_you_mean
from wavegrid.input.document import Document
from wavegrid.input.models import Input


def starts(document: Document, spec: Input, kind: str, restart: str | None) -> list[dict[str, list[list[float]]]]:
    """Return the initial occupations of each start by element, where there are several; refuse what has only one."""
    given = {} if spec.electrons.hubbard is None else spec.electrons.hubbard.shells()
    several = {name: one.initial_occupations for name, one in given.items() if len(one.initial_occupations or []) > 1}
    if not several:
        return []
    counts = {name: len(found or []) for name, found in several.items()}
    element = next(iter(several))
    key = ("electrons", "hubbard", element, "initial_occupations")
    what = f"hubbard.{element}: {counts[element]} initial occupations"
    if len(set(counts.values())) > 1:
        other = next(name for name in counts if counts[name] != counts[element])
        raise document.error(key, f"{what}, and {counts[other]} of {other}; valid: as many, or one")
    if kind != "scf":
        raise document.error(key, f'{what} with kind = "{kind}"; valid: one, or kind = "scf"')
    if restart is not None:
        raise document.error(key, f"{what} with --restart, whose matrices are the start; valid: one")
    return [{name: (found or [])[number] for name, found in several.items()} for number in range(counts[element])]


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
                "occupations": shell.initial_occupations[0] if shell.initial_occupations else [[], []],
            }
            for element, shell in shells.items()
        },
    }
