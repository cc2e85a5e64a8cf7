"""Paths through the Brillouin zone."""

import itertools

import ase.build
import numpy as np
import pytest

from wavegrid.errors import InputError
from wavegrid.input import kpath, vacuum
from wavegrid.input.models import LINE_POINTS
from wavegrid.input.structure import Crystal
from wavegrid.units import BOHR_IN_ANGSTROM

FCC = np.array([[0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]]) * 7.65
HEXAGONAL = np.array([[1, 0, 0], [-0.5, np.sqrt(0.75), 0], [0, 0, 1.6]]) * 6.0
TRICLINIC = np.array([[6, 0.5, 0], [0.2, 5.5, 1], [-0.5, 0, 6.5]])
ORTHORHOMBIC_C = np.array([[3.0, -1.7, 0], [3.0, 1.7, 0], [0, 0, 8.2]])
# Other cells of the same lattice: integer combinations of determinant 1.
SHEARED = np.array([[1, 1, 0], [0, 1, 0], [1, 0, 1]])
PERMUTED = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])


def reciprocal(cell: np.ndarray) -> np.ndarray:
    """Return the reciprocal vectors as rows, 1/bohr."""
    return 2 * np.pi * np.linalg.inv(cell).T


def rotated(cell: np.ndarray) -> np.ndarray:
    """Return the cell in another orientation."""
    turn, _ = np.linalg.qr(np.array([[1.0, 2, 3], [4, 5, 7], [2, 1, 1]]))
    return cell @ (turn * np.sign(np.linalg.det(turn)))


def test_points_of_fcc_are_where_they_should_be() -> None:
    path = kpath.build(FCC, "GXWK", 31)
    cartesian = path.k @ reciprocal(FCC) / (2 * np.pi / 7.65)
    assert path.lattice == "FCC"
    assert path.labels == ["G", "X", "W", "K"]
    assert len(path.k) == len(path.x) == 31
    corners = [cartesian[np.argmin(abs(path.x - x))] for x in path.label_x]
    expected = [[0, 0, 0], [0, 0, 1], [0, 0.5, 1], [0, 0.75, 0.75]]
    np.testing.assert_allclose(np.sort(np.abs(corners), axis=1), expected, atol=1e-12)
    lengths = np.array([1, 0.5, np.sqrt(0.125)]) * 2 * np.pi / 7.65
    np.testing.assert_allclose(np.diff(path.label_x), lengths, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(np.diff(cartesian, axis=0), axis=1) * 2 * np.pi / 7.65, np.diff(path.x))


@pytest.mark.parametrize("cell", [FCC, HEXAGONAL, TRICLINIC, ORTHORHOMBIC_C, np.eye(3) * 8, np.diag([5.0, 5, 8])])
@pytest.mark.parametrize("change", [np.eye(3), SHEARED, PERMUTED, -np.eye(3)])
@pytest.mark.parametrize("turn", [False, True])
def test_points_belong_to_the_given_cell(cell: np.ndarray, change: np.ndarray, turn: bool) -> None:
    given = change @ (rotated(cell) if turn else cell)
    lattice = kpath.identify(given)[0]
    own = reciprocal(lattice.tocell().array / BOHR_IN_ANGSTROM)
    name, points = kpath.special_points(given)
    assert name == lattice.name
    names = sorted(points)
    of_lattice = np.array([lattice.get_special_points()[label] for label in names]) @ own
    of_given = np.array([points[label] for label in names]) @ reciprocal(given)
    # Lengths and angles of all named points, which a wrong cell would not keep ...
    np.testing.assert_allclose(of_given @ of_given.T, of_lattice @ of_lattice.T, atol=1e-3 * np.max(of_lattice**2))
    # ... and whole combinations of one cell's reciprocal vectors are whole combinations of the other's.
    in_lattice = np.array([lattice.get_special_points()[label] for label in names])
    change_of_cell = np.linalg.lstsq(in_lattice, np.array([points[label] for label in names]), rcond=None)[0]
    np.testing.assert_allclose(change_of_cell, np.round(change_of_cell), atol=1e-3)
    assert abs(np.linalg.det(change_of_cell)) == pytest.approx(1, abs=1e-2)


@pytest.mark.parametrize("text", ["GXWKG", "G,X,W,K,G", "G, X, W, K, G", "ΓXWKΓ", "G-X-W-K-G"])
def test_ways_to_write_a_path(text: str) -> None:
    path = kpath.build(FCC, text, 40)
    assert path.labels == ["G", "X", "W", "K", "G"]
    np.testing.assert_allclose(path.k, kpath.build(FCC, "GXWKG", 40).k)


