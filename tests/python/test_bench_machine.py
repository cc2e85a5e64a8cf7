"""`wavegrid bench machine`: what it measures is what `plan --network` reads."""

import json
from pathlib import Path

import pytest
from conftest import EXAMPLES, program

from wavegrid.bench import machine
from wavegrid.bench.program import compiled
from wavegrid.errors import EnvironmentFault
from wavegrid.input.network import NETWORKS, named
from wavegrid.job.figures import compute_figures
from wavegrid.job.prepare import prepare
from wavegrid.process import core_loader


def test_a_measured_machine_is_a_network(tmp_path: Path) -> None:
    path = tmp_path / "here.toml"
    answer = program("bench", "machine", "--repeats", "2", "--out", path, "--json")
    assert (answer.returncode, answer.stderr) == (0, "")
    found = json.loads(answer.stdout)
    inside = found["messages"]["inside"]
    assert [size for size, _, _ in inside["times"]] == [8 * 2**k for k in range(20)]
    assert all(seconds > 0 for _, seconds, _ in inside["times"])
    network = named(str(path))
    assert network.latency == NETWORKS[machine.LIKE].latency
    together = found["messages"]["together"]
    assert len(network.inside_pieces) == len(together["pieces"]) and network.inside_pieces[0][0] == 0
    for key, value in {"inside_latency": together["latency"], "gemm": found["rates"]["gemm"]}.items():
        assert abs(getattr(network, key) / value - 1) < 1e-3, key


def test_pairs_on_two_nodes(tmp_path: Path) -> None:
    result = machine.Result({}, 0.0, 4)
    for pair, latency in (("inside", 1e-6), ("between", 2e-6)):
        line = {"messages": pair, "latency": latency, "bandwidth": 1e9, "overhead": 1e-7, "gap": 3e-7}
        machine.take(result, line)
    machine.take(result, {"rates": {"fft": 1e10, "gemm": 5e10, "memory": 2e10}, "ranks": 4})
    machine.save(tmp_path / "two.toml", result)
    network = named(str(tmp_path / "two.toml"))
    assert (network.latency, network.inside_latency, network.fft) == (2e-6, 1e-6, 1e10)


def test_bad_options() -> None:
    for options, message in ((("--out", "x.json"), "valid: FILE.toml"), (("--ranks", "0"), "not above zero")):
        answer = program("bench", "machine", *options)
        assert answer.returncode == 2 and message in answer.stderr


def test_groups_and_partition_are_chosen_for_the_machine(tmp_path: Path) -> None:
    core = core_loader.load()
    text = (EXAMPLES / "al108.toml").read_text()
    found = {}
    for latency in (1e-8, 1e-3):
        pieces = f"pieces = [[0, {latency}, 1e11], [100_000_000, 1e-6, 1e11]]\n"
        (tmp_path / "machine.toml").write_text(f"latency = 1e-6\nbandwidth = 1e11\n{pieces}")
        line = f'[parallel]\nband_groups = 1\nmachine = "{tmp_path}/machine.toml"\n'
        (tmp_path / "in.toml").write_text(text.replace("[parallel]\n", line))
        job = prepare(core, tmp_path / "in.toml", threads=1, ranks=48)
        found[latency] = compute_figures(core, job, 48)["transform"]["messages"]
    assert found[1e-3] < found[1e-8]


def test_a_machine_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "in.toml").write_text((EXAMPLES / "al4.toml").read_text() + '\n[parallel]\nmachine = "nothing.toml"\n')
    answer = program("check", tmp_path / "in.toml")
    assert answer.returncode == 2
    assert "in.toml:" in answer.stderr and 'valid: a file of "wavegrid bench machine"' in answer.stderr


def test_an_installation_without_benchmarks() -> None:
    with pytest.raises(EnvironmentFault, match=r"pip install 'wavegrid\[bench\]' -C cmake.define") as fault:
        compiled("bench_nothing")
    assert "\n" not in str(fault.value)
