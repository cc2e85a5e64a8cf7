#!/usr/bin/env python3
"""Write Si-paw.UPF, Al-paw.UPF and Si-paw.xml here: the projectors of Si.UPF and Al.UPF with made-up partial waves.

They are no physical datasets. They have everything that a PAW calculation uses: two s projectors and one p with dual
pseudo partial waves, all-electron waves and core densities that differ from them in a sphere, compensation charges of
L = 0, 1 and 2. UPF files have them in exchange and correlation (Kresse, Joubert), the XML file has not (Blöchl).
Usage: make_paw_files.py Si; make_paw_files.py Al
"""

import math
import sys
from pathlib import Path

from make_files import ELEMENTS, FIRST, POINTS, RADII, STEP, element, local, projector

SYMBOL = sys.argv[1]
OF = ELEMENTS[SYMBOL]
RADIUS, CORE, CORE_DECAY = 2.6, 10.0, 6.0  # bohr; electrons; 1/bohr
NUCLEUS = CORE + OF.charge
WAVES = [(0, 1, OF.s_radius, 0.25), (0, 2, OF.s_radius, -0.15), (1, 1, OF.p_radius, 0.3)]
COUPLINGS = (*OF.s[0], 0.0, *OF.s[1], 0.0, 0.0, 0.0, OF.p)  # Ha
NUMBER = len(WAVES)
PAIRS = [(i, j) for i in range(NUMBER) for j in range(NUMBER)]
POINT = [i for i, r in enumerate(RADII) if r < RADIUS][-1] + 2  # points of the sphere: one beyond it


def integral(values: list[float]) -> float:
    """Return that over r: the trapezoidal rule in ln r."""
    return STEP * sum(value * r for value, r in zip(values, RADII, strict=True))


def inside(r: float, power: float) -> float:
    """Return what is 1 at the nucleus and 1e-6 at the radius, without a kink."""
    return math.exp(-power * r * r)


PROJECTORS = [[projector(l, i, radius, r) * inside(r, 1) for r in RADII] for l, i, radius, _ in WAVES]


def pseudo_waves() -> list[list[float]]:
    """Return r times the pseudo partial waves: dual to the projectors."""
    basis = [[r ** (l + 2 * i - 1) * math.exp(-0.5 * r * r) for r in RADII] for l, i, _, _ in WAVES]

    def overlap(i: int, k: int) -> float:
        return integral([a * b for a, b in zip(PROJECTORS[i], basis[k], strict=True)])

    a, b, c, d = overlap(0, 0), overlap(0, 1), overlap(1, 0), overlap(1, 1)
    inverse = ((d, -b), (-c, a))  # times the determinant
    waves = [
        [(inverse[0][j] * x + inverse[1][j] * y) / (a * d - b * c) for x, y in zip(*basis[:2], strict=True)]
        for j in range(2)
    ]
    return [*waves, [x / overlap(2, 2) for x in basis[2]]]


PSEUDO = pseudo_waves()
ALL_ELECTRON = [
    [u + height * r ** (l + 1) * inside(r, 2) for u, r in zip(wave, RADII, strict=True)]
    for wave, (l, _, _, height) in zip(PSEUDO, WAVES, strict=True)
]
CORE_DENSITY = [CORE * CORE_DECAY**3 / (8 * math.pi) * math.exp(-CORE_DECAY * r) for r in RADII]
PSEUDO_CORE = [n * (1 - inside(r, 2)) ** 4 for n, r in zip(CORE_DENSITY, RADII, strict=True)]


def core_potential(r: float) -> float:
    """Return the electrostatic potential of nucleus and core, Ha."""
    x = CORE_DECAY * r
    return (-NUCLEUS + CORE * (1 - math.exp(-x) * (1 + x / 2))) / r


def moment(i: int, j: int, l: int) -> float:
    """Return the integral of r^L (phi_i phi_j - phi~_i phi~_j)."""
    columns = zip(ALL_ELECTRON[i], ALL_ELECTRON[j], PSEUDO[i], PSEUDO[j], RADII, strict=True)
    return integral([(a * b - c * d) * r**l for a, b, c, d, r in columns])


def shape(l: int) -> list[float]:
    """Return r^2 g_L."""
    values = [r ** (l + 2) * inside(r, 2) for r in RADII]
    norm = integral([value * r**l for value, r in zip(values, RADII, strict=True)])
    return [value / norm for value in values]


def orders(i: int, j: int) -> range:
    """Return the L of a pair."""
    a, b = WAVES[i][0], WAVES[j][0]
    return range(abs(a - b), a + b + 1, 2)


