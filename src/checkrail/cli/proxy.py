"""Exit codes: the server's own; 2 usage, 127 it cannot be started, 1 an error.

Put it before the command of a server in a client's settings: ["checkrail", "proxy", "--name", "files", "--", "npx", …]. Messages
pass as they are, except what describes (tools, prompts, resources, instructions), which is admitted first, and calls of tools, which
are judged like an agent's. A question becomes a denial with the number of a request, since a server can ask nobody.

With --url instead of a command, the server is one behind that address, and clients reach the proxy by HTTP on this machine. Each
request must carry the token of the file that is named at the start. It takes the MCP SDK: pip install 'checkrail[mcp]'.
"""

import argparse
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

from checkrail import places
from checkrail.admission import claims, pins
from checkrail.cli import USAGE, wrapping

if TYPE_CHECKING:
    from checkrail.admission.records import Definition
    from checkrail.proxy.exchange import Exchange

_RUNNERS = frozenset(
    {"npx", "uvx", "uv", "run", "bunx", "pnpm", "dlx", "exec", "node", "python", "python3", "pipx", "-m", "-y", "--yes"}
)
_LISTEN = "127.0.0.1:0"


class _Usage(Exception):
    """The command line says nothing that can be done; the text says what is wrong."""


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("--name", help="the server's name in the client's settings, by which pins and rules know it")
    parser.add_argument(
        "--project", default=".", metavar="DIR", help="the project that the client works in (default: here)"
    )
    parser.add_argument("--url", help="the server's address, instead of a command: https, or http on this machine")
    parser.add_argument(
        "--listen", default=_LISTEN, metavar="HOST:PORT", help=f"with --url: where clients come (default: {_LISTEN})"
    )
    parser.add_argument(
        "--header-env", action="append", default=[], metavar="HEADER=VARIABLE",
        help="with --url: a header that the server gets, its value in a variable; may be given several times",
    )  # fmt: skip
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="the server's command")


def run(args: argparse.Namespace) -> int:
    """Carries messages until one side ends."""
    words = args.command[1:] if args.command[:1] == ["--"] else args.command
    try:
        if bool(words) == bool(args.url):
            raise _Usage("give the server's command after --, or its address with --url")
        return _over_http(args) if args.url else _over_stdio(args, words)
    except _Usage as error:
        print(f"checkrail proxy: {error}", file=sys.stderr)
        return USAGE
    except (places.PlacesError, pins.LockError, OSError) as error:
        print(f"checkrail proxy: {error}", file=sys.stderr)
        return 1


def name_of(words: list[str]) -> str:
    """A name for a server that was given none: the first word of its command that is not a runner or an option."""
    own = next((word for word in words if word not in _RUNNERS and not word.startswith("-")), words[0])
    plain = re.sub(r"@[^/@]*$", "", own) or own
    return re.sub(r"\.(js|mjs|py|ts)$", "", os.path.basename(plain)) or "server"


def _over_stdio(args: argparse.Namespace, words: list[str]) -> int:
    from checkrail.proxy.stdio import Proxy

    signal.signal(signal.SIGTERM, _terminated)
    return Proxy(_exchanges(args.name or name_of(words), Path(args.project).resolve())()).run(words)


def _over_http(args: argparse.Namespace) -> int:
    host, port = _listen(args.listen)
    url, headers = _address(args.url), _headers(args.header_env)
    try:
        from checkrail.proxy import serving
        from checkrail.proxy.door import Door, token
        from checkrail.proxy.http import Relay
        from checkrail.proxy.record import say
        from checkrail.proxy.upstream import Upstream

        upstream = Upstream(url, headers)
    except ImportError:
        raise _Usage("the MCP SDK is not installed; run: pip install 'checkrail[mcp]'") from None
    file = places.find().state / "proxy" / "token"
    door = Door(token(file))
    begin = _exchanges(args.name or urlsplit(url).hostname or "server", Path(args.project).resolve())
    listener = serving.listening(host, port)
    say(f"clients send the header Authorization: Bearer, and the token in {file}")
    serving.serve(Relay(upstream, door, begin), listener)
    return 0


def _listen(text: str) -> tuple[str, int]:
    from checkrail.proxy.door import is_loopback

    host, _, port = text.rpartition(":")
    if not is_loopback(host) or not port.isdecimal() or int(port) > 65535:
        raise _Usage(f"--listen {text}: give an address of this machine and a port, as in 127.0.0.1:8808")
    return host.strip("[]"), int(port)


def _address(url: str) -> str:
    from checkrail.proxy.door import is_loopback

    try:
        parts = urlsplit(url)
        host, known = parts.hostname or "", parts.username is None
    except ValueError:
        host, known = "", False
    if not known or not host or parts.scheme not in ("http", "https"):
        raise _Usage("--url: give an address with https:// and without a name and password in it")
    if parts.scheme == "http" and not is_loopback(host):
        raise _Usage("--url: a server on another machine is reached by https:// only")
    return url


def _headers(given: list[str]) -> dict[str, str]:
    found = {}
    for text in given:
        name, _, variable = text.partition("=")
        value = os.environ.get(variable, "")
        if not re.fullmatch(r"[A-Za-z0-9-]+", name) or not value or not value.isprintable():
            raise _Usage(f"--header-env {name}=…: give a header's name and a variable that holds one line of text")
        found[name] = value
    return found


def _exchanges(name: str, project: Path) -> Callable[[], "Exchange"]:
    """Makes what judges the messages of a session, each under a session name of its own."""
    from checkrail import serve
    from checkrail.client import Client
    from checkrail.proxy.calls import Daemon
    from checkrail.proxy.exchange import Exchange
    from checkrail.proxy.lists import Lists, Locks
    from checkrail.proxy.record import Record, say

    where = places.find()
    config, log, cwd = where.config, serve.usual_log(where), wrapping.here() or str(project)
    number = 0

    def listed(definitions: "Sequence[Definition]") -> None:
        try:
            claims.record(where.state, definitions)
        except (places.PlacesError, OSError) as error:
            say(f"what tools claim to destroy is not noted: {error}")

    def begin() -> "Exchange":
        nonlocal number
        number += 1
        session = f"proxy-{name}-{os.getpid()}-{int(time.time())}-{number}"
        locks = Locks(pins.load(config / pins.NAME), pins.load(project / pins.NAME))
        client = Client(cwd=cwd, project=str(project), session=session, server=name)
        return Exchange(Lists(name, locks, listed), Daemon(client, name), Record(log, session))

    return begin


def _terminated(_number: int, _frame: object) -> NoReturn:
    raise SystemExit(143)
