"""Energies with units, elements, vectors."""

import re
from pathlib import Path

import ase.data
import numpy as np
import pytest

from wavegrid import units
from wavegrid.base import vectors
from wavegrid.crystal.elements import ELEMENTS


@pytest.mark.parametrize(
    ("text", "hartree"),
    [
        ("1 Ha", 1.0),
        ("2Ry", 1.0),
        ("27.211386245988 eV", 1.0),
        (" 1e-7 ha ", 1e-7),
        (".5 HA", 0.5),
        ("240 eV", 8.819837322157),
    ],
)
def test_parses_energies(text: str, hartree: float) -> None:
    assert units.parse_energy(text) == pytest.approx(hartree, rel=1e-9)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (240, "missing unit"),
        ("240", "missing unit"),
        ("240 meV", "unknown unit 'meV'"),
        ("eV", "not a number"),
        ("0 eV", "not above zero"),
        ("-3 Ry", "not above zero"),
        ("1e999 Ha", "not above zero"),
        ("1,5 eV", "not a number"),
        (True, "not a number"),
        (["1 eV"], "not a number"),
    ],
)
def test_refuses(value: object, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        units.parse_energy(value)


@pytest.mark.parametrize(
    ("text", "valid", "meant"),
    [
        ("0.01 eV/A", units.FORCE_UNITS, "eV/angstrom"),
        ("0.01 eV / Å", units.FORCE_UNITS, "eV/angstrom"),
        ("1 hartree/bohr", units.FORCE_UNITS, "Ha/bohr"),
        ("0.2 A", units.LENGTH_UNITS, "angstrom"),
        ("300 kelvin", units.TEMPERATURE_UNITS, "K"),
    ],
)
def test_usual_names_of_units_bring_ours(text: str, valid: dict[str, float], meant: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"; did you mean '{meant}'?")):
        units.parse_measure(text, valid)


def test_usual_names_of_energies_and_reciprocal_lengths() -> None:
    with pytest.raises(ValueError, match=r"unknown unit 'Hartree'; did you mean 'Ha'\?"):
        units.parse_energy("5 Hartree")
    for text in ("0.3 /A", "0.3 1/A", "0.3 angstrom"):
        with pytest.raises(ValueError, match=r"did you mean '/angstrom'\?"):
            units.parse_reciprocal_length(text)
    assert units.parse_reciprocal_length("0.3 1/bohr") == 0.3
    assert units.parse_reciprocal_length(0.15) == 0.15
    assert units.parse_reciprocal_length(1e-2) == 0.01


def test_constants_equal_those_of_the_core() -> None:
    header = (Path(__file__).parents[2] / "src" / "base" / "units.hpp").read_text()
    constants = dict(re.findall(r"double (\w+) = ([\d.]+);", header))
    assert float(constants["bohr_in_angstrom"]) == units.BOHR_IN_ANGSTROM
    assert float(constants["hartree_in_ev"]) == units.HARTREE_IN_EV


def test_elements_are_those_of_ase() -> None:
    assert list(ELEMENTS) == ase.data.chemical_symbols[1:]
    for symbol, element in ELEMENTS.items():
        number = ase.data.atomic_numbers[symbol]
        moments = np.nan_to_num(ase.data.ground_state_magnetic_moments)
        assert element.number == number
        assert element.name == ase.data.atomic_names[number]
        assert element.covalent_radius == pytest.approx(ase.data.covalent_radii[number])
        assert element.moment == (moments[number] if number < len(moments) else 0)


def test_vectors_are_those_of_numpy() -> None:
    cell = [[8.0, 0.1, 0.0], [7.0, 3.0, -1.0], [-6.0, 2.0, 5.0]]
    exact = np.array(cell)
    np.testing.assert_allclose(vectors.determinant(cell), np.linalg.det(exact))
    np.testing.assert_allclose(vectors.reciprocal(cell), np.linalg.inv(exact).T)
    np.testing.assert_allclose(vectors.heights(cell), 1 / np.linalg.norm(np.linalg.inv(exact), axis=0))
    position = vectors.cartesian([0.2, -1.3, 4.0], cell)
    np.testing.assert_allclose(position, np.array([0.2, -1.3, 4.0]) @ exact)
    np.testing.assert_allclose(vectors.fractional(position, vectors.reciprocal(cell)), [0.2, -1.3, 4.0])
