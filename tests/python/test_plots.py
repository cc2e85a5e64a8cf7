"""Plots: titles of the user, plots that fail."""

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import invoke
from matplotlib.figure import Figure
from PIL import Image

from wavegrid.launch.job import Job
from wavegrid.plots import convergence, files, motion, spectra
from wavegrid.results import products

PNG = b"\x89PNG"
BANDS = {
    "x": [0.0, 0.5, 1.0], "labels": ["G", "X"], "label_x": [0.0, 1.0], "eigenvalues": [[[-0.2, 0.1], [-0.1, 0.2]] * 2],
    "fermi_level": 0.0,
}  # fmt: skip
BANDS["eigenvalues"] = [[[-0.2, 0.1], [-0.1, 0.2], [-0.1, 0.3]]]
RELAXATION = {"relaxation": {"geometries": [{"free_energy": -1.0, "largest_force": 1e-3}] * 2}}
TITLES = ["$\\eps$", "a $ b", "$x_", "100 % \\frac{", "硅", "word " * 60]


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.filterwarnings("error")
def test_titles_are_drawn_as_they_are(title: str) -> None:
    assert spectra.plot_bands(title, BANDS).startswith(PNG)
    assert motion.plot(title, RELAXATION).startswith(PNG)
    assert files.png(convergence.draw(title, [{"step": 1, "free_energy": -1.0, "error_estimate": 1e-3}])).startswith(PNG)


def test_a_long_title_is_not_cut_off() -> None:
    figure = files.new_figure(6.4, 4.0)
    axis = figure.subplots()
    files.set_title(axis, "word " * 40)
    image = np.asarray(Image.open(io.BytesIO(files.png(figure))).convert("L"))
    assert image[:, [0, -1]].min() == 255  # white edges
    assert "\n" in axis.get_title()


def test_a_plot_that_fails_is_reported_and_the_other_files_are_written(tmp_path: Path) -> None:
    def fail() -> bytes:
        raise ValueError("no such font\nin any folder")

    job = Job("in.toml", "x", str(tmp_path), {}, {}, 0)
    (tmp_path / "dos.png").write_bytes(b"of an earlier run")
    paths, faults = products.write(job, {"dos.png": fail, "more.txt": lambda: b"1"}, "token")
    assert paths == [tmp_path / "more.txt"]
    (fault,) = faults
    assert fault == (
        f"no {tmp_path}/dos.png: it could not be drawn (ValueError: no such font); its numbers are in result.json"
    )
    assert not (tmp_path / "dos.png").exists()
    with pytest.raises(ValueError, match="no such font"):
        products.write(job, {"density.cube": fail}, "token")


def test_a_run_whose_plot_fails_ends_well(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(("[basis]", '[task]\nkind = "dos"\n[basis]'), ("[output]", "[symmetry]\nuse = false\n[output]"))

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("out of colours")

    monkeypatch.setattr(Figure, "savefig", fail)
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "1")
    monkeypatch.chdir(path.parent)
    answer = invoke("run", path, "--ranks", 1)
    assert answer.exit_code == 0, answer.output
