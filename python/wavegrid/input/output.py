"""Checks of the table [output], and the bands that its orbitals need."""

from wavegrid.files.names import VASP
from wavegrid.input.basis.choose import from_basis
from wavegrid.input.document import Document
from wavegrid.input.models import Input
from wavegrid.input.models.orbitals import Orbitals
from wavegrid.input.structure import Crystal
from wavegrid.input.vacuum import empty_widths

_LUMO = "lumo"
_ORBITALS = ("output", "orbitals")


def empty_bands(table: Orbitals | None) -> int:
    """Return how many empty bands the orbitals need."""
    names = [one for one in table.bands if isinstance(one, str)] if table is not None else []
    return max((1 + int(name.removeprefix(_LUMO) or 0) for name in names if name.startswith(_LUMO)), default=0)


def bands(document: Document, spec: Input, default: int) -> int:
    """Return the bands of a run, with all that are wanted by number; refuse a number beyond those given."""
    table = spec.output.orbitals
    most = max((one for one in table.bands if isinstance(one, int)), default=0) if table is not None else 0
    if spec.electrons.bands is not None and most > default:
        raise document.error(
            (*_ORBITALS, "bands"),
            f"bands = [..., {most}] with [electrons] bands = {default}; valid: 1 to {default}",
        )
    return max(default, most)


def check(document: Document, spec: Input) -> None:
    """Refuse what cannot be made of any run."""
    _check_vasp(document, spec)
    output, table = spec.output, spec.output.orbitals
    if output.surface is not None and len(set(spec.basis.periodic())) > 1:
        raise document.error(
            ("output", "surface"),
            "surface with a boundary that is free in some directions; valid: one that is periodic or free in all",
        )
    if output.checkpoint is None and (output.polarisation or table is not None):
        name = "polarisation" if output.polarisation else "orbitals"
        raise document.error(
            ("output", name), f"{name} with checkpoint = false: the bands are taken from it; valid: checkpoint = true"
        )
    if table is None:
        return
    if not table.bands and table.energies is None and not table.elf:
        raise document.error(_ORBITALS, "orbitals has none of bands, energies and elf; valid: one of them")
    if table.stm_current and table.stm_height is None:
        raise document.error(
            (*_ORBITALS, "stm_current"), "stm_current without stm_height; valid: with the height of the mean current"
        )
    if table.stm_height is not None and table.energies is None:
        raise document.error(
            (*_ORBITALS, "stm_height"), "stm_height without energies; valid: with energies of the states"
        )


def check_slab(document: Document, spec: Input, crystal: Crystal, axis: int | None) -> None:
    """Refuse a plane over the surface of what is no slab, or beyond its vacuum; `axis`: across it."""
    height = None if spec.output.orbitals is None else spec.output.orbitals.stm_height
    if height is None:
        return
    if axis is None:
        raise document.error(
            (*_ORBITALS, "stm_height"),
            "stm_height without a slab; valid: vacuum of 12 bohr along one lattice direction",
        )
    if height > (most := empty_widths(crystal)[axis] / 2):
        raise document.error(
            (*_ORBITALS, "stm_height"),
            f"stm_height = {height:.3g} bohr; valid: to half of the vacuum, {most:.2f} bohr",
        )


def check_average(document: Document, spec: Input, axis: int | None) -> None:
    """Refuse averages of a potential that is not written, or along no direction."""
    output = spec.output
    for name in ("average_axis", "average_width"):
        if getattr(output, name) is None:
            continue
        if output.potential != "electrostatic":
            raise document.error(("output", name), f'{name} without potential = "electrostatic"; valid: with it')
        if axis is None:
            raise document.error(
                ("output", name), f"{name} without a slab; valid: average_axis = 1, 2 or 3 besides, or vacuum"
            )


def check_kpoint(document: Document, spec: Input, kpoints: int) -> None:
    """Refuse the number of a k-point that the run does not have."""
    table = spec.output.orbitals
    if table is not None and table.kpoint is not None and table.kpoint > kpoints:
        raise document.error((*_ORBITALS, "kpoint"), f"kpoint = {table.kpoint} of {kpoints}; valid: 1 to {kpoints}")


def _check_vasp(document: Document, spec: Input) -> None:
    """Refuse VASP's formats where a field is not that of a periodic cell."""
    output = spec.output
    for name, value in (("density", output.density), ("potential_format", output.potential_format)):
        ends = not from_basis(spec.basis).discretisation.repeats_cell and not all(spec.basis.periodic())
        if value in VASP and ends:
            raise document.error(
                ("output", name), f'{name} = "{value}" with a free boundary; valid: "cube", "xsf", or a periodic one'
            )
