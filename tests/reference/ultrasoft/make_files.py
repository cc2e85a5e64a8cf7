#!/usr/bin/env python3
"""Write Si.UPF and Al.UPF here: local potential and projectors of GTH-PBE with an augmentation that is made up.

They are no physical potentials: the augmentation has no partial waves behind it. They have everything that an ultrasoft
calculation uses: two s projectors and one p, Q of L = 0, 1 and 2, q of both signs, few plane waves. They are no other
program's files, so that tests can hold them. C. Hartwigsen, S. Goedecker, J. Hutter, 10.1103/PhysRevB.58.3641; the
parameters for PBE: M. Krack, 10.1007/s00214-005-0655-y.
"""

import math
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Element:
    """Parameters of a GTH potential."""

    charge: float
    r_local: float
    c1: float
    s_radius: float
    s: tuple[tuple[float, float], tuple[float, float]]
    p_radius: float
    p: float


ELEMENTS = {
    "Si": Element(
        4.0, 0.44, -6.26928833, 0.43563383, ((8.9517415, -2.70627082), (-2.70627082, 3.4937806)), 0.49794218, 2.43127673
    ),
    "Al": Element(
        3.0,
        0.45,
        -7.55476126,
        0.48743529,
        ((6.95993832, -1.88883584), (-1.88883584, 2.43847659)),
        0.56218949,
        1.86529857,
    ),
}
POINTS, FIRST, STEP, END = 300, 1e-4, 0.04, 1.1
RADII = [FIRST * math.exp(STEP * i) for i in range(POINTS)]
Q = {  # of L for pairs of projectors: 1 and 2 are s, 3 is p
    (1, 1, 0): 0.25,
    (1, 2, 0): -0.05,
    (2, 2, 0): 0.08,
    (1, 3, 1): 0.10,
    (2, 3, 1): 0.03,
    (3, 3, 0): 0.20,
    (3, 3, 2): -0.15,
}


def local(of: Element, r: float) -> float:
    """Return V_loc, Ry."""
    x = r / of.r_local
    return 2 * (-of.charge / r * math.erf(x / math.sqrt(2)) + of.c1 * math.exp(-0.5 * x * x))


def projector(l: int, i: int, radius: float, r: float) -> float:
    """Return r times a projector of norm 1, their Eq. (3)."""
    power = l + (4 * i - 1) / 2
    norm = radius**power * math.sqrt(math.gamma(power))
    return r * math.sqrt(2) * r ** (l + 2 * (i - 1)) * math.exp(-0.5 * (r / radius) ** 2) / norm


def augmentation(l: int, r: float) -> float:
    """Return r^2 Q^L, where the integral of r^(L+2) Q^L is 1."""
    a = 1 / END**2
    return r ** (l + 2) * math.exp(-a * r * r) * 2 * a ** (l + 1.5) / math.gamma(l + 1.5)


def element(name: str, values: list[float], attributes: str = "") -> str:
    """Return an element with numbers."""
    shown = [f"{0.0 if abs(v) < 1e-30 else v:.10e}" for v in values]
    rows = "\n".join(" ".join(shown[i : i + 4]) for i in range(0, len(shown), 4))
    return f"<{name}{attributes}>\n{rows}\n</{name}>\n"


def text(symbol: str) -> str:
    """Return a file."""
    of = ELEMENTS[symbol]
    out = (
        '<UPF version="2.0.1">\n<PP_INFO>\nmade by make_files.py; not a physical potential\n</PP_INFO>\n'
        f'<PP_HEADER element="{symbol}" pseudo_type="US" is_ultrasoft="true" is_paw="false" '
        'is_coulomb="false" has_so="false" has_wfc="false" has_gipaw="false" paw_as_gipaw="false" relativistic="no" '
        f'core_correction="false" functional="PBE" z_valence="{of.charge}" total_psenergy="0.0" wfc_cutoff="24.0" '
        f'rho_cutoff="120.0" l_max="1" l_max_rho="2" l_local="-1" mesh_size="{POINTS}" number_of_wfc="0" '
        'generated="made up" author="" date="" comment="" number_of_proj="3"/>\n'
    )
    out += "<PP_MESH>\n" + element("PP_R", RADII) + element("PP_RAB", [STEP * r for r in RADII]) + "</PP_MESH>\n"
    out += element("PP_LOCAL", [local(of, r) for r in RADII]) + "<PP_NONLOCAL>\n"
    for number, (l, i, radius) in enumerate([(0, 1, of.s_radius), (0, 2, of.s_radius), (1, 1, of.p_radius)], 1):
        values = [projector(l, i, radius, r) for r in RADII]
        out += element(f"PP_BETA.{number}", values, f' angular_momentum="{l}" cutoff_radius_index="{POINTS}"')
    out += element("PP_DIJ", [2 * h for h in (*of.s[0], 0, *of.s[1], 0, 0, 0, of.p)])
    charges = [Q.get((min(i, j), max(i, j), 0), 0.0) for i in (1, 2, 3) for j in (1, 2, 3)]
    out += '<PP_AUGMENTATION q_with_l="true" nqf="0" nqlc="3">\n' + element("PP_Q", charges)
    for (i, j, l), moment in Q.items():
        out += element(f"PP_QIJL.{i}.{j}.{l}", [moment * augmentation(l, r) for r in RADII])
    out += "</PP_AUGMENTATION>\n</PP_NONLOCAL>\n"
    return (
        out + element("PP_RHOATOM", [of.charge * 1.2**3 / 2 * r * r * math.exp(-1.2 * r) for r in RADII]) + "</UPF>\n"
    )


if __name__ == "__main__":
    for symbol in ELEMENTS:
        (Path(__file__).parent / f"{symbol}.UPF").write_text(text(symbol))
