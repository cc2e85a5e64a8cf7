"""The electrostatic potential of a density and its ions, outside their cores: there that of a point charge.

Poisson's equation in the cell; around a molecule in a cell of twice the size with the Coulomb interaction cut off at
its height, so that images do not matter (M. R. Jarvis et al., Phys. Rev. B 56, 14972 (1997),
10.1103/PhysRevB.56.14972).
"""

import numpy as np

_WIDTH = 0.45  # bohr, of the charges of the ions: beyond 2 bohr they are points


def of_electron(
    density: np.ndarray, cell: np.ndarray, places: np.ndarray, charges: np.ndarray, *, isolated: bool
) -> np.ndarray:
    """Return the potential (nx, ny, nz) of an electron, Ha; density in electrons/bohr^3, places fractional."""
    factor = 2 if isolated else 1
    shape = np.array(density.shape)
    box = np.zeros(shape * factor)
    box[: shape[0], : shape[1], : shape[2]] = density
    vectors = cell * factor
    indices = [np.fft.fftfreq(n, 1 / n) for n in box.shape[:2]] + [np.arange(box.shape[2] // 2 + 1, dtype=float)]
    miller = np.stack(np.meshgrid(*indices, indexing="ij"), axis=-1)
    square = ((miller @ (2 * np.pi * np.linalg.inv(vectors).T)) ** 2).sum(axis=-1)
    charge = np.fft.rfftn(box) / box.size
    shapes = np.exp(-square * _WIDTH**2 / 2) / abs(np.linalg.det(vectors))
    for place, number in zip(places / factor, charges, strict=True):
        phases = [np.exp(-2j * np.pi * index * x) for index, x in zip(indices, place, strict=True)]
        factors = phases[0][:, None, None] * phases[1][None, :, None] * phases[2][None, None, :]
        charge -= number * shapes * factors
    kernel = 4 * np.pi / np.where(square > 0, square, 1)
    if isolated:
        reach = 1 / np.linalg.norm(np.linalg.inv(cell), axis=0).max()
        kernel *= 1 - np.cos(np.sqrt(square) * reach)
        kernel[0, 0, 0] = 2 * np.pi * reach**2
    else:
        kernel[0, 0, 0] = 0
    potential = np.fft.irfftn(charge * kernel, s=box.shape, axes=(0, 1, 2)) * box.size
    return np.asarray(potential[: shape[0], : shape[1], : shape[2]])
