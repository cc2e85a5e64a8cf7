"""Every exchange of a run that searches for its transport is reported, kept in transports_file and reused."""

import json
from pathlib import Path

import pytest
from conftest import program

# Two band groups of one rank each: nothing is transposed, but bands, fields and the transforms of fields are exchanged.
ALUMINIUM = """
[structure]
cell = [[0, 3.8, 3.8], [3.8, 0, 3.8], [3.8, 3.8, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Al", 0, 0, 0]]
supercell = [2, 2, 2]
[basis]
ecut = "5 Ha"
[electrons]
xc = "PBE"
pseudopotentials = "gth-pbe"
smearing = { kind = "cold", width = "0.2 eV" }
bands = 32
[scf]
precision = "double"
energy_tolerance = "1e-10 Ha"
[parallel]
band_groups = 2
transports_file = "transports.txt"
[output]
directory = "out"
"""

ON_A_MESH = (
    ALUMINIUM.replace('ecut = "5 Ha"', 'method = "realspace"\nspacing = "0.7 bohr"')
    .replace("supercell = [2, 2, 2]", "supercell = [2, 1, 1]")
    .replace("bands = 32", "bands = 20")
)


@pytest.mark.parametrize("content", [ALUMINIUM, ON_A_MESH], ids=["plane waves", "mesh"])
def test_every_exchange_is_measured_stored_and_reused(tmp_path: Path, content: str) -> None:
    (tmp_path / "al.toml").write_text(content)
    exchanges = []
    for _ in range(2):
        ended = program("run", "al.toml", "--ranks", 2, "--explain", cwd=tmp_path)
        assert ended.returncode == 0, ended.stderr
        parallel = json.loads((tmp_path / "out" / "result.json").read_text())["parallel"]
        exchanges.append({one["name"]: one for one in parallel["exchanges"]})
        assert list(exchanges[-1]) == ["band groups", "field transforms", "field groups"]
        assert parallel["transport"] == exchanges[-1]["band groups"]["transport"]
        for name, one in exchanges[-1].items():
            assert f"transport of {name}: {one['transport']}; {one['reason']}" in ended.stdout
    first, second = exchanges
    stored = dict(line.split(", ", 1) for line in (tmp_path / "transports.txt").read_text().splitlines())
    for name in ("band groups", "field transforms"):
        assert len(first[name]["measured"]) > 1
        assert stored[name].endswith(f"\t{first[name]['transport']}")
        assert second[name]["reason"] == "stored in transports.txt"
        assert second[name]["transport"] == first[name]["transport"]


# Eight k-points in two groups of two ranks and one.
KPOINT_GROUPS = (
    ALUMINIUM.replace("supercell = [2, 2, 2]\n", "")
    .replace("bands = 32", "kpoints = { mesh = [2, 2, 2] }")
    .replace("band_groups = 2", "kpoint_groups = 2")
)


@pytest.mark.parametrize(
    ("name", "content", "code", "message"),
    [
        ("missing/t.txt", None, 3, "transports cannot be written to 'missing/t.txt': no folder 'missing'"),
        ("/proc/t.txt", None, 3, "transports cannot be written to '/proc/t.txt'"),  # found after the calculation
        ("t.txt", "shape\tring\ngarbage\n", 2, "t.txt:2: 'garbage' is no 'shape<tab>transport'"),
        ("t.txt", "shape\tpigeon\n", 2, "t.txt:1: unknown transport 'pigeon'; valid: alltoallv, "),
    ],
)
def test_a_bad_file_is_one_error_on_ranks_in_groups(
    tmp_path: Path, name: str, content: str | None, code: int, message: str
) -> None:
    (tmp_path / "al.toml").write_text(KPOINT_GROUPS.replace("transports.txt", name))
    if content is not None:
        (tmp_path / name).write_text(content)
    ended = program("run", "al.toml", "--ranks", 3, cwd=tmp_path)
    assert ended.returncode == code, ended.stderr
    errors = [line for line in ended.stderr.splitlines() if not line.startswith("warning: ")]
    assert len(errors) == 1
    assert errors[0].startswith(f"error: {message}")
    assert (" double " in ended.stdout) == (name == "/proc/t.txt")  # whether steps were made
    assert not (tmp_path / "out" / "result.json").exists()
