"""Energies with units."""

import re
from pathlib import Path

import pytest

from wavegrid import units


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


def test_constants_equal_those_of_the_core() -> None:
    header = (Path(__file__).parents[2] / "src" / "base" / "units.hpp").read_text()
    constants = dict(re.findall(r"double (\w+) = ([\d.]+);", header))
    assert float(constants["bohr_in_angstrom"]) == units.BOHR_IN_ANGSTROM
    assert float(constants["hartree_in_ev"]) == units.HARTREE_IN_EV
