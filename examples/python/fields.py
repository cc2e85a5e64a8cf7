"""Density, potential and bands of a calculation as arrays, on the ranks of this program.

mpirun -n 2 python fields.py
"""

import numpy as np
from ase.build import bulk

import wavegrid

settings = {
    "basis": {"ecut": "6 Ha"},
    "electrons": {"xc": "LDA-PW", "pseudopotentials": "gth-lda", "kpoints": {"mesh": [2, 2, 2]}},
}
silicon = bulk("Si")
with wavegrid.Session(**settings) as session:
    session.solve(silicon)
    fields = session.fields()  # at the points of this rank
    density = fields.on_grid(fields.density)[0]  # (nx, ny, nz), electrons/bohr^3, the whole cell
    volume = silicon.get_volume() / 0.529177**3
    print(f"{density.mean() * volume:.4f} electrons, potential down to {fields.potential.min():.3f} Ha")
    for bands in session.bands():  # one for each k-point and spin of this rank's group
        norms = np.abs(bands.coefficients) ** 2 @ bands.weights
        print(bands.kpoint, bands.eigenvalues, "Ha;", norms.round(6))
