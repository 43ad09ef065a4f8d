"""What the proxy adds to a call of an MCP tool, and to a server's list.

    python -m benchmarks.proxy [--runs 300] [--tools 100] [--big 1000000]

A server of a few lines answers at once, asked directly and through the proxy with a daemon of its own, in turn.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence

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


class Peer:
    """A server, with or without the proxy before it."""

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
        peers = {
            "direct": Peer(server, place),
            "proxy": Peer(place.words("proxy", "--name", "b", "--", *server), place),
        }
        kinds: dict[str, tuple[str, dict[str, object], int]] = {
            "ping": ("ping", {}, args.runs),
            "a call": ("tools/call", {"name": "get_row_1", "arguments": {"id": 1}}, args.runs),
            f"a call, {args.big:,} bytes back": (
                "tools/call",
                {"name": "get_row_1", "arguments": {"size": args.big}},
                20,
            ),
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
                line(f"{kind}, {name}", found)
        for peer in peers.values():
            peer.close()


if __name__ == "__main__":
    main()
