"""Standard output and errors that never raise: a closed pipe or a full disk must not end a calculation.

The first failure of a stream is kept, and what is written to it afterwards is dropped. `finish` reports it at the end.
"""

import atexit
import contextlib
import errno
import io
import os
import select
import signal
import sys
from typing import NoReturn

from wavegrid.errors import EXIT_DONE, EXIT_ENVIRONMENT, EXIT_SIGNAL

_continued = ""


class Stream(io.TextIOBase):
    """A standard stream, by its descriptor; writes at once."""

    def __init__(self, descriptor: int, *, missing: bool = False, terminal: bool | None = None):
        """Write to `descriptor`; `missing`: it was closed when the program started. `terminal` overrides the guess."""
        self.descriptor = descriptor
        self.fault: OSError | None = None
        self.silent = False
        self._missing = missing
        self._terminal = os.isatty(descriptor) and not missing if terminal is None else terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the locale."""
        return sys.__stdout__.encoding if sys.__stdout__ is not None else "utf-8"

    def fileno(self) -> int:
        """Return the descriptor."""
        return self.descriptor

    def isatty(self) -> bool:
        """Return whether this is a terminal."""
        return self._terminal

    def writable(self) -> bool:
        """Return True: what cannot be written is dropped."""
        return True

    def write(self, text: str) -> int:
        """Write text; characters that the encoding lacks become question marks."""
        self.write_bytes(text.encode(self.encoding, "replace"))
        return len(text)

    def write_bytes(self, data: bytes) -> None:
        """Write all of `data`, or keep the failure."""
        if self.silent or self.fault is not None or not data:
            return
        try:
            if self._missing:
                raise OSError(errno.EBADF, "it is closed")
            while data:
                data = data[self._write(data) :]
        except OSError as fault:
            self.fault = fault

    def _write(self, data: bytes) -> int:
        try:
            return os.write(self.descriptor, data)
        except BlockingIOError:  # a pipe that another process has made non-blocking
            select.select([], [self.descriptor], [])
            return 0


def guard(*, silent: bool = False, terminal: bool | None = None) -> None:
    """Replace sys.stdout and sys.stderr, once; with `silent` they print nothing until `speak`.

    Closed descriptors are opened on /dev/null: else the next file of the calculation would become standard output.
    """
    if isinstance(sys.stdout, Stream):
        return
    missing = []
    with contextlib.suppress(OSError):
        while (opened := os.open(os.devnull, os.O_RDWR)) <= 2:
            missing.append(opened)
            os.set_inheritable(opened, True)
        os.close(opened)
    sys.stdout = Stream(1, missing=1 in missing, terminal=terminal)
    sys.stderr = Stream(2, missing=2 in missing, terminal=terminal)
    sys.stdout.silent = sys.stderr.silent = silent


def speak() -> None:
    """End the silence."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, Stream):
            stream.silent = False


def output_fault() -> OSError | None:
    """Return why standard output could not be written, if that happened."""
    return sys.stdout.fault if isinstance(sys.stdout, Stream) else None


def run_has_ended() -> None:
    """Have `finish` say that only the output was lost."""
    global _continued
    _continued = "; the run went on to its end and wrote its files"


def forget_fault() -> None:
    """Have the failure of standard output reported otherwise, not by `finish`."""
    if isinstance(sys.stdout, Stream):
        sys.stdout.fault, sys.stdout.silent = None, True


def copy_to_output(data: bytes) -> None:
    """Write bytes to standard output."""
    if isinstance(sys.stdout, Stream):
        sys.stdout.write_bytes(data)
    else:  # in a test
        sys.stdout.write(data.decode(errors="replace"))


def finish(code: int) -> int:
    """Report at the end of the program that output was lost; return the exit code, which is then not EXIT_DONE.

    A reader that has seen enough, such as `head`, is no fault of a command that only prints: it ends as others do then.
    """
    if (fault := output_fault()) is None:
        return code
    if fault.errno == errno.EPIPE and not _continued:
        return EXIT_SIGNAL + signal.SIGPIPE if code == EXIT_DONE else code
    print(f"error: standard output cannot be written: {fault.strerror}{_continued}", file=sys.stderr)
    return EXIT_ENVIRONMENT if code == EXIT_DONE else code


def leave(code: int) -> NoReturn:
    """End the program without taking its modules apart, which would take a third of the time of importing them."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)
