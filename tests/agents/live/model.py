"""A scripted model: answers the Messages API with the tool calls of a script, one a request, then says that it is done."""

import http.server
import itertools
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Step = tuple[str, dict[str, Any]] | Callable[[], tuple[str, dict[str, Any]]]
"""A tool and its input, or what is to be done first and then gives them."""


class Model:
    """What the agent talks to. ``results`` is what it told of each call, by number; ``offered`` the tools it named last."""

    def __init__(self, script: list[Step]) -> None:
        self._script = iter(script)
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self.results: dict[int, str] = {}
        self.offered: list[str] = []

    def blocks(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        """The content of the next answer. Side requests of the agent, which carry few tools, do not advance the script."""
        tools = [str(tool.get("name")) for tool in request.get("tools") or ()]
        if len(tools) < 3:
            return [{"type": "text", "text": "done"}]
        with self._lock:
            self.offered = tools
            self._keep_results(request)
            step = next(self._script, None)
        if step is None:
            return [{"type": "text", "text": "done"}]
        name, given = step() if callable(step) else step
        return [{"type": "tool_use", "id": f"toolu_{next(self._numbers):04d}", "name": name, "input": given}]

    def _keep_results(self, request: dict[str, Any]) -> None:
        for message in request.get("messages") or ():
            content = message.get("content")
            for part in content if isinstance(content, list) else ():
                if isinstance(part, dict) and part.get("type") == "tool_result":
                    number = int(str(part["tool_use_id"]).rpartition("_")[2])
                    self.results[number] = json.dumps(part.get("content"))


def events(blocks: list[dict[str, Any]], model: str) -> Iterator[dict[str, Any]]:
    uses = any(block["type"] == "tool_use" for block in blocks)
    message: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [], "stop_reason": None,
               "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip
    yield {"type": "message_start", "message": message}
    for index, block in enumerate(blocks):
        empty = {**block, "input": {}} if block["type"] == "tool_use" else {"type": "text", "text": ""}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        delta = (
            {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            if block["type"] == "tool_use"
            else {"type": "text_delta", "text": block["text"]}
        )
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": "tool_use" if uses else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _handler(model: Model) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Silent."""

        def _reply(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self._reply(b"{}", "application/json")

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
            if "count_tokens" in self.path:
                self._reply(b'{"input_tokens":1}', "application/json")
                return
            blocks = model.blocks(request)
            if not request.get("stream"):
                message = next(events(blocks, "mock"))["message"]
                whole = {**message, "content": blocks, "stop_reason": "end_turn"}
                self._reply(json.dumps(whole).encode(), "application/json")
                return
            told = events(blocks, str(request.get("model")))
            body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in told)
            self._reply(body.encode(), "text/event-stream")

    return Handler


@contextmanager
def served(script: list[Step]) -> Iterator[tuple[Model, str]]:
    """The model at work, and its address."""
    model = Model(script)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(model))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model, f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
