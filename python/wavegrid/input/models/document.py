"""A whole input file."""

from typing import Annotated

from wavegrid.input.fields import Kind, Section, key, text
from wavegrid.input.models.anisotropy import Anisotropy
from wavegrid.input.models.basis import Basis
from wavegrid.input.models.casida import Casida
from wavegrid.input.models.electrons import Electrons
from wavegrid.input.models.external import External
from wavegrid.input.models.output import Output
from wavegrid.input.models.parallel import Parallel
from wavegrid.input.models.propagate import Propagate
from wavegrid.input.models.scf import Scf
from wavegrid.input.models.series import Elastic, Eos, Neb, Phonon, Vibrations
from wavegrid.input.models.structure import Structure, Symmetry
from wavegrid.input.models.tasks import Md, Relax, Task
from wavegrid.input.models.wannier import Wannier


class Input(Section):
    """A whole input file."""

    title: Annotated[str, text("text", "a text in quotes", least=0)] = key(
        "", "title of the run in its output", omitted="the name of the input file"
    )
    structure: Annotated[Structure, Kind("table", "a section [structure] with the cell and the atoms")] = key(
        ..., "cell and atoms"
    )
    basis: Annotated[Basis, Kind("table", "a section [basis] with ecut")] = key(
        ..., "plane waves and FFT grid, or a mesh in real space"
    )
    electrons: Annotated[Electrons, Kind("table", "a section [electrons] with xc and pseudopotentials")] = key(
        ..., "functional, pseudopotentials, k-points, bands, occupations"
    )
    symmetry: Annotated[Symmetry, Kind("table", "a section [symmetry]")] = key(Symmetry, "symmetry of the crystal")
    external: Annotated[External | None, Kind("table", "a section [external]")] = key(
        None, "field from outside", omitted="none"
    )
    scf: Annotated[Scf, Kind("table", "a section [scf]")] = key(Scf, "self-consistency loop")
    parallel: Annotated[Parallel, Kind("table", "a section [parallel]")] = key(Parallel, "distribution over ranks")
    task: Annotated[Task, Kind("table", "a section [task]")] = key(Task, "what is computed")
    relax: Annotated[Relax, Kind("table", "a section [relax]")] = key(Relax, "relaxation of atoms and cell")
    md: Annotated[Md, Kind("table", "a section [md]")] = key(Md, "molecular dynamics")
    eos: Annotated[Eos, Kind("table", "a section [eos]")] = key(Eos, "equation of state")
    elastic: Annotated[Elastic, Kind("table", "a section [elastic]")] = key(Elastic, "elastic constants")
    phonon: Annotated[Phonon, Kind("table", "a section [phonon]")] = key(Phonon, "phonons")
    vibrations: Annotated[Vibrations, Kind("table", "a section [vibrations]")] = key(
        Vibrations, "vibrations of a molecule"
    )
    neb: Annotated[Neb, Kind("table", "a section [neb]")] = key(Neb, "reaction path")
    propagate: Annotated[Propagate, Kind("table", "a section [propagate]")] = key(Propagate, "electrons in time")
    casida: Annotated[Casida, Kind("table", "a section [casida]")] = key(Casida, "excitations of a molecule")
    anisotropy: Annotated[Anisotropy, Kind("table", "a section [anisotropy]")] = key(Anisotropy, "magnetic anisotropy")
    wannier: Annotated[Wannier, Kind("table", "a section [wannier]")] = key(Wannier, "input of Wannier90")
    output: Annotated[Output, Kind("table", "a section [output]")] = key(Output, "files that the run writes")
