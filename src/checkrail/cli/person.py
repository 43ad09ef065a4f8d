"""The person at a terminal: who it is, and what they say to an operation that is shown whole."""

import getpass
import os
import pwd
import sys
import time
from collections.abc import Mapping

import msgspec

from checkrail import places
from checkrail.approvals import display
from checkrail.approvals.passcode import Passcode, PasscodeProblem
from checkrail.approvals.rows import Request, Who
from checkrail.approvals.store import Store
from checkrail.audit.entries import stamp
from checkrail.policy import Approvals
from checkrail.policy.cache import PolicyCache, usual_layers
from checkrail.serve import usual_log

AGENT_MARKS = ("CLAUDECODE", "GEMINI_CLI", "CURSOR_AGENT", "CODEX_SANDBOX", "QWEN_CODE", "AI_AGENT")
"""Variables by which agents mark what they start. Only a slip is caught by this: the floor is what keeps agents away."""


class NoPerson(Exception):
    """Nobody can be asked here; the text says why."""


class Desk(msgspec.Struct, frozen=True):
    """What the commands that answer requests need."""

    where: places.Places
    store: Store
    rules: Approvals
    passcode: Passcode


def desk() -> Desk:
    """The user's requests. Raises :class:`checkrail.places.PlacesError`."""
    where = places.find()
    directory = str(where.state / "approvals")
    layers = usual_layers(where.config, where.state if where.state.is_dir() else None)
    rules = PolicyCache(layers).current().policy.approvals
    return Desk(where, Store(directory), rules, Passcode(directory))


def present(environment: Mapping[str, str] | None = None) -> Who:
    """Who sits at the terminal. Raises :class:`NoPerson` where there is none, or where an agent runs this."""
    environment = os.environ if environment is None else environment
    marks = [name for name in AGENT_MARKS if environment.get(name)]
    if marks:
        raise NoPerson(f"this runs inside a coding agent ({marks[0]} is set); use a terminal of your own")
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise NoPerson("this needs a terminal, with a person at it")
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
        tty = os.ttyname(sys.stdin.fileno())
    except OSError:
        raise NoPerson("this needs a terminal that it belongs to, with a person at it") from None
    uid = os.getuid()
    try:
        user = pwd.getpwuid(uid).pw_name
    except KeyError:
        user = str(uid)
    return Who(uid=uid, user=user, tty=tty)


def say(text: str) -> None:
    """A line on the terminal, whatever stdout is."""
    print(text, file=sys.stderr, flush=True)


def show(request: Request) -> None:
    """The operation, whole."""
    say("\n".join(display.whole(request, now=time.time())))


def agrees(question: str) -> bool:
    """Whether the person types yes."""
    with open("/dev/tty", "r+b", buffering=0) as tty:
        tty.write(f"{question} Type yes: ".encode())
        return tty.readline(100).strip().lower() == b"yes"


def passed(known: Desk, who: Who, request: Request | None = None) -> bool:
    """Whether the passcode is right, or none is set."""
    if not known.passcode.is_set():
        return True
    try:
        known.passcode.check(getpass.getpass("Passcode: "))
    except PasscodeProblem as error:
        say(f"checkrail: {error}")
        logged(known, who, "wrong-passcode", request)
        return False
    return True


def logged(known: Desk, who: Who, answer: str, request: Request | None = None) -> None:
    """Writes who answered what into the log: a line of the kind ``answer``."""
    entry: dict[str, object] = {
        "time": stamp(time.time()),
        "kind": "answer",
        "answer": answer,
        **msgspec.to_builtins(who),
    }
    if request is not None:
        asked = request.asked
        entry |= {
            "request": request.number, "agent": asked.agent, "subagent": asked.subagent, "session": asked.session,
            "tool": asked.tool, "cwd": asked.cwd, "summary": asked.summary, "classification": asked.classification,
        }  # fmt: skip
    problem = usual_log(known.where).append(entry)
    if problem:
        say(f"checkrail: {problem}")


def approve(known: Desk, request: Request, who: Who) -> bool:
    """Lets the operation through once, and says so."""
    done = known.store.approve(request.number, who, now=time.time(), lifetime=known.rules.expires)
    if done:
        logged(known, who, "approved", request)
        say(f"approved: the same call passes once within {known.rules.expires // 60} minutes")
    else:
        say(f"request {request.number} does not wait any more")
    return done


def refuse(known: Desk, request: Request, who: Who) -> bool:
    """Keeps the operation stopped, and says so."""
    done = known.store.refuse(request.number, who, now=time.time(), lifetime=known.rules.expires)
    if done:
        logged(known, who, "refused", request)
        say(f"refused: it is not asked about again for {known.rules.expires // 60} minutes")
    else:
        say(f"request {request.number} does not wait any more")
    return done


def waiting(known: Desk, number: int) -> Request:
    """The request of a number, if it waits. Raises :class:`NoPerson` otherwise."""
    found = next((one for one in known.store.waiting(now=time.time()) if one.number == number), None)
    if found is None:
        raise NoPerson(f"no request {number} waits; see: checkrail approvals")
    return found
