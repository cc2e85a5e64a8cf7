"""A Gaussian charge in a dielectric: alone, and with its periodic images in a neutralising background.

The model of C. Freysoldt, J. Neugebauer, C. G. Van de Walle, Phys. Rev. Lett. 102, 016402 (2009),
10.1103/PhysRevLett.102.016402, with a dielectric tensor as in Y. Kumagai, F. Oba, Phys. Rev. B 89, 195205 (2014),
10.1103/PhysRevB.89.195205. Hartree atomic units.
"""

from dataclasses import dataclass

import numpy as np

_EXPONENT = 40.0  # where Gaussians in reciprocal space end: exp(-40)
_ANGLES = 64  # of the integral over directions


@dataclass(frozen=True)
class ModelCharge:
    """Of density q exp(-r^2 / w^2) / (sqrt(pi) w)^3."""

    cell: np.ndarray  # (3, 3), bohr, rows
    dielectric: np.ndarray  # (3, 3)
    charge: float
    width: float = 1.0  # w, bohr

    def energy_alone(self) -> float:
        """Return the energy without images: q^2 / (sqrt(2 pi) w) times the mean of 1 / (n eps n) over directions n."""
        nodes, weights = np.polynomial.legendre.leggauss(_ANGLES)
        angles = 2 * np.pi * np.arange(_ANGLES) / _ANGLES
        across = np.sqrt(1 - nodes**2)
        directions = np.stack(
            [np.outer(across, np.cos(angles)), np.outer(across, np.sin(angles)), np.outer(nodes, np.ones(_ANGLES))], -1
        )
        inverse = 1 / np.einsum("abi,ij,abj->ab", directions, self.dielectric, directions)
        mean = float((weights / 2) @ inverse.mean(axis=1))
        return self.charge**2 / (np.sqrt(2 * np.pi) * self.width) * mean

    def energy_with_images(self) -> float:
        """Return the energy of a cell: 2 pi / V times the sum over G of |rho(G)|^2 / (G eps G), without G = 0."""
        reciprocal = 2 * np.pi * np.linalg.inv(self.cell).T
        longest = np.sqrt(2 * _EXPONENT) / self.width
        counts = np.floor(longest * np.linalg.norm(self.cell, axis=1) / (2 * np.pi)).astype(int)
        second, third = (np.arange(-count, count + 1) for count in counts[1:])
        plane = second[:, None, None] * reciprocal[1] + third[None, :, None] * reciprocal[2]
        total = 0.0
        for first in range(-counts[0], counts[0] + 1):
            g = (first * reciprocal[0] + plane).reshape(-1, 3)
            g = g[np.abs(g).max(axis=1) > 0]
            squared = (g**2).sum(axis=1)
            total += float(
                (np.exp(-squared * self.width**2 / 2) / np.einsum("gi,ij,gj->g", g, self.dielectric, g)).sum()
            )
        return 2 * np.pi * self.charge**2 / abs(float(np.linalg.det(self.cell))) * total

    def correction(self) -> float:
        """Return the energy alone minus that with images."""
        return self.energy_alone() - self.energy_with_images()

    def point_correction(self) -> float:
        """Return the correction of a point charge, alpha q^2 / (2 eps L): G. Makov, M. C. Payne, Phys. Rev. B 51, 4014.

        As long as images do not overlap, the correction is linear in the square of the width.
        """
        wider = ModelCharge(self.cell, self.dielectric, self.charge, 1.25 * self.width)
        slope = (wider.correction() - self.correction()) / (wider.width**2 - self.width**2)
        return self.correction() - slope * self.width**2

    def potential(self, shape: tuple[int, ...], site: np.ndarray) -> np.ndarray:
        """Return the potential energy of an electron (Ha) on a grid (nx, ny, nz), without its mean.

        `site`: fractional coordinates of the charge.
        """
        orders = np.meshgrid(*(np.fft.fftfreq(count, 1 / count) for count in shape), indexing="ij")
        g = np.stack(orders, -1) @ (2 * np.pi * np.linalg.inv(self.cell).T)
        product = np.einsum("abci,ij,abcj->abc", g, self.dielectric, g)
        product[0, 0, 0] = np.inf
        density = np.exp(-(g**2).sum(axis=-1) * self.width**2 / 4 - 2j * np.pi * np.stack(orders, -1) @ site)
        scale = 4 * np.pi * self.charge / abs(float(np.linalg.det(self.cell))) * np.prod(shape)
        found: np.ndarray = np.fft.ifftn(-scale * density / product).real
        return found