def upf() -> str:
    """Return the UPF file."""
    charge = OF.charge
    out = (
        '<UPF version="2.0.1">\n<PP_INFO>\nmade by make_paw_files.py; not a physical dataset\n</PP_INFO>\n'
        f'<PP_HEADER element="{SYMBOL}" pseudo_type="PAW" is_ultrasoft="true" is_paw="true" is_coulomb="false" '
        'has_so="false" has_wfc="true" has_gipaw="false" paw_as_gipaw="false" relativistic="no" core_correction="true" '
        f'functional="PBE" z_valence="{charge}" total_psenergy="0.0" wfc_cutoff="24.0" rho_cutoff="120.0" l_max="1" '
        f'l_max_rho="2" l_local="-1" mesh_size="{POINTS}" number_of_wfc="0" generated="made up" author="" date="" '
        f'comment="" number_of_proj="{NUMBER}"/>\n'
    )
    out += "<PP_MESH>\n" + element("PP_R", RADII) + element("PP_RAB", [STEP * r for r in RADII]) + "</PP_MESH>\n"
    out += element("PP_NLCC", PSEUDO_CORE)
    out += element("PP_LOCAL", [local(OF, r) for r in RADII]) + "<PP_NONLOCAL>\n"
    for i, (l, _, _, _) in enumerate(WAVES):
        attributes = f' angular_momentum="{l}" cutoff_radius_index="{POINT}"'
        out += element(f"PP_BETA.{i + 1}", PROJECTORS[i], attributes)
    out += element("PP_DIJ", [2 * h for h in COUPLINGS])
    out += f'<PP_AUGMENTATION q_with_l="true" nqf="0" nqlc="3" l_max_aug="2" cutoff_r_index="{POINT}">\n'
    out += element("PP_Q", [moment(i, j, 0) if 0 in orders(i, j) else 0.0 for i, j in PAIRS])
    moments = [moment(i, j, l) if l in orders(i, j) else 0.0 for l in range(3) for i, j in PAIRS]
    out += element("PP_MULTIPOLES", moments)
    for i, j in PAIRS:
        for l in orders(i, j) if i <= j else ():
            out += element(f"PP_QIJL.{i + 1}.{j + 1}.{l}", [moment(i, j, l) * g for g in shape(l)])
    out += "</PP_AUGMENTATION>\n</PP_NONLOCAL>\n<PP_FULL_WFC>\n"
    for i in range(NUMBER):
        out += element(f"PP_AEWFC.{i + 1}", ALL_ELECTRON[i]) + element(f"PP_PSWFC.{i + 1}", PSEUDO[i])
    out += '</PP_FULL_WFC>\n<PP_PAW paw_data_format="2" core_energy="0.0">\n'
    out += element("PP_OCCUPATIONS", [2.0, 0.0, OF.charge - 2]) + element("PP_AE_NLCC", CORE_DENSITY)
    out += element("PP_AE_VLOC", [2 * core_potential(r) for r in RADII]) + "</PP_PAW>\n"
    density = [charge * 1.2**3 / 2 * r * r * math.exp(-1.2 * r) for r in RADII]
    return out + element("PP_RHOATOM", density) + "</UPF>\n"


def kinetic_difference(i: int, j: int) -> float:
    """Return the one with which D0_ij is that of Si.UPF, Ha."""
    if WAVES[i][0] != WAVES[j][0]:
        return 0.0
    charge = [moment(i, j, 0) * g for g in shape(0)]
    columns = zip(ALL_ELECTRON[i], ALL_ELECTRON[j], PSEUDO[i], PSEUDO[j], charge, RADII, strict=True)
    values = [
        core_potential(r) * a * b - 0.5 * local(OF, r) * (c * d + q) if r <= RADII[POINT - 1] else 0.0
        for a, b, c, d, q, r in columns
    ]
    return COUPLINGS[i * NUMBER + j] - integral(values)


def xml() -> str:
    """Return the XML file."""
    y00 = 0.5 / math.sqrt(math.pi)
    grid = ' grid="g1"'
    out = (
        '<?xml version="1.0"?>\n<paw_dataset version="0.7">\n'
        "<!-- made by make_paw_files.py; not a physical dataset -->\n"
        f'<atom symbol="{SYMBOL}" Z="{NUCLEUS}" core="{CORE}" valence="{OF.charge}"/>\n'
        '<xc_functional type="GGA" name="PBE"/>\n'
        '<ae_energy kinetic="0.0" xc="0.0" electrostatic="0.0" total="0.0"/>\n<core_energy kinetic="0.0"/>\n'
        f'<radial_grid eq="r=a*exp(d*i)" a="{FIRST}" d="{STEP}" istart="0" iend="{POINTS - 1}" id="g1"/>\n'
        "<valence_states>\n"
    )
    for i, (l, _, _, _) in enumerate(WAVES):
        electrons = ' f="2"' if i != 1 else ""
        out += f'<state l="{l}"{electrons} rc="{RADII[POINT - 1]:.12f}" e="{-0.4 + 0.25 * i}" id="Si{i + 1}"/>\n'
    out += "</valence_states>\n"
    for l in range(3):
        out += element(
            "shape_function", [g / r**2 for g, r in zip(shape(l), RADII, strict=True)], f' type="numeric" l="{l}"{grid}'
        )
    for name, values in (("ae_core_density", CORE_DENSITY), ("pseudo_core_density", PSEUDO_CORE)):
        out += element(name, [n / y00 for n in values], grid)
    out += element("blochl_local_ionic_potential", [0.5 * local(OF, r) / y00 for r in RADII], grid)
    for name, all_waves in (
        ("ae_partial_wave", ALL_ELECTRON),
        ("pseudo_partial_wave", PSEUDO),
        ("projector_function", PROJECTORS),
    ):
        for i, wave in enumerate(all_waves):
            values = [u / r for u, r in zip(wave, RADII, strict=True)]
            out += element(name, values, f' state="Si{i + 1}"{grid}')
    return (
        out + element("kinetic_energy_differences", [kinetic_difference(i, j) for i, j in PAIRS]) + "</paw_dataset>\n"
    )


if __name__ == "__main__":
    folder = Path(__file__).parent
    (folder / f"{SYMBOL}-paw.UPF").write_text(upf(), encoding="utf-8")
    if SYMBOL == "Si":
        (folder / "Si-paw.xml").write_text(xml(), encoding="utf-8")
