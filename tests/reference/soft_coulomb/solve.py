"""One-dimensional atoms of two and four electrons in LDA, solved independently of wavegrid.

    python3 solve.py        # numpy and the system's libxc (Debian: libxc9) by ctypes

Interaction and ion: soft Coulomb, 1/sqrt(x^2 + 1); functional LDA_X_1D_SOFT + LDA_C_1D_CSC without spin; doubly
occupied orbitals. Sinc functions (D. T. Colbert, W. H. Miller, J. Chem. Phys. 96, 1982 (1992), 10.1063/1.462100)
between -L and L, dense diagonalisation, plain linear mixing. The energy does not depend on the spacing; with libxc
5.2.3 it printed

    2 electrons, L 20, spacing 0.1: -2.20137555543 Ha
    4 electrons, L 25, spacing 0.1: -6.76333135807 Ha
"""

import ctypes
import ctypes.util

import numpy as np

libxc = ctypes.CDLL(ctypes.util.find_library("xc"))
libxc.xc_func_alloc.restype = ctypes.c_void_p


def functional(number: int) -> ctypes.c_void_p:
    """Return an unpolarised functional of libxc."""
    pointer = ctypes.c_void_p(libxc.xc_func_alloc())
    assert libxc.xc_func_init(pointer, number, 1) == 0
    return pointer


FUNCTIONALS = [functional(21), functional(18)]  # LDA_X_1D_SOFT, LDA_C_1D_CSC


def exchange_correlation(density: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the energy per electron and the potential."""
    energy, potential = np.zeros_like(density), np.zeros_like(density)
    for xc in FUNCTIONALS:
        e, v = np.zeros_like(density), np.zeros_like(density)
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (density, e, v)]
        libxc.xc_lda_exc_vxc(xc, ctypes.c_size_t(len(density)), *pointers)
        energy, potential = energy + e, potential + v
    return energy, potential


def energy(charge: int, half_length: float, spacing: float) -> float:
    """Return the total energy of the neutral atom, Ha."""
    x = np.arange(-half_length, half_length + spacing / 2, spacing)
    apart = np.arange(len(x))[:, None] - np.arange(len(x))[None, :]
    kinetic = np.where(apart == 0, np.pi**2 / 3, 2.0 * (-1.0) ** apart / np.where(apart == 0, 1, apart) ** 2)
    kinetic = kinetic / (2 * spacing**2)
    coulomb = spacing / np.sqrt((apart * spacing) ** 2 + 1)
    ion = -charge / np.sqrt(x**2 + 1)
    density = charge * np.exp(-(x**2)) / np.sqrt(np.pi)
    for _ in range(400):
        exc, vxc = exchange_correlation(density)
        values, vectors = np.linalg.eigh(kinetic + np.diag(ion + coulomb @ density + vxc))
        occupied = vectors[:, : charge // 2]
        new = 2 * (occupied**2).sum(axis=1) / spacing
        change = np.abs(new - density).max()
        density = density + 0.4 * (new - density)
        if change < 1e-13:
            break
    exc, vxc = exchange_correlation(density)
    kinetic_energy = 2 * np.einsum("ij,ik,kj->", occupied, kinetic, occupied)
    hartree = 0.5 * spacing * density @ (coulomb @ density)
    return kinetic_energy + hartree + spacing * density @ (ion + exc)


if __name__ == "__main__":
    for charge in (2, 4):
        for half_length, spacing in ((20, 0.2), (20, 0.1), (25, 0.1)):
            found = energy(charge, half_length, spacing)
            print(f"{charge} electrons, L {half_length}, spacing {spacing}: {found:.11f} Ha")
