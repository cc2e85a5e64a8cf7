"""Eigenvalues at one k-point from the whole matrix of H, built from its definition in numpy: no line is shared
with the core but the density.

    <G|H|G'> = |k+G|^2/2 delta + V(G - G') + sum_a exp(-i(G-G').tau_a)
               sum_l (2l+1)/(4 pi Omega) P_l(cos) sum_ij p_l,i(|k+G|) h_l,ij p_l,j(|k+G'|)

V(G) = V_loc + 4 pi rho(G)/G^2 (neither at G = 0) + v_xc; radial functions of GTH are transformed by quadrature. LDA of
Teter 1993 (S. Goedecker, M. Teter, J. Hutter, 10.1103/PhysRevB.54.1703) or Perdew and Wang 1992
(10.1103/PhysRevB.45.13244), with the potential by a complex step through the energy.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import brentq
from scipy.special import eval_legendre, expit, gamma, spherical_jn, xlogy

TABLE = Path(__file__).resolve().parents[2] / "python/wavegrid/data/pseudopotentials/gth-lda.gth"
TETER = ([0.4581652932831429, 2.217058676663745, 0.7405551735357053, 0.01968227878617998],
         [0.0, 1.0, 4.504130959426697, 1.110667363742916, 0.02359291751427506])  # fmt: skip
PW92 = [  # A, alpha_1, beta_1 .. beta_4 of eps_c(0), eps_c(1), -alpha_c
    (0.0310907, 0.21370, 7.5957, 3.5876, 1.6382, 0.49294),
    (0.01554535, 0.20548, 14.1189, 6.1977, 3.3662, 0.62517),
    (0.0168869, 0.11125, 10.357, 3.6231, 0.88026, 0.49671),
]


def gth(element: str, valence: int) -> dict:
    """Return charge, local (radius, C) and nonlocal [(l, radius, h)] of an entry of the table."""
    entry = TABLE.read_text().split(f"\n{element} q{valence}\n")[1].split("\n\n")[0]
    atom: dict = {"charge": valence, "nonlocal": []}
    for line in entry.splitlines():
        word, *rest = line.split()
        if word == "local":
            atom["local"] = float(rest[0]), [float(x) for x in rest[1:]]
        elif word == "nonlocal":
            upper = [float(x) for x in rest[2:]]
            size = int((2 * len(upper)) ** 0.5)
            h = np.zeros((size, size))
            h[np.triu_indices(size)] = upper
            atom["nonlocal"].append(("spdf".index(rest[0]), float(rest[1]), h + np.triu(h, 1).T))
    return atom


def local_form(atom: dict, q: np.ndarray) -> np.ndarray:
    """Return v(q), Ha bohr^3; 0 at q = 0."""
    radius, c = atom["local"]
    x2 = (q * radius) ** 2
    c1, c2, c3, c4 = (*c, 0, 0, 0, 0)[:4]
    series = c1 + c2 * (3 - x2) + c3 * (15 - 10 * x2 + x2**2) + c4 * (105 - 105 * x2 + 21 * x2**2 - x2**3)
    safe = np.where(q > 0, q, 1)
    value = np.exp(-x2 / 2) * ((2 * np.pi) ** 1.5 * radius**3 * series - 4 * np.pi * atom["charge"] / safe**2)
    return np.where(q > 0, value, 0)


def projectors(l: int, radius: float, count: int, q: np.ndarray) -> np.ndarray:
    """Return p_l,i(q) = 4 pi int r^2 j_l(qr) p_l,i(r) dr, shape (count, len(q))."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    r, w = (nodes + 1) * 6 * radius, weights * 6 * radius
    bessel = spherical_jn(l, np.outer(q, r))
    rows = []
    for i in range(1, count + 1):
        power = l + (4 * i - 1) / 2
        p = np.sqrt(2) * r ** (l + 2 * (i - 1)) * np.exp(-((r / radius) ** 2) / 2) / radius**power / gamma(power) ** 0.5
        rows.append(4 * np.pi * bessel @ (w * r**2 * p))
    return np.array(rows)


