"""Tables of bands and densities of states, and bands with the parts of the atoms."""

import csv
from pathlib import Path

import numpy as np
import pytest
from conftest import program, read_result

from wavegrid.model.spectra import BandGap, Bands
from wavegrid.results import effective_masses
from wavegrid.units import HARTREE_IN_EV

INPUT = """\
[structure]
cell = [[0, 5.1, 5.1], [5.1, 0, 5.1], [5.1, 5.1, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Ga", 0, 0, 0], ["As", 0.25, 0.25, 0.25]]
[basis]
ecut = "6 Ha"
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
{electrons}
[task]
{task}
"""


def run(folder: Path, task: str, electrons: str, ranks: int = 2) -> dict:
    """Run gallium arsenide and return result.json."""
    folder.mkdir()
    (folder / "in.toml").write_text(INPUT.format(task=task, electrons=electrons))
    answer = program("run", folder / "in.toml", "--output", folder / "out", "--ranks", ranks, "--quiet")
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def table(path: Path) -> dict[str, np.ndarray]:
    """Return the columns of a table."""
    lines = path.read_text().splitlines()
    assert lines[0].startswith("# ") and "by wavegrid" in lines[0]
    names, *rows = csv.reader(lines[1:])
    return dict(zip(names, np.array(rows, float).T, strict=True))


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_bands_have_a_table_and_parts(tmp_path: Path, ranks: int) -> None:
    electrons = 'kpoints = { mesh = [2, 2, 2], path = "LGX", points = 9 }'
    bands = run(tmp_path / "run", 'kind = "bands"\nprojections = "l"', electrons, ranks)["bands"]
    found = table(tmp_path / "run/out/bands.csv")
    levels = np.array(bands["eigenvalues"][0]) * HARTREE_IN_EV
    assert found["x"] == pytest.approx(bands["x"], abs=1e-6)
    assert np.array([found[f"k{i}"] for i in (1, 2, 3)]).T == pytest.approx(np.array(bands["kpoints"]), abs=1e-7)
    assert np.array([found[f"band{n + 1}"] for n in range(levels.shape[1])]).T == pytest.approx(levels, abs=1e-5)
    parts = bands["projections"]
    weights = np.array(parts["weights"])
    assert weights.shape == (1, *levels.shape, len(parts["atoms"]))
    assert (weights.sum(axis=3) < 1 + 1e-3).all()
    names = list(zip(parts["atoms"], parts["orbitals"], strict=True))
    gamma = int(np.argmin(np.linalg.norm(bands["kpoints"], axis=1)))
    assert weights[0, gamma, 0, names.index((2, "s"))] > 0.5  # the lowest band is s of arsenic
    assert weights[0, gamma, 0, names.index((2, "p"))] == pytest.approx(0, abs=1e-3)
    assert weights[0, gamma, 3, names.index((2, "p"))] > 0.5


def test_a_density_of_states_has_a_table(tmp_path: Path) -> None:
    electrons = 'kpoints = { mesh = [2, 2, 2] }\nspin = "collinear"\ntotal_magnetisation = 0'
    dos = run(tmp_path / "run", 'kind = "dos"', electrons)["dos"]
    found = table(tmp_path / "run/out/dos.csv")
    assert found["energy"] == pytest.approx(np.array(dos["energies"]) * HARTREE_IN_EV, abs=1e-5)
    assert found["dos_down"] == pytest.approx(np.array(dos["density_of_states"][1]) / HARTREE_IN_EV, abs=1e-6)
    assert found["states_below_up"] == pytest.approx(dos["integrated_density_of_states"][0], abs=1e-6)
    part = dos["projections"]["atoms"][1]["orbitals"][0]
    assert found["As2_s_up"] == pytest.approx(np.array(part["density_of_states"][0]) / HARTREE_IN_EV, abs=1e-6)


def test_harmonics_add_up_and_follow_the_symmetry(tmp_path: Path) -> None:
    kpoints = "kpoints = { mesh = [3, 3, 2] }"
    found = {}
    for name, key, symmetry in (("l", "l", "true"), ("lm", "lm", "true"), ("whole", "lm", "false")):
        task = f'kind = "dos"\npoints = 201\nprojections = "{key}"\n[symmetry]\nuse = {symmetry}'
        atoms = run(tmp_path / name, task, kpoints)["dos"]["projections"]["atoms"]
        found[name] = [
            {one.get("harmonic", one["l"]): np.array(one["density_of_states"][0]) for one in atom["orbitals"]}
            for atom in atoms
        ]
    for alone, each, whole in zip(found["l"], found["lm"], found["whole"], strict=True):
        assert list(each) == ["s", "py", "pz", "px"]
        assert each["px"] + each["py"] + each["pz"] == pytest.approx(alone["p"], abs=1e-4)
        assert each["s"] == pytest.approx(alone["s"], abs=1e-5)
        for name, values in each.items():
            assert values == pytest.approx(whole[name], abs=2e-2)
    assert np.abs(each["px"] - each["pz"]).max() > 0.1  # 3 x 3 x 2 points are not cubic


def test_effective_masses_are_those_of_parabolas() -> None:
    x = np.concatenate([np.linspace(0, 0.5, 21), np.linspace(0.5, 1.2, 29)[1:]])
    light, heavy = (-((x - 0.5) ** 2) / (2 * m) + 0.3 * (x - 0.5) ** 4 for m in (0.1, 0.5))
    minimum = (x - 0.76) ** 2 / (2 * 0.25) + 0.1
    levels = np.sort(np.array([light, heavy, minimum]), axis=0).T
    bands = Bands(
        x=x.tolist(),
        kpoints=[(value, 0.0, 0.0) for value in x],
        labels=["L", "G", "X"],
        label_x=[0.0, 0.5, 1.2],
        eigenvalues=[levels.tolist()],
        fermi_level=0.0,
        band_gap=BandGap(
            fundamental=0.1,
            direct=0.2,
            valence_band_maximum=0.0,
            valence_band_maximum_index=20,
            conduction_band_minimum=float(minimum.min()),
            conduction_band_minimum_index=int(minimum.argmin()),
        ),
    )
    found = {(one.edge, one.line, one.band): one.mass for one in effective_masses.at_edges(bands)}
    assert found == {
        ("valence", "L-G", 1): pytest.approx(0.1, rel=1e-3),
        ("valence", "L-G", 2): pytest.approx(0.5, rel=1e-3),
        ("valence", "G-X", 1): pytest.approx(0.1, rel=1e-3),
        ("valence", "G-X", 2): pytest.approx(0.5, rel=1e-3),
        ("conduction", "G-X", 3): pytest.approx(0.25, rel=1e-3),
    }
