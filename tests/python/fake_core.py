"""A stand-in for `wavegrid._core` without MPI or physics, for tests of what Python does around the core.

The variable FAKE_CORE chooses what `solve` does: nothing special, "unconverged", "bad" (input), "fault" (on all ranks),
"fault1" (on rank 1), "slow", "full" (a disk), "crash",
"signalN" (number N to rank 1), "no_kpoints" (in the result), "checkpoint" (written), "stops" (at a signal, after its
step) or
"stubborn" (ignores it).
"""

import itertools
import math
import os
import resource
import signal
import time


class Error(Exception):
    """Base of the core's errors."""


class BadInput(Error):
    """The user has to act."""


class EnvironmentFault(Error):
    """The machine's owner has to act."""


class InternalError(Error):
    """We have to act."""


def versions():
    """Return made-up versions; FAKE_MPI chooses the MPI library."""
    return {"mpi": os.environ.get("FAKE_MPI", "Open MPI v4.1.4"), "blas": "fake"}


def check_xc(names):
    """Refuse all but a few functionals."""
    valid = ["LDA_XC_TETER93", "LDA_X", "LDA_C_PZ"]
    for name in names.upper().split("+"):
        if name.strip() not in valid:
            raise BadInput(f"libxc has no functional '{name}'; the nearest names are {', '.join(valid)}")
    return names.upper()


def gth_elements(path):
    """Return the elements that the table at `path` holds."""
    with open(path) as file:
        return sorted({line.split()[0] for line in file if len(line.split()) == 2 and line.split()[1][:1] == "q"})


def gth_entries(path, element):
    """Return the valences of `element` in the table at `path`."""
    with open(path) as file:
        words = [line.split() for line in file]
    return [int(word[1][1:]) for word in words if len(word) == 2 and word[0] == element and word[1][:1] == "q"]


def pseudopotential_info(path, element, valence=None, name="", ecut=None):
    """Return what the first line of the file at `path` says: element, valence, functional; of a table what is known."""
    made_up = {"format": "fake", "name": name, "recommended_ecut": 8.0, "recommended_ecut_source": "estimated"}
    made_up |= {
        "mesh_ecut": 10.0,
        "ecut_error": 1e-3,
        "occupation": [1.0],
        "core_density": False,
        "spin_orbit": False,
        "kind": "norm-conserving",
    }
    if str(path).endswith(".gth"):
        return {"element": element, "valence": valence, "functional": "LDA_XC_TETER93", **made_up}
    with open(path) as file:
        words = file.readline().split()
    if words[:1] != [element]:
        raise BadInput(f"{path}:1: this is a pseudopotential of {' '.join(words[:1])}; valid is one of {element}")
    return {"element": element, "valence": int(words[1]), "functional": words[2], **made_up}


def primitive_cells(crystal):
    """Return 1, as if every cell were primitive."""
    return 1


def _gmax(cell, ecut):
    lengths = [math.sqrt(sum(x * x for x in row)) for row in cell]
    return [int(math.sqrt(2 * ecut) * length / (2 * math.pi) + 1e-9) for length in lengths]


def minimum_grid(cell, ecut):
    """Return 2 gmax + 1, right for orthogonal cells."""
    return tuple(2 * g + 1 for g in _gmax(cell, ecut))


def default_grid(cell, ecut):
    """Return 4 gmax + 1, made even."""
    return tuple(4 * g + 2 for g in _gmax(cell, ecut))


def closest_pair(crystal, below, sizes=()):
    """Return the closest two atoms of a cell with right angles, in relation to their sizes."""
    of_atoms = [sizes[atom[0]] if sizes else 0.5 for atom in crystal["atoms"]]
    places = [atom[1:] for atom in crystal["atoms"]]
    lengths = [math.hypot(*row) for row in crystal["cell"]]
    found, least = None, below
    for (i, one), (j, other) in itertools.combinations(enumerate(places), 2):
        apart = (b - a for a, b in zip(one, other, strict=True))
        distance = math.hypot(*((x - round(x)) * length for x, length in zip(apart, lengths, strict=True)))
        measure = distance / (of_atoms[i] + of_atoms[j])
        if measure < least:
            found, least = (i, j, distance), measure
    return found


