"""The table of a convergence study and what follows from it."""

from __future__ import annotations

import math
import statistics

PEERS = ("pwx", "abinit")


def _cell(value: float | None, pattern: str) -> str:
    """Return a table cell; a missing value is a dash."""
    return "-" if value is None else format(value, pattern)


def _triple(row: dict, key: str, pattern: str) -> str:
    return " / ".join(_cell(row.get(code, {}).get(key), pattern) for code in ("wavegrid", *PEERS))


def best(row: dict, key: str) -> float | None:
    """Return the smallest figure of the peers that converged."""
    found = [row[code][key] for code in PEERS if row.get(code, {}).get("converged")]
    return min(found, default=None)


def table(rows: dict[str, dict]) -> str:
    """Return the figures as Markdown: wavegrid / pw.x / ABINIT in each column."""
    lines = [
        "wavegrid / pw.x / ABINIT",
        "",
        "| system | steps | H per band | FFTs per band | seconds | to the faster | error, Ha | our estimate / error |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        ours, peer = row.get("wavegrid", {}), best(row, "seconds")
        time = ours["seconds"] / peer if peer and "seconds" in ours else None
        not_converged = [code for code, figures in row.items() if not figures.get("converged")]
        remark = f" (not converged: {', '.join(not_converged)})" if not_converged else ""
        lines.append(
            f"| {name}{remark} | {_triple(row, 'steps', 'd')} | {_triple(row, 'h_per_band', '.0f')} | "
            f"{_triple(row, 'ffts_per_band', '.0f')} | {_triple(row, 'seconds', '.1f')} | {_cell(time, '.2f')} | "
            f"{_triple(row, 'error', '.0e')} | {_cell(reliability(ours), '.2g')} |"
        )
    return "\n".join(lines)


def reliability(figures: dict) -> float | None:
    """Return our estimate over the true error; None where the error is at rounding."""
    error = figures.get("error")
    return figures["estimate"] / error if error is not None and error > 1e-13 * abs(figures["free"]) else None


def summary(rows: dict[str, dict]) -> str:
    """Return in how many systems we are ahead, and by how much."""
    ours = {name: row["wavegrid"] for name, row in rows.items() if row.get("wavegrid", {}).get("converged")}
    lines = [f"{len(ours)} of {len(rows)} systems converged with wavegrid's defaults"]
    for key, what in (("steps", "steps"), ("seconds", "wall time")):
        ratios = {name: ours[name][key] / best(rows[name], key) for name in ours if best(rows[name], key)}
        if ratios:
            worst = max(ratios, key=lambda name: ratios[name])
            lines.append(
                f"{what}: at most those of the better peer on {sum(ratio <= 1 for ratio in ratios.values())} of "
                f"{len(ratios)}; ratio to it {statistics.median(ratios.values()):.2f} in the median, "
                f"{ratios[worst]:.2f} at most ({worst})"
            )
    reliable = [ratio for name in ours if (ratio := reliability(ours[name])) is not None]
    if reliable:
        within = sum(abs(math.log(ratio)) <= math.log(4) for ratio in reliable)
        lines.append(
            f"estimate over true error: {min(reliable):.2g} to {max(reliable):.2g}, within 1/4 to 4 on {within} "
            f"of {len(reliable)}"
        )
    return "\n".join(lines)
