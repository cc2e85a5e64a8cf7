"""The cases of tests/reference as inputs, and calculations run from a test."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import scipy.special
from conftest import program, read_result

REFERENCE = Path(__file__).parents[1] / "reference"
# Energy terms: our name and that of the stored references, where it differs.
TERMS = ("kinetic", "hartree", "xc", "ion_ion", "local", "local_g0", "nonlocal", "entropy")
_REFERENCE_NAMES = {"local_g0": "core", "ion_ion": "ewald", "entropy": "smearing"}


def reference(case: str) -> dict:
    """Return the reference values of a case such as "abinit/si2"."""
    return json.loads((REFERENCE / case / "reference.json").read_text())


def energies(case: dict) -> dict[str, float]:
    """Return the free energy and its terms (Ha) of a reference by our names; a key may be a sum such as "xc+ewald"."""
    ours = {theirs: name for name, theirs in _REFERENCE_NAMES.items()}
    return {
        "+".join(ours.get(name, name) for name in names.split("+")): value
        for names, value in case["energies_Ha"].items()
    }


def cases(code: str) -> list[str]:
    """Return the cases of one code by name."""
    return sorted(str(path.parent.relative_to(REFERENCE)) for path in (REFERENCE / code).glob("*/reference.json"))


def entropy_term(result: dict, kind: str, width: float) -> float:
    """Return -TS (Ha) of the levels of a result.json by the formulas of the literature; `width` in Ha.

    Fermi-Dirac: N. D. Mermin, Phys. Rev. 137, A1441 (1965), 10.1103/PhysRev.137.A1441; Gaussian and Methfessel-Paxton:
    M. Methfessel, A. T. Paxton, Phys. Rev. B 40, 3616 (1989), 10.1103/PhysRevB.40.3616, Eq. (17); cold: N. Marzari et
    al., Phys. Rev. Lett. 82, 3296 (1999), 10.1103/PhysRevLett.82.3296.
    """
    levels = np.array(result["eigenvalues"])  # (spins, k, bands)
    weights = np.array([point[3] for point in result["kpoints"]])[:, None] * (2 if len(levels) == 1 else 1)
    x = (result["fermi_level"] - levels) / width
    if kind == "fermi-dirac":
        f, g = 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(x))
        each = scipy.special.xlogy(f, f) + scipy.special.xlogy(g, g)
    elif kind == "gaussian":
        each = -np.exp(-(x**2)) / (2 * np.sqrt(np.pi))
    elif kind == "methfessel-paxton":
        each = -(1 - 2 * x**2) * np.exp(-(x**2)) / (4 * np.sqrt(np.pi))
    else:
        y = x - 1 / np.sqrt(2)
        each = y * np.exp(-(y**2)) / np.sqrt(2 * np.pi)
    return width * float((weights * each).sum())


@dataclass
class Calculation:
    """An input: cell in bohr, fractional coordinates, energies in Ha."""

    cell: list[list[float]]
    atoms: list[list]
    ecut: float
    grid: list[int]
    pseudopotentials: str | dict[str, str] = "gth-lda"
    xc: str = "LDA_XC_TETER93"
    bands: int | None = None
    smearing: tuple[str, float] | None = None
    supercell: list[int] = field(default_factory=lambda: [1, 1, 1])
    scf: dict[str, object] = field(default_factory=dict)
    parallel: dict[str, object] = field(default_factory=dict)

    @classmethod
    def of(cls, case: dict) -> "Calculation":
        """Return the calculation that a reference.json describes."""
        structure, smearing = case["structure"], case["smearing"]
        assert structure["coordinates"] == "fractional"
        assert case["kpoints"] == [[0, 0, 0]]
        return cls(
            cell=structure["cell_bohr"],
            atoms=structure["atoms"],
            ecut=case["ecut_Ha"],
            grid=case["grid"],
            pseudopotentials=structure["pseudopotentials"],
            xc=case["xc"],
            bands=case["bands"],
            smearing=smearing and (smearing["kind"], smearing["width_Ha"]),
        )

    def text(self, tolerance: float) -> str:
        """Return the input file; JSON's numbers, strings and lists are TOML's too."""
        table = self.pseudopotentials
        if isinstance(table, dict):
            table = "{ " + ", ".join(f'{element} = "{name}"' for element, name in table.items()) + " }"
        else:
            table = f'"{table}"'
        lines = ["[structure]", f"cell = {self.cell}", 'unit = "bohr"', f"atoms = {json.dumps(self.atoms)}"]
        lines += ['coordinates = "fractional"', f"supercell = {self.supercell}"]
        lines += ["[basis]", f'ecut = "{self.ecut} Ha"', f"grid = {self.grid}"]
        lines += ["[electrons]", f'xc = "{self.xc}"', f"pseudopotentials = {table}"]
        lines += [f"bands = {self.bands}"] if self.bands else []
        if self.smearing:
            kind, width = self.smearing
            lines += [f'smearing = {{ kind = "{kind}", width = "{width} Ha" }}']
        lines += ["[scf]", f'energy_tolerance = "{tolerance} Ha"']
        lines += [f"{key} = {json.dumps(value)}" for key, value in self.scf.items()]
        lines += ["[parallel]", *(f"{key} = {json.dumps(value)}" for key, value in self.parallel.items())]
        return "\n".join(lines) + "\n"

    def run(self, folder: Path, *, ranks: int = 1, threads: int = 1, tolerance: float = 1e-10) -> dict:
        """Run in `folder`, check that it converged, return result.json."""
        path = folder / "in.toml"
        path.write_text(self.text(tolerance))
        arguments = ("run", path, "--ranks", ranks, "--threads", threads, "--output", folder / "out", "--quiet")
        answer = program(*arguments)
        assert answer.returncode == 0, answer.stderr
        result = read_result(folder / "out")
        assert result["converged"]
        assert result["parallel"]["ranks"] == ranks
        return result
