"""The command line: one module per subcommand, all in one table."""

import importlib
import sys
from collections.abc import Sequence

from checkrail import __version__

COMMANDS = {
    "check": "judge a command line or an agent's event, without running anything",
    "explain": "the same, and show how the verdict came about",
    "replay": "run the regression corpus, or a past log against today's policy",
    "install": "put the hooks into the agents' settings",
    "uninstall": "take them out again",
    "doctor": "prove with canaries that the hooks hold, and say what is wrong and how to mend it",
    "status": "daemon, policy, hooks and log at a glance",
    "daemon": "start, stop, restart, run or show the daemon",
    "approvals": "list the requests that wait for a person's answer",
    "approve": "let one waiting call through, once (needs a terminal)",
    "refuse": "keep one waiting call stopped (needs a terminal)",
    "watch": "show requests as they come, and answer them with one key (needs a terminal)",
    "passcode": "set or clear the passcode that approving asks for (needs a terminal)",
    "exec": "run a command if it may run",
    "sh": "a shell whose command lines are judged before they run",
    "log": "show what was decided",
    "session": "show what is remembered of agents' sessions, or forget it (needs a terminal)",
    "audit": "verify that the log is whole",
    "report": "what agents almost did, how often they asked, what people said",
    "suggest": "propose policy rows for what people always said yes to",
    "export": "send the log to an OpenTelemetry collector that you run",
    "scan": "judge the tool descriptions and skills that a model would read",
    "pin": "review tool descriptions at a terminal and pin them as they stand",
    "plugin": "check, keep and write Agent Plugins packages",
    "proxy": "stand between a client and an MCP server: descriptions are admitted, calls judged",
    "version": "print the version",
}
"""Subcommand -> one line of help. Each is a module of this package with ``configure`` and ``run``."""

OK, INTERNAL, USAGE = 0, 1, 2
"""Exit codes that every subcommand shares; those of verdicts stand in :mod:`checkrail.cli.check`."""


def _help() -> str:
    width = max(map(len, COMMANDS))
    rows = [f"  {name.ljust(width)}  {text}" for name, text in COMMANDS.items()]
    return "\n".join(("usage: checkrail COMMAND …", "", *rows, "", "checkrail COMMAND --help says more.", ""))


def _run(name: str, words: Sequence[str]) -> int:
    import argparse

    module = importlib.import_module(f"checkrail.cli.{name}")
    if hasattr(module, "judged") and list(words) != ["--help"]:
        return int(module.judged(words))  # every word is the shell's
    parser = argparse.ArgumentParser(
        prog=f"checkrail {name}", description=COMMANDS[name], epilog=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    module.configure(parser)
    return int(module.run(parser.parse_args(words)))


def main(words: Sequence[str] | None = None) -> int:
    """Runs one subcommand; returns its exit code."""
    name, *rest = list(sys.argv[1:] if words is None else words) or ["--help"]
    if name in ("-h", "--help", "help"):
        print(_help())
        return OK
    if name in ("-V", "--version", "version"):
        print(f"checkrail {__version__}")
        return OK
    if name not in COMMANDS:
        print(f"checkrail: there is no command {name!r}\n\n{_help()}", file=sys.stderr)
        return USAGE
    try:
        return _run(name, rest)
    except BrokenPipeError:
        sys.stdout = None  # the reader is gone; so is anything still to flush
        return INTERNAL
    except KeyboardInterrupt:
        return 130
