"""Every figure in one run, as ratios: `make bench`.

    python -m benchmarks.all [--quick] [--write]

``--write`` puts the table into ``docs/performance.md`` and the picture beside it. Absolute times are those of one machine
in one moment; what is compared runs in turn, so that ratios hold where milliseconds do not.
"""

import argparse
import os
import platform
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks import growth, latency, throughput, verdicts
from benchmarks.daemons import daemon, start, whole
from benchmarks.plot import bars
from checkrail.daemon import lifecycle

DOCS = Path(__file__).parent.parent / "docs"
MOST_MS = 600.0
"""Of processor time for 3 MB: twice what is wanted, since machines differ."""
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What one run found."""

    processes: dict[str, tuple[float, float]]
    cold: float
    memory: float
    load: tuple[float, float]
    throughput: dict[int, tuple[float, float, float]]
    verdicts: dict[str, list[float]]
    growth: list[tuple[str, float | None, float]]
    slowest: tuple[str, float]
    crowded: float


def measured(*, quick: bool) -> Figures:
    """Runs everything."""
    before = os.getloadavg()[0]
    colds = []
    with daemon() as home:
        for _ in range(1 if quick else 5):
            colds.append(latency.cold_start(home))
            whole(home / "run" / "s")
            lifecycle.stop(home / "run" / "s")
        start(home)
        processes = latency.processes(home, 50 if quick else 300)
        crowded = latency.crowded(home, 50 if quick else 200)
        through = throughput.measured(home / "run" / "s", 1 if quick else 3)
        memory = latency.weight(home / "run" / "s")
    growth.as_in_a_worker()
    return Figures(
        slowest=growth.slowest(), crowded=crowded, processes=processes, cold=statistics.median(colds), memory=memory, throughput=through, verdicts=by_gate(100 if quick else 400),
        growth=growth.measured((256 if quick else 1024) << 10), load=(before, os.getloadavg()[0]),
    )  # fmt: skip


def by_gate(count: int) -> dict[str, list[float]]:
    """Milliseconds of each gate's verdicts."""
    host, found = verdicts._host(), {}
    for name, call in verdicts.GATES.items():
        verdicts.timed([call(number) for number in range(10)], host)
        found[name] = verdicts.timed([call(number) for number in range(count)], host)
        print(verdicts.row(name, found[name]))
    return found


def table(figures: Figures) -> str:
    """The figures as Markdown."""
    true, bare = (figures.processes[name][0] for name in ("/bin/true", "python3 -I -S -c pass"))
    machine = (
        f"{os.cpu_count()} processors, {platform.system()} {platform.machine()}, CPython {platform.python_version()}"
    )
    noise = f"load before and after {figures.load[0]:.1f} and {figures.load[1]:.1f}, others at work on the same machine: trust the ratios, not the milliseconds."
    lines = [
        f"Measured {time.strftime('%Y-%m-%d', time.gmtime())} by `make bench` on {machine}; {noise}",
        "",
        "| whole process, answer of a warm daemon included | x `/bin/true` | x `python3 -I -S -c pass` | median ms | processor ms |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [f"| {name if name.startswith('hook') else f'`{name}`'} | {wall / true:.2f} | {wall / bare:.2f} | {wall:.2f} | {cpu:.2f} |" for name, (wall, cpu) in figures.processes.items()]  # fmt: skip
    if figures.crowded:
        lines += ["", f"Each hook in turn with the bare process of its kind. Where interpreters start in between, which take the processors' caches, the hook in C is at {figures.crowded:.2f} times `/bin/true`."]  # fmt: skip
    lines += ["", "| verdict, by gate | median ms | p99 ms | slowest ms |", "| --- | --- | --- | --- |"]
    lines += [f"| {name} | {statistics.median(times):.2f} | {statistics.quantiles(times, n=100)[98]:.2f} | {max(times):.2f} |" for name, times in figures.verdicts.items()]  # fmt: skip
    lines += ["", "| callers | verdicts a second | median ms | p99 ms |", "| --- | --- | --- | --- |"]
    lines += [f"| {callers} | {rate:.0f} | {median:.2f} | {late:.2f} |" for callers, (rate, median, late) in figures.throughput.items()]  # fmt: skip
    lines += ["", f"First call, which starts the daemon: {figures.cold:.0f} ms. Supervisor and workers together, each page counted once: {figures.memory:.0f} MB."]  # fmt: skip
    name, taken = figures.slowest
    lines += ["", f"A command of 3 MB, whole answer: the slowest of {len(growth.SHAPES)} shapes ({name}) takes {taken:.0f} ms of processor time."]  # fmt: skip
    lines += ["", "| what grows | exponent | processor ms at the largest |", "| --- | --- | --- |"]
    lines += [f"| {name} | {f'{found:.2f}' if found is not None else 'below what can be fitted'} | {last:.1f} |" for name, found, last in figures.growth]  # fmt: skip
    return "\n".join(lines)


def written(figures: Figures) -> None:
    """Puts table and picture into the documentation."""
    page = DOCS / "performance.md"
    before, _, rest = page.read_text().partition(BEGIN)
    page.write_text(f"{before}{BEGIN}\n{table(figures)}\n{END}{rest.partition(END)[2]}")
    walls = [(name, wall) for name, (wall, _) in figures.processes.items()]
    rates = [(f"{callers} callers", rate) for callers, (rate, _, _) in figures.throughput.items()]
    picture = bars([("A whole process, median ms", walls), ("Verdicts a second", rates)])
    (DOCS / "performance.svg").write_text(picture)


def faults(figures: Figures) -> Sequence[str]:
    """What is not as it must be on any machine."""
    true, bare = (figures.processes[name][0] for name in ("/bin/true", "python3 -I -S -c pass"))
    limits = {"hook in Python": (bare, 1.5), "hook in C": (true, 2.5)}
    slow = [f"{name} is {figures.processes[name][0] / base:.2f} times the bare process" for name, (base, most) in limits.items() if name in figures.processes and figures.processes[name][0] > most * base]  # fmt: skip
    slow += [f"a command of 3 MB ({figures.slowest[0]}) takes {figures.slowest[1]:.0f} ms"] * (
        figures.slowest[1] > MOST_MS
    )
    return slow + [f"{name} grows with exponent {found:.2f}" for name, found, _ in figures.growth if found is not None and found > growth.MOST]  # fmt: skip


def main() -> int:
    """Exit code 1 where a ratio or an exponent is worse than it may be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    figures = measured(quick=given.quick)
    print(f"\n{table(figures)}")
    if given.write:
        written(figures)
    for fault in (found := faults(figures)):
        print(f"FAULT: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
