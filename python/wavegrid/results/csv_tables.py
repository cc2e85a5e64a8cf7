"""The numbers of a task as a table of comma-separated values, for spreadsheets and plotting programs."""

from collections.abc import Sequence

from wavegrid.model.motion import EquationOfState
from wavegrid.model.result import Result
from wavegrid.model.series import ElasticConstants, Phonons, ReactionPath, Vibrations
from wavegrid.results.equation_of_state import from_part
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV, HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM

Columns = dict[str, Sequence[float | int | str | None]]


def render(content: Result) -> bytes:
    """Return the table of a result that has one."""
    if content.equation_of_state is not None:
        head, columns = _equation_of_state(content.equation_of_state)
    elif content.vibrations is not None:
        head, columns = _vibrations(content.vibrations)
    elif content.reaction_path is not None:
        head, columns = _reaction_path(content.reaction_path)
    elif content.phonons is not None:
        head, columns = _phonons(content.phonons)
    else:
        assert content.elastic is not None
        head, columns = _elastic(content.elastic)
    lines = [f"# {head}, by wavegrid", ",".join(columns)]
    rows = zip(*columns.values(), strict=True)
    lines += [",".join(map(_cell, row)) for row in rows]
    return "\n".join(lines).encode() + b"\n"


def _equation_of_state(part: EquationOfState) -> tuple[str, Columns]:
    volumes = [one.volume for one in part.volumes]
    columns: Columns = {
        "volume_A3": [volume * BOHR_IN_ANGSTROM**3 for volume in volumes],
        "free_energy_eV": [one.free_energy * HARTREE_IN_EV for one in part.volumes],
    }
    if part.fit is not None:
        columns["birch_murnaghan_eV"] = (from_part(part.fit).energies(volumes) * HARTREE_IN_EV).tolist()
    if part.vinet is not None:
        columns["vinet_eV"] = (from_part(part.vinet, "vinet").energies(volumes) * HARTREE_IN_EV).tolist()
    if any(one.magnetisation is not None for one in part.volumes):
        columns["magnetisation"] = [one.magnetisation for one in part.volumes]
    return "equation of state", columns


def _elastic(part: ElasticConstants) -> tuple[str, Columns]:
    names = ("xx", "yy", "zz", "yz", "xz", "xy")
    constants = part.constants_GPa or []
    rows = zip(*constants, strict=True) if constants else [()] * len(names)
    return "elastic constants, GPa", {"stress": names[: len(constants)]} | dict(zip(names, rows, strict=True))


def _phonons(part: Phonons) -> tuple[str, Columns]:
    if part.bands is None:
        return "phonon bands", {}
    branches = zip(*part.bands.frequencies_THz, strict=True)
    columns: Columns = {"path_per_bohr": part.bands.x}
    return "phonon bands", columns | {f"branch_{i}_THz": branch for i, branch in enumerate(branches, 1)}


def _vibrations(part: Vibrations) -> tuple[str, Columns]:
    modes = part.modes or []
    columns: Columns = {"frequency_per_cm": [mode.frequency_per_cm for mode in modes]}
    columns |= {"reduced_mass_amu": [mode.reduced_mass for mode in modes]}
    if part.egg_box_energy is not None:
        columns["egg_box_error_per_cm"] = [mode.egg_box_error_per_cm for mode in modes]
    return "vibrations", columns


def _reaction_path(part: ReactionPath) -> tuple[str, Columns]:
    return "reaction path", {
        "distance_A": [image.distance * BOHR_IN_ANGSTROM for image in part.images],
        "free_energy_eV": [image.free_energy * HARTREE_IN_EV for image in part.images],
        "force_eV_per_A": [image.largest_force * HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM for image in part.images],
    }


def _cell(value: float | int | str | None) -> str:
    if value is None:
        return ""
    return f"{value:.12g}" if isinstance(value, float) else str(value)
