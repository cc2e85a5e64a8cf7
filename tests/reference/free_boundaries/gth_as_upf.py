#!/usr/bin/env python3
"""Write a GTH potential, in the format of ABINIT (pspcod 10), as UPF on a radial mesh, for LDA-PZ.

python gth_as_upf.py Li.gth Li Li.UPF
"""

import sys
from math import erf, gamma, pi, sqrt
from pathlib import Path

import numpy as np

POINTS, STEP, COLUMNS = 1501, 0.01, 4  # bohr


def channels(lines: list[str], count: int) -> list[tuple[int, float, np.ndarray]]:
    """Return l, radius and the matrix h of each channel."""
    found, at = [], 0
    for l in range(count):
        first = lines[at].split()
        at += 1
        size = int(first[1])
        if size == 0:
            continue
        h = np.zeros((size, size))
        h[0] = [float(x) for x in first[2 : 2 + size]]
        for row in range(1, size):
            h[row, row:] = [float(x) for x in lines[at].split()[: size - row]]
            at += 1
        at += size if l > 0 else 0  # spin-orbit
        found.append((l, float(first[0]), h + np.triu(h, 1).T))
    return found


def block(name: str, values: np.ndarray, more: str = "") -> list[str]:
    """Return the lines of a table."""
    rows = [" ".join(f"{x:.15e}" for x in values[i : i + COLUMNS]) for i in range(0, len(values), COLUMNS)]
    return [f'<{name} type="real" size="{len(values)}" columns="{COLUMNS}"{more}>', *rows, f"</{name}>"]


def upf(text: str, element: str) -> str:
    """Return the UPF file."""
    lines = text.splitlines()
    charge = int(lines[1].split()[1])
    local = lines[3].split()
    radius, terms = float(local[0]), [float(x) for x in local[2 : 2 + int(local[1])]]
    r = STEP * np.arange(POINTS)
    x = r / radius
    tail = [erf(one / sqrt(2)) / at if at > 0 else sqrt(2 / pi) / radius for one, at in zip(x, r, strict=True)]
    v = np.exp(-x * x / 2) * sum(c * x ** (2 * k) for k, c in enumerate(terms)) - charge * np.array(tail)
    betas, sizes = [], []
    for l, size, h in channels(lines[5:], int(lines[4].split()[0])):
        sizes.append(h)
        for i in range(1, len(h) + 1):
            power = l + (4 * i - 1) / 2
            norm = sqrt(2) / (size**power * sqrt(gamma(power)))
            betas.append((l, norm * r ** (l + 2 * i - 1) * np.exp(-r * r / (2 * size * size))))
    d = np.zeros((len(betas), len(betas)))
    at = 0
    for h in sizes:
        d[at : at + len(h), at : at + len(h)] = 2 * h
        at += len(h)
    flags = ("is_ultrasoft", "is_paw", "is_coulomb", "has_so", "has_wfc", "has_gipaw", "core_correction")
    header = " ".join(f'{flag}="F"' for flag in flags)
    answer = [
        '<UPF version="2.0.1">',
        "<PP_INFO>",
        "a GTH potential on a radial mesh",
        "</PP_INFO>",
        f'<PP_HEADER generated="" author="" date="" comment="" element="{element}" pseudo_type="NC" '
        f'relativistic="scalar" {header} functional="SLA PZ NOGX NOGC" z_valence="{charge:.1f}" total_psenergy="0.0" '
        f'rho_cutoff="0.0" wfc_cutoff="0.0" l_max="{max([0, *(l for l, _ in betas)])}" l_local="-1" '
        f'mesh_size="{POINTS}" number_of_wfc="0" number_of_proj="{len(betas)}"/>',
        f'<PP_MESH mesh="{POINTS}">',
        *block("PP_R", r),
        *block("PP_RAB", np.full(POINTS, STEP)),
        "</PP_MESH>",
        *block("PP_LOCAL", 2 * v),
        "<PP_NONLOCAL>",
    ]
    for number, (l, beta) in enumerate(betas, 1):
        more = f' index="{number}" angular_momentum="{l}" cutoff_radius_index="{POINTS}" cutoff_radius="15.0"'
        answer += block(f"PP_BETA.{number}", beta, more)
    answer += [*block("PP_DIJ", d.ravel()), "</PP_NONLOCAL>", "<PP_PSWFC>", "</PP_PSWFC>"]
    return "\n".join([*answer, *block("PP_RHOATOM", charge * 4 * r * r * np.exp(-2 * r)), "</UPF>", ""])


if __name__ == "__main__":
    source, element, target = sys.argv[1:]
    Path(target).write_text(upf(Path(source).read_text(), element))
