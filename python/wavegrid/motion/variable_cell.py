"""Dynamics at constant temperature and pressure in a cell that changes, by ASE's integrators.

G. J. Martyna, D. J. Tobias, M. L. Klein, J. Chem. Phys. 101, 4177 (1994), 10.1063/1.467468. ASE counts 3 degrees of
freedom for each atom, and 9 of a cell; here they are those that there are: a cell that does not turn has 6.
"""

from typing import Any, Protocol

import numpy as np
from ase import Atoms

from wavegrid.errors import EnvironmentFault

try:
    from ase.md.nose_hoover_chain import (
        MTKNPT,
        IsotropicMTKBarostat,
        IsotropicMTKNPT,
        MTKBarostat,
        NoseHooverChainThermostat,
    )
except ImportError as fault:
    raise EnvironmentFault("dynamics of the cell need ASE 3.26; install it: pip install 'ase>=3.26'") from fault

_CELL = 6  # degrees of freedom of a symmetric matrix of strain rates


class CellDynamics(Protocol):
    """An integrator of atoms and cell; ASE's units."""

    _thermostat: Any

    def step(self) -> None:
        """Do a step."""

    def state(self) -> np.ndarray:
        """Return the numbers of the barostat and the rates of the cell."""

    def recall(self, state: np.ndarray) -> None:
        """Take these numbers back."""

    def cell_energy(self, volume: float) -> float:
        """Return what the conserved energy has in addition to that of atoms and thermostat, eV."""


class _Settings:
    """What both integrators begin with; the pressure in eV/Angstrom^3, times in ASE's unit."""

    def __init__(self, temperature: float, time: float, pressure: float, cell_time: float, degrees: int) -> None:
        self.of_ase: dict[str, Any] = {
            "temperature_K": temperature,
            "pressure_au": pressure,
            "tdamp": time,
            "pdamp": cell_time,
        }
        self.atoms = degrees / 3  # ASE takes it times 3

    def thermostat(self, masses: np.ndarray) -> Any:
        return NoseHooverChainThermostat(
            num_atoms_global=self.atoms,  # type: ignore[arg-type]
            masses=masses,
            temperature_K=self.of_ase["temperature_K"],
            tdamp=self.of_ase["tdamp"],
        )

    def barostat(self, kind: Any) -> Any:
        return kind(num_atoms_global=self.atoms, temperature_K=self.of_ase["temperature_K"], pdamp=self.of_ase["pdamp"])


class _Free(MTKNPT):
    """All shapes of the cell."""

    def __init__(self, atoms: Atoms, timestep: float, settings: _Settings) -> None:
        super().__init__(atoms, timestep, **settings.of_ase)
        self._num_atoms_global = settings.atoms
        self._thermostat = settings.thermostat(self.masses)
        self._barostat = settings.barostat(MTKBarostat)
        self._barostat._R[0] *= _CELL / self._barostat._cell_dof
        self._barostat._cell_dof = _CELL

    def state(self) -> np.ndarray:
        """Return the numbers of the barostat and the momenta of the cell."""
        return np.concatenate([self._barostat._xi, self._barostat._p_xi, self._p_g.ravel()])

    def recall(self, state: np.ndarray) -> None:
        """Take these numbers back."""
        length = len(self._barostat._xi)
        self._barostat._xi[:], self._barostat._p_xi[:] = state[:length], state[length : 2 * length]
        self._p_g = state[2 * length :].reshape(3, 3).copy()

    def cell_energy(self, volume: float) -> float:
        """Return the energy of barostat and cell, eV."""
        return float(
            self._barostat.get_barostat_energy() + self._get_cell_kinetic_energy() + self._pressure_au * volume
        )


class _Isotropic(IsotropicMTKNPT):
    """Cells of the same shape."""

    def __init__(self, atoms: Atoms, timestep: float, settings: _Settings) -> None:
        super().__init__(atoms, timestep, **settings.of_ase)
        self._num_atoms_global = settings.atoms
        self._thermostat = settings.thermostat(self.masses)
        self._barostat = settings.barostat(IsotropicMTKBarostat)

    def state(self) -> np.ndarray:
        """Return the numbers of the barostat and the momentum of the volume."""
        return np.concatenate([self._barostat._xi, self._barostat._p_xi, [self._p_eps]])

    def recall(self, state: np.ndarray) -> None:
        """Take these numbers back."""
        length = len(self._barostat._xi)
        self._barostat._xi[:], self._barostat._p_xi[:] = state[:length], state[length : 2 * length]
        self._p_eps = float(state[-1])

    def cell_energy(self, volume: float) -> float:
        """Return the energy of barostat and cell, eV."""
        kinetic = self._p_eps**2 / (2 * self._barostat.W)
        return float(self._barostat.get_barostat_energy() + kinetic + self._pressure_au * volume)


def make(
    atoms: Atoms,
    timestep: float,
    *,
    cell: str,
    temperature: float,
    time: float,
    pressure: float,
    cell_time: float,
    degrees: int,
) -> CellDynamics:
    """Return the integrator of a cell, "free" or "isotropic"; K, eV/Angstrom^3, ASE's unit of time."""
    settings = _Settings(temperature, time, pressure, cell_time, degrees)
    return (_Free if cell == "free" else _Isotropic)(atoms, timestep, settings)
