"""What ``check`` and ``explain`` share: where the event comes from, and the verdict on it, in this process."""

import argparse
import os
import shlex
import sys
from collections.abc import Mapping

import msgspec

from checkrail import places
from checkrail.agents import AGENTS
from checkrail.answering import Server
from checkrail.daemon.protocol import EVENT_LIMIT
from checkrail.model import Event, Verdict
from checkrail.policy.cache import PolicyCache, usual_layers
from checkrail.policy.layers import Layer
from checkrail.serve import own_places, usual_log

EXIT_CODES = {"allow": 0, "ask": 10, "deny": 20}


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments of both commands."""
    parser.add_argument(
        "--agent", choices=sorted(AGENTS), default="claude", help="whose dialect an event on stdin speaks"
    )
    parser.add_argument("--cwd", default=None, help="where the call would run (default: here)")
    parser.add_argument("--home", default=None, help="whose home ~ is (default: $HOME)")
    parser.add_argument("--policy", default=None, metavar="FILE", help="judge by this policy file alone")
    parser.add_argument("--log", action="store_true", help="write it to the log too, as a check")
    parser.add_argument(
        "command", nargs="*", metavar="-- COMMAND", help="a command line; without one, an event on stdin"
    )


def make_server(policy: str | None, *, log: bool = False, stories: str = "") -> Server:
    """A server that reads the usual policy, or only one file, and writes no log unless asked to.

    It looks at what sessions did and adds nothing to it; with ``stories``, a directory, it begins anew there and remembers.
    """
    where = places.find()
    layers = usual_layers(where.config, None)
    if policy is not None:
        layers = (Layer(os.path.abspath(policy), (os.geteuid(), 0)),)
    if log:
        places.secure_directory(where.state)
    kept, counted = usual_log(where) if log else None, str(where.state / "session")
    return Server(
        PolicyCache(layers),
        kept,
        own=own_places(where),
        counted=counted,
        remembered=stories or counted,
        replays=bool(stories),
    )


def environment(home: str | None) -> Mapping[str, str]:
    """This process's environment as a caller's; the project is where the call runs."""
    known = {name: value for name, value in os.environ.items() if name != "CLAUDE_PROJECT_DIR"}
    return {**known, "HOME": home} if home else known


def command_line(words: list[str]) -> str:
    """One word is a whole command line; several are arguments."""
    return words[0] if len(words) == 1 else shlex.join(words)


def nothing_given(args: argparse.Namespace, name: str) -> bool:
    """Whether there is neither a command nor anything on stdin, which is then said."""
    if args.command or not sys.stdin.isatty():
        return False
    print(f"checkrail {name}: give a command line after --, or an event on stdin", file=sys.stderr)
    return True


def raw_event(args: argparse.Namespace) -> bytes:
    """The event to judge: built from the command line, or read from stdin."""
    if args.command:
        told = {
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command_line(args.command)},
        }
        return msgspec.json.encode(told)
    return sys.stdin.buffer.read(EVENT_LIMIT + 1)


def judge(
    args: argparse.Namespace, raw: bytes, server: Server, around: Mapping[str, str] | None = None
) -> tuple[Event, Verdict]:
    """The event in ``raw`` and the verdict on it; ``around`` is the caller's environment where it is known already."""
    known = environment(args.home) if around is None else around
    return server.judge(args.agent, "", os.path.abspath(args.cwd or os.getcwd()), raw, environment=known)
