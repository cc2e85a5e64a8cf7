"""`check`, `partition` and `version` with the compiled core."""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import fake_core
import pytest
from conftest import EXAMPLES, clean_environment, invoke, program, read_result
from feature_inputs import POTENTIALS
from rich.console import Console

import wavegrid
from wavegrid.display import progress
from wavegrid.job import time_estimate
from wavegrid.job.figures import compute_figures
from wavegrid.job.prepare import prepare
from wavegrid.process import machine

AL4 = EXAMPLES / "al4.toml"
AL108 = EXAMPLES / "al108.toml"


def test_check_prints_what_would_run() -> None:
    answer = program("check", EXAMPLES / "al108.toml", "--ranks", 6, "--json")
    assert answer.returncode == 0, answer.stderr
    figures = json.loads(answer.stdout)
    assert figures["atoms"] == 108
    assert figures["electrons"] == 324
    assert figures["bands"] == 217
    assert figures["plane_waves"] == 7602
    assert figures["grid"] == [48, 48, 48]
    groups = figures["kpoint_groups"], figures["band_groups"]
    assert (figures["ranks"], *groups, figures["rows"], figures["columns"]) == (6, 1, 6, 1, 1)
    assert "1 x 6 x 1 is estimated at" in figures["groups_reason"]
    assert (figures["kpoints"], figures["kpoints_description"], figures["mode"]) == (1, "Gamma", "gamma")
    assert 1e6 < figures["bytes_per_rank"] < 1e10
    assert any("smaller than the default" in note for note in figures["notes"])
    assert (figures["time"]["steps"], figures["time"]["factor"]) == (7, 2)
    assert 0.5 < figures["time"]["seconds"] < 60  # 2 s on a free machine of 6 cores


def test_check_prints_how_one_group_shares_plane_waves(write: Callable[..., Path]) -> None:
    path = write(name="al108.toml")
    path.write_text(AL108.read_text().replace("[parallel]", "[parallel]\nband_groups = 1"))
    figures = json.loads(program("check", path, "--ranks", 6, "--json").stdout)
    assert (figures["band_groups"], figures["rows"], figures["columns"]) == (1, 1, 6)
    assert figures["partition"] == "greedy"
    assert "greedy 1 x 6" in figures["partition_reason"]
    assert "optimized 2 x 3" in figures["partition_reason"]


def test_check_prints_the_same_as_text() -> None:
    answer = program("check", EXAMPLES / "al108.toml")
    assert answer.returncode == 0, answer.stderr
    assert re.search(r"\n  about [0-9.]+ s on this machine, if the loop takes 7 steps: an estimate", answer.stdout)
    for words in ("108 atoms", "324 electrons", "217 bands", "7602 plane waves", "48 x 48 x 48", "note: grid"):
        assert words in answer.stdout


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[16,16,16]", "[10,16,16]", ["too small for the cutoff", ":10:"]),
        ("LDA_XC_TETER93", "LDA_XC_TETER39", ["nearest names", "LDA_XC_TETER93"]),
        ('"gth-lda"', '"gth-lda-q11"', ["gth-lda-q3", ":13:"]),
    ],
)
def test_the_core_agrees_on_what_is_valid(old: str, new: str, words: list, write: Callable[..., Path]) -> None:
    answer = program("check", write((old, new)))
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    for word in words:
        assert word in answer.stderr


def test_a_pseudopotential_file_of_the_user(write: Callable[..., Path]) -> None:
    table = Path(__file__).parents[2] / "python" / "wavegrid" / "data" / "pseudopotentials" / "gth-lda.gth"
    path = write(('"gth-lda"', '{ Al = "my.gth" }'))
    (path.parent / "my.gth").write_text(table.read_text())
    assert program("check", path).returncode == 0
    (path.parent / "my.gth").write_text("nonsense\n")
    answer = program("check", path)
    assert (answer.returncode, f"{path}:13:" in answer.stderr) == (2, True)


def test_partition_prints_a_table() -> None:
    answer = program("partition", EXAMPLES / "al108.toml", "--ranks", "8", "--scheme", "balanced,greedy")
    assert answer.returncode == 0
    assert "1018" in answer.stdout
    assert "946" in answer.stdout
    assert "cyclic" not in answer.stdout


KEYS = {
    "scheme", "ranks", "rows", "columns", "plane_waves", "max", "min", "mean", "imbalance", "sticks_max", "messages",
    "bytes",
}  # fmt: skip