def test_jumps_take_no_length() -> None:
    path = kpath.build(FCC, "GXU,KGL", 50)
    assert path.labels == ["G", "X", "U|K", "G", "L"]
    assert len(path.k) == 50
    at = int(np.flatnonzero(np.diff(path.x) == 0)[0])
    _, known = kpath.special_points(FCC)
    np.testing.assert_allclose(path.k[at], known["U"])
    np.testing.assert_allclose(path.k[at + 1], known["K"])
    assert path.x[at] == pytest.approx(path.label_x[2])
    assert np.all(np.diff(path.x) >= 0)


def test_labels_with_digits() -> None:
    name, known = kpath.special_points(ORTHORHOMBIC_C)
    assert name == "ORCC"
    path = kpath.build(ORTHORHOMBIC_C, "GXSRAZGYX1A1TY,ZT", 60)
    assert path.labels[-4:] == ["A1", "T", "Y|Z", "T"]
    np.testing.assert_allclose(path.k[-1], known["T"])


def test_every_corner_is_a_point_even_with_few() -> None:
    path = kpath.build(FCC, "GXU,KGL", 6)
    assert len(path.k) == 6
    with pytest.raises(InputError, match="5 points are too few; valid: 6 or more"):
        kpath.build(FCC, "GXU,KGL", 5)


def test_default_path() -> None:
    assert kpath.default_path(FCC) == "GXWKGLUWLK,UX"
    assert kpath.build(FCC, kpath.default_path(FCC), 100).labels[-2:] == ["K|U", "X"]
    hexagonal = ase.build.bulk("Mg", "hcp", 3.2, 5.2).cell.array / BOHR_IN_ANGSTROM
    assert kpath.build(hexagonal, "GMKG", 30).lattice == "HEX"


@pytest.mark.parametrize("path", ["GXWKGLUWLK,UX", "GX", "UX,KG"])
def test_every_line_has_enough_points_by_default(path: str) -> None:
    found = kpath.build(FCC, path)
    lines = sum(len(section) - 1 for section in path.split(","))
    assert len(found.k) == LINE_POINTS * lines + path.count(",") + 1
    for first, last in itertools.pairwise(found.label_x):
        assert np.count_nonzero((found.x >= first) & (found.x <= last)) > LINE_POINTS


BCC = np.array([[-1, 1, 1], [1, -1, 1], [1, 1, -1]]) * 2.7


@pytest.mark.parametrize("cell", [FCC, BCC, HEXAGONAL, TRICLINIC, ORTHORHOMBIC_C, np.eye(3) * 8])
def test_default_path_does_not_depend_on_the_choice_of_the_cell(cell: np.ndarray) -> None:
    text = kpath.default_path(cell)
    usual = kpath.build(cell, text)
    for change in (np.eye(3), PERMUTED, SHEARED):
        given = change @ rotated(cell)
        assert kpath.default_path(given) == text
        path = kpath.build(given, text)
        assert path.labels == usual.labels
        np.testing.assert_allclose(path.label_x, usual.label_x, rtol=1e-3)
        for corner, at in kpath.corners(given, text).items():
            length = np.linalg.norm(kpath.corners(cell, text)[corner] @ reciprocal(cell))
            assert np.linalg.norm(at @ reciprocal(given)) == pytest.approx(length, rel=1e-3)


