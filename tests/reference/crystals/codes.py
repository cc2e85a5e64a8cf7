"""Run ABINIT and pw.x on a case and read what they found."""

from __future__ import annotations

import math
import os
import re
import shutil
import struct
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cases import POTENTIALS, Case, abinit_input, mesh_points, pwx_input

# key in the EnergyTerms document of ABINIT's output -> our name
ENERGY_KEYS = {
    "kinetic": "kinetic",
    "hartree": "hartree",
    "xc": "xc",
    "Ewald energy": "ewald",
    "local_psp": "local",
    "psp_core": "core",
    "non_local_psp": "nonlocal",
    "'-kT*entropy'": "smearing",
}


@contextmanager
def workplace(name: str) -> Iterator[Path]:
    """A scratch folder next to a link to the potentials, with the structure of this folder."""
    with tempfile.TemporaryDirectory(prefix="reference_") as scratch:
        (Path(scratch) / "pseudopotentials").symlink_to(POTENTIALS)
        folder = Path(scratch) / name
        folder.mkdir()
        yield folder


def execute(command: list[str], folder: Path) -> str:
    """Run on one core; the standard output, also of a failure."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(["nice", "-n", "5", *command], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        keep = Path(tempfile.gettempdir()) / f"failed_{folder.name}"
        shutil.copytree(folder, keep, dirs_exist_ok=True)
        (keep / "stdout").write_text(done.stdout + done.stderr)
        raise SystemExit(f"{' '.join(command)} failed, see {keep}\n{done.stdout[-1500:]}{done.stderr[-500:]}")
    return done.stdout


def wfk_records(path: Path) -> list[bytes]:
    """The records of a Fortran unformatted file."""
    data, at, records = path.read_bytes(), 0, []
    while at < len(data):
        (length,) = struct.unpack_from("<i", data, at)
        records.append(data[at + 4 : at + 4 + length])
        at += length + 8
    return records


def wfk_bands(path: Path, bands: int) -> Iterator[tuple[list[float], list[float], int]]:
    """Eigenvalues (Ha), occupations and number of plane waves of each spin and k-point of a binary _WFK file.

    Each block is (npw, nspinor, nband), the G-vectors, (eigenvalues, occupations) and the coefficients.
    """
    records = wfk_records(path)
    for i, record in enumerate(records[:-2]):
        if len(record) == 12:
            num_pw, num_spinor, num_band = struct.unpack("<3i", record)
            if (num_spinor, num_band) == (1, bands) and len(records[i + 1]) == 12 * num_pw:
                values = struct.unpack(f"<{2 * bands}d", records[i + 2])
                yield rounded(values[:bands]), rounded(values[bands:]), num_pw


def rounded(values: tuple[float, ...] | list[float]) -> list[float]:
    """The digits that are converged."""
    return [round(value, 13) + 0.0 for value in values]


def energy_terms(output: str) -> dict[str, float]:
    """The EnergyTerms document of ABINIT's main output under our names."""
    document = re.findall(r"--- !EnergyTerms\n(.*?)\n\.\.\.", output, re.S)[-1]
    found = {}
    for line in document.splitlines():
        key, _, value = (part.strip() for part in line.partition(":"))
        if key in ENERGY_KEYS:
            found[ENERGY_KEYS[key]] = float(value)
        elif key == "total_energy":
            found["free"] = float(value)
    found.setdefault("smearing", 0.0)
    return {key: found[key] for key in ("free", *ENERGY_KEYS.values())}


def moment(case: Case, occupations: list[list[list[float]]]) -> float:
    """Total moment, mu_B, from the occupations [spin][k][band]."""
    weights = [weight for _, weight in mesh_points(case.mesh, case.shift)]
    up, down = (math.fsum(w * math.fsum(f) for w, f in zip(weights, rows, strict=True)) for rows in occupations)
    return up - down


def by_spin(case: Case, rows: list) -> list:
    """[k] without spin, [spin][k] with it."""
    half = len(rows) // 2
    return rows if case.moments is None else [rows[:half], rows[half:]]


def run_abinit(name: str, case: Case, control: str = "") -> dict:
    """What ABINIT finds."""
    with workplace(name) as folder:
        text = abinit_input(case, control)
        (folder / "input.abi").write_text(text.replace("prtden 0", "prtden 1") if case.path else text)
        execute(["abinit", "input.abi"], folder)
        output = (folder / "input.abo").read_text()
        blocks = list(wfk_bands(folder / "inputo_WFK", case.bands))
        on_path = abinit_path(case, text, folder) if case.path else {}
    points = len(mesh_points(case.mesh, case.shift))
    assert len(blocks) == points * (1 if case.moments is None else 2), len(blocks)
    last = re.findall(r"^ ETOT\s*(\d+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)", output, re.M)[-1]
    if float(last[3].replace("D", "E")) > 1e-20:
        raise SystemExit(f"ABINIT did not converge on {name}: residual {last[3]}")
    gamma = points == 1 and not any(case.shift)
    occupations = by_spin(case, [block[1] for block in blocks])
    answer = {
        "code": "ABINIT",
        "version": re.search(r"\.Version\s+(\S+)\s+of ABINIT", output).group(1),
        "command": "abinit input.abi",
        "boxcut": float(re.search(r"boxcut\(ratio\)=\s*(\S+)", output).group(1)),
        "plane_waves": [2 * block[2] - 1 if gamma else block[2] for block in blocks[:points]],
        "energies_Ha": energy_terms(output),
        "fermi_Ha": float(re.findall(r"fermie\s*:\s*(\S+)", output)[-1]) if case.smearing else None,
        "eigenvalues_Ha": by_spin(case, [block[0] for block in blocks]),
        "occupations": occupations,
        "convergence": {
            "scf_steps": int(last[0]),
            "last_change_Ha": float(last[2].replace("D", "E")),
            "wave_function_residual": float(last[3].replace("D", "E")),
            "density_residual": float(last[4].replace("D", "E")),
        },
    }
    if case.moments is not None:
        answer["moment"] = moment(case, occupations)
    if case.charge:
        answer["core_by_electrons_Ha"] = core_by_electrons(case, answer)
    return answer | on_path


