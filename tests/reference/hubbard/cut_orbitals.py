"""Write a UPF file (version 2) whose orbitals are 0 from 10 bohr on, where pw.x's integrals end.

    cut_orbitals.py FILE NEW

The last point is pw.x's: the first beyond 10 bohr, or the one before or after it that makes the number odd.
"""

import re
import sys
from pathlib import Path

import numpy as np

END = 10.0  # bohr


def cut(text: str) -> str:
    """Return the text of a file with shorter orbitals."""
    r = np.array(re.search(r"<PP_R[^A-Z>]*>(.*?)</PP_R>", text, re.DOTALL)[1].split(), float)
    points = 2 * ((int(np.argmax(r > END)) + 2) // 2) - 1 if r[-1] > END else len(r)

    def shortened(match: re.Match[str]) -> str:
        y = np.array(match[2].split(), float)
        y[points:] = 0
        lines = "\n".join(" ".join(f"{v:.17E}" for v in y[i : i + 4]) for i in range(0, len(y), 4))
        return f"{match[1]}\n{lines}\n{match[3]}"

    return re.sub(r"(<PP_CHI\.\d+[^>]*>)(.*?)(</PP_CHI\.\d+>)", shortened, text, flags=re.DOTALL)


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(cut(Path(sys.argv[1]).read_text()))
