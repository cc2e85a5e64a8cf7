"""Write a UPF file (version 2) with all radial functions on twice the points, n times.

    refine_upf.py FILE NEW N

Halves by polynomials of degree 9 in the index of the point.
"""

import functools
import re
import sys
from pathlib import Path

import numpy as np

POINTS = 10  # of a polynomial


@functools.cache
def weights(first: int) -> np.ndarray:
    """Return those of the middle between points 0 and 1, of a stencil that begins at `first`."""
    x = np.arange(POINTS) + first - 0.5
    return np.array([np.prod(np.delete(-x / (x[j] - x + (x == x[j])), j)) for j in range(POINTS)])


def halved(y: np.ndarray) -> np.ndarray:
    """Return a function with the values in the middle between its points."""
    result = np.empty(2 * len(y) - 1)
    result[::2] = y
    for i in range(len(y) - 1):
        begin = min(max(i - 4, 0), len(y) - POINTS)
        result[2 * i + 1] = weights(begin - i) @ y[begin : begin + POINTS]
    return result


def refined(text: str, times: int) -> str:
    """Return the text of a file on the finer mesh."""
    points = int(re.search(r'mesh_size="\s*(\d+)"', text)[1])
    finer = (points - 1) * 2**times + 1

    def index(match: re.Match[str]) -> str:
        old = int(match[2])
        return f'{match[1]}="{(old - 1) * 2**times + 1 if old > 0 else 0}"'

    def element(match: re.Match[str]) -> str:
        head, words, tail = match[1], match[2].split(), match[3]
        try:
            y = np.array(words, float)
        except ValueError:
            return match[0]
        if len(y) != points:
            return match[0]
        for _ in range(times):
            y = halved(y)
        if head.startswith("<PP_RAB"):
            y /= 2**times
        head = re.sub(r"(cutoff_radius_index|cutoff_r_index)=\"\s*(\d+)\"", index, head)
        head = re.sub(r'size="\s*\d+"', f'size="{finer}"', head)
        lines = "\n".join(" ".join(f"{v:.17E}" for v in y[i : i + 4]) for i in range(0, len(y), 4))
        return f"{head}\n{lines}\n{tail}"

    text = re.sub(r"(<PP_(?!INFO|HEADER)[\w.]+[^<>]*>)([^<>]*)(</PP_[\w.]+>)", element, text)
    text = re.sub(r'(<PP_AUGMENTATION[^>]*cutoff_r_index)="\s*(\d+)"', index, text)
    text = re.sub(r'mesh_size="\s*\d+"', f'mesh_size="{finer}"', text)
    text = re.sub(r'(<PP_MESH[^>]*)mesh="\s*\d+"', rf'\g<1>mesh="{finer}"', text)
    return re.sub(r'(<PP_MESH[^>]*dx=")\s*([^"]+)"', lambda m: f'{m[1]}{float(m[2]) / 2**times:.17E}"', text)


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(refined(Path(sys.argv[1]).read_text(), int(sys.argv[3])))