def test_partition_as_json() -> None:
    schemes = ["greedy", "cyclic", "balanced", "optimized"]
    answer = program("partition", AL108, "--ranks", "8,16,24", "--scheme", ",".join(schemes), "--json")
    assert (answer.returncode, answer.stderr) == (0, "")
    rows = json.loads(answer.stdout)
    assert [(row["ranks"], row["scheme"]) for row in rows] == [(n, name) for n in (8, 16, 24) for name in schemes]
    for row in rows:
        assert row.keys() == KEYS
        first, second = row["messages"]
        if row["scheme"] == "greedy":
            assert (first, second) == (row["ranks"] * (row["ranks"] - 1), 0)
        else:
            assert first == row["ranks"] * (row["columns"] - 1)
            assert second == row["ranks"] * (row["rows"] - 1)
        assert [number > 0 for number in row["bytes"]] == [number > 0 for number in row["messages"]]
        # 16 bytes x 48 points of each of 375 sticks, but what a rank keeps
        assert row["bytes"][0] <= 375 * 48 * 16 * (1 - 1 / row["columns"]) + 1e-6 or row["scheme"] == "greedy"


def test_partition_has_the_grid_of_the_default_density_cutoff(tmp_path: Path) -> None:
    """At 8 Ha products of all bands need 20 points per axis, and bands alone 18."""
    silicon = f"""[structure]
cell = [[0, 5.15, 5.15], [5.15, 0, 5.15], [5.15, 5.15, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Si", 0, 0, 0]]
[basis]
ecut = "8 Ha"
[electrons]
xc = "PBE"
pseudopotentials = {{ Si = "{POTENTIALS / "ultrasoft/Si.UPF"}" }}
"""
    found = []
    for text in (silicon, silicon.replace('"8 Ha"', '"8 Ha"\ndensity_ecut = "40 Ha"')):
        (tmp_path / "in.toml").write_text(text)
        answer = program("partition", tmp_path / "in.toml", "--ranks", "2", "--scheme", "greedy", "--json")
        found.append(json.loads(answer.stdout))
    assert found[0] == found[1]


def test_partition_auto_says_why() -> None:
    answer = program("partition", AL108, "--ranks", "8,48", "--scheme", "auto", "--json")
    few, many = json.loads(answer.stdout)
    assert (few["scheme"], few["partition"], many["partition"]) == ("auto", "greedy", "optimized")
    assert few.keys() == KEYS | {"partition", "partition_reason"}
    words = program("partition", AL108, "--ranks", "48", "--scheme", "auto").stdout
    assert "auto: optimized" in words
    assert many["partition_reason"] in words


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_partition_draws_a_plot(suffix: str, tmp_path: Path) -> None:
    plot = tmp_path / f"out.{suffix}"
    plot.write_bytes({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix] + b" an older plot")
    arguments = ("--ranks", "4,19", "--scheme", "greedy,optimized,auto", "--plot", plot, "--json")
    answer = program("partition", EXAMPLES / "al4.toml", *arguments)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert len(json.loads(answer.stdout)) == 6
    assert plot.read_bytes().startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix])
    assert [path.name for path in tmp_path.iterdir()] == [plot.name]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plot", "{folder}/out.toml"], "valid: a name that ends in .png, .pdf or .svg"),
        (["--plot", "{folder}/no/out.png"], "no directory"),
        (["--plot", "{folder}"], "valid: a name that ends in"),
        (["--plot", "{folder}/d.png"], "is a directory"),
        (["--plot", "{folder}/out.png", "--ranks", "1,2,3,4,5,6,7"], "28 partitions do not fit on a page"),
        (["--scheme", "optimised"], "did you mean 'optimized'?"),
        (["--scheme", ""], "valid: greedy, cyclic, balanced, optimized, auto"),
        (["--ranks", "1000000"], "too many"),
    ],
)
def test_bad_arguments_of_partition(arguments: list, message: str, tmp_path: Path) -> None:
    (tmp_path / "d.png").mkdir()
    answer = program("partition", AL108, *(word.format(folder=tmp_path) for word in arguments))
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert answer.stderr.startswith("error: --")
    assert answer.stderr.count("\n") == 1
    assert message in answer.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["d.png"]


def test_partition_of_a_mesh(tmp_path: Path) -> None:
    options = ("--spacing", "0.4 angstrom", "--order", "6", "--ranks", "1,5")
    answer = program("partition", AL4, *options, "--plot", tmp_path / "mesh.png", "--json")
    assert (answer.returncode, answer.stderr) == (0, "")
    rows = json.loads(answer.stdout)
    assert [(row["ranks"], row["scheme"]) for row in rows] == [(n, name) for n in (1, 5) for name in ("metis", "block")]
    for row in rows:
        assert row["points"] == 11**3
        assert row["min"] <= row["points"] / row["ranks"] <= row["max"]
        assert row["imbalance"] < 1.02
        assert (row["ghosts_mean"] > 0) == (row["neighbours_mean"] > 0) == (row["edge_cut"] > 0) == (row["ranks"] > 1)
        assert (row["inner"] == row["points"]) == (row["ranks"] == 1)
    assert (tmp_path / "mesh.png").read_bytes().startswith(b"\x89PNG")
    spheres = program("partition", AL4, *options[:2], "--radius", "2 angstrom", "--ranks", "4", "--ranks-per-node", "2")
    assert (spheres.returncode, spheres.stderr) == (0, "")
    assert "edge cut" in spheres.stdout
    three = ("--spacing", "0.4 angstrom, 0.3 angstrom, 0.5 angstrom", "--ranks", "2", "--json")
    assert json.loads(program("partition", AL4, *three).stdout)[0]["points"] == 11 * 14 * 9


