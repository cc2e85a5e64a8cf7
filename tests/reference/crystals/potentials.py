"""The potentials as files.

GTH: our tables in ABINIT's pspcod-10 (HGH-K) text, which pw.x reads too when the name ends in .gth.
UPF version 2 is rewritten as version 1, number by number, for ABINIT 9.6, which refuses version 2.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from cases import FUNCTIONALS, HERE, NUMBER, POTENTIALS, Case, element, potential_file

TABLES = HERE.parents[2] / "python" / "wavegrid" / "data" / "pseudopotentials"


def entry(table: str, kind: str) -> list[list[str]]:
    """The rows of `Al-q3` in a table as tokens."""
    name, valence = kind.split("-")
    rows: list[list[str]] = []
    inside = False
    for line in (TABLES / f"gth-{table}.gth").read_text().splitlines():
        words = line.split()
        if words[:2] == [name, valence]:
            inside = True
        elif inside and not words:
            return rows
        elif inside:
            rows.append(words)
    if inside:
        return rows
    raise SystemExit(f"{kind} is not in gth-{table}.gth")


def triangle(values: list[str]) -> list[list[str]]:
    """Rows of the upper triangle that `values` list."""
    size = next(n for n in range(4) if n * (n + 1) // 2 == len(values))
    rows, at = [], 0
    for length in range(size, 0, -1):
        rows.append(values[at : at + length])
        at += length
    return rows


def pspcod10(table: str, kind: str) -> str:
    """The text of a potential, digits as in our table, spin-orbit k_ij = 0."""
    local: list[str] = []
    channels: dict[str, tuple[str, list[list[str]]]] = {}
    for key, *values in entry(table, kind):
        if key == "local":
            local = values
        elif key == "nonlocal":
            channels[values[0]] = (values[1], triangle(values[2:]))
    radius, *c = local
    l_max = max(("spdf".index(letter) for letter in channels), default=0)
    valence = kind.split("-")[1].removeprefix("q")
    out = [
        f"{kind}, table gth-{table} of wavegrid, spin-orbit k_ij = 0",
        f" {NUMBER[element(kind)]} {valence} 000000   zatom,zion,pspdat",
        f" 10 {11 if table == 'pbe' else 1} {l_max} {l_max} 2001 0   pspcod,pspxc,lmax,lloc,mmax,r2well",
        f" {radius} {len(c)} {' '.join(c)}   rloc nloc c".replace("  ", " "),
        f" {l_max + 1}   nnonloc",  # ABINIT misreads a file without any channel: an empty s channel then
    ]
    for angular in range(l_max + 1):
        r_l, rows = channels.get("spdf"[angular], (radius, []))
        out.append(f" {r_l} {len(rows)} {' '.join(rows[0]) if rows else ''}".rstrip())
        out += [f"   {' '.join(row)}" for row in rows[1:]]
        if angular:
            out += [f"   {' '.join(['0.0'] * len(row))}" for row in rows]
    return "\n".join(out) + "\n"


def numbers(values: list[str]) -> list[str]:
    """Four to a line."""
    return [" " + " ".join(values[i : i + 4]) for i in range(0, len(values), 4)]


def upf1(text: str) -> str:
    """A norm-conserving UPF file of version 2 as version 1."""
    root = ElementTree.fromstring(text)
    header, nonlocal_part = root.find("PP_HEADER").attrib, root.find("PP_NONLOCAL")
    mesh = [node.text.split() for node in (root.find("PP_MESH/PP_R"), root.find("PP_MESH/PP_RAB"))]
    betas = [node for node in nonlocal_part if node.tag.startswith("PP_BETA")]
    waves = list(root.find("PP_PSWFC"))
    out = ["<PP_INFO>", "UPF version 2 rewritten as version 1", "</PP_INFO>", "<PP_HEADER>", "   0   Version Number"]
    out += [f"  {header['element']}   Element", "   NC   Norm - Conserving pseudopotential"]
    out += ["    F   Nonlinear Core Correction", f" {header['functional']}   Exchange-Correlation functional"]
    out += [f"  {float(header['z_valence']):.10f}   Z valence", "  0.0   Total energy", "  0.0 0.0   Suggested cutoff"]
    out += [f"    {header['l_max']}   Max angular momentum component", f"  {len(mesh[0])}   Number of points in mesh"]
    out += [f"    {len(waves)}    {len(betas)}   Number of Wavefunctions, Number of Projectors"]
    out += [" Wavefunctions         nl  l   occ"]
    for wave in waves:
        out.append(f"                       {wave.get('label')}  {wave.get('l')}  {float(wave.get('occupation')):.2f}")
    out += ["</PP_HEADER>", "<PP_MESH>"]
    for tag, values in zip(("PP_R", "PP_RAB"), mesh, strict=True):
        out += [f"  <{tag}>", *numbers(values), f"  </{tag}>"]
    out += ["</PP_MESH>", "<PP_LOCAL>", *numbers(root.find("PP_LOCAL").text.split()), "</PP_LOCAL>", "<PP_NONLOCAL>"]
    for i, beta in enumerate(betas):
        count = int(beta.get("cutoff_radius_index"))
        out += ["  <PP_BETA>", f"    {i + 1}    {beta.get('angular_momentum')}             Beta    L", f"   {count}"]
        out += [*numbers(beta.text.split()[:count]), "  </PP_BETA>"]
    d = nonlocal_part.find("PP_DIJ").text.split()
    out += ["  <PP_DIJ>", f"    {len(betas)}                  Number of nonzero Dij"]
    out += [f"    {i + 1}    {i + 1}  {d[i * (len(betas) + 1)]}" for i in range(len(betas))]
    out += ["  </PP_DIJ>", "</PP_NONLOCAL>", "<PP_PSWFC>"]
    for wave in waves:
        out.append(f"{wave.get('label')}    {wave.get('l')}  {float(wave.get('occupation')):.2f}          Wavefunction")
        out += numbers(wave.text.split())
    out += ["</PP_PSWFC>", "<PP_RHOATOM>", *numbers(root.find("PP_RHOATOM").text.split()), "</PP_RHOATOM>"]
    return "\n".join(out) + "\n"


def write_potentials(case: Case) -> None:
    """Write the files of a case that follow from others: GTH from our tables, UPF 1 from UPF 2."""
    POTENTIALS.mkdir(exist_ok=True)
    table = FUNCTIONALS[case.xc][3]
    for kind in case.kinds:
        if "." not in kind:
            (POTENTIALS / potential_file(case, kind, "abinit")).write_text(pspcod10(table, kind))
        elif kind.endswith(".UPF"):
            text = upf1((POTENTIALS / kind).read_text())
            (POTENTIALS / potential_file(case, kind, "abinit")).write_text(text)
