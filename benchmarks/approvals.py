"""What a question costs that goes to the requests, and what it does not cost the rest.

    python -m benchmarks.approvals [--runs 300] [--racers 8] [--tries 1250]

In one process, without the hook: the server's answer to an allow, to a question the agent shows itself, to one that becomes a
request (new, repeated), and to one that an approval lets through. Then many processes race for one approval.
"""

import argparse
import json
import multiprocessing
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.latency import line
from checkrail.answering import Server
from checkrail.approvals.rows import Asked, Who
from checkrail.approvals.store import Store
from checkrail.audit import Log
from checkrail.policy.cache import PolicyCache

AROUND = {"HOME": "/home/dev", "PATH": "/usr/bin:/bin"}
WHO = Who(uid=0, user="benchmark", tty="/dev/null")


def event(command: str, mode: str, session: str) -> bytes:
    """A pending command in a mode that swallows questions or shows them."""
    told = {"hook_event_name": "PreToolUse", "session_id": session, "cwd": "/tmp", "permission_mode": mode}
    call = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": session}
    return json.dumps(told | call).encode()


def timed(run: Callable[[int], object], runs: int) -> list[float]:
    """Milliseconds of each run."""
    found = []
    for number in range(runs):
        started = time.perf_counter()
        run(number)
        found.append((time.perf_counter() - started) * 1000)
    return found


def server_times(place: Path, runs: int) -> None:
    """Prints what each kind of answer takes."""
    server = Server(PolicyCache(()), Log(str(place / "audit")), approvals=str(place / "approvals"))
    store = Store(str(place / "approvals"))
    asks = "git push --force origin main"

    def call(command: str, mode: str, session: str) -> None:
        server.answer("claude", "PreToolUse", "/tmp", event(command, mode, session), environment=AROUND)

    timed(lambda _: call("ls", "default", "s"), 20)
    line("allow", timed(lambda _: call("ls", "default", "s"), runs))
    line("ask, shown by the agent", timed(lambda n: call(asks, "default", f"n{n}"), runs))
    line("ask, repeated request", timed(lambda _: call(asks, "dontAsk", "same"), runs))
    new, used = [], []
    for number in range(min(runs, 90)):
        new += timed(lambda _: call(asks, "dontAsk", f"r{number}"), 1)  # noqa: B023  # called at once
        request = store.waiting(now=time.time())[-1]
        store.approve(request.number, WHO, now=time.time(), lifetime=600)
        used += timed(lambda _: call(asks, "dontAsk", f"r{number}"), 1)  # noqa: B023  # called at once
    line("ask, new request", new)
    line("ask, approved: used up", used)
    line("allow, after all that", timed(lambda _: call("ls", "default", "s"), runs))


def _racer(directory: str, tries: int, start: Any, found: Any) -> None:
    store = Store(directory)
    start.wait()
    found.put(sum(store.take("one", now=1.0) is not None for _ in range(tries)))


def race(place: Path, racers: int, tries: int) -> None:
    """Prints how many of all tries got the one approval."""
    store = Store(str(place / "race"))
    asked = Asked(
        authorization="one", classification="", agent="", subagent="", session="", cwd="/", tool="", summary="", whole="{}",
        findings=(),
    )  # fmt: skip
    request, _ = store.ask(asked, now=0.0, lifetime=600)
    store.approve(request.number, WHO, now=0.0, lifetime=600)
    store.close()
    context = multiprocessing.get_context("fork")
    start, found = context.Event(), context.Queue()
    processes = [context.Process(target=_racer, args=(store.directory, tries, start, found)) for _ in range(racers)]
    for process in processes:
        process.start()
    started = time.perf_counter()
    start.set()
    won = sum(found.get() for _ in processes)
    for process in processes:
        process.join()
    print(f"{racers * tries} tries of {racers} processes, {won} got it, {time.perf_counter() - started:.2f} s")


def main() -> None:
    """Measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--racers", type=int, default=8)
    parser.add_argument("--tries", type=int, default=1250)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        server_times(Path(place), args.runs)
        race(Path(place), args.racers, args.tries)


if __name__ == "__main__":
    main()
