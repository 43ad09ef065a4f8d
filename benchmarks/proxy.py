"""What the proxy adds to a call of an MCP tool, and to a server's list.

    python -m benchmarks.proxy [--runs 300] [--tools 100] [--big 1000000]

A server of a few lines answers at once, asked directly and through the proxy with a daemon of its own, in turn; over pipes, and
over HTTP where the MCP SDK is installed.
"""

import argparse
import http.client
import importlib.util
import json
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Protocol
from urllib.parse import urlsplit

from tests.shells import Place, places

from benchmarks.latency import line

SERVER = """
import json, sys
tools = [{"name": f"get_row_{n}", "description": f"Returns row {n} of a table as JSON, sorted by name. Fails where there is none.",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "integer", "description": "Number of the row"}}}} for n in range(int(sys.argv[1]))]
for raw in sys.stdin:
    told = json.loads(raw)
    size = told.get("params", {}).get("arguments", {}).get("size", 10)
    result = {"tools": tools} if told["method"] == "tools/list" else {"content": [{"type": "text", "text": "x" * size}]}
    print(json.dumps({"jsonrpc": "2.0", "id": told["id"], "result": result}), flush=True)
"""


HTTP_SERVER = """
import json, socket, sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
tools = [{"name": f"get_row_{n}", "description": f"Returns row {n} of a table as JSON, sorted by name. Fails where there is none.",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "integer", "description": "Number of the row"}}}} for n in range(int(sys.argv[1]))]
async def answer(request):
    told = json.loads(await request.body())
    size = told.get("params", {}).get("arguments", {}).get("size", 10)
    result = {"tools": tools} if told["method"] == "tools/list" else {"content": [{"type": "text", "text": "x" * size}]}
    return Response(json.dumps({"jsonrpc": "2.0", "id": told["id"], "result": result}), media_type="application/json")
listener = socket.create_server(("127.0.0.1", 0))
print("listens on http://127.0.0.1:%d/mcp" % listener.getsockname()[1], file=sys.stderr, flush=True)
uvicorn.Server(uvicorn.Config(Starlette(routes=[Route("/mcp", answer, methods=["POST"])]), log_level="error")).run(sockets=[listener])
"""


class Asked(Protocol):
    """A server that can be asked."""

    def ask(self, method: str, **params: object) -> float:
        """Milliseconds until the answer."""

    def close(self) -> None:
        """Ends it."""


class Far:
    """A server over HTTP, with or without the proxy before it."""

    def __init__(self, words: Sequence[str], place: Place) -> None:
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, env=place.environment(), cwd=place.project)
        assert self.process.stderr
        found = next(hit for line in self.process.stderr if (hit := re.search(rb"listens on (\S+)", line)))
        self.url = found.group(1).decode()
        parts, token = urlsplit(self.url), place.home / ".local/state/checkrail/proxy/token"
        self.headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        if token.exists():
            self.headers["authorization"] = f"Bearer {token.read_text().strip()}"
        self.connection = http.client.HTTPConnection(str(parts.hostname), parts.port)

    def ask(self, method: str, **params: object) -> float:
        """Milliseconds until the answer, over one connection."""
        raw = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        started = time.perf_counter()
        self.connection.request("POST", "/mcp", raw, self.headers)
        self.connection.getresponse().read()
        return (time.perf_counter() - started) * 1000

    def close(self) -> None:
        """It is told to go."""
        self.connection.close()
        self.process.terminate()
        self.process.wait(10)


class Peer:
    """A server over pipes, with or without the proxy before it."""

    def __init__(self, words: Sequence[str], place: Place) -> None:
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=place.environment(), cwd=place.project
        )  # fmt: skip

    def ask(self, method: str, **params: object) -> float:
        """Milliseconds until the answer."""
        assert self.process.stdin and self.process.stdout
        raw = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n"
        started = time.perf_counter()
        self.process.stdin.write(raw)
        self.process.stdin.flush()
        self.process.stdout.readline()
        return (time.perf_counter() - started) * 1000

    def close(self) -> None:
        """The server goes by itself."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(10)


def main() -> None:
    """Prints the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--tools", type=int, default=100)
    parser.add_argument("--big", type=int, default=1_000_000)
    args = parser.parse_args()
    for place in places():
        server = [sys.executable, "-c", SERVER, str(args.tools)]
        direct, proxied = Peer(server, place), Peer(place.words("proxy", "--name", "b", "--", *server), place)
        compared("pipes", {"direct": direct, "proxy": proxied}, args)
        if importlib.util.find_spec("starlette"):
            far = Far([sys.executable, "-c", HTTP_SERVER, str(args.tools)], place)
            near = Far(place.words("proxy", "--name", "b", "--url", far.url), place)
            compared("HTTP", {"direct": far, "proxy": near}, args)


def compared(carrier: str, peers: dict[str, Asked], args: argparse.Namespace) -> None:
    """Asks the one and the other in turn, and ends both."""
    kinds: dict[str, tuple[str, dict[str, object], int]] = {
        "ping": ("ping", {}, args.runs),
        "a call": ("tools/call", {"name": "get_row_1", "arguments": {"id": 1}}, args.runs),
        f"{args.big:,} bytes back": ("tools/call", {"name": "get_row_1", "arguments": {"size": args.big}}, 20),
        f"a list of {args.tools}": ("tools/list", {}, 20),
    }
    for kind, (method, params, runs) in kinds.items():
        times: dict[str, list[float]] = {name: [] for name in peers}
        for run in range(runs + 3):
            for name, peer in peers.items():
                taken = peer.ask(method, **params)
                if run > 2:
                    times[name].append(taken)
        for name, found in times.items():
            line(f"{carrier}: {kind}, {name}", found)
    for peer in peers.values():
        peer.close()


if __name__ == "__main__":
    main()
