"""Whether a launcher has started this process; else which mpirun to call, with which command and environment."""

import os
from dataclasses import dataclass

from wavegrid.base.text import counted
from wavegrid.errors import EnvironmentFault, InputError
from wavegrid.process import machine
from wavegrid.process.module_path import python_command

WORKER = "WAVEGRID_WORKER"  # set for the ranks that our own launcher starts: the folder it shares with them
TOKEN = "WAVEGRID_TOKEN"  # by which they prove at its socket that they are its ranks
_RANK = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK")
_SIZE = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")
# Variables of a process manager, by which the tasks of a step find each other; PMIX_MCA_... are only settings.
_INTERFACES = ("PMI_FD", "PMI_PORT", "PMI_RANK", "PMIX_NAMESPACE", "PMIX_RANK", "PALS_RANKID")
# OpenMP, and each BLAS that has a variable of its own, which OMP_NUM_THREADS does not override.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
# Of programs that stay on one machine, named: to look for networks takes 0.2 s, for graphics and other devices 0.02 s.
_SHARED_MEMORY = {
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "vader,self",
    "HWLOC_COMPONENTS": "-gl,-opencl,-pci,-linuxio",
}
_INSTALL = "install one: apt install openmpi-bin (or mpich), or run with --ranks 1"

MOST_RANKS, MOST_COUNT = 100_000, 1_000_000
_MOST = {"--ranks": MOST_RANKS, "--threads": 1024}  # of an option; MOST_COUNT for others
_MOST_ON_A_CORE, _ALWAYS_POSSIBLE = 32, 256  # ranks that are started


@dataclass(frozen=True)
class Launcher:
    """An mpirun: its path and whose it is."""

    path: str
    kind: str  # "openmpi" or "hydra"


def under_launcher() -> bool:
    """Whether an MPI launcher started this process as a rank."""
    return any(name in os.environ for name in _RANK + _SIZE)


def rank_hint() -> int:
    """Return this process's rank from its launcher's variables, before MPI starts; 0 without a launcher."""
    rank = _environment_number(_RANK)
    if rank is None and step_tasks() is not None:
        rank = _environment_number(("SLURM_PROCID",))
    return rank or 0


def size_hint() -> int | None:
    """Return the number of ranks from the launcher's variables, before MPI starts, where it sets one."""
    return _environment_number(_SIZE)


