"""Elements, symmetry, what atoms keep while they move, the dispersion correction."""