CHAIN = EXAMPLES / "lih_chain_mesh.toml"


def points_of(*words: object) -> int:
    """Return the points of a mesh that `wavegrid partition` divides."""
    answer = program("partition", *words, "--ranks", "2", "--scheme", "block", "--json")
    assert (answer.returncode, answer.stderr) == (0, "")
    return json.loads(answer.stdout)[0]["points"]


def test_the_partition_is_that_of_the_mesh_of_the_input(tmp_path: Path) -> None:
    for name in ("lih_chain_mesh", "water_mesh"):
        checked = json.loads(program("check", EXAMPLES / f"{name}.toml", "--json").stdout)
        assert points_of(EXAMPLES / f"{name}.toml") == checked["mesh"]["points"]
    answer = program("partition", CHAIN, "--ranks", "4")
    assert "111755 points (40 x 40 x 109 per cell), differences of order 12" in answer.stdout
    assert points_of(CHAIN, "--spacing", "0.5 bohr, 0.5 bohr, 1 bohr") < points_of(CHAIN, "--spacing", "0.5 bohr") / 1.9
    assert points_of(CHAIN, "--radius", "4 bohr", "--spacing", "0.5 bohr") == pytest.approx(201 * 73, rel=0.05)
    text = CHAIN.read_text().replace('boundary = "free"', 'boundary = ["free", "free", "periodic"]')
    box = 'region = { kind = "box", lengths = ["12 bohr", "12 bohr", "36 bohr"] }'
    (tmp_path / "box.toml").write_text(re.sub("region = .*", box, text))
    assert points_of(tmp_path / "box.toml", "--spacing", "1 bohr") == 13 * 13 * 38
    answer = program("partition", tmp_path / "box.toml", "--radius", "4 bohr")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert 'region.kind = "box" of the input has none; valid: without it, or kind = "spheres"' in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--spacing", "0.4"], "missing unit"),
        (["--spacing", "0.4 angstrom", "--order", "7"], "valid: 2, 4, 6, 8, 10, 12"),
        (["--spacing", "0.4 angstrom", "--scheme", "metiss"], "did you mean 'metis'?"),
        (
            ["--spacing", "0.4 angstrom", "--radius", "1.1 angstrom", "--order", "2"],
            "pieces that no finite difference connects",
        ),
        (["--spacing", "0.4 angstrom", "--radius", "0.5 angstrom"], "0.945 bohr inside the free boundary"),
        (["--spacing", "0.4 bohr,0.3 bohr"], "2 lengths; valid: one, or three along the lattice vectors"),
        (["--spacing", "0.001 angstrom"], "valid: a spacing that gives at most"),
        (["--radius", "2 angstrom"], "valid: together with --spacing"),
        (["--order", "6"], 'valid: together with --spacing, or with method = "realspace"'),
        (["--spacing", "2 angstrom", "--ranks", "100"], "use at most 27 ranks"),
    ],
)
def test_bad_arguments_of_a_mesh(arguments: list, message: str) -> None:
    answer = program("partition", AL4, *arguments)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("error: ")
    assert answer.stderr.count("\n") == 1
    assert message in answer.stderr


def test_a_plot_never_replaces_the_input_nor_survives_bad_input(write: Callable[..., Path]) -> None:
    path = write(name="in.png")
    before = path.read_text()
    answer = program("partition", path, "--plot", path)
    assert (answer.returncode, path.read_text()) == (2, before)
    assert "is the input file" in answer.stderr
    wrong = write(("ecut =", "ecutt ="), name="wrong.toml")
    old = wrong.with_name("old.png")
    old.write_text("older")
    assert program("partition", wrong, "--plot", old).returncode == 2
    assert old.read_text() == "older"


