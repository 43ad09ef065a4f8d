"""Runs the HTTP side: a socket on this machine, and the server that came with the MCP SDK."""

import socket

from checkrail.proxy.http import PATH, Relay
from checkrail.proxy.record import say

MOST_REQUESTS = 512
"""Requests that are open at a time; streams count."""
IDLE_S = 15


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is any that is free. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=128)


def serve(relay: Relay, listener: socket.socket) -> None:
    """Serves until the process is told to end."""
    import uvicorn

    host, port = listener.getsockname()[:2]
    say(f"listens on http://{f'[{host}]' if ':' in host else host}:{port}{PATH}")
    config = uvicorn.Config(
        relay.app(), log_level="warning", access_log=False, server_header=False, proxy_headers=False, ws="none",
        limit_concurrency=MOST_REQUESTS, timeout_keep_alive=IDLE_S, timeout_graceful_shutdown=2,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[listener])
