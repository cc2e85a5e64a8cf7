"""The result of a calculation in Python: all that result.json holds as attributes, with tables and plots."""

import io
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError
from rich.console import Console

from wavegrid.errors import InputError, did_you_mean
from wavegrid.files import readable
from wavegrid.files.names import RESULT
from wavegrid.model import result as model
from wavegrid.model.tasks import MOTION
from wavegrid.results import derivative_tables
from wavegrid.results.closing import line
from wavegrid.results.motion import part_name
from wavegrid.results.report import SCHEMA_VERSION, result_table

if TYPE_CHECKING:
    from ase import Atoms
    from ase.spectrum.band_structure import BandStructure
    from matplotlib.figure import Figure

_WIDTH = 100  # of printed tables
_HTML = "<pre style='line-height: 1.2'>{code}</pre>"


class Result(model.Result):
    """The content of result.json (docs/result.md): energies in Ha, lengths in bohr, unless a name says otherwise.

    `print(result)` shows the tables of the command, a notebook too. Parts that a calculation does not have are None.
    """

    def __str__(self) -> str:
        """Return energies, counts, times, forces and stress as tables."""
        console = self._print(Console(file=io.StringIO(), width=_WIDTH))
        return str(console.file.getvalue()).rstrip("\n")  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        """Return title, free energy and whether it converged."""
        state = "converged" if self.converged else "not converged"
        return f"<Result '{self.title}': free energy {self.energy.free:.8f} Ha, {state}>"

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        console = self._print(Console(file=io.StringIO(), width=_WIDTH, record=True, force_jupyter=False))
        return console.export_html(inline_styles=True, code_format=_HTML)

    def _print(self, console: Console) -> Console:
        console.print(result_table(self))
        for table in derivative_tables.tables(self):
            console.print(table)
        console.print(line(self), style="bold", highlight=False)
        return console

    def atoms(self) -> "Atoms":
        """Return the structure as ASE's Atoms, with energy, forces and stress in ASE's units where there are any.

        They have the constraints and the initial magnetic moments of the calculation.
        """
        from ase.io import read

        from wavegrid.results.extxyz import render

        text = io.StringIO(render(self).decode())
        found = read(text, format="extxyz")
        assert not isinstance(found, list)
        if (masks := found.arrays.pop("fixed_fractional", None)) is not None:
            from ase.constraints import FixScaled

            more = [FixScaled(index, mask) for index, mask in enumerate(masks) if mask.any()]
            found.set_constraint([*found.constraints, *more])
        return found

    def plot_structure(self, file: str | Path | None = None) -> "Figure":
        """Return a plot of the cell and its atoms, seen along z and along y; also save it where a file is named."""
        from wavegrid.plots import structure

        return _saved(structure.draw(self.atoms()), file)

    def plot_convergence(self, file: str | Path | None = None) -> "Figure":
        """Return a plot of the estimated error over the SCF steps; also save it where a file is named."""
        from wavegrid.plots import convergence

        return _saved(convergence.draw(self.title, self.scf_history), file)

    def band_structure(self) -> "BandStructure":
        """Return the bands as ASE's BandStructure: energies in eV from the Fermi level, or the top of the valence
        bands, as reference.

        Raises InputError where the task was not "bands".
        """
        from wavegrid.results.ase_bands import ase_band_structure

        if self.bands is None:
            raise InputError(f"the result of '{self.title}' has no bands; valid: one of task = {{'kind': 'bands'}}")
        return ase_band_structure(self.atoms(), self.bands)

    def plot_bands(self, file: str | Path | None = None) -> "Figure":
        """Return a plot of the bands, energies in eV; raises InputError where the task was not "bands"."""
        from wavegrid.plots import spectra

        if self.bands is None:
            raise InputError(f"the result of '{self.title}' has no bands; valid: one of task = {{'kind': 'bands'}}")
        return _saved(spectra.draw_bands(self.title, self.bands, self.structure.species), file)

    def plot_dos(self, file: str | Path | None = None) -> "Figure":
        """Return a plot of the density of states, in 1/eV; raises InputError where the task was not "dos"."""
        from wavegrid.plots import spectra

        if self.dos is None:
            raise InputError(
                f"the result of '{self.title}' has no density of states; valid: one of task = {{'kind': 'dos'}}"
            )
        return _saved(spectra.draw_dos(self.title, self.dos, self.band_gap), file)

    def plot_potential(self, file: str | Path | None = None) -> "Figure":
        """Return a plot of the potential across a slab, eV; raises InputError where the crystal is none."""
        from wavegrid.plots import potential

        if self.vacuum is None:
            raise InputError(
                f"the result of '{self.title}' has no vacuum along one lattice direction alone, and so no levels of it "
                "and no work function; valid: a slab"
            )
        return _saved(potential.draw_across(self.title, self.vacuum, self.fermi_level), file)

    def plot_motion(self, file: str | Path | None = None) -> "Figure":
        """Return the plot of a task of many geometries; raises InputError for one geometry."""
        from wavegrid.plots import motion

        if part_name(self) is None:
            tasks = ", ".join(f"{name} = {{}}" for name in MOTION)
            raise InputError(f"the result of '{self.title}' has one geometry; valid: one of {tasks}")
        return _saved(motion.draw(self.title, self), file)


@cache
def _adapter() -> TypeAdapter[Result]:
    return TypeAdapter(Result)


def checked(content: dict[str, Any]) -> Result:
    """Return the result with the content of a result.json."""
    return _adapter().validate_python(content)


def load(path: str | Path) -> Result:
    """Return the result of an earlier run: a result.json, or the directory that holds it; raises InputError."""
    place = Path(path)
    file = place / RESULT if place.is_dir() else place
    if reason := readable.refusal(file, None):
        near = did_you_mean(file.name, readable.neighbours(file, ".json")) if reason == readable.MISSING else ""
        raise InputError(f"{file}: {reason}; valid: a result.json of wavegrid, or its directory{near}")
    try:
        return _adapter().validate_json(file.read_bytes())
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        reason = f"{where}: {first['msg']}" if where else first["msg"]
        if first["loc"] == ("schema_version",) and first["type"] == "literal_error":
            reason = f"its schema_version is {first['input']}, that of this version {SCHEMA_VERSION}"
        raise InputError(f"{file}: not a result of this version of wavegrid ({reason}); valid: a result.json") from None
    except OSError as fault:
        raise InputError(f"{file}: cannot be read: {fault.strerror}; valid: a result.json") from None


def _saved(figure: "Figure", file: str | Path | None) -> "Figure":
    if file is not None:
        from wavegrid.plots import files as plots

        plots.check(Path(file))
        plots.save(figure, Path(file))
    return figure
