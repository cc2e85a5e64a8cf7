"""The names of functionals in pw.x and ABINIT, and those of libxc for what all programs call otherwise."""

from wavegrid.process import core_loader

ESPRESSO = {  # of pw.x 6.7, which has no libxc
    "LDA_X+LDA_C_PZ": "PZ",
    "LDA_X+LDA_C_PW": "SLA+PW",
    "LDA_X+LDA_C_VWN": "SLA+VWN",
    "GGA_X_PBE+GGA_C_PBE": "PBE",
    "GGA_X_PBE_SOL+GGA_C_PBE_SOL": "PBESOL",
    "GGA_X_PBE_R+GGA_C_PBE": "REVPBE",
    "GGA_X_WC+GGA_C_PBE": "WC",
    "GGA_X_PW91+GGA_C_PW91": "PW91",
    "GGA_X_B88+GGA_C_LYP": "BLYP",
    "GGA_X_B88+GGA_C_P86": "BP",
    "MGGA_X_TPSS+MGGA_C_TPSS": "TPSS",
}

LIBXC = {  # numbers of libxc, which ABINIT takes: ixc = -(1000 times the first + the second)
    "LDA_X": 1,
    "LDA_C_VWN": 7,
    "LDA_C_PZ": 9,
    "LDA_C_PW": 12,
    "LDA_XC_TETER93": 20,
    "GGA_X_PBE": 101,
    "GGA_X_PBE_R": 102,
    "GGA_X_B88": 106,
    "GGA_X_PW91": 109,
    "GGA_X_PBE_SOL": 116,
    "GGA_X_RPBE": 117,
    "GGA_X_WC": 118,
    "GGA_X_AM05": 120,
    "GGA_C_PBE": 130,
    "GGA_C_LYP": 131,
    "GGA_C_P86": 132,
    "GGA_C_PBE_SOL": 133,
    "GGA_C_PW91": 134,
    "GGA_C_AM05": 135,
    "MGGA_X_TPSS": 202,
    "MGGA_X_REVTPSS": 212,
    "MGGA_C_TPSS": 231,
    "MGGA_C_REVTPSS": 241,
    "MGGA_X_SCAN": 263,
    "MGGA_C_SCAN": 267,
    "MGGA_X_RSCAN": 493,
    "MGGA_C_RSCAN": 494,
    "MGGA_X_R2SCAN": 497,
    "MGGA_C_R2SCAN": 498,
}
_IXC = {1: "LDA_XC_TETER93", 2: "LDA_X+LDA_C_PZ", 7: "LDA_X+LDA_C_PW", 11: "GGA_X_PBE+GGA_C_PBE"}


def of_ours(name: str) -> str:
    """Return libxc's names of one of ours, such as LDA-PW."""
    core = core_loader.load()
    try:
        return core.check_xc(name)
    except core.BadInput:  # of a later version
        return name


def of_espresso(name: str) -> str:
    """Return libxc's names of what pw.x prints, or that where it is none of these."""
    return next((ours for ours, theirs in ESPRESSO.items() if theirs == name), name)


def of_abinit(ixc: int) -> str:
    """Return libxc's names of ABINIT's number, or `ixc NUMBER` where it is none of these."""
    names = {number: name for name, number in LIBXC.items()}
    parts = [number for number in divmod(-ixc, 1000) if number]
    if ixc < 0 and all(number in names for number in parts):
        return "+".join(names[number] for number in parts)
    return _IXC.get(ixc, f"ixc {ixc}")