def partition_figures(cell, ecut, grid, gamma, scheme, ranks):
    """Return made-up figures with the right keys."""
    total = 7602
    mean = total / ranks
    return {
        "scheme": scheme, "ranks": ranks, "rows": ranks, "columns": 1, "plane_waves": total,
        "max": math.ceil(mean), "min": int(mean), "mean": mean, "imbalance": math.ceil(mean) / mean,
        "sticks_max": 369, "messages": [0, 0], "bytes": [0, 0], "partition": "greedy", "partition_reason": "made up",
    }  # fmt: skip


def symmetric_grid(crystal, least):
    """Return a grid of even sizes, as if every crystal had a glide plane."""
    return tuple(n + n % 2 for n in least)


def lost_rotations(crystal, mesh, shift):
    """Return none: the crystals here have no symmetry but k and -k."""
    return 0


def has_whole_stars(crystal, list):
    return True


def describe(problem):
    """Return the points of a mesh, all of them, or the list; made-up sizes of the basis."""
    kpoints = problem["kpoints"] or {"mesh": [1, 1, 1], "shift": [0, 0, 0]}
    if "list" in kpoints:
        points = kpoints["list"]
    else:
        mesh, shift = kpoints["mesh"], kpoints["shift"]
        if max(mesh) > 1000:
            raise BadInput(f"a mesh of {mesh[0]}; sizes from 1 to 1000 are possible")
        indices = itertools.product(*(range(n) for n in mesh))
        weight = 1 / math.prod(mesh)
        points = [[*((i + s) / n for i, s, n in zip(at, shift, mesh, strict=True)), weight] for at in indices]
    gamma = len(points) == 1 and not any(points[0][:3]) and not problem["band_path"]
    return {
        "kpoints": points, "description": f"{len(points)} k-points", "mode": "gamma" if gamma else "complex",
        "basis_sizes": [15203, 15203],
    }  # fmt: skip


