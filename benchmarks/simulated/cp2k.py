"""CP2K's question: do transposes become faster if messages are padded to one length, so that MPI_Alltoall can be used?

The report of the dCSE project on CP2K (HECToR): the micro-benchmark promised 20 to 30%, an FFT of 125^3 points alone
on 256 processes became 43% faster, and the FFT inside a whole run 2%.
"""

from __future__ import annotations

from typing import Any

from cluster import SEASTAR2, simulate

KB = 1024
SIZES = [1 * KB, 8 * KB, 64 * KB, 512 * KB, 4096 * KB, 8192 * KB]
RANKS = [8, 16, 32, 64, 128, 256]
GRID = 125
MOST_OF_ALL_SIZES = 128  # ranks; more take ten minutes
# Ranks; more messages at once, as calls that do not block send them, take very long to simulate: 225 s of a core for
# the FFT on 64 ranks.
MOST_AT_ONCE = {"messages": 64, "fft": 32}
SKEWS = [0.01, 0.1, 0.5]
BLOCKING = ("alltoallv_blocking", "alltoall_padded_blocking")
NOT_BLOCKING = ("alltoallv", "alltoall_padded")


def gain(plain: float, padded: float) -> float:
    """Return the part of the time that padding saves; negative if it costs time."""
    return 1 - padded / plain


def messages(full: bool) -> list[dict[str, Any]]:
    """The micro-benchmark: all ranks start together, and send messages that differ by a row of 16."""
    print(f"\nall-to-alls on {SEASTAR2.name}, messages of up to that size: time of padded ones saves, %")
    print(f"{'ranks':>5} {'blocking':>9}" + "".join(f"{size // KB:>7} KB" for size in SIZES))
    found = []
    for ranks in RANKS:
        for blocking in ("yes", "no"):
            if ranks > (MOST_OF_ALL_SIZES if blocking == "yes" else MOST_AT_ONCE["messages"]) and not full:
                continue
            options = ("--bytes", _words(SIZES), "--blocking", blocking)
            row = {"blocking": blocking} | simulate(SEASTAR2, ranks, "messages", *options)
            found.append(row)
            gains = {one["bytes"]: f"{100 * gain(one['plain_us'], one['padded_us']):.0f}%" for one in row["rows"]}
            print(f"{ranks:>5} {blocking:>9}" + "".join(f"{gains.get(size, '-'):>10}" for size in SIZES), flush=True)
    return found


def fft(full: bool) -> list[dict[str, Any]]:
    """The FFT of 125^3 points: its transposes, all of it, and inside a loop whose ranks are not synchronised."""
    print(f"\nFFT of {GRID}^3 points on {SEASTAR2.name}, 1 Gflop/s per rank: padding saves, %")
    print(f"{'ranks':>5} {'blocking':>9} {'kB':>6} {'transposes':>11} {'whole FFT':>10}", end="")
    print("".join(f"{f'FFT, loop {100 * skew:.0f}%':>16}{f'loop {100 * skew:.0f}%':>10}" for skew in SKEWS))
    found = []
    for ranks in RANKS:
        for pair in (BLOCKING, NOT_BLOCKING) if ranks <= MOST_AT_ONCE["fft"] or full else (BLOCKING,):
            row = simulate(SEASTAR2, ranks, "padding", "--transports", ",".join(pair), "--skews", _words(SKEWS))
            found.append(row)
            plain, padded = row["rows"]
            gains = [gain(plain[key], padded[key]) for key in ("transposes_us", "transform_us")]
            for i in range(len(SKEWS)):
                gains += [gain(plain[key][i], padded[key][i]) for key in ("in_loop_us", "loop_us")]
            widths = [11, 10, *(16, 10) * len(SKEWS)]
            print(f"{ranks:>5} {'yes' if pair == BLOCKING else 'no':>9} {row['longest_bytes'] / 1e3:>6.0f}", end=" ")
            print("".join(f"{100 * one:>{width}.1f}" for one, width in zip(gains, widths, strict=True)), flush=True)
    return found


def _words(values: list[int] | list[float]) -> str:
    return ",".join(map(str, values))
