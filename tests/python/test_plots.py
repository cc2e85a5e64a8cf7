"""Plots: titles of the user, axes, windows of energies, plots that fail."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from conftest import clean_environment, program
from matplotlib.figure import Figure
from PIL import Image

from wavegrid.html_report import html
from wavegrid.job.job import Job
from wavegrid.model.core_result import CoreResult
from wavegrid.model.result import Result
from wavegrid.model.run_statistics import ScfStep
from wavegrid.model.spectra import BandGap, Bands
from wavegrid.plots import axes, convergence, files, motion, spectra
from wavegrid.rank import products
from wavegrid.results import dos
from wavegrid.results.window import Window
from wavegrid.units import HARTREE_IN_EV

PNG = b"\x89PNG"
BANDS = {
    "x": [0.0, 0.5, 1.0], "labels": ["G", "X"], "label_x": [0.0, 1.0], "fermi_level": 0.0,
    "eigenvalues": [[[-0.2, 0.1], [-0.1, 0.2], [-0.1, 0.3]]],
}  # fmt: skip
HE = """\
[structure]
cell = [[6, 0, 0], [0, 6, 0], [0, 0, 6]]
unit = "bohr"
atoms = [["He", 0, 0, 0]]
coordinates = "fractional"
[basis]
ecut = "4 Ha"
[electrons]
xc = "LDA-PW"
pseudopotentials = "gth-lda"
[task]
kind = "dos"
"""
RELAXATION = {"relaxation": {"geometries": [{"free_energy": -1.0, "largest_force": 1e-3}] * 2}}
STEPS = [{"step": 1, "free_energy": -1.0, "error_estimate": 1e-3}]
TITLES = ["$\\eps$", "a $ b", "$x_", "100 % \\frac{", "硅", "word " * 60]


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.filterwarnings("error")
def test_titles_are_drawn_as_they_are(title: str) -> None:
    assert spectra.plot_bands(title, Bands.read(BANDS)).startswith(PNG)
    assert motion.plot(title, Result.read(RELAXATION)).startswith(PNG)
    assert files.png(convergence.draw(title, [ScfStep.read(STEPS[0])])).startswith(PNG)


def test_a_long_title_is_not_cut_off() -> None:
    figure = files.new_figure(6.4, 4.0)
    axis = figure.subplots()
    files.set_title(axis, "word " * 40)
    image = np.asarray(Image.open(io.BytesIO(files.png(figure))).convert("L"))
    assert image[:, [0, -1]].min() == 255  # white edges
    assert "\n" in axis.get_title()


def relaxation(forces: list[float], **more: list[float]) -> Figure:
    """Return the plot of a relaxation with these largest forces, Ha/bohr, and further values of each geometry."""
    geometries = [
        {"free_energy": -1.0 - 1e-9 * i, "largest_force": force} | {name: of[i] for name, of in more.items()}
        for i, force in enumerate(forces)
    ]
    return motion.draw("x", Result.read({"relaxation": {"geometries": geometries}}))


def test_forces_that_are_rounding_have_no_logarithmic_axis() -> None:
    energy, force = relaxation([1e-16, 3e-17, 2e-16]).axes
    assert (energy.get_yscale(), force.get_yscale()) == ("linear", "linear")
    assert [text.get_text() for text in force.texts] == ["below 1e-07"]
    assert energy.get_ylabel() == "free energy - last (meV)"
    low, high = energy.get_ylim()
    assert high - low >= 1e-3  # meV


def test_of_a_cell_without_forces_the_stress_is_shown() -> None:
    figure = relaxation([1e-16, 3e-17], stress_deviation_GPa=[3.0, 1e-14])
    _, stress = figure.axes
    assert stress.get_ylabel() == "stress - pressure (GPa)"
    assert stress.get_yscale() == "log"
    assert stress.get_ylim()[0] == pytest.approx(0.7e-5)  # not 1e-14
    assert len(relaxation([1e-2, 1e-3], stress_deviation_GPa=[3.0, 0.1]).axes) == 3


@pytest.mark.parametrize("values", [[0.021, 0.024], [3e-5, 2.0], [1e-12, 0.5], [0.9, 1e3, 1e8]])
def test_logarithmic_axes_have_labels_at_two_decades_or_more(values: list[float]) -> None:
    figure = files.new_figure(6.4, 4.0)
    axis = figure.subplots()
    axis.plot(values)
    axes.logarithmic(axis, 1e-7)
    figure.draw_without_rendering()
    low, high = axis.get_ylim()
    ticks = [tick for tick in axis.get_yticks() if low <= tick <= high]
    assert 2 <= len(ticks) <= 9
    assert low > 1e-8


LEVELS = [[[-2.0, -0.2, 0.1], [-2.0, -0.1, 0.3], [-2.0, -0.1, 0.9]]]  # Ha: -54, -5 to -3, 3 to 24 eV
SPAN = [-15 / HARTREE_IN_EV, 10 / HARTREE_IN_EV]


def test_the_window_of_a_plot() -> None:
    found = Window.around(SPAN, 0.0, None)
    assert (found.low, found.high) == (SPAN[0], SPAN[1])
    gap = BandGap.read({"valence_band_maximum": -0.1, "conduction_band_minimum": 0.3})
    assert Window.around(SPAN, [0.2, -0.3], gap).centre == pytest.approx(0.1)
    words = found.note("bands.png", LEVELS)
    assert words.startswith("bands.png shows -15 to 10 eV around")
    assert "levels of 1 band below and 1 band above" in words
    assert '[task] window = ["-55 eV", "25 eV"] shows all' in words
    empty = Window.around([200 / HARTREE_IN_EV, 201 / HARTREE_IN_EV], 0.0, None).note("bands.png", LEVELS)
    assert "where there are no levels, and leaves out levels of 3 bands below" in empty
    everything = Window.around([-55 / HARTREE_IN_EV, 25 / HARTREE_IN_EV], 0.0, None)
    assert everything.note("bands.png", LEVELS) == ""


def test_bands_are_drawn_in_their_window() -> None:
    bands = Bands.read(BANDS | {"eigenvalues": LEVELS, "window": SPAN})
    (axis,) = spectra.draw_bands("x", bands).axes
    assert axis.get_ylim()[0] > -15.1
    assert axis.get_ylim()[1] == pytest.approx(10)
    (axis,) = spectra.draw_bands("x", Bands.read(BANDS | {"eigenvalues": LEVELS})).axes  # of an older version
    assert axis.get_ylim()[0] < -50


def test_bands_of_spinors_have_the_colours_of_their_spins() -> None:
    """Of the component that is largest along the path; without any spin there is no scale."""
    spins = [[[0.1, -0.9, 0.0], [0.1, 0.9, 0.0]]] * 3
    axis, scale = spectra.draw_bands("x", Bands.read(BANDS | {"spins": spins})).axes
    assert axis.collections[0].get_array().reshape(3, 2).tolist() == [[-0.9, 0.9]] * 3
    assert "sigma_y" in scale.get_ylabel()
    assert len(spectra.draw_bands("x", Bands.read(BANDS | {"spins": [[[0.0] * 3] * 2] * 3})).axes) == 1


@pytest.mark.parametrize("window", [(40, 50), (-80, -70)])
def test_bands_of_a_window_without_levels_are_not_upside_down(window: tuple[float, float]) -> None:
    span = [energy / HARTREE_IN_EV for energy in window]
    (axis,) = spectra.draw_bands("x", Bands.read(BANDS | {"eigenvalues": LEVELS, "window": span})).axes
    assert axis.get_ylim() == pytest.approx(window)


@pytest.mark.parametrize(
    ("window", "panels", "words"),
    [((-15, 10), 1, "further levels at -54 eV"), ((-60, 10), 2, ""), ((40, 50), 1, "further levels at -54 eV")],
)
def test_a_density_of_states_in_its_window(window: tuple[float, float], panels: int, words: str) -> None:
    result = CoreResult.read({"eigenvalues": LEVELS, "kpoints": [[0, 0, 0, 1 / 3]] * 3, "fermi_level": 0.0})
    task = {"kind": "dos", "width": 0.01, "points": None, "smearing": None}
    found = dos.density_of_states(result, task)
    found.window = (window[0] / HARTREE_IN_EV, window[1] / HARTREE_IN_EV)
    figure = spectra.draw_dos("x", found)
    assert len(figure.axes) == panels
    assert figure.axes[-1].get_title(loc="right") == words
    low, high = figure.axes[0].get_xlim()[0], figure.axes[-1].get_xlim()[1]
    assert window[0] <= low < high <= window[1]
    assert files.png(figure).startswith(PNG)


def test_labels_of_near_points_do_not_touch() -> None:
    bands = BANDS | {"x": [0.0, 0.5, 0.51, 1.0], "labels": ["G", "X", "W|K", "L"], "label_x": [0.0, 0.5, 0.51, 1.0]}
    bands["eigenvalues"] = [[[-0.2, 0.1]] * 4]
    (axis,) = spectra.draw_bands("x", Bands.read(bands)).axes
    assert [label.get_text() for label in axis.get_xticklabels()] == ["Γ", "X", "\nW|K", "L"]


def test_a_plot_that_fails_is_reported_and_the_other_files_are_written(tmp_path: Path) -> None:
    def fail() -> bytes:
        raise ValueError("no such font\nin any folder")

    job = Job("in.toml", "x", str(tmp_path), {}, {}, 0)
    (tmp_path / "dos.png").write_bytes(b"of an earlier run")
    paths, remarks = products.write(job, {"dos.png": fail, "more.txt": lambda: b"1"}, "token")
    assert paths == [tmp_path / "more.txt"]
    (found,) = remarks
    assert (found.name, found.warning) == ("plot_not_drawn", True)
    assert found.text == (
        f"no {tmp_path}/dos.png: it could not be drawn (ValueError: no such font); its numbers are in result.json"
    )
    assert not (tmp_path / "dos.png").exists()
    (tmp_path / "dos.png").mkdir()  # which unlink refuses
    assert products.write(job, {"dos.png": fail}, "token") == ([], [found])
    with pytest.raises(ValueError, match="no such font"):
        products.write(job, {"density.cube": fail}, "token")


def test_a_run_whose_plot_fails_ends_well(tmp_path: Path) -> None:
    (tmp_path / "in.toml").write_text(HE)
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "matplotlib.py").write_text("raise RuntimeError('out of colours')")
    environment = clean_environment() | {"PYTHONPATH": str(tmp_path / "hook")}
    answer = program("run", "in.toml", "--ranks", 1, environment=environment, cwd=tmp_path)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "warning: no in/dos.png: it could not be drawn (RuntimeError: out of colours)" in answer.stdout
    content = json.loads((tmp_path / "in" / "result.json").read_text())
    assert "density_of_states" in content["dos"]
    (warning,) = (one for one in content["warnings"] if one["name"] == "plot_not_drawn")
    assert "out of colours" in warning["message"]


def test_a_plot_of_a_report_that_fails_leaves_a_sentence() -> None:
    def fail() -> bytes:
        raise KeyError("x")

    assert html.plot("bands", fail) == (
        '<p class="dim">no plot of bands: it could not be drawn (KeyError: &#x27;x&#x27;)</p>'
    )
