"""The potentials as files.

GTH: our tables in ABINIT's pspcod-10 (HGH-K) text, which pw.x reads too when the name ends in .gth.
UPF version 2 is rewritten as version 1, number by number, for ABINIT 9.6, which refuses version 2.
"""

from __future__ import annotations

from cases import FUNCTIONALS, HERE, NUMBER, POTENTIALS, Case, element, potential_file

from wavegrid.comparison.inputs import gth, upf

TABLES = HERE.parents[2] / "python" / "wavegrid" / "data" / "pseudopotentials"


def pspcod10(table: str, kind: str) -> str:
    """The text of a potential such as `Al-q3`, digits as in our table, spin-orbit k_ij = 0."""
    symbol, valence = element(kind), int(kind.split("-q")[1])
    found = gth.from_table(TABLES / f"gth-{table}.gth", symbol, valence)
    title = f"{kind}, table gth-{table} of wavegrid, spin-orbit k_ij = 0"
    return gth.as_pspcod10(title, NUMBER[symbol], valence, found)


def write_potentials(case: Case) -> None:
    """Write the files of a case that follow from others: GTH from our tables, UPF 1 from UPF 2."""
    POTENTIALS.mkdir(exist_ok=True)
    table = FUNCTIONALS[case.xc][3]
    for kind in case.kinds:
        if "." not in kind:
            (POTENTIALS / potential_file(case, kind, "abinit")).write_text(pspcod10(table, kind))
        elif kind.endswith(".UPF"):
            text = upf.as_version1((POTENTIALS / kind).read_text(), kind)
            (POTENTIALS / potential_file(case, kind, "abinit")).write_text(text)
