"""Dipole of a molecule after a kick by GPAW's finite differences: JSON in, JSON out; runs under Debian's Python.

In: {"cell": edges, "atoms": [[symbol, x, y, z]], "points": counts, "setups", "steps": [as], "time": fs, "kick": vector,
"propagator", "tolerance", "bands": of the ground state, "xc", "upf": {symbol: file}, norm-conserving potentials with
which "setups": "upf" works, "moments": of the charge whose potential Poisson's solver takes apart, or the edges of the
cell are at potential zero}; lengths in bohr, free boundary.
Out, from rank 0: {"levels": Ha, "runs": [{"step", "seconds": CPU of all ranks in the propagation, "table"}]}: a table
of rows [time (hbar/Ha), dipole along the kick (e bohr)].
"""

import json
import os
import sys
import tempfile
import time
from xml.etree import ElementTree

import gpaw.setup
import numpy as np
from ase import Atoms
from ase.units import Bohr, Hartree
from gpaw import GPAW, FermiDirac
from gpaw.mpi import world
from gpaw.tddft import TDDFT, DipoleMomentWriter
from gpaw.upf import UPFSetupData

given = json.loads(sys.argv[1])
named = gpaw.setup.create_setup


def readable(path):
    """Return the name of a copy that GPAW reads: with T and F for true and false, with types and sizes of arrays, and a
    local potential that is -Z/r from where it is that but for noise.
    """
    tree = ElementTree.parse(path)
    radii, local = tree.find("PP_MESH/PP_R"), tree.find("PP_LOCAL")
    r, v = (np.array(element.text.split(), dtype=float) for element in (radii, local))
    coulomb = -2 * float(tree.find("PP_HEADER").get("z_valence")) / r  # Ry
    first = np.flatnonzero(np.abs((v - coulomb) * r) > 1e-3)[-1] + 1
    local.text = " ".join(f"{value:.15e}" for value in np.concatenate([v[:first], coulomb[first:]]))
    for element in tree.iter():
        for name, value in element.attrib.items():
            element.set(name, {"true": "T", "false": "F"}.get(value, value))
        if element.attrib and element.tag.split(".")[0] in ("PP_LOCAL", "PP_RHOATOM", "PP_BETA", "PP_DIJ", "PP_CHI"):
            element.set("type", "real")
            element.set("size", str(len(element.text.split())))
    with tempfile.NamedTemporaryFile(suffix=".UPF", delete=False) as copy:
        tree.write(copy)
    return copy.name


def create_setup(symbol, xc="LDA", lmax=0, type="paw", basis=None, setupdata=None, **rest):
    """Return a setup as GPAW does, and of a UPF file."""
    if type == "upf":
        setupdata = UPFSetupData(readable(given["upf"][symbol]))
    return named(symbol, xc, lmax, type, basis, setupdata=setupdata, **rest)


gpaw.setup.create_setup = create_setup
atoms = Atoms(
    [one[0] for one in given["atoms"]],
    positions=[[x * Bohr for x in one[1:]] for one in given["atoms"]],
    cell=[edge * Bohr for edge in given["cell"]],
    pbc=False,
)
folder = given.get("folder") or tempfile.mkdtemp()
ground = os.path.join(folder, "ground.gpw")
poisson = {}
if given.get("moments"):
    solver = {"name": "MomentCorrectionPoissonSolver", "poissonsolver": "fast", "moment_corrections": given["moments"]}
    poisson["poissonsolver"] = solver
calculator = GPAW(
    mode="fd",
    gpts=given["points"],
    xc=given.get("xc", "LDA"),
    setups=given.get("setups", "paw"),
    nbands=given["bands"],
    occupations=FermiDirac(0.0),
    convergence={"density": 1e-8, "eigenstates": 1e-10},
    parallel={"domain": world.size},
    txt=os.path.join(folder, "ground.txt"),
    **poisson,
)
atoms.calc = calculator
atoms.get_potential_energy()
levels = [float(x) / Hartree for x in calculator.get_eigenvalues()]
calculator.write(ground, mode="all")
runs = []
kick = np.array(given["kick"], dtype=float)
size = np.linalg.norm(kick)
for step in given["steps"]:
    running = TDDFT(
        ground,
        propagator=given.get("propagator", "SICN"),
        solver="CSCG",
        tolerance=given.get("tolerance", 1e-8),
        txt=os.path.join(folder, f"td-{step:g}.txt"),
        parallel={"domain": world.size},
    )
    for setup in running.wfs.setups:
        if setup.Delta_iiL is None:  # norm-conserving: no augmentation charge and S = 1, of which it asks
            setup.Delta_iiL, setup.dC_ii = np.zeros((setup.ni, setup.ni, 4)), np.zeros((setup.ni, setup.ni))
    name = os.path.join(folder, f"dipole-{step:g}.dat")
    DipoleMomentWriter(running, name)
    running.absorption_kick(kick_strength=kick)
    world.barrier()
    before = time.process_time()
    running.propagate(step, round(given["time"] * 1000 / step))
    seconds = world.sum(time.process_time() - before)
    if world.rank == 0:
        rows = np.loadtxt(name)  # time, norm, dipole of the charge
        rows = rows[1:] if len(rows) > 1 and rows[0, 0] == rows[1, 0] else rows
        dipole = rows[:, 2:5] @ kick / size
        table = np.column_stack([rows[:, 0], dipole]).tolist()
        runs.append({"step": step, "seconds": seconds, "table": table})
if world.rank == 0:
    print("RESULT " + json.dumps({"levels": levels, "runs": runs}))
