"""Pieces of HTML."""

import base64
from collections.abc import Callable, Iterable, Sequence
from html import escape

from wavegrid.base.text import counted
from wavegrid.errors import first_line

_SHOWN = 40  # rows of a table; of more, the first

PAGE = """<!doctype html>
<!-- written by wavegrid report -->
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222; }}
h1 {{ margin-bottom: .2rem; }}
h2 {{ margin-top: 2.2rem; border-bottom: 1px solid #ccc; }}
table {{ border-collapse: collapse; margin: .6rem 0; font-variant-numeric: tabular-nums; }}
td, th {{ padding: .1rem .9rem .1rem 0; text-align: right; }}
th {{ color: #555; font-weight: 600; }}
td:first-child, th:first-child {{ text-align: left; white-space: nowrap; }}
.pairs td {{ text-align: left; vertical-align: top; }}
figure {{ margin: .6rem 0; }}
img {{ max-width: 100%; }}
pre {{ background: #f5f5f5; padding: .8rem; overflow-x: auto; }}
.good {{ color: #176117; }} .bad {{ color: #a1260d; }} .dim {{ color: #666; }}
</style></head><body>
{body}
</body></html>
"""


def page(title: str, sections: Iterable[str]) -> str:
    """Return the whole file."""
    return PAGE.format(title=escape(title), body="\n".join(filter(None, sections)))


def escaped(text: str) -> str:
    """Return a text as HTML shows it."""
    return escape(text)


def section(title: str, *content: str) -> str:
    """Return a section, or nothing where it has no content."""
    found = "\n".join(filter(None, content))
    return f"<section><h2>{escape(title)}</h2>\n{found}\n</section>" if found else ""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of texts; of two columns the second one without a head holds sentences, or words and numbers."""
    kind = ' class="pairs"' if len(head) == 2 and not head[1] else ""
    lines = ["<tr>" + "".join(f"<th>{escape(name)}</th>" for name in head) + "</tr>"] if any(head) else []
    lines += ["<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows]
    return f"<table{kind}>" + "\n".join(lines) + "</table>" if rows else ""


def image(png: bytes, alternative: str) -> str:
    """Return a plot that is part of the page."""
    data = base64.b64encode(png).decode("ascii")
    return f'<figure><img alt="{escape(alternative)}" src="data:image/png;base64,{data}"></figure>'


def plot(alternative: str, draw: Callable[[], bytes]) -> str:
    """Return a plot, or a sentence where it cannot be drawn: the page is not lost with it."""
    try:
        return image(draw(), alternative)
    except Exception as fault:  # of the plotting library, and so of any kind
        return paragraph(f"no plot of {alternative}: it could not be drawn ({first_line(fault)})", "dim")


def first_rows(columns: Sequence[str], rows: Sequence[Sequence[object]], what: str) -> str:
    """Return a table of the first rows, and how many there are."""
    more = f"and {len(rows) - _SHOWN} more; all {counted(len(rows), what[:-1])} are in result.json"
    return table(columns, rows[:_SHOWN]) + (paragraph(more, "dim") if len(rows) > _SHOWN else "")


def number(value: float, digits: int) -> str:
    """Return a number without the sign of a zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def listed(texts: Iterable[str]) -> str:
    """Return a list of texts, or nothing."""
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""
