"""Recognises the files that wavegrid writes, so that none of another kind is replaced."""

from pathlib import Path

_HEAD = 4096
# What the beginning of a file holds, by the end of its name or its kind; the first entry of a pair: at the very start.
_SIGNATURES: dict[str, tuple[tuple[bytes, ...], bytes]] = {
    ".png": ((b"\x89PNG",), b""),
    ".pdf": ((b"%PDF",), b""),
    ".svg": ((b"<?xml", b"<svg"), b""),
    ".h5": ((b"\x89HDF",), b""),
    ".cube": ((b"",), b"by wavegrid"),
    ".xsf": ((b"#",), b"by wavegrid"),
    ".extxyz": ((b"",), b"wavegrid"),
    ".csv": ((b"#",), b"by wavegrid"),
    ".ply": ((b"ply",), b"by wavegrid"),
    ".yaml": ((b"phonopy:",), b"phonopy:"),
    ".json": ((b"{",), b"by wavegrid"),
    ".win": ((b"!",), b"by wavegrid"),
    ".mmn": ((b"overlaps",), b"by wavegrid"),
    ".amn": ((b"overlaps",), b"by wavegrid"),
    ".eig": ((b"    1     1",), b"    1     1"),
    ".html": ((b"<!doctype html>",), b"written by wavegrid"),
    "vasp": ((b"",), b"by wavegrid"),
    "result": ((b"{",), b'"schema_version"'),
    "trace": ((b"{",), b'"traceEvents"'),
}


def is_of_kind(path: Path, kind: str) -> bool:
    """Return whether a file is empty or of a kind: the end of a name such as ".png", "result" or "trace".

    Raises OSError where it cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    starts, inside = _SIGNATURES[kind]
    return not head or (head.startswith(starts) and inside in head)