def test_a_plot_without_matplotlib(tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ImportError('none')")
    environment = clean_environment() | {"PYTHONPATH": str(tmp_path)}
    plot = tmp_path / "out.png"
    answer = program("partition", AL108, "--plot", plot, environment=environment)
    assert answer.returncode == 3
    assert "pip install" in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert not plot.exists()
    assert program("partition", AL108, environment=environment).returncode == 0


def test_version_names_the_libraries() -> None:
    versions = json.loads(program("version", "--json").stdout)
    assert "wavegrid" in versions
    assert "mpi" in versions


def test_version_names_the_blas_that_is_loaded() -> None:
    kinds = {"libopenblas": "OpenBLAS ", "libmkl_": "Intel(R) ", "libblis": "BLIS "}
    script = (
        "import wavegrid._core as core\n"
        "blas = core.versions()['blas']\n"  # loads it
        "print(blas, open('/proc/self/maps').read(), sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    blas, _, files = done.stdout.partition("\n")
    loaded = [name for library, name in kinds.items() if f"/{library}" in files]
    assert blas.startswith(tuple(loaded)) if loaded else blas


def test_the_small_example_runs(tmp_path: Path) -> None:
    answer = program("run", EXAMPLES / "al4.toml", "--ranks", 2, cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    result = read_result(tmp_path / "al4")
    # 4.05 Angstrom and 0.2 eV instead of the reference's bohr and Hartree move F by less than 1e-5 Ha
    assert abs(result["energy"]["free"] + 8.16755206) < 1e-5


def test_version_and_help_without_the_core(fake: None) -> None:
    assert invoke("--version").stdout == f"wavegrid {wavegrid.__version__}\n"
    assert "Exit codes" in invoke("help").stdout
    for words in (["run"], ["bench", "fft"], ["checkpoint"]):
        asked, given = invoke("help", *words), invoke(*words, "--help")
        assert asked.exit_code == 0
        assert asked.stdout == given.stdout
    answer = invoke("help", "bench", "ftt")
    assert answer.exit_code == 2
    assert answer.stderr.count("\n") == 1
    assert "valid: fft, transpose, halo, checkpoint, boxes, machine; did you mean 'fft'?" in answer.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_for(shell: str) -> None:
    answer = invoke("completion", shell)
    assert answer.exit_code == 0
    assert f"_WAVEGRID_COMPLETE=complete_{shell}" in answer.stdout
    assert invoke("completion", "tcsh").exit_code == 2


def test_bash_completes_commands_and_options() -> None:
    """The script in a real shell: what it offers after `wavegrid bench ` and after `wavegrid run --re`."""
    script = (
        'eval "$(wavegrid completion bash)"\n'
        'offer() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wavegrid_completion wavegrid; '
        'echo "${COMPREPLY[*]}"; }\n'
        'offer wavegrid bench ""\noffer wavegrid run --re\n'
    )
    environment = clean_environment() | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    answer = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment, check=False)
    assert (answer.stdout.split(), answer.stderr) == (
        ["fft", "transpose", "halo", "checkpoint", "boxes", "machine", "--restart"],
        "",
    )


def test_the_estimate_of_the_time_counts_work(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "usable_cores", lambda: 4)

    def estimate(*changes: tuple[str, str], ranks: int = 1) -> dict:
        job = prepare(fake_core, write(*changes))
        return time_estimate.estimate(fake_core, job, compute_figures(fake_core, job, ranks))

    alone = estimate()
    assert alone["steps"] == 7
    fine = estimate(('"1e-7 Ha"', '"1e-10 Ha"'))
    assert fine["steps"] == 10
    assert fine["seconds"] > alone["seconds"]
    mesh = estimate(("bands = 10", "bands = 10\nkpoints = { mesh = [2,2,2] }"))
    path = estimate(("bands = 10", 'bands = 10\nkpoints = { mesh = [2,2,2], path = "GX", points = 50 }'))
    assert alone["seconds"] < mesh["seconds"] < path["seconds"]
    many = ("bands = 10", "bands = 100")
    assert estimate(many, ranks=4)["seconds"] < estimate(many)["seconds"]
    assert estimate(ranks=16)["seconds"] > estimate(ranks=4)["seconds"]  # on four cores


def test_the_header_counts_right_and_explains_what_there_is(write: Callable[..., Path]) -> None:
    job = prepare(fake_core, write())
    one, four = (compute_figures(fake_core, job, ranks) for ranks in (1, 4))
    texts = []
    for figures in (one | {"atoms": 1, "electrons": 1.0, "bands": 1, "path_points": 1}, four):
        figures["time"] = {"seconds": 75.0, "steps": 1, "factor": 2}
        console = Console(file=io.StringIO(), width=200)
        progress.show_header(console, job, figures, {}, [])
        texts.append(console.file.getvalue())
    assert "1 atom, 1 electron, 1 band, 7602 plane waves" in texts[0]
    assert "bands at 1 point of a path" in texts[0]
    assert "1 rank of 1 thread, about " in texts[0]
    assert "about 75 s on this machine, if the loop takes 1 step: an estimate within a factor of 2" in texts[0]
    assert "why" not in texts[0]
    assert "eigensolver lobpcg: made up too" in texts[0]
    assert "4 ranks of 1 thread, greedy 4 x 1, plane waves per rank 1900 to 1901, about " in texts[1]
    assert "why greedy" in texts[1]