@pytest.mark.parametrize(
    "path",
    ["GXU|KGL", "Gamma-X-U|K-Gamma-L", "Γ-X-U,K-Γ-L", "GAMMA X U | K GAMMA L", "gammaXU|KgammaL", "G,X,U|K,G,L"],
)
def test_paths_as_others_write_them(path: str) -> None:
    usual, found = kpath.build(FCC, "GXU,KGL", 50), kpath.build(FCC, path, 50)
    np.testing.assert_array_equal(found.k, usual.k)
    assert found.labels == usual.labels
    assert list(kpath.corners(FCC, path)) == ["G", "X", "U", "K", "L"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("GXQ", r"unknown point 'Q'; valid in this cell's lattice \(FCC\): G, K, L, U, W, X"),
        ("GX1", "unknown point 'X1'.*did you mean 'X'"),
        ("gx", "unknown point 'gx'"),
        ("G?X", r"unknown point '\?'"),
        ("G", "'G' is not a line"),
        ("GX,K", "'K' is not a line"),
        ("GX,,KG", "'' is not a line"),
        ("", "'' is not a line"),
        ("GGX", "G follows G"),
    ],
)
def test_bad_paths_are_named(path: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        kpath.build(FCC, path, 20)


def test_a_lattice_that_ase_cannot_reduce_is_refused() -> None:
    cell = np.array([[1e4, 3, 1], [1e4, 3.01, 1], [-9998, 3, 4]])
    for call in (lambda: kpath.build(cell, "GX", 10), lambda: kpath.default_path(cell)):
        with pytest.raises(InputError, match="less skewed cell"):
            call()


LAYER = [True, True, False]
LAYERS = {
    "hexagonal, 120 degrees": ([[4.65, 0, 0], [-2.325, 4.02701812759764, 0]], "HEX2D", "GMKG"),
    "hexagonal, 60 degrees": ([[4.65, 0, 0], [2.325, 4.02701812759764, 0]], "HEX2D", "GMKG"),
    "hexagonal, sheared": ([[4.65, 0, 0], [6.975, 4.02701812759764, 0]], "HEX2D", "GMKG"),
    "square": ([[5.0, 0, 0], [5, 5, 0]], "SQR", "MGXM"),
    "rectangular": ([[8.0, 0, 0], [0, 5, 0]], "RECT", "GXSYGS"),
    "centred, wide": ([[3.0, -1.7, 0], [3, 1.7, 0]], "CRECT", "GXA1YG"),
    "centred, long": ([[3.4, 0, 0], [1.7, 3, 0]], "CRECT", "GXA1YG"),
    "oblique": ([[5.0, 0, 0], [1.3, 6, 0]], "OBL", "GYHCH1XG"),
}


@pytest.mark.parametrize(("plane", "lattice", "text"), LAYERS.values(), ids=LAYERS)
@pytest.mark.parametrize("vacuum", [[0, 0, 15.0], [0, 0, 6.0], [1.0, -2, 20]])
@pytest.mark.parametrize("last", [True, False])
def test_layers_have_the_points_of_their_plane(plane: list, lattice: str, text: str, vacuum: list, last: bool) -> None:
    cell, periodic = (np.array([*plane, vacuum]), LAYER) if last else (np.array([vacuum, *plane]), LAYER[::-1])
    assert kpath.default_path(cell, periodic) == text
    path = kpath.build(cell, text, 60, periodic)
    assert path.lattice == lattice
    assert not path.k[:, 2 if last else 0].any()
    # Lengths are those of the two-dimensional reciprocal lattice, whatever the direction of the third vector.
    upright = kpath.build(np.array([*plane, [0, 0, 9.0]]), text, 60, LAYER)
    np.testing.assert_allclose(path.x, upright.x, atol=1e-12)
    own = identify_plane(np.array(plane))
    points = {name: k @ own for name, k in kpath.special_points(np.array([*plane, [0, 0, 9.0]]), LAYER)[1].items()}
    for name, point in points.items():  # special points are as near to other points of the reciprocal lattice as to 0
        nearest = [np.linalg.norm(point - np.array([i, j, 0]) @ own) for i in range(-3, 4) for j in range(-3, 4)]
        assert np.isclose(nearest, min(nearest), atol=1e-9).sum() >= {"G": 1, "K": 3}.get(name, 2)
        assert np.linalg.norm(point) < min(nearest) + 1e-9


def identify_plane(plane: np.ndarray) -> np.ndarray:
    """Return the reciprocal vectors of a layer, and one upright to them."""
    return reciprocal(np.array([*plane, [0, 0, 9.0]]))


def test_a_chain_has_one_line() -> None:
    cell = np.diag([15.0, 20, 4])
    assert kpath.default_path(cell, [False, False, True]) == "GX"
    path = kpath.build(cell, "GX", 11, [False, False, True])
    np.testing.assert_allclose(path.k[:, 2], np.linspace(0, 0.5, 11))
    assert not path.k[:, :2].any()
    assert path.x[-1] == pytest.approx(np.pi / 4)


def test_names_of_the_whole_cell_are_known_in_layers_too() -> None:
    cell = np.diag([5.0, 5, 15])
    path = kpath.build(cell, "GZ", 5, LAYER)
    np.testing.assert_allclose(path.k[-1], [0, 0, 0.5])
    with pytest.raises(InputError, match="unknown point 'Q'; valid in this cell's lattice .SQR.: G, M, X"):
        kpath.build(cell, "GQ", 5, LAYER)


@pytest.mark.parametrize(
    ("cell", "places", "periodic", "along"),
    [
        ([15.0, 15, 15], [[0, 0, 0]], [True] * 3, [True] * 3),  # a molecule in a box
        ([15.0, 15, 4], [[0, 0, 0]], [True] * 3, [False, False, True]),
        ([4.0, 4, 15], [[0, 0, 0]], [True] * 3, [True, True, False]),
        ([4.0, 4, 8.5], [[0, 0, 0]], [True] * 3, [True] * 3),  # 5.6 bohr between layers, less than a vacuum
        ([4.0, 4, 9], [[0, 0, 0]], [True, True, False], [True, True, False]),
        ([15.0, 4, 9], [[0, 0, 0]], [True, True, False], [False, True, False]),
        ([4.0, 4, 15], [[0, 0, 0], [0, 0, 0.3], [0, 0, 0.6]], [True] * 3, [True] * 3),
    ],
)
def test_directions_along_which_bands_disperse(cell: list, places: list, periodic: list, along: list) -> None:
    crystal = Crystal(np.diag(cell).tolist(), ["C"] * len(places), places)
    assert vacuum.dispersing(crystal, periodic) == along