def step_tasks() -> int | None:
    """Return the number of tasks that srun started, if more than one; a batch script is not one of them."""
    tasks, number = (_environment_number((name,)) for name in ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"))
    if tasks is None and number:  # a batch script is task 0
        tasks = _environment_number(("SLURM_NTASKS",))
    return tasks if number is not None and tasks is not None and tasks > 1 else None


def check_launcher() -> None:
    """Refuse the tasks of an srun without MPI: each would be a run of its own. Raises EnvironmentFault."""
    if under_launcher() or any(name in os.environ for name in _INTERFACES):
        return
    if (tasks := step_tasks()) is not None:
        raise EnvironmentFault(
            f"srun started {tasks} tasks that do not know each other: each would be a whole run; start them by "
            "'srun --mpi=pmix' or 'srun --mpi=pmi2' (srun --mpi=list prints what there is), or by the mpirun of the "
            "MPI that wavegrid was built with"
        )


def check_size(size: int) -> None:
    """Refuse ranks of which MPI counts fewer than the launcher started; raises EnvironmentFault."""
    announced = size_hint()
    if announced is None and size == 1:
        announced = step_tasks()
    if announced not in (None, size):
        raise EnvironmentFault(
            f"the launcher started {announced} ranks, but MPI counts {size}: mpirun or srun and the MPI library of "
            "wavegrid do not fit; use the mpirun of the MPI that wavegrid was built with, or another srun --mpi"
        )


def _environment_number(names: tuple[str, ...]) -> int | None:
    values = (os.environ.get(name, "") for name in names)
    return next((int(value) for value in values if value.isdigit()), None)


def parse_count(option: str, text: str) -> int:
    """Return a whole number of at least 1 from the command line; raises InputError that names the option."""
    most = _MOST.get(option, MOST_COUNT)
    shown = text if len(text) <= 30 else f"{text[:27]}..."
    try:
        value = int(text)
    except ValueError:  # also more digits than Python converts
        raise InputError(f"{option} {shown}: not a whole number; valid: 1, 2, 3, ... {most}") from None
    if not 1 <= value <= most:
        raise InputError(
            f"{option} {shown}: {'not above zero' if value < 1 else 'too many'}; valid: 1, 2, 3, ... {most}"
        )
    return value


def check_start(ranks: int) -> None:
    """Refuse to start many more ranks than this machine has cores; a batch job or a host file may have more machines.

    Raises InputError.
    """
    most = max(_ALWAYS_POSSIBLE, _MOST_ON_A_CORE * machine.usable_cores())
    if one_node() and ranks > most:
        raise InputError(
            f"--ranks {ranks} on {counted(machine.usable_cores(), 'core')}: too many to start; "
            f"valid: 1, 2, 3, ... {most}"
        )


def choose_ranks(ranks: int | None, threads: int) -> int:
    """Return the number of ranks: the given one, else usable cores / threads."""
    return ranks if ranks is not None else max(1, machine.usable_cores() // threads)


def set_threads(threads: int) -> None:
    """Tell the numerical libraries their number of threads; has to happen before the core loads."""
    os.environ.update(dict.fromkeys(_THREADS, str(threads)))


def environment_warnings() -> list[str]:
    """Return what in the environment slows a run down."""
    pinned = os.environ.get("OPENBLAS_CORETYPE")
    if pinned is None:
        return []
    return [f"OPENBLAS_CORETYPE={pinned} pins the kernels of OpenBLAS; unset it to let them fit the processor"]


def find_launcher(library: str) -> Launcher:
    """Return the mpirun that belongs to the MPI library the core is linked with, by the library's own version text.

    Raises EnvironmentFault where none is installed, saying what to install.
    """
    import shutil  # not for the ranks

    wanted = "openmpi" if "open" in library.casefold() else "hydra"
    names = {"openmpi": ["mpirun", "mpirun.openmpi"], "hydra": ["mpirun", "mpirun.mpich", "mpiexec.hydra"]}[wanted]
    seen = []
    for path in filter(None, map(shutil.which, names)):
        kind = _kind(path)
        if kind == wanted:
            return Launcher(_in_real_folder(path), kind)
        seen.append(path)
    if seen:
        package = "openmpi-bin" if wanted == "openmpi" else "mpich"
        raise EnvironmentFault(
            f"no mpirun fits the MPI library ({library.strip()}): {', '.join(seen)} belong to another MPI; "
            f"install it: apt install {package}, or run with --ranks 1"
        )
    raise EnvironmentFault(f"mpirun is not installed or not in PATH; {_INSTALL}")


def _in_real_folder(path: str) -> str:
    """Return the path without links in its folder: Open MPI takes the folder above as its own, and / is above /bin."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _kind(path: str) -> str:
    import subprocess  # not for the ranks

    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise EnvironmentFault(f"{path} --version does not work ({fault}); {_INSTALL}") from None
    text = answer.stdout + answer.stderr
    if "Open MPI" in text or "OpenRTE" in text:
        return "openmpi"
    return "hydra" if "HYDRA" in text.upper() or "INTEL(R) MPI" in text.upper() else "unknown"


def command(launcher: Launcher | None, ranks: int, threads: int, program: list[str]) -> list[str]:
    """Return the command line that starts the ranks; one rank needs no launcher."""
    if launcher is None:
        return program
    if launcher.kind == "hydra":
        return [launcher.path, "-n", str(ranks), *program]
    words = [launcher.path, "--quiet", "--oversubscribe", "-n", str(ranks)]
    if threads > 1 or ranks * threads > machine.usable_cores():
        words += ["--bind-to", "none"]
    return [*words, *program]


def environment(launcher: Launcher | None, ranks: int, threads: int, folder: str | os.PathLike[str]) -> dict[str, str]:
    """Return the environment of the ranks; what the user has set for Open MPI stays as it is.

    `folder` is a folder of this start alone, for the files of MPI: all programs of a user share the default of Open
    MPI, and one that ends at the wrong moment removes the directory in which another is about to make its own.
    """
    result = dict(os.environ) | dict.fromkeys(_THREADS, str(threads))
    on_this_machine = _SHARED_MEMORY | {"OMPI_MCA_orte_tmpdir_base": os.fspath(folder)}
    if launcher is None:
        return on_this_machine | {"OMPI_MCA_ess_singleton_isolated": "1"} | result  # else it starts a daemon
    if launcher.kind != "openmpi":
        return result
    settings = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    if ranks > machine.usable_cores():
        settings["OMPI_MCA_mpi_yield_when_idle"] = "1"
    if one_node():
        settings |= on_this_machine
    return settings | result


def one_node() -> bool:
    """Return whether mpirun would stay on this machine: no batch job with several nodes, no host file."""
    nodes = os.environ.get("SLURM_JOB_NUM_NODES", os.environ.get("SLURM_NNODES", "1"))
    elsewhere = ("OMPI_MCA_orte_default_hostfile", "PBS_NODEFILE", "PE_HOSTFILE", "LSB_HOSTS", "LSB_DJOB_HOSTFILE")
    return nodes == "1" and not any(name in os.environ for name in elsewhere)


def rank_program(request: str) -> list[str]:
    """Return the command line of a rank that gets `request`, in JSON, by the same interpreter."""
    return python_command("wavegrid.rank.program", request)
