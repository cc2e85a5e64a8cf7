"""Health checks of an input: forces and stress against differences of the energy, and series that show convergence."""
