"""`wavegrid report`: one page that needs no other file."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import invoke, program

from wavegrid.api.result import load
from wavegrid.html_report import sections, structure
from wavegrid.model.crystal import AtomicCharges


class Page(HTMLParser):
    """Headings, plots and open elements of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.plots: dict[str, str] = {}
        self.headings: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            found = dict(attrs)
            self.plots[found["alt"]] = found["src"]
        if tag not in ("img", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a run on two ranks that share the plane waves, with its timeline."""
    place = tmp_path_factory.mktemp("run")
    (place / "in.toml").write_text(
        'title = "Al2 <&>"\n[structure]\ncell = [[7.6, 0, 0], [0, 5.4, 0], [0, 0, 5.4]]\nunit = "bohr"\n'
        'atoms = [["Al", 0, 0, 0], ["Al", 0.52, 0.49, 0.51]]\ncoordinates = "fractional"\n[basis]\necut = "5 Ha"\n'
        '[electrons]\nxc = "LDA-PW"\npseudopotentials = "gth-lda"\n[parallel]\nband_groups = 1\n'
        "[output]\nforces = true\nstress = true\ncheckpoint = false\n"
    )
    run = program("run", "in.toml", "--ranks", 2, "-q", "--output", "out", "--trace", "t.json", cwd=place)
    assert run.returncode == 0, run.stderr
    return place


def test_the_page_holds_everything(folder: Path) -> None:
    answer = invoke("report", folder / "out", "--trace", folder / "t.json")
    assert answer.stdout == f"written: {folder / 'out' / 'report.html'}\n"
    text = (folder / "out" / "report.html").read_text()
    page = Page(text)
    assert page.open == []
    sections = ["Energy", "Structure", "Convergence", "Levels", "Forces and stress", "Time and parallel layout"]
    assert [name for name in page.headings if name != "Warnings"] == [*sections, "Traffic", "Input and versions"]
    assert len(page.plots) == 6
    assert all(source.startswith("data:image/png;base64,iVBOR") for source in page.plots.values())
    assert "<h1>Al2 &lt;&amp;&gt;</h1>" in text
    result = json.loads((folder / "out" / "result.json").read_text())
    for number in (f"{result['energy']['free']:.8f}", f"{result['forces']['total'][0][0]:.7f}", 'ecut = "5 Ha"'):
        assert number in text.replace("&quot;", '"')
    structure = text[text.index("<h2>Structure") : text.index("<h2>Convergence")]
    for words in (
        "a, b, c (angstrom)</td><td>4.02175, 2.85756, 2.85756", "<td>90.000, 90.000, 90.000",
        "space group</td><td>C2/m (12), within 0.001 bohr",
        "<td>32.840", "<td>Al-Al</td><td>2.", "charge (e)",
    ):  # fmt: skip
        assert words in structure
    assert not re.search(r'(src|href)="(?!data:)', text)
    assert invoke("report", folder / "out" / "result.json").exit_code == 0  # replaces the page


def test_the_terms_of_the_energy_have_their_names(folder: Path) -> None:
    """In the order of result.json, with a table of the sums before."""
    result = load(folder / "out")
    energy = result.energy.content()
    result.energy.dispersion = -0.25
    page = sections.energies(result)
    found = {name: float(value) for name, value in re.findall(r"<tr><td>(\w+)</td><td>(-?[\d.]+)</td>", page)}
    assert found == pytest.approx(energy | {"dispersion": -0.25}, abs=1e-8)
    sums, terms = list(found)[:3], list(found)[3:]
    assert sums == ["free", "internal", "extrapolated"]
    assert terms == [name for name in energy if name not in sums] + ["dispersion"]
    assert found["free"] == pytest.approx(sum(found[name] for name in terms[:-1]), abs=1e-7)


def test_of_one_rank_there_is_nothing_to_divide(folder: Path) -> None:
    content = load(folder / "out")
    content.parallel.rows = content.parallel.columns = 1
    content.parallel.groups_reason = "one rank: nothing to divide"
    assert "nothing to divide" in sections.work(content)
    content.parallel.ranks = 1
    assert "nothing to divide" not in sections.work(content)


def test_moments_have_the_names_of_the_elements(folder: Path) -> None:
    result = load(folder / "out")
    result.atomic_charges = AtomicCharges(charges=[0.1, -0.1], magnetic_moments=[2.1, -0.00001], unassigned=0.0)
    page = structure.section(result)
    assert "<th>moment (mu_B)</th>" in page
    assert re.search("<td>Al 1</td>.*<td>2.1000</td></tr>\n<tr><td>Al 2</td>.*<td>0.0000</td>", page)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{}/none"], "no such file"),
        (["{}/out", "--output", "{}/in.toml"], "exists and is not a report of wavegrid"),
        (["{}/out", "--output", "{}"], "is a directory; valid: the name of a file"),
        (["{}/out", "--output", "{}/no/x.html"], "no directory"),
        (["{}/in.toml"], "not a result of this version of wavegrid"),
        (["{}/out", "--trace", "{}/in.toml"], "in.toml"),
    ],
)
def test_what_is_refused(arguments: list[str], words: str, folder: Path) -> None:
    before = (folder / "in.toml").read_bytes()
    answer = invoke("report", *(argument.format(folder) for argument in arguments))
    assert answer.exit_code == 2
    assert words in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert (folder / "in.toml").read_bytes() == before