def core_by_electrons(case: Case, answer: dict) -> dict:
    """`core` and `free` of a charged cell with N_el V_loc(G=0), where ABINIT takes the neutral number of electrons."""
    energies = answer["energies_Ha"]
    weights = [weight for _, weight in mesh_points(case.mesh, case.shift)]
    electrons = math.fsum(w * math.fsum(f) for w, f in zip(weights, answer["occupations"], strict=True))
    core = energies["core"] * electrons / (electrons + case.charge)
    return {"core": core, "free": energies["free"] - energies["core"] + core}


def abinit_path(case: Case, text: str, folder: Path) -> dict:
    """Bands at more k-points in the potential of the density just found."""
    points = list(case.path.values())
    head, rest = text.split("kptopt", 1)
    rest = "nband" + rest.split("nband", 1)[1].replace("iscf 7", "iscf -2")
    rest = re.sub(r"occopt.*\n(tsmear.*\n)?", "", rest)
    middle = [f"kptopt 0  nkpt {len(points)}", "kpt", *(" ".join(map(repr, point)) for point in points)]
    middle += [f"istwfk {len(points)}*1", 'getden_filepath "inputo_DEN"\n']
    (folder / "bands.abi").write_text(head + "\n".join(middle) + rest)
    execute(["abinit", "bands.abi"], folder)
    bands = [block[0] for block in wfk_bands(folder / "bandso_WFK", case.bands)]
    assert len(bands) == len(points)
    return {
        "path": [
            {"name": name, "kpoint": point, "eigenvalues_Ha": row}
            for (name, point), row in zip(case.path.items(), bands, strict=True)
        ]
    }


def run_pwx(name: str, case: Case, abinit: dict) -> dict:
    """What pw.x finds, its eigenvalues moved to the zero V_loc(G=0) = 0."""
    with workplace(name) as folder:
        (folder / "pw.in").write_text(pwx_input(case))
        stdout = execute(["pw.x", "-in", "pw.in"], folder)
        output = ElementTree.parse(folder / "out" / "x.save" / "data-file-schema.xml").find("output")
    energy = {item.tag: float(item.text) for item in output.find("total_energy")}
    bands = output.find("band_structure")
    protons = float(bands.find("nelec").text) + case.charge
    shift = abinit["energies_Ha"]["core"] / protons  # V_loc(G=0); ABINIT's core term counts protons, see README.md
    terms = {"free": energy["etot"], "hartree": energy["ehart"], "xc": energy["etxc"], "ewald": energy["ewald"]}
    terms["smearing"] = energy.get("demet", 0.0)
    terms["kinetic+local+core+nonlocal"] = 2 * terms["free"] - math.fsum(terms.values())
    rows = [[float(x) - shift for x in k.find("eigenvalues").text.split()] for k in bands.findall("ks_energies")]
    filled = [[float(x) for x in k.find("occupations").text.split()] for k in bands.findall("ks_energies")]
    spin = case.moments is not None
    fermi = bands.find("fermi_energy")
    answer = {
        "version": re.search(r"PWSCF v\.(\S+)", stdout).group(1),
        "command": "pw.x -in pw.in",
        "energies_Ha": terms,
        "fermi_Ha": float(fermi.text) - shift if case.smearing and fermi is not None else None,
        "eigenvalues_Ha": pwx_by_spin(case, rows) if spin else [rounded(row) for row in rows],
        "eigenvalue_shift_removed_Ha": shift,
        "convergence": {
            "scf_steps": int(re.search(r"achieved in\s+(\d+)", stdout).group(1)),
            "estimated_accuracy_Ha": float(re.findall(r"scf accuracy\s+<\s+(\S+) Ry", stdout)[-1]) / 2,
        },
    }
    if spin:
        answer["moment"] = moment(case, pwx_by_spin(case, filled))
    return answer


def pwx_by_spin(case: Case, rows: list[list[float]]) -> list:
    """pw.x puts both spins in one row of each k-point."""
    return [[rounded(row[: case.bands]) for row in rows], [rounded(row[case.bands :]) for row in rows]]
