"""The calculator for ASE, the Atomic Simulation Environment."""

from wavegrid.ase.calculator import WaveGrid

__all__ = ["WaveGrid"]
