"""`wavegrid plan`: predictions for more nodes."""

import json
from pathlib import Path

import pytest
from conftest import EXAMPLES, program

from wavegrid.errors import InputError
from wavegrid.input.network import NETWORKS, Network, named
from wavegrid.job import time_estimate
from wavegrid.job.figures import compute_figures
from wavegrid.job.prepare import prepare
from wavegrid.planning import model
from wavegrid.planning.model import Nodes, Row
from wavegrid.process import core_loader

AL108 = EXAMPLES / "al108.toml"


def plan(*options: object) -> dict:
    answer = program("plan", AL108, "--json", *options)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def test_rows_say_what_a_run_would_be() -> None:
    found = plan("--nodes", "4,1,64", "--cores", 16)
    rows = found["rows"]
    assert [row["nodes"] for row in rows] == [1, 4, 64]
    for row in rows:
        assert row["ranks"] == 16 * row["nodes"]
        assert row["ranks"] == row["kpoint_groups"] * row["band_groups"] * row["rows"] * row["columns"]
        assert row["seconds"] == pytest.approx(row["computing"] + row["communication"])
        assert row["bytes_per_node"] == 16 * row["bytes_per_rank"]
    assert rows[0]["efficiency"] == 1 > rows[1]["efficiency"] > rows[2]["efficiency"]
    assert rows[0]["computing"] > rows[1]["computing"]
    assert found["advice"].startswith("ask for ")


def test_one_core_is_the_estimate_of_check(monkeypatch: pytest.MonkeyPatch) -> None:
    core = core_loader.load()
    monkeypatch.setattr(core, "machine_rates", lambda: {"fft": 1e10, "gemm": 1e30})  # no time for the Ritz problems
    monkeypatch.setattr(core, "band_transform_seconds", lambda problem: 1e-4)
    job = prepare(core, AL108, threads=1, ranks=1)
    (one,) = model.rows(core, job, [1], Nodes(1, NETWORKS["ethernet"]))
    assert (one.communication, one.messages) == (0, 0)
    checked = time_estimate.estimate(core, job, compute_figures(core, job, 1))
    assert one.seconds == pytest.approx(checked["seconds"], rel=1e-6)


def test_a_slow_network_makes_fewer_nodes_worth_asking_for() -> None:
    fast, slow = (plan("--nodes", "1,2,4,8", "--cores", 4, "--network", name) for name in ("ib-ndr", "ethernet"))
    assert fast["rows"][0]["communication"] == pytest.approx(slow["rows"][0]["communication"])  # inside one node
    assert all(f["communication"] < s["communication"] for f, s in zip(fast["rows"][1:], slow["rows"][1:], strict=True))


def test_ranks_without_work_are_left_out() -> None:
    found = plan("--nodes", "1,1000000", "--cores", 16)
    assert [row["nodes"] for row in found["rows"]] == [1]
    assert found["left_out"] == [1000000]


def row_of(nodes: int, seconds: float, gigabytes: float = 1.0) -> Row:
    size = round(gigabytes * 1e9)
    return Row(nodes, nodes, seconds, seconds, 0.0, 0, 1.0, size, size, 1, 1, 1, 1, "greedy")


def test_the_advice() -> None:
    nodes = Nodes(1, NETWORKS["ib-hdr"], memory=2e9)
    rows = [row_of(1, 100, 3), row_of(2, 60), row_of(4, 40), row_of(8, 39)]
    assert model.advice(rows, nodes) == "ask for 4 nodes: about 40 s, 100% efficient; 8 nodes would save 1 s"
    small = [row_of(1, 0.8), row_of(2, 0.79), row_of(4, 0.78)]  # nothing to gain, whatever the efficiency allows
    assert model.advice(small, nodes) == "ask for 1 node: about 0.8 s, 100% efficient; 2 nodes would save 0.01 s"
    flat = [row_of(1, 10), row_of(2, 9.2), row_of(4, 5.1)]  # 2 nodes gain too little, 4 do
    assert model.advice(flat, nodes).startswith("ask for 1 node")  # at less than half of the efficiency
    assert model.advice([row_of(2, 10), row_of(3, 9.2), row_of(4, 6)], nodes).startswith("ask for 4 nodes: about 6 s")
    assert model.advice([row_of(1, 10), row_of(2, 12)], nodes).endswith("2 nodes would take longer")
    assert model.advice([row_of(1, 10, 3)], nodes).startswith("too little memory: a node needs 3.0 GB at least")


