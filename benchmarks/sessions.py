"""What remembering sessions costs, and how often it is wrong.

    python -m benchmarks.sessions [--commands commands.jsonl] [--texts texts.jsonl ...] [--sessions 10000]

Without files the calls are those of ``benchmarks.verdicts`` and the texts are made up. ``--commands`` takes lines with a ``command`` and a
``source`` (its session), ``--texts`` lines with a ``text`` or a ``tool`` with a ``description``: they come back as pages of the web. Nothing is run.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from benchmarks.verdicts import GATES, ROOM, Call, _host
from checkrail.facts.host import FrozenHost
from checkrail.model import Decision, Event, EventKind
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN
from checkrail.session import identity
from checkrail.session.memory import Store
from checkrail.session.remember import Recollection, warm

EVERY = 10
"""A page is read before each tenth call of the day."""
SECRETS = "SHOP_TOKEN=Rb6Vn1Ky8Wq3Tz5Lm0Xd\nMAIL_PASSWORD=gT4-xJ8_pQ2-vC6\n"


class Story(msgspec.Struct, frozen=True):
    """A session: its name, and its calls with what came back."""

    name: str
    calls: Sequence[tuple[Call, str]]


def event(kind: EventKind, call: Call, session: str, number: int, result: str = "") -> Event:
    """A call, announced or finished."""
    return Event(
        agent="claude", kind=kind, name="PreToolUse" if kind is EventKind.PRE else "PostToolUse", tool=call[0], input=call[1],
        cwd=ROOM, project=ROOM, session=session, call=str(number), mode="default", result=result or None,
    )  # fmt: skip


def made_text(number: int, size: int = 6_000) -> str:
    """An honest page."""
    chance = random.Random(number)
    words = [
        "the",
        "parser",
        "reads",
        "each",
        "line",
        "of",
        "a",
        "file",
        "and",
        "returns",
        "its",
        "value",
        "when",
        "no",
        "error",
        "stands",
    ]
    return " ".join(chance.choice(words) + (str(number) if chance.random() < 0.2 else "") for _ in range(size // 6))


def texts_of(paths: Sequence[str]) -> list[str]:
    """The texts of files, longest first."""
    found = []
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            told = json.loads(line)
            found.append(told.get("text") or json.dumps(told.get("tool") or told))
    return sorted(found, key=len, reverse=True) or [made_text(number) for number in range(40)]


def day(commands: str | None, texts: Sequence[str]) -> list[Story]:
    """Sessions of work with pages read in between."""
    if commands is None:
        work = [(f"s{number % 12}", GATES[list(GATES)[number % len(GATES)]](number)) for number in range(1200)]
    else:
        told = [json.loads(line) for line in Path(commands).read_text(encoding="utf-8").splitlines()]
        work = [(str(row.get("source", "")), ("Bash", {"command": row["command"]})) for row in told]
    sessions: dict[str, list[tuple[Call, str]]] = {}
    for number, (name, call) in enumerate(work):
        calls = sessions.setdefault(name, [])
        if len(calls) % (EVERY + 1) == 0:
            text = texts[number % len(texts)]
            calls.append(
                (("WebFetch", {"url": f"https://pages{number % 97}.example.org/{number}", "prompt": "read"}), text)
            )
        calls.append((call, "done"))
    return [Story(name, calls) for name, calls in sessions.items()]


def lived(
    stories: Sequence[Story], folder: Path, *, secrets: bool = False
) -> tuple[list[float], list[float], list[str]]:
    """Milliseconds of each verdict without and with memory, and the calls that are asked about for its sake alone."""
    store, host = Store(folder / "day"), _host()
    without, with_memory, asked = [], [], []
    for story in stories:
        if secrets:
            first = event(EventKind.POST, ("Bash", {"command": "printenv"}), story.name, -1, SECRETS)
            decide(event(EventKind.PRE, ("Bash", {"command": "printenv"}), story.name, -1), host=host, policy=BUILT_IN, memory=Recollection(store))  # fmt: skip
            Recollection(store).heard(first)
        for number, (call, result) in enumerate(story.calls):
            before = event(EventKind.PRE, call, story.name, number)
            runs = [
                lambda before=before: _timed(before, host, None),  # type: ignore[misc]
                lambda before=before: _timed(before, host, store),  # type: ignore[misc]
            ]
            (plain, took), (remembering, longer) = [run() for run in (runs if number % 2 else runs[::-1])][
                :: 1 if number % 2 else -1
            ]
            if result == "done":  # the work, not the pages
                without.append(took)
                with_memory.append(longer)
                if plain is Decision.ALLOW and remembering is not Decision.ALLOW:
                    asked.append(f"{call}")
            Recollection(store).heard(event(EventKind.POST, call, story.name, number, result))
    store.close()
    return without, with_memory, asked


def _timed(told: Event, host: FrozenHost, store: Store | None) -> tuple[Decision, float]:
    started = time.perf_counter()
    found = decide(told, host=host, policy=BUILT_IN, memory=Recollection(store) if store else None)
    return found.decision, (time.perf_counter() - started) * 1000


def false_links(stories: Sequence[Story], texts: Sequence[str], folder: Path) -> tuple[int, int, int]:
    """Commands of the day; those that a passage links to one of 128 texts that they do not come from; those by an exact value."""
    from checkrail.context import Surroundings
    from checkrail.operations import operations
    from checkrail.reading import read_all
    from checkrail.session.links import Links

    store, host = Store(folder / "links"), _host()
    for number, text in enumerate(texts[:128]):
        page = ("WebFetch", {"url": f"https://pages{number}.example.org/", "prompt": "read"})
        decide(event(EventKind.PRE, page, "one", number), host=host, policy=BUILT_IN, memory=Recollection(store))
        Recollection(store).heard(event(EventKind.POST, page, "one", number, text))
    who = identity.who(event(EventKind.PRE, ("Bash", {}), "one", 0))
    held = store.load(who)
    sources = store.sources(who, held.version if held else 0)
    assert held is not None
    around = Surroundings(host=host, home=host.home, workspace=ROOM, cwd=ROOM, own=(), agent="claude")
    seen = passages = values = 0
    for story in stories:
        for call, _ in story.calls:
            if call[0] != "Bash":
                continue
            told = event(EventKind.PRE, call, "one", 0)
            (operation, *_) = operations(told, around)
            reading = read_all(operation.payloads, around)
            links = Links(told, reading, (), sources, (), held.keys)
            seen += 1
            passages += bool(links.passages)
            values += bool(links.destinations)
    store.close()
    return seen, passages, values


def taken_in(folder: Path) -> Iterator[tuple[str, float]]:
    """Milliseconds of processor time to take in 1 MiB that a call returned: best of five, by what it is."""
    kinds: dict[str, Call] = {
        "a page": ("WebFetch", {"url": "https://pages.example.org/", "prompt": "read"}),
        "a private table": ("mcp__crm__list_customers", {}),
        "a test run": ("Bash", {"command": "npm test"}),
    }
    text = "".join(made_text(number) for number in range(180))[: 1 << 20]
    for name, call in kinds.items():
        store, times = Store(folder / name.replace(" ", "-")), []
        for number in range(6):
            decide(event(EventKind.PRE, call, "one", number), host=_host(), policy=BUILT_IN, memory=Recollection(store))
            after = event(EventKind.POST, call, "one", number, text)
            started = time.process_time()
            Recollection(store).heard(after)
            times.append((time.process_time() - started) * 1000)
        store.close()
        yield name, min(times[1:])


def crowd(folder: Path, count: int) -> dict[str, float]:
    """A store of so many sessions, each with a page of 6 KB and a private place: its size, and what a call costs there."""
    store, host = Store(folder / "crowd"), _host()
    page: Call = ("WebFetch", {"url": "https://pages.example.org/", "prompt": "read"})
    key: Call = ("Bash", {"command": "cat ~/.ssh/id_rsa"})
    started = time.perf_counter()
    for number in range(count):
        name = f"session-{number}"
        for at, (call, result) in enumerate(((page, made_text(number)), (key, "-"))):
            decide(event(EventKind.PRE, call, name, at), host=host, policy=BUILT_IN, memory=Recollection(store))
            Recollection(store).heard(event(EventKind.POST, call, name, at, result))
    filled = time.perf_counter() - started
    fresh = Store(folder / "crowd")
    looks, writes = [], []
    for number in range(0, count, max(1, count // 200)):
        push = event(EventKind.PRE, ("Bash", {"command": "git push"}), f"session-{number}", 9)
        _, took = _timed(push, host, fresh)
        looks.append(took)
        started = time.perf_counter()
        decide(
            event(EventKind.PRE, page, f"session-{number}", 10), host=host, policy=BUILT_IN, memory=Recollection(fresh)
        )
        writes.append((time.perf_counter() - started) * 1000)
    for each in (store, fresh):
        each.close()
    size = sum(place.stat().st_size for place in (folder / "crowd").iterdir())
    return {
        "MB of all files": size / 1e6,
        "KB of one session": size / count / 1e3,
        "ms of four events of a session": filled / count * 1000,
        "median ms of a push, its session not yet read": statistics.median(looks),
        "median ms of a page asked for": statistics.median(writes),
    }


def report(given: argparse.Namespace, folder: Path) -> Iterator[tuple[str, str]]:
    """Each figure with its name."""
    warm()
    texts = texts_of(given.texts)
    stories = day(given.commands, texts)
    for name, secrets in (("after pages were read", False), ("after pages and two secrets were read", True)):
        without, with_memory, asked = lived(stories, folder / name.replace(" ", "-"), secrets=secrets)
        added = [more - less for less, more in zip(without, with_memory, strict=True)]
        yield f"verdict, {name}: median ms without, with, added", f"{statistics.median(without):.3f}, {statistics.median(with_memory):.3f}, {statistics.median(added):.3f}"  # fmt: skip
        yield f"calls asked about for this alone, of {len(added)}", f"{len(asked)} ({1000 * len(asked) / len(added):.2f} of 1,000)"  # fmt: skip
        for call in asked[: given.show]:
            print("   ", call[:300])
    for name, took in taken_in(folder):
        yield f"1 MiB that {name} returned, processor ms", f"{took:.1f}"
    seen, passages, values = false_links(stories, texts, folder)
    yield f"of {seen} commands, linked by a passage to one of {min(len(texts), 128)} texts they are not from", f"{passages} ({100 * passages / max(seen, 1):.2f} %)"  # fmt: skip
    yield "linked by an exact value to which they send", f"{values}"
    for name, value in crowd(folder, given.sessions).items():
        yield f"{given.sessions} sessions: {name}", f"{value:.2f}"


def main() -> None:
    """Prints one line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commands")
    parser.add_argument("--texts", nargs="*", default=[])
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--show", type=int, default=0, help="print so many of the calls that are asked about")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="checkrail-sessions-") as folder:
        for name, value in report(given, Path(folder)):
            print(f"{name}: {value}", flush=True)


if __name__ == "__main__":
    main()
