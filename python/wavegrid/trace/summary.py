"""Reads the file of `wavegrid run --trace`: seconds of phases and exchanges per rank, bytes from rank to rank."""

import json
from pathlib import Path
from typing import Any, TypedDict

from rich.table import Table

from wavegrid.base.text import counted, printable
from wavegrid.errors import InputError
from wavegrid.files import readable

PHASES = ("fft", "exchange", "reductions", "linear_algebra", "nonlocal", "other")
STEPS = ("pack", "wait", "unpack")
_WHOLE = "calculation"  # the phase around all others; its own time is "other"
_WIDEST = 16  # ranks up to which the traffic is shown as a matrix
_PAIRS = 20  # pairs that are shown otherwise

Event = dict[str, Any]  # of the file
Times = dict[str, Any]  # of a purpose: number of exchanges, seconds of each step, `under_way`, `hidden`


class RankTimes(TypedDict):
    """What a rank did."""

    rank: int
    events: int
    exchanges: int
    seconds: dict[str, float]  # by phase
    steps: dict[str, float]  # seconds
    purposes: dict[str, Times]
    bytes: int
    messages: int


class Timeline(TypedDict):
    """The figures of a timeline."""

    run: dict[str, Any]
    clock: dict[str, float]
    max_events_per_rank: int
    lost_events: list[tuple[int, int]]  # rank, number
    traffic: list[list[int]]  # from, to, bytes, messages
    ranks: list[RankTimes]


def read(file: Path) -> Timeline:
    """Return run, clock, lost events, traffic [from, to, bytes, messages] and one dictionary per rank.

    Raises InputError where the file is not a timeline of ours.
    """
    valid = "valid: what 'wavegrid run --trace FILE' wrote"
    if why := readable.refusal(file, None):
        raise InputError(f"{file}: {why}; {valid}")
    try:
        content = json.loads(file.read_text())
        other = content["otherData"]
        events = content["traceEvents"]
        ranks: dict[int, list[Event]] = {event["pid"]: [] for event in events if event["name"] == "process_name"}
        for event in events:
            ranks[event["pid"]].append(event)
        found: Timeline = {
            "run": other["run"],
            "clock": other["clock"],
            "max_events_per_rank": other["max_events_per_rank"],
            "lost_events": other["lost_events"],
            "traffic": other["traffic"],
            "ranks": [_rank(rank, ranks[rank], other["traffic"]) for rank in sorted(ranks)],
        }
        show(found)  # whatever is missing or of another type is met here
        return found
    except OSError as fault:
        raise InputError(f"{file}: {fault.strerror}; {valid}") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):  # no JSON, or another's
        raise InputError(f"{file}: is not a timeline; {valid}") from None


def _rank(rank: int, events: list[Event], traffic: list[list[int]]) -> RankTimes:
    spans = [event for event in events if event["ph"] == "X"]
    sent = [entry for entry in traffic if entry[0] == rank]
    steps = {name: sum(event["dur"] for event in spans if event["name"] == name) for name in STEPS}
    return {
        "rank": rank,
        "events": sum(event["ph"] in "Xb" for event in events),
        "exchanges": sum(event["ph"] == "b" for event in events),
        "seconds": exclusive([event for event in spans if event["cat"] == "phase"]),
        "steps": {name: microseconds * 1e-6 for name, microseconds in steps.items()},
        "purposes": by_purpose(events),
        "bytes": sum(entry[2] for entry in sent),
        "messages": sum(entry[3] for entry in sent),
    }


def by_purpose(events: list[Event]) -> dict[str, Times]:
    """Return what a rank's exchanges took for each purpose: their number, and seconds.

    `under_way` is the time between the start of the messages and the end of the wait. `hidden` is the share of it in
    which the rank did not wait, but computed.
    """
    found: dict[str, Times] = {}
    exchanges: dict[str, Times] = {}  # those that have begun: their purpose's entry, by number
    began: Times | None = None  # the one whose messages come next
    steps: list[Event] = []  # of the exchange that ends next
    for event in sorted(events, key=lambda event: (event.get("ts", -1.0), event["ph"] == "e")):
        if event["ph"] == "b":
            none = dict.fromkeys(("exchanges", *STEPS, "under_way"), 0)
            began = exchanges[event["id2"]["local"]] = found.setdefault(event["args"]["of"], none)
            began["exchanges"] += 1
            began["under_way"] -= event["ts"] * 1e-6
        elif event["ph"] == "X" and event["name"] in STEPS:
            if began is None:
                steps.append(event)
            else:
                began[event["name"]] += event["dur"] * 1e-6
            began = None
        elif event["ph"] == "e":
            ended = exchanges[event["id2"]["local"]]
            ended["under_way"] += event["ts"] * 1e-6
            for step in steps:
                ended[step["name"]] += step["dur"] * 1e-6
            steps = []
    for times in found.values():
        times["under_way"] = max(0.0, times["under_way"] - times["pack"] - times["unpack"])
        times["hidden"] = _hidden(times)
    return found