def test_a_network_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("latency = 2e-6\nbandwidth = 1e9\n")
    assert named(str(path)) == Network("mine", 2e-6, 1e9)
    path.write_text('like = "ib-hdr"\ninside_latency = 4e-7\nfft = 9e9\n')
    found = named(str(path))
    assert (found.bandwidth, found.inside_latency) == (NETWORKS["ib-hdr"].bandwidth, 4e-7)
    assert found.rates({"fft": 1.0, "gemm": 2.0}) == {"fft": 9e9, "gemm": 2.0}
    path.write_text('like = "ib-hdr"\ninside_pieces = [[0, 1e-6, 2e9], [4096, 5e-6, 8e9]]\n')
    found = named(str(path))
    assert (found.inside(4095), found.inside(4096)) == ((1e-6, 2e9), (5e-6, 8e9))
    assert found.outside(1e6) == (found.latency, found.bandwidth)
    for text, message in (
        ("latency = 0\nbandwidth = 1e9", "latency = 0; valid: a positive number"),
        ("latency = 1e-6", "bandwidth = None; valid"),
        ("latncy = 1", "unknown key 'latncy'; valid: like, latency, bandwidth,"),
        ("latency =", "not valid TOML"),
        (f"latency = {'9' * 400}\nbandwidth = 1e9", "latency = 9999999999"),
        (f"latency = {'9' * 5000}", "not a text that can be read"),
        (f"latency = {'[' * 5000}", "not a text that can be read"),
        ('like = "ib-hrd"', "like = 'ib-hrd'; valid: ib-ndr, ib-hdr,"),
        ('like = "ib-hdr"\ngemm = -1', "gemm = -1; valid: a positive number"),
        ('like = "ib-hdr"\npieces = [[8, 1e-6, 1e9]]', "valid: a list of [bytes, latency, bandwidth]"),
        ('like = "ib-hdr"\npieces = [[0, 1e-6, 0]]', "valid: a list of [bytes, latency, bandwidth]"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match="mine.toml") as fault:
            named(str(path))
        assert message in str(fault.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--network", "ib-hrd"), "--network ib-hrd: unknown; valid: ib-ndr, ib-hdr,"),
        (("--network", "no.toml"), "--network no.toml: no such file"),
        (("--nodes", "0"), "--nodes 0: not above zero"),
        (("--nodes", "1,x"), "--nodes x: not a whole number"),
        (("--nodes", "1024", "--cores", "64"), "65536 ranks are more than 1 k-point x 217 bands x 48 planes = 10416"),
        (("--cores", "-1"), "--cores -1: not above zero"),
        (("--memory", "much"), "--memory much: not a number of GB above zero"),
        (("--plot", "plan.txt"), "--plot plan.txt: unknown file format"),
    ],
)
def test_bad_arguments(options: tuple[str, ...], message: str) -> None:
    answer = program("plan", AL108, *options)
    assert answer.returncode == 2
    assert len(answer.stderr.splitlines()) == 1 and message in answer.stderr


def test_the_table_and_the_plot(tmp_path: Path) -> None:
    plot = tmp_path / "plan.png"
    answer = program("plan", AL108, "--nodes", "1,2", "--plot", plot)
    assert answer.returncode == 0, answer.stderr
    assert "predicted for nodes of 32 cores, ib-hdr" in answer.stdout and "ask for" in answer.stdout
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_communication_is_that_of_a_simulated_calculation() -> None:
    """Milliseconds of exchanges and sums of whole calculations of Al32 on a simulated cluster (docs/lab/scale.md)."""
    core = core_loader.load()
    nodes = Nodes(8, Network("infiniband-ddr", 3e-6, 2e9, 1.5e-6, 0.7e9, overhead=0.5e-6))
    for ranks, groups, simulated in ((8, 1, 48.4), (16, 1, 98.0), (32, 4, 57.9), (64, 1, 85.3), (128, 1, 79.1)):
        job = prepare(core, AL108, threads=1, ranks=ranks)
        job.problem |= {"cell": [[15.3067818, 0, 0], [0, 15.3067818, 0], [0, 0, 15.3067818]], "grid": [32, 32, 32]}
        job.problem |= {"bands": 85, "band_groups": groups, "atoms": job.problem["atoms"][:32]}
        (row,) = model.rows(core, job, [ranks // 8], nodes)
        assert 1e3 * row.communication == pytest.approx(simulated, rel=0.25), (ranks, groups)


CHAIN = """[structure]
cell = [[9,0,0],[0,9,0],[0,0,{length}]]
unit = "bohr"
coordinates = "cartesian"
atoms = [{atoms}]
[basis]
ecut = "6 Ha"
method = "local-orbitals"
orbitals = {{ optimise = true, functions = "minimal", box_radius = "5 bohr", kernel = "purify" }}
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
"""


def test_local_orbitals_are_divided_by_atoms(tmp_path: Path) -> None:
    """More ranks need more functions of others, until each has one atom."""
    atoms = ",".join(f'["{"Li" if i % 2 else "H"}",4.5,4.5,{3.2 * i + 1}]' for i in range(16))
    (tmp_path / "in.toml").write_text(CHAIN.format(length=3.2 * 16, atoms=atoms))
    answer = program("plan", tmp_path / "in.toml", "--json", "--nodes", "1,2,4,16", "--cores", 4)
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)
    rows = found["rows"]
    assert [row["nodes"] for row in rows] == [1, 2, 4]
    assert found["left_out"] == [16]
    assert rows[0]["computing"] > rows[1]["computing"] > rows[2]["computing"]
    assert all(row["communication"] > 0 and row["messages"] > 0 for row in rows)
    refused = program("plan", tmp_path / "in.toml", "--nodes", "16", "--cores", 4)
    assert "64 ranks are more than 1 k-point x 16 atoms = 16" in refused.stderr
