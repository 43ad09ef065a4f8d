"""Exit codes: the command's own where it runs. 120: a person has to say yes first. 121: denied. 122: it could not be judged.
126 and 127: it cannot be run, is not there.

The command is judged like any agent's and then takes this process's place, so that stdin, terminal, signals and exit code
are its own. Where a question comes up, stderr names the request that a person can approve; with --ask, for people's own
terminals, it is asked there and then.
"""

import argparse
import shlex

from checkrail.cli import USAGE, wrapping


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("--ask", action="store_true", help="ask at the terminal instead of naming a request")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="the command and its arguments")


def run(args: argparse.Namespace) -> int:
    """Judges, and becomes the command."""
    words = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not words:
        print("checkrail exec: give a command after --")
        return USAGE
    return wrapping.stopped(shlex.join(words), asks=args.ask) or wrapping.run(words[0], words)
