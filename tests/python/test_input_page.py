"""The blocks of docs/input.md are valid inputs."""

import re
from pathlib import Path

import pytest
from ase import Atoms
from ase.io import write

from wavegrid.job.prepare import prepare
from wavegrid.process import core_loader

PAGE = (Path(__file__).parents[2] / "docs/input.md").read_text()
BLOCKS = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.S | re.M)
OTHERS = {
    "[structure]": BLOCKS[0].removeprefix("[structure]\n"),
    "[basis]": 'ecut = "20 Ha"\n',
    "[electrons]": 'xc = "PBE"\npseudopotentials = "gth-pbe"\n',
}


def completed(block: str) -> str:
    """Return an input file: the block, the required keys that its section lacks, and the other required sections."""
    if block.startswith("[electrons.hubbard]"):  # whose element needs a potential with orbitals
        potential = f'{{ Si = "{Path(__file__).parents[1] / "reference/projections/Si.UPF"}" }}'
        others = {"[structure]": re.sub(r'\["H"', '["Si"', OTHERS["[structure]"]), "[basis]": OTHERS["[basis]"]}
        others["[electrons]"] = f'xc = "PBE"\npseudopotentials = {potential}\n'
        block = block.replace('Ni = { shell = "3d"', 'Si = { shell = "3p"')
        return block + "".join(f"{name}\n{keys}" for name, keys in others.items())
    if block.startswith("[electrons]") and "xc =" not in block:
        block += OTHERS["[electrons]"]
    return block + "".join(f"{name}\n{keys}" for name, keys in OTHERS.items() if name not in block)


def test_each_section_has_a_block() -> None:
    sections = re.findall(r"^<!-- keys: (\S+) -->$", PAGE, re.M)
    sections = [one for one in sections if not one.endswith(".ELEMENT")]  # in the block above
    assert len(BLOCKS) == len(sections) - 2  # not `title`, outside of all sections, and the warnings


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_is_a_valid_input(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "final.xyz", Atoms("H2", [[5, 5, 4.4], [5, 5, 5.6]], cell=[10] * 3, pbc=True))
    path = tmp_path / "in.toml"
    path.write_text(completed(block))
    prepare(core_loader.load(), path)
