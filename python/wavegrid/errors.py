"""The errors that a user can meet, with their exit codes, and the nearest valid name for their messages."""

from collections.abc import Iterable

from wavegrid.base.text import printable

EXIT_DONE = 0
EXIT_NOT_CONVERGED = 1
EXIT_BAD_INPUT = 2
EXIT_ENVIRONMENT = 3
EXIT_INTERNAL = 4
EXIT_SIGNAL = 128  # plus the number of the signal, as shells count
EXIT_INTERRUPTED = 130


class WavegridError(Exception):
    """A failure that the program reports in one line; `exit_code` is that of the program."""

    exit_code = EXIT_INTERNAL


class InputError(WavegridError):
    """The input file or the command line is wrong: the user can correct it."""

    exit_code = EXIT_BAD_INPUT


class EnvironmentFault(WavegridError):
    """The machine refuses: no MPI launcher, a full disk, an unwritable directory."""

    exit_code = EXIT_ENVIRONMENT


class InternalFault(WavegridError):
    """A fault of wavegrid itself."""

    exit_code = EXIT_INTERNAL


class Interrupted(WavegridError):
    """Ended by a signal; the exit code is 128 plus its number, as shells count."""

    def __init__(self, signal_number: int):
        """Keep the number of the signal that ended the run."""
        super().__init__("interrupted; no result was written")
        self.exit_code = EXIT_SIGNAL + signal_number


def first_line(fault: Exception) -> str:
    """Return kind and first line of an error of another library, for a message that goes on after it."""
    return printable(f"{type(fault).__name__}: {str(fault).strip().partition(chr(10))[0]}")


def nearest(word: str, options: Iterable[str], count: int = 1, cutoff: float = 0.6) -> list[str]:
    """Return the options most like `word`, best first; upper and lower case count as equal."""
    import difflib  # slow to import, and only messages need it

    by_folded = {option.casefold(): option for option in options}
    matches = difflib.get_close_matches(word.casefold(), by_folded, n=count, cutoff=cutoff)
    return [by_folded[match] for match in matches]


def did_you_mean(word: str, options: Iterable[str], count: int = 1, cutoff: float = 0.6) -> str:
    """Return `; did you mean 'x'?` for the nearest options, or nothing where none is near."""
    matches = nearest(word, options, count, cutoff)
    return f"; did you mean {' or '.join(repr(match) for match in matches)}?" if matches else ""
