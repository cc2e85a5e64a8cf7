"""The list of tests that `make test` leaves to `make test-long`."""

from pathlib import Path

from conftest import LONG


def test_every_name_is_that_of_a_test() -> None:
    for name in LONG:
        file, function = name.split("::")
        assert f"def {function}(" in (Path(__file__).parent / file).read_text(), name
