"""The bands that [output.orbitals] needs, and checks of this table."""

from wavegrid.input.document import Document
from wavegrid.input.models import Input
from wavegrid.input.models.orbitals import Orbitals

_LUMO = "lumo"


def empty_bands(table: Orbitals | None) -> int:
    """Return how many empty bands the table needs."""
    names = [one for one in table.bands if isinstance(one, str)] if table is not None else []
    return max((1 + int(name.removeprefix(_LUMO) or 0) for name in names if name.startswith(_LUMO)), default=0)


def bands(document: Document, spec: Input, default: int) -> int:
    """Return the bands of a run, with all that the table wants by number; refuse a number beyond those given."""
    table = spec.output.orbitals
    most = max((one for one in table.bands if isinstance(one, int)), default=0) if table is not None else 0
    if spec.electrons.bands is not None and most > default:
        raise document.error(
            ("output", "orbitals", "bands"),
            f"bands = [..., {most}] with [electrons] bands = {default}; valid: 1 to {default}",
        )
    return max(default, most)


def check(document: Document, spec: Input) -> None:
    """Refuse what cannot be made of any run."""
    table = spec.output.orbitals
    if spec.output.polarisation and spec.output.checkpoint is None:
        raise document.error(
            ("output", "polarisation"),
            "the polarisation is made of the checkpoint, which is off; valid: checkpoint = true",
        )
    if table is None:
        _check_vasp(document, spec)
        return
    if not table.bands and table.energies is None and not table.elf:
        raise document.error(("output", "orbitals"), "orbitals has none of bands, energies and elf; valid: one of them")
    if spec.output.checkpoint is None:
        raise document.error(
            ("output", "orbitals"), "orbitals are made of the checkpoint, which is off; valid: checkpoint = true"
        )
    if table.stm_height is not None and table.energies is None:
        raise document.error(
            ("output", "orbitals", "stm_height"), "stm_height without energies; valid: with energies of the states"
        )
    _check_vasp(document, spec)


def check_slab(document: Document, spec: Input, axis: int | None) -> None:
    """Refuse a plane over the surface of what is no slab; `axis`: across it."""
    table = spec.output.orbitals
    if table is not None and table.stm_height is not None and axis is None:
        raise document.error(
            ("output", "orbitals", "stm_height"),
            "stm_height without a slab; valid: vacuum of 12 bohr along one lattice direction",
        )


def check_kpoint(document: Document, spec: Input, kpoints: int) -> None:
    """Refuse the number of a k-point that the run does not have."""
    table = spec.output.orbitals
    if table is not None and table.kpoint is not None and table.kpoint > kpoints:
        raise document.error(
            ("output", "orbitals", "kpoint"), f"kpoint = {table.kpoint} of {kpoints}; valid: 1 to {kpoints}"
        )


def _check_vasp(document: Document, spec: Input) -> None:
    """Refuse VASP's formats where a field is not that of a periodic cell."""
    output = spec.output
    for name, value in (("density", output.density), ("potential_format", output.potential_format)):
        if value in ("chgcar", "locpot") and not all(spec.basis.periodic()):
            raise document.error(
                ("output", name), f'{name} = "{value}" with a free boundary; valid: "cube", "xsf", or a periodic one'
            )
