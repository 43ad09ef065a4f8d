"""Exit codes: the server's own; 2 usage, 127 it cannot be started, 1 an error.

Put it before the command of a server in a client's settings: ["checkrail", "proxy", "--name", "files", "--", "npx", …]. Messages
pass as they are, except what describes (tools, prompts, resources, instructions), which is admitted first, and calls of tools, which
are judged like an agent's. A question becomes a denial with the number of a request, since a server can ask nobody.
"""

import argparse
import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from checkrail import places
from checkrail.admission import pins
from checkrail.cli import USAGE, wrapping

_RUNNERS = frozenset(
    {"npx", "uvx", "uv", "run", "bunx", "pnpm", "dlx", "exec", "node", "python", "python3", "pipx", "-m", "-y", "--yes"}
)


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("--name", help="the server's name in the client's settings, by which pins and rules know it")
    parser.add_argument(
        "--project", default=".", metavar="DIR", help="the project that the client works in (default: here)"
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="the server's command")


def run(args: argparse.Namespace) -> int:
    """Carries messages until one side ends."""
    words = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not words:
        print("checkrail proxy: give the server's command after --", file=sys.stderr)
        return USAGE
    signal.signal(signal.SIGTERM, _terminated)
    try:
        return int(_proxy(args.name or name_of(words), Path(args.project).resolve()).run(words))
    except (places.PlacesError, pins.LockError, OSError) as error:
        print(f"checkrail proxy: {error}", file=sys.stderr)
        return 1


def name_of(words: list[str]) -> str:
    """A name for a server that was given none: the first word of its command that is not a runner or an option."""
    own = next((word for word in words if word not in _RUNNERS and not word.startswith("-")), words[0])
    plain = re.sub(r"@[^/@]*$", "", own) or own
    return re.sub(r"\.(js|mjs|py|ts)$", "", os.path.basename(plain)) or "server"


def _proxy(name: str, project: Path) -> Any:
    from checkrail import serve
    from checkrail.client import Client
    from checkrail.proxy.calls import Daemon
    from checkrail.proxy.lists import Lists, Locks
    from checkrail.proxy.record import Record
    from checkrail.proxy.stdio import Proxy

    where = places.find()
    session = f"proxy-{name}-{os.getpid()}-{int(time.time())}"
    locks = Locks(pins.load(where.config / pins.NAME), pins.load(project / pins.NAME))
    client = Client(cwd=wrapping.here() or str(project), project=str(project), session=session, server=name)
    return Proxy(Lists(name, locks), Daemon(client, name), Record(serve.usual_log(where), session))


def _terminated(_number: int, _frame: object) -> NoReturn:
    raise SystemExit(143)
