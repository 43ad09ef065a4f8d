"""Calls, and what is asked about them."""

from pathlib import Path
from typing import Any

from checkrail.approvals.rows import Asked, Who
from checkrail.facts.host import Host, RealHost
from checkrail.model import Asking, Event, EventKind, Verdict
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN

KEY = b"k" * 32
PERSON = Who(uid=1000, user="ann", tty="/dev/pts/7")
AROUND = {"HOME": "/home/dev", "PATH": "/usr/bin"}


def shell(command: str, *, cwd: str = "/work/app", **more: Any) -> Event:
    """A shell call of an agent that cannot ask."""
    told = {"agent": "claude", "session": "s1", "call": "c1", "asking": Asking.CANNOT, **more}
    return Event(kind=EventKind.PRE, name="PreToolUse", tool="Bash", input={"command": command}, cwd=cwd, **told)


def judged(event: Event, host: Host | None = None) -> Verdict:
    """What the pipeline says to it."""
    return decide(event, host=host or RealHost("/home/dev", AROUND), policy=BUILT_IN)


def asked(name: str = "a", **more: Any) -> Asked:
    """What is asked about one operation; the name stands for its authorization."""
    told: dict[str, Any] = {
        "authorization": name, "classification": "c", "agent": "claude", "subagent": "", "session": "s1", "cwd": "/w",
        "tool": "Bash", "summary": "rm -rf src", "whole": '{"command":"rm -rf src"}', "findings": ("gone [r.x]",),
    }  # fmt: skip
    return Asked(**{**told, **more})


def private(path: Path) -> Path:
    """A directory of our own."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path
