"""The files of another program in a new directory."""

from pathlib import Path
from types import ModuleType

from wavegrid.comparison.inputs import abinit, espresso
from wavegrid.comparison.inputs.case import case_of
from wavegrid.errors import EnvironmentFault, InputError, did_you_mean
from wavegrid.job.prepare import prepare

PROGRAMS = {"qe": espresso, "abinit": abinit}


def write(core: ModuleType, path: Path, program: str, directory: str | None) -> list[str]:
    """Write the input of a program for an input file of ours; return the lines that say what is where.

    The directory, STEM_PROGRAM if none is given, must not hold a file of the same name. Raises InputError and
    EnvironmentFault.
    """
    if directory == "":
        raise InputError("--output is empty; valid: a directory")
    other = PROGRAMS[program]
    job = prepare(core, path)
    folder = Path(directory or f"{path.stem}_{program}")
    texts = other.files(case_of(core, job))
    save(folder, texts)
    lines = [f"written: {folder / name}" for name in texts]
    lines += [f"note: {note}" for note in job.notes]
    lines += [f"run: cd {folder} && {other.COMMAND}", f"then: wavegrid compare {job.directory} {folder / other.OUTPUT}"]
    return lines


def check_program(program: str) -> None:
    """Refuse a program that is not known; raises InputError."""
    if program not in PROGRAMS:
        valid = ", ".join(PROGRAMS)
        raise InputError(f"--input-for {program}: unknown program; valid: {valid}{did_you_mean(program, PROGRAMS)}")


def save(folder: Path, texts: dict[str, str]) -> None:
    """Write files by their names; nothing is written where one of them exists."""
    for name in texts:
        if (folder / name).exists():
            raise InputError(f"{folder / name}: exists; valid: --output with another directory, or remove it")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            with (folder / name).open("x") as file:  # does not follow a link either
                file.write(text)
    except OSError as fault:
        raise EnvironmentFault(f"'{folder}' cannot be written: {fault.strerror}") from None
