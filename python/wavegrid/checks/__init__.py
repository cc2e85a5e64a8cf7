"""Checks of an input: forces and stress against differences of the energy, the egg-box effect, convergence."""
