#!/usr/bin/env python3
"""Compute the dielectric tensors and Born charges of this folder with ph.x 6.7 and ABINIT 9.6.2 (Debian).

    python generate.py FOLDER [CASE ...]

FOLDER gets inputs and outputs of all three programs, reference.json the numbers. Why no mesh has the point Gamma: see
README.md.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
GTH_AS_UPF = HERE.parent / "free_boundaries" / "gth_as_upf.py"
PH = "response\n&inputph\n prefix='x', outdir='out', fildyn='d', epsil=.true., trans=.false., tr2_ph=1e-18\n/\n0 0 0\n"
ABINIT = """\
nstep 200
ndtset 3
tolvrs1 1d-16
getwfk2 1 rfelfd2 2 rfdir2 1 1 1 iscf2 -3 tolwfr2 1d-22 nqpt2 1 qpt2 0 0 0
getwfk3 1 getddk3 2 rfelfd3 3 rfdir3 1 1 1 rfphon3 1 rfatpol3 1 {atoms} nqpt3 1 qpt3 0 0 0
tolvrs3 1d-10
"""
DROPPED = r"^(nband|toldfe|nstep|prt\w+|opt\w+|boxcutmin) .*\n"


def sh(folder: Path, command: str) -> None:
    """Run a command in a folder."""
    subprocess.run(command, shell=True, cwd=folder, check=False, capture_output=True)


def numbers(text: str) -> list[float]:
    """Return the numbers of a text."""
    return [float(word) for word in re.findall(r"-?\d+\.\d+", text)]


def rows(values: list[float]) -> list[list[float]]:
    """Return values as rows of three."""
    return [values[i : i + 3] for i in range(0, len(values), 3)]


def phonons(folder: Path) -> dict[str, object]:
    """Run pw.x and ph.x."""
    text = (folder / "pw.in").read_text()
    for name in re.findall(r"(\S+)\.gth", text):
        sh(folder, f"python3 {GTH_AS_UPF} {name}.gth {name} {name}.UPF")
    text = re.sub(r"conv_thr=\S+", "conv_thr=1e-14,", text.replace(".gth", ".UPF").replace("disk_io='none', ", ""))
    (folder / "pw.in").write_text(re.sub(r" *nbnd=.*\n", "", text))
    (folder / "ph.in").write_text(PH)
    sh(folder, "pw.x -in pw.in > pw.out; ph.x -in ph.in > ph.out")
    found = (folder / "ph.out").read_text()
    tensor = found.split("Dielectric constant in")[1].split("Effective")[0]
    charges = found.split("Effective charges (d Force / dE)")[1].split("PHONON")[0]
    atoms = re.split(r"atom +\d+", charges)[1:]
    return {"dielectric": rows(numbers(tensor)[:9]), "charges": [rows(numbers(atom)) for atom in atoms]}


def abinit(folder: Path) -> dict[str, object]:
    """Run ABINIT."""
    text = (folder / "abinit.abi").read_text()
    atoms = int(re.search(r"^natom (\d+)", text, re.MULTILINE)[1])
    text = re.sub(DROPPED, "", text, flags=re.MULTILINE)
    text += ABINIT.format(atoms=atoms)
    (folder / "born.abi").write_text(text)
    sh(folder, "rm -f born.abo*; abinit born.abi > abinit.log 2>&1")
    found = (folder / "born.abo").read_text()
    dielectric = [[0.0] * 3 for _ in range(3)]
    charges = [[[0.0] * 3 for _ in range(3)] for _ in range(atoms)]
    row = re.compile(r"^ +(\d+) +(\d+) +(\d+) +(\d+) +(-?\d+\.\d+)", re.MULTILINE)
    for i, _, j, _, value in row.findall(found.split("Dielectric tensor")[1].split("Effective charges")[0]):
        dielectric[int(i) - 1][int(j) - 1] = float(value)
    field = found.split("(from electric field response)")[1].split("Effective charges")[0]
    for i, atom, j, _, value in row.findall(field):
        charges[int(atom) - 1][int(i) - 1][int(j) - 1] = float(value)
    return {"dielectric": dielectric, "charges": charges}


def main() -> None:
    """Compute the cases of the command line, or all."""
    top = Path(sys.argv[1]).resolve()
    path = HERE / "reference.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    for case in sys.argv[2:] or [one.stem for one in sorted(HERE.glob("*.toml"))]:
        folder = top / case
        folder.mkdir(parents=True, exist_ok=True)
        for code in ("qe", "abinit"):
            source = HERE / f"{case}.toml"
            sh(folder, f"wavegrid compare {source} --input-for {code} --output {folder}")
        known[case] = {"ph.x": phonons(folder), "abinit": abinit(folder)}
        path.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