def memory_estimate(problem, ranks):
    """Return a made-up estimate."""
    partition = "greedy" if problem["partition"] == "auto" else problem["partition"]
    described, total = describe(problem), 7602
    kpoint_groups, band_groups = (problem[name] or 1 for name in ("kpoint_groups", "band_groups"))
    in_group = max(1, ranks // (kpoint_groups * band_groups))
    bands = int(os.environ.get("FAKE_BYTES", 120_000_000 // ranks))
    return {
        "bytes": {"bands": bands}, "earlier_geometries": bands // 2,
        "partition": partition, "partition_reason": "made up",
        "rows": in_group, "columns": 1, "kpoint_groups": kpoint_groups, "band_groups": band_groups,
        "transform_flops": 1_000_000, "transform_messages": 0, "transform_bytes": 0,
        "transform_first_messages": 0, "transform_first_bytes": 0,
        "groups_reason": "made up", "eigensolver": "lobpcg", "eigensolver_reason": "made up too",
        "kpoints": len(described["kpoints"]),
        "kpoints_description": described["description"], "mode": described["mode"],
        "plane_waves": total, "max_plane_waves": math.ceil(total / in_group), "min_plane_waves": total // in_group,
    }  # fmt: skip


def machine_rates():
    """Return made-up operations per second."""
    return {"fft": 1e10, "gemm": 4e10}


def band_transform_seconds(problem):
    """Return that nothing was measured."""
    return None


def mpi_start():
    """Return rank and size as the launcher says."""
    names = ("OMPI_COMM_WORLD_RANK", "PMI_RANK"), ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")
    rank, size = ([os.environ[name] for name in group if name in os.environ] for group in names)
    return int(rank[0]) if rank else 0, int(size[0]) if size else 1


def mpi_ranks_of_node():
    """Return the number of ranks: one machine."""
    return mpi_start()[1]


def end_all_at_faults(report, rank):
    """Do nothing."""


def mpi_abort(code):
    """End this rank as MPI_Abort does."""
    os._exit(code)


def mpi_stop():
    """Do nothing."""


_caught = []

if os.environ.get("FAKE_CORE") in ("stops", "stubborn"):

    def catch_signals():
        """Note signals for the end of the step."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda n, _frame: _caught.append(n))


def _listening(on_step):
    """Take steps until a signal has come, then describe how far it came.

    Only the rank that shows its steps is signalled; the real ranks agree, these stop after two seconds.
    """
    behaviour = os.environ["FAKE_CORE"]
    for step in range(1, 600 if on_step or behaviour == "stubborn" else 40):
        time.sleep(0.05)
        if on_step:
            on_step({"step": step, "free_energy": -1.5, "error_estimate": 1e-3, "seconds": 0.05})
        if _caught and behaviour == "stops":
            time.sleep(0.5)  # a long step and a checkpoint
            return {"stopped": signal.Signals(_caught[0]).name, "scf_steps": step}
    return {}


def start_trace():
    """Return a stand-in for a trace."""
    return object()


def write_trace(trace, path, process, run):
    """Write the description of the run alone."""
    if mpi_start()[0] == 0:
        with open(path, "w") as file:
            file.write(f'{{"traceEvents": [], "otherData": {{"run": {run}}}}}')


class Session:
    """Of one problem."""

    def __init__(self, problem, trace=None, keep_plans=True):
        self._problem = problem

    def solve(self, on_step=None, on_activity=None):
        """Behave as FAKE_CORE says and return made-up results."""
        return _solve(self._problem, on_step)


def _solve(problem, on_step):
    behaviour = os.environ.get("FAKE_CORE", "")
    if behaviour == "bad":
        raise BadInput("LDA_X+LDA_X counts exchange twice")
    if behaviour == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    if behaviour.startswith("signal") and mpi_start()[0] == 1:
        os.kill(os.getpid(), int(behaviour[6:]))
    if behaviour.startswith("signal"):
        time.sleep(60)  # the others wait for that rank
    if behaviour == "crash":
        os.kill(os.getpid(), 11)
    if behaviour.startswith("fault") and behaviour[5:] in ("", str(mpi_start()[0])):
        raise InternalError("the wave functions are not finite")
    if behaviour.startswith("fault"):
        time.sleep(60)
    more = {}
    if behaviour in ("stops", "stubborn"):
        more = _listening(on_step)
    if problem["restart"] is not None:
        more["restart"] = {
            "file": problem["restart"], "kpoints_found": 1, "kpoints_rotated": 0, "kpoints_missing": 0,
            "bands_found": 10, "bands_random": 0, "min_norm_retained": 1.0, "density": "taken", "seconds": 0.01,
        }  # fmt: skip
    if behaviour in ("stops", "stubborn", "checkpoint"):
        more["checkpoint"] = {"file": problem["checkpoint"]["file"], "writes": 2, "seconds": 0.1, "bytes": 1000000}
    for step in range(1, 4 if not more.get("stopped") else 1):
        time.sleep(8 if behaviour == "slow" else 0.01)
        if on_step:
            on_step({
                "step": step, "free_energy": -226.5 - step * 1e-3, "error_estimate": 10.0 ** (-2 * step),
                "seconds": 0.1, "h_applications": 217 * step,
            })  # fmt: skip
    names = ("free", "internal", "kinetic", "hartree", "xc", "ion_ion", "local", "local_g0", "nonlocal", "entropy")
    none = [[[0.0] * problem["bands"]]]
    return {
        "converged": behaviour != "unconverged", "energy": dict.fromkeys(names, -1.5), "fermi_level": 0.3,
        "error_estimate": 1e-6, "kpoints": [[0.0, 0.0, 0.0, 1.0]][behaviour == "no_kpoints" :], "occupations": none,
        "residuals": none,
        "num_bands": problem["bands"], "too_few_bands": False, "at_rounding": False,
        "eigenvalues": [[[0.1] * problem["bands"]]], "scf_steps": 3, "h_applications": 651, "ffts": 1302,
        "plane_waves": 7602, "grid": problem["grid"], "parallel": {
            "ranks": 1, "threads": 1, "kpoint_groups": 1, "band_groups": 1, "rows": 1, "columns": 1,
            "partition": "greedy", "transport": "none", "exchanges": [],
        },
        "wall_seconds": {"total": 0.01, "fft": 0.004, "exchange": 0.001}, **more,
    }  # fmt: skip
