"""Any bytes as an input file: they are read, or refused by one InputError of one line that names the file.

atheris is libFuzzer for Python and takes its options: python tests/fuzz/fuzz_toml.py -max_total_time=60 CORPUS
"""

import os
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["wavegrid", "tomllib"]):
    from wavegrid.errors import InputError
    from wavegrid.input import document

DESCRIPTOR = os.memfd_create("input.toml")
FILE = Path(f"/proc/self/fd/{DESCRIPTOR}")


def test_one_input(data: bytes) -> None:
    """Read `data` as an input file."""
    os.ftruncate(DESCRIPTOR, 0)
    os.pwrite(DESCRIPTOR, data, 0)
    try:
        document.read(FILE)
    except InputError as fault:
        message = str(fault)
        assert message.startswith(f"{FILE}:"), message
        assert len(message.splitlines()) == 1, message
        message.encode()


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one_input)
    atheris.Fuzz()