def _hidden(times: Times) -> float | None:
    return max(0.0, 1 - times["wait"] / times["under_way"]) if times["under_way"] > 0 else None


def exclusive(spans: list[Event]) -> dict[str, float]:
    """Return the seconds of each phase without the phases nested in it, and their total."""
    seconds = dict.fromkeys(("total", *PHASES), 0.0)
    around: list[Event] = []
    for span in sorted(spans, key=lambda span: (span["ts"], -span["dur"])):
        while around and _nanoseconds(span["ts"]) >= _nanoseconds(around[-1]["ts"] + around[-1]["dur"]):
            around.pop()
        name = _phase(span)
        seconds[name] = seconds.get(name, 0.0) + span["dur"] * 1e-6
        if around:
            seconds[_phase(around[-1])] -= span["dur"] * 1e-6
        else:
            seconds["total"] += span["dur"] * 1e-6
        around.append(span)
    return seconds


def _nanoseconds(microseconds: float) -> int:
    return round(1e3 * microseconds)


def _phase(span: Event) -> str:
    return "other" if span["name"] == _WHOLE else span["name"]


def show(figures: Timeline) -> list[Any]:
    """Return what the terminal shows: a table of phases, the traffic, what is missing."""
    parts: list[Any] = [_phase_table(figures)]
    if any(row["purposes"] for row in figures["ranks"]):
        parts.append(_purpose_table(figures))
    parts += [_traffic_title(figures), _traffic_table(figures)] if figures["traffic"] else ["no messages"]
    if figures["clock"]["hosts"] > 1:
        hosts, error = figures["clock"]["hosts"], figures["clock"]["error_ns"] * 1e-3
        parts.append(f"{hosts} hosts: times of different hosts are comparable to {error:.1f} us")
    parts += [
        f"rank {rank}: {counted(lost, 'event')} did not fit (most: {figures['max_events_per_rank']}); "
        "bytes are complete, times are not"
        for rank, lost in figures["lost_events"]
    ]
    return parts


def title(figures: Timeline) -> str:
    """Return what the figures are of: the run, its ranks, how it transposed."""
    run, transport = figures["run"], figures["run"].get("transport")
    transposes = "no transposes" if transport in (None, "none") else f"transposes by {transport}"
    return printable(f"{run.get('title', '')}, {counted(len(figures['ranks']), 'rank')}, {transposes}")


def _phase_table(figures: Timeline) -> Table:
    table = Table(title=f"{title(figures)}: seconds by phase")
    table.title_justify = "left"
    for head in ("rank", "total", *PHASES, *STEPS, "exchanges"):
        table.add_column(head.replace("_", "\n"), justify="right", no_wrap=True)
    for row in figures["ranks"]:
        times = [row["seconds"][name] for name in ("total", *PHASES)] + [row["steps"][name] for name in STEPS]
        table.add_row(str(row["rank"]), *(f"{time:.3f}" for time in times), str(row["exchanges"]))
    return table


def _purpose_table(figures: Timeline) -> Table:
    table = Table("purpose", title="exchanges by purpose: seconds of all ranks together, share of the time hidden")
    table.title_justify = "left"
    for head in ("exchanges", *STEPS, "under way", "hidden"):
        table.add_column(head, justify="right", no_wrap=True)
    rows = [row["purposes"] for row in figures["ranks"]]
    for purpose in dict.fromkeys(name for row in rows for name in row):
        of_ranks = [row[purpose] for row in rows if purpose in row]
        times = {name: sum(one[name] for one in of_ranks) for name in (*STEPS, "under_way")}
        number, hidden = max(one["exchanges"] for one in of_ranks), _hidden(times)
        cells = [f"{time:.3f}" for time in times.values()]
        table.add_row(printable(purpose), str(number), *cells, "" if hidden is None else f"{hidden:.0%}")
    return table


def _traffic_title(figures: Timeline) -> str:
    total, messages = (sum(entry[place] for entry in figures["traffic"]) for place in (2, 3))
    what = f"the {_PAIRS} heaviest pairs" if len(figures["ranks"]) > _WIDEST else "from rank (down) to rank (across)"
    return f"MB {what}, without padding: {total / 1e6:.3f} MB in {counted(messages, 'message')}"


def _traffic_table(figures: Timeline) -> Table:
    ranks, traffic = [row["rank"] for row in figures["ranks"]], figures["traffic"]
    if len(ranks) > _WIDEST:
        table = Table("from", "to", "MB", "messages")
        for start, end, size, count in sorted(traffic, key=lambda entry: -entry[2])[:_PAIRS]:
            table.add_row(str(start), str(end), f"{size / 1e6:.3f}", str(count))
    else:
        table = Table("", *map(str, ranks))
        sizes = {(start, end): size for start, end, size, _ in traffic}
        for start in ranks:
            cells = (sizes.get((start, end)) for end in ranks)
            table.add_row(str(start), *("" if size is None else f"{size / 1e6:.3g}" for size in cells))
    for column in table.columns:
        column.justify = "right"
    return table
