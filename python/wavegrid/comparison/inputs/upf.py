"""Norm-conserving UPF files of version 2 rewritten as version 1, number by number: ABINIT 9.6 reads no version 2."""

import re
from xml.etree import ElementTree

from wavegrid.comparison.numbers import real
from wavegrid.errors import InputError

_FREE_TEXT = re.compile(r"<PP_INFO>.*?</PP_INFO>", re.S)  # need not be XML


def as_version1(text: str, file: str) -> str:
    """Return the file of version 1; `file` names it in messages. Raises InputError where version 1 cannot hold it."""
    root = ElementTree.fromstring(_FREE_TEXT.sub("", text))
    header, nonlocal_part = _part(root, "PP_HEADER").attrib, _part(root, "PP_NONLOCAL")
    betas = [node for node in nonlocal_part if node.tag.startswith("PP_BETA")]
    waves = root.findall("PP_PSWFC/*")
    size = len(_values(_part(root, "PP_MESH/PP_R")))
    core = root.find("PP_NLCC")
    lines = ["<PP_INFO>", "UPF version 2 rewritten as version 1", "</PP_INFO>", "<PP_HEADER>", "   0   Version Number"]
    lines += [f"  {header['element'].strip()}   Element", "   NC   Norm - Conserving pseudopotential"]
    lines += [f"    {'F' if core is None else 'T'}   Nonlinear Core Correction"]
    lines += [f" {header['functional']}   Exchange-Correlation functional"]
    lines += [f"  {real(header['z_valence']):.10f}   Z valence", "  0.0   Total energy", "  0.0 0.0   Suggested cutoff"]
    lines += [f"    {header['l_max']}   Max angular momentum component", f"  {size}   Number of points in mesh"]
    lines += [f"    {len(waves)}    {len(betas)}   Number of Wavefunctions, Number of Projectors"]
    lines += [" Wavefunctions         nl  l   occ"]
    lines += [f"                       {_wave(wave)}" for wave in waves]
    lines += ["</PP_HEADER>", "<PP_MESH>"]
    for tag in ("PP_R", "PP_RAB"):
        lines += _array(tag, _values(_part(root, f"PP_MESH/{tag}")))
    lines += ["</PP_MESH>", *([] if core is None else _array("PP_NLCC", _values(core)))]
    lines += [*_array("PP_LOCAL", _values(_part(root, "PP_LOCAL"))), "<PP_NONLOCAL>"]
    for i, beta in enumerate(betas):
        values = _values(beta)[: int(beta.get("cutoff_radius_index") or size) or size]
        lines += ["  <PP_BETA>", f"    {i + 1}    {beta.get('angular_momentum')}             Beta    L"]
        lines += [f"   {len(values)}", *_rows(values), "  </PP_BETA>"]
    strengths = _diagonal(_values(_part(nonlocal_part, "PP_DIJ")), len(betas), file)
    lines += ["  <PP_DIJ>", f"    {len(betas)}                  Number of nonzero Dij"]
    lines += [f"    {i}    {i}  {value}" for i, value in enumerate(strengths, 1)]
    lines += ["  </PP_DIJ>", "</PP_NONLOCAL>", "<PP_PSWFC>"]
    for wave in waves:
        lines += [f"{_wave(wave)}          Wavefunction", *_rows(_values(wave))]
    lines += ["</PP_PSWFC>", *_array("PP_RHOATOM", _values(_part(root, "PP_RHOATOM")))]
    return "\n".join(lines) + "\n"


def _part(root: ElementTree.Element, path: str) -> ElementTree.Element:
    found = root.find(path)
    assert found is not None, path  # the core has read the file
    return found


def _values(node: ElementTree.Element) -> list[str]:
    return (node.text or "").split()


def _wave(wave: ElementTree.Element) -> str:
    return f"{wave.get('label')}  {wave.get('l')}  {real(wave.get('occupation') or '0'):.2f}"


def _diagonal(matrix: list[str], size: int, file: str) -> list[str]:
    if any(real(value) != 0 for at, value in enumerate(matrix) if at % (size + 1)):
        raise InputError(
            f"{file}: ABINIT 9.6 reads UPF of version 1 only, which holds no coupled projectors; valid: the psp8 "
            "file of this potential"
        )
    return matrix[:: size + 1]


def _array(tag: str, values: list[str]) -> list[str]:
    return [f"<{tag}>", *_rows(values), f"</{tag}>"]


def _rows(values: list[str]) -> list[str]:
    """Four to a line."""
    return [" " + " ".join(values[i : i + 4]) for i in range(0, len(values), 4)]
