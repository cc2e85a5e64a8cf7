"""Relaxation, molecular dynamics and equations of state."""

from typing import Literal

from wavegrid.model.part import Part


class RelaxedGeometry(Part):
    """One geometry of a relaxation, in the order of their calculation."""

    free_energy: float
    """free energy, Ha"""
    largest_force: float
    """largest force on an atom that may move, Ha/bohr"""
    force_error: float | None = None
    """its estimated error, Ha/bohr; not of a geometry of the trajectory that the run continues"""
    volume: float | None = None
    """of a cell that is not fixed, bohr^3"""
    stress_deviation_GPa: float | None = None
    """largest difference of a free component of the stress from the external pressure, GPa"""
    scf_steps: int
    """SCF steps; 0 for a geometry of the trajectory that the run continues"""
    seconds: float
    """wall time of the geometry"""


class Relaxation(Part):
    """The relaxation. The other parts of result.json belong to its last geometry, but for the wall times."""

    converged: bool
    """whether forces and stress are below the tolerances"""
    optimizer: Literal["bfgs", "lbfgs", "fire"]
    """as in the input"""
    geometries: list[RelaxedGeometry]
    """all geometries that were computed, those of a continued trajectory too"""
    change_from_start: float | None = None
    """free energy, under pressure the enthalpy, of the last geometry minus that of the first, Ha"""
    energy_of_new_run: float | None = None
    """of a cell that was relaxed: free energy of its last geometry in a calculation that begins anew, Ha"""
    difference_from_new_run: float | None = None
    """free energy of the last geometry minus that, Ha"""
    pulay_pressure_GPa: float | None = None
    """what the pressure, which is that of a fixed set of plane waves, lacks at a fixed cutoff; an estimate, GPa"""


class DynamicsStep(Part):
    """One step of molecular dynamics."""

    step: int
    """its number; 0 is the start"""
    time: float
    """simulated time, fs"""
    free_energy: float
    """free energy of the electrons with the Coulomb energy of the ions: the potential energy, Ha"""
    kinetic_energy: float
    """kinetic energy of the atoms, Ha"""
    temperature: float
    """of the atoms, K: twice the kinetic energy over Boltzmann's constant and the degrees of freedom"""
    conserved: float | None = None
    """what the integrator conserves, but for its error, Ha; not with Langevin"""
    volume: float | None = None
    """of a cell that changes, bohr^3"""
    pressure_GPa: float | None = None
    """of a cell that changes, with the motion of the atoms, GPa"""
    scf_steps: int
    """SCF steps; 0 for a step of the trajectory that the run continues"""
    seconds: float
    """wall time"""


class Dynamics(Part):
    """Molecular dynamics. The other parts of result.json belong to the last geometry, but for the wall times."""

    ensemble: Literal["nve", "langevin", "nose-hoover", "npt"]
    """as in the input"""
    timestep: float
    """time step, fs"""
    temperature: float | None = None
    """as in the input, K"""
    degrees_of_freedom: int | None = None
    """3 for each atom, less those of fixed directions and of the total momentum"""
    finished: bool
    """whether all steps of the input are done"""
    steps: list[DynamicsStep]
    """the steps that were done; first those in the trajectory that the run continues"""
    mean_temperature: float | None = None
    """mean of the steps, K"""
    drift: float | None = None
    """slope of the conserved energy, Ha per atom and ps; from three steps on"""
    pressure_GPa: float | None = None
    """as in the input, of a cell that changes, GPa"""
    mean_pressure_GPa: float | None = None
    """mean of the steps, GPa"""
    mean_volume: float | None = None
    """mean of the steps, bohr^3"""


class VolumeEnergy(Part):
    """One volume of an equation of state."""

    volume: float
    """volume of the cell, bohr^3"""
    free_energy: float
    """free energy, Ha"""
    largest_force: float
    """largest force on an atom, Ha/bohr: zero where symmetry holds the atoms in their places"""
    magnetisation: float | None = None
    """with spin: electrons up minus down"""
    scf_steps: int
    """SCF steps; 0 for a volume of the trajectory that the run continues"""
    seconds: float
    """wall time of the volume"""


class FittedCurve(Part):
    """Minimum of a curve through the free energies, by least squares."""

    volume: float
    """volume of the cell at the minimum, bohr^3"""
    energy: float
    """free energy at the minimum, Ha"""
    bulk_modulus_GPa: float
    """bulk modulus at the minimum, GPa"""
    bulk_modulus_derivative: float
    """its derivative by the pressure"""
    largest_deviation: float
    """largest distance of an energy from the curve, Ha"""
    minimum_in_range: bool
    """whether the minimum lies between the smallest and the largest volume"""
    volume_error: float | None = None
    """standard error of the volume by the scatter of the energies about the curve, bohr^3; from five volumes on"""
    energy_error: float | None = None
    """that of the energy, Ha"""
    bulk_modulus_error_GPa: float | None = None
    """that of the bulk modulus, GPa"""
    bulk_modulus_derivative_error: float | None = None
    """that of its derivative"""


class EquationOfState(Part):
    """The equation of state. The other parts of result.json belong to the smallest volume, but for the wall times."""

    volumes: list[VolumeEnergy]
    """the volumes, ascending; of a run that ended early the largest ones"""
    fit: FittedCurve | None = None
    """curve of Birch and Murnaghan of third order; left out where the run ended early or there is no minimum"""
    vinet: FittedCurve | None = None
    """curve of Vinet"""