def teter(up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Return the exchange-correlation energy per volume, equal spins."""
    n = up + down
    rs = (3 / (4 * np.pi * n)) ** (1 / 3)
    return -n * np.polyval(TETER[0][::-1], rs) / np.polyval(TETER[1][::-1], rs)


def perdew_wang(up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Return the energy per volume of Slater's exchange and Perdew and Wang's correlation."""
    n = up + down
    rs, zeta = (3 / (4 * np.pi * n)) ** (1 / 3), (up - down) / n
    g = [
        -2 * a * (1 + a1 * rs) * np.log(1 + 1 / (2 * a * (b1 * rs**0.5 + b2 * rs + b3 * rs**1.5 + b4 * rs**2)))
        for a, a1, b1, b2, b3, b4 in PW92
    ]
    f = ((1 + zeta) ** (4 / 3) + (1 - zeta) ** (4 / 3) - 2) / (2 ** (4 / 3) - 2)
    correlation = g[0] - g[2] * f / 1.709921 * (1 - zeta**4) + (g[1] - g[0]) * f * zeta**4
    exchange = -0.75 * (6 / np.pi) ** (1 / 3) * (up ** (4 / 3) + down ** (4 / 3))
    return exchange + n * correlation


def potentials(cell: np.ndarray, atoms: list, ecut: float, density: list[np.ndarray], energy) -> list[np.ndarray]:
    """Return V(r) of each spin; `density` is rho, with spin rho and m, `atoms` are (entry, fractional place)."""
    rho = density[0]
    spins = [rho / 2, rho / 2] if len(density) == 1 else [(rho + density[1]) / 2, (rho - density[1]) / 2]
    spins = [np.maximum(n, 1e-20).astype(complex) for n in spins]
    g, q = frequencies(cell, rho.shape)
    v = np.fft.fftn(rho) / rho.size * np.where(q > 0, 4 * np.pi / np.where(q > 0, q, 1) ** 2, 0)
    for atom, place in atoms:
        v += local_form(atom, q) * np.exp(-2j * np.pi * (g @ place)) / abs(np.linalg.det(cell))
    v[q**2 / 2 > 4 * ecut * (1 + 1e-12)] = 0  # the grids here contain this sphere
    common = np.fft.ifftn(v).real * rho.size
    answer = []
    for spin in range(len(density)):
        step = [n + (1e-25j if s == spin else 0) for s, n in enumerate(spins)]
        answer.append(common + energy(*step).imag / 1e-25)
    return answer


def frequencies(cell: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the integer G (nx, ny, nz, 3) of a grid and their lengths, 1/bohr."""
    axes = [np.rint(np.fft.fftfreq(n) * n).astype(int) for n in shape]
    g = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    return g, np.linalg.norm(g @ (2 * np.pi * np.linalg.inv(cell).T), axis=-1)


def levels(cell: np.ndarray, atoms: list, ecut: float, v: np.ndarray, k: list[float], count: int) -> np.ndarray:
    """Return the `count` lowest levels at k in the potential V(r), Ha, and the number of plane waves."""
    recip = 2 * np.pi * np.linalg.inv(cell).T
    span = np.ceil(np.sqrt(2 * ecut) * np.linalg.norm(cell, axis=1) / (2 * np.pi)).astype(int) + 1
    g = np.stack(np.meshgrid(*(np.arange(-n, n + 1) for n in span), indexing="ij"), axis=-1).reshape(-1, 3)
    kg = (g + np.array(k)) @ recip
    inside = (kg**2).sum(axis=1) / 2 <= ecut
    g, kg = g[inside], kg[inside]
    q = np.linalg.norm(kg, axis=1)
    of_g = np.fft.fftn(v) / v.size
    apart = g[:, None, :] - g[None, :, :]
    h = of_g[tuple(apart[..., i] % v.shape[i] for i in range(3))]
    del apart
    h[np.diag_indices(len(g))] += q**2 / 2
    unit = kg / np.where(q > 0, q, 1)[:, None]
    cosine = unit @ unit.T
    volume = abs(np.linalg.det(cell))
    for entry in {id(atom): atom for atom, _ in atoms}.values():
        phase = np.exp(-2j * np.pi * (g + np.array(k)) @ np.array([p for a, p in atoms if a is entry]).T)
        structure = phase @ phase.conj().T
        for l, radius, strength in entry["nonlocal"]:
            p = projectors(l, radius, len(strength), q)
            h += structure * eval_legendre(l, cosine) * (p.T @ strength @ p) * ((2 * l + 1) / (4 * np.pi * volume))
    return eigh(h, eigvals_only=True, subset_by_index=[0, count - 1], overwrite_a=True, check_finite=False), len(g)


def free_energy(
    cell: np.ndarray, atoms: list, ecut: float, rho: np.ndarray, kpoints: list, bands: int, width: float
) -> float:
    """Return the Harris-Foulkes free energy, Ha, of Fermi-Dirac electrons without Ewald and core term.

    Teter's functional, no spin. It is that of the output density but for an error of second order in their distance.
    """
    v = potentials(cell, atoms, ecut, [rho], teter)[0]
    levels_k = np.array([levels(cell, atoms, ecut, v, k[:3], bands)[0] for k in kpoints])
    full = 2 * np.array([k[3] for k in kpoints])[:, None]
    electrons = sum(atom["charge"] for atom, _ in atoms)
    fermi = brentq(lambda mu: (full * expit((mu - levels_k) / width)).sum() - electrons, -5, 5, xtol=1e-15)
    x = expit((fermi - levels_k) / width)
    entropy = width * (full * (xlogy(x, x) + xlogy(1 - x, 1 - x))).sum()
    _, q = frequencies(cell, rho.shape)
    volume, point = abs(np.linalg.det(cell)), abs(np.linalg.det(cell)) / rho.size
    of_g = np.abs(np.fft.fftn(rho) / rho.size) ** 2
    hartree = 0.5 * volume * (of_g * np.where(q > 0, 4 * np.pi / np.where(q > 0, q, 1) ** 2, 0)).sum()
    half = rho.astype(complex) / 2
    xc = teter(half, half).real.sum() * point
    in_xc_potential = (teter(half + 1e-25j, half).imag / 1e-25 * rho).sum() * point
    return float((full * x * levels_k).sum() - hartree + xc - in_xc_potential + entropy)
