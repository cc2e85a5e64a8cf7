"""Bands and densities of states by element: circles and lines of all have one scale, and colours of their own."""

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex

from wavegrid.model.core_result import CoreResult
from wavegrid.model.spectra import Bands
from wavegrid.plots import spectra
from wavegrid.results import dos
from wavegrid.results.projections import projections
from wavegrid.units import HARTREE_IN_EV

LEVELS = [[-0.3, 0.1], [-0.25, 0.12], [-0.2, 0.2]]  # Ha, of three points
# of each band, parts of the orbitals: As s, As p of two atoms, Ga p, and one that no state has to a tenth
PARTS = [[0.6, 0.1, 0.1, 0.2, 0.0], [0.0, 0.2, 0.0, 0.7, 0.05]]
FAT = {
    "x": [0.0, 0.5, 1.0], "labels": ["G", "X"], "label_x": [0.0, 1.0], "fermi_level": 0.0, "eigenvalues": [LEVELS],
    "projections": {"atoms": [2, 2, 3, 1, 1], "orbitals": ["s", "p", "p", "p", "d"], "weights": [[PARTS] * 3]},
}  # fmt: skip
ELEMENTS = ["Ga", "As", "As"]


def test_circles_of_all_elements_have_one_scale() -> None:
    (axis,) = spectra.draw_bands("GaAs", Bands.read(FAT), ELEMENTS).axes
    circles = [one for one in axis.collections if isinstance(one, PathCollection)]
    drawn = [one for one in circles if len(one.get_offsets())]
    legend = [one for one in circles if not len(one.get_offsets())]
    assert [one.get_label() for one in legend] == ["As s", "As p", "Ga p"]
    whole = {float(size) for one in legend for size in one.get_sizes()}
    assert len(whole) == 1  # the area of a whole orbital
    (area,) = whole
    expected = {"As s": [0.6], "As p": [0.2, 0.2], "Ga p": [0.2, 0.7]}  # of the bands where it is to be seen
    for one, (name, shares) in zip(drawn, expected.items(), strict=True):
        assert one.get_sizes() / area == pytest.approx(shares * 3), name
        assert len(one.get_offsets()) == 3 * len(shares)
    colours = [to_hex(one.get_facecolor()[0]) for one in drawn]
    assert len(set(colours)) == 3
    assert colours == [to_hex(one.get_facecolor()[0]) for one in legend]


def test_circles_are_at_the_levels() -> None:
    (axis,) = spectra.draw_bands("GaAs", Bands.read(FAT), ELEMENTS).axes
    drawn = [one for one in axis.collections if isinstance(one, PathCollection) and len(one.get_offsets())]
    assert np.asarray(drawn[0].get_offsets()[:, 1]) == pytest.approx([one[0] * HARTREE_IN_EV for one in LEVELS])


def test_lines_of_all_elements_have_the_scale_of_the_total() -> None:
    content = {
        "eigenvalues": [LEVELS], "occupations": [[[2, 0]] * 3], "kpoints": [[0, 0, 0, 1 / 3]] * 3, "fermi_level": 0.0,
        "projections": {
            "channels": [[1, 0], [1, 1], [2, 1], [0, 1], [0, 2]], "from_file": [True, True],
            "weights": [[PARTS]] * 3,
        },
    }  # fmt: skip
    result = CoreResult.read(content)
    found = dos.density_of_states(result, {"kind": "dos", "width": 0.02, "points": None, "smearing": None})
    found.projections = projections(result, found, ELEMENTS, {"Ga": 3, "As": 5})
    (axis,) = spectra.draw_dos("GaAs", found).axes
    lines = {line.get_label(): line for line in axis.get_lines()}
    assert {"total", "Ga p", "As s", "As p"} <= set(lines)
    assert len({lines[name].get_color() for name in ("total", "Ga p", "As s", "As p")}) == 4
    parts = {name: lines[name].get_ydata() for name in ("As s", "As p", "Ga p")}
    total = np.asarray(lines["total"].get_ydata())
    low, high = int(np.argmax(parts["As s"])), int(np.argmax(parts["Ga p"]))  # where one band has nearly all states
    for place, shares in ((low, (0.6, 0.2, 0.2)), (high, (0.0, 0.2, 0.7))):
        for values, share in zip(parts.values(), shares, strict=True):
            assert values[place] == pytest.approx(share * total[place], abs=2e-3 * total[place])
