"""The scripted model in every dialect: Anthropic's Messages, OpenAI's Responses and chat completions, Gemini's generateContent.

Each request that offers tools gets the next call of the script; then the model says that it is done.
"""

import gzip
import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.agents.live import model

Call = tuple[str, dict[str, Any]]


class Script:
    """The calls still to be made, and everything that was asked."""

    def __init__(self, calls: list[Call]) -> None:
        self._calls = iter(calls)
        self._lock = threading.Lock()
        self.offered: list[str] = []
        self.heard: list[str] = []

    def next(self, request: dict[str, Any]) -> Call | None:
        """The next call where tools are offered, and not only the one or two of a side request."""
        names = _tool_names(request)
        with self._lock:
            self.heard.append(json.dumps(request))
            if len(names) < 3:
                return None
            self.offered = names
            return next(self._calls, None)


def _tool_names(request: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for tool in request.get("tools") or ():
        declared = tool.get("functionDeclarations")
        if declared:
            found += [one["name"] for one in declared]
        else:
            found.append(str(tool.get("function", tool).get("name") or tool.get("type")))
    return found


def _events(events: list[dict[str, Any]], *, named: bool = False, end: str = "") -> bytes:
    lines = [(f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n" for event in events]
    return "".join((*lines, f"data: {end}\n\n" if end else "")).encode()


def responses(call: Call | None, number: int) -> bytes:
    """OpenAI Responses, as a stream."""
    said: dict[str, Any] = {
        "type": "message",
        "id": "m",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "done", "annotations": []}],
    }
    if call:
        said = {
            "type": "function_call",
            "id": f"f{number}",
            "call_id": f"c{number}",
            "name": call[0],
            "arguments": json.dumps(call[1]),
        }
    usage = {
        "input_tokens": 1,
        "input_tokens_details": None,
        "output_tokens": 1,
        "output_tokens_details": None,
        "total_tokens": 2,
    }
    return _events(
        [
            {"type": "response.created", "response": {"id": f"r{number}"}},
            {"type": "response.output_item.done", "output_index": 0, "item": said},
            {"type": "response.completed", "response": {"id": f"r{number}", "usage": usage}},
        ],
        named=True,
    )


def chat(call: Call | None, number: int, *, stream: bool) -> bytes:
    """OpenAI chat completions."""
    message: dict[str, Any] = {"role": "assistant", "content": None if call else "done"}
    if call:
        function = {"name": call[0], "arguments": json.dumps(call[1])}
        message["tool_calls"] = [{"index": 0, "id": f"call_{number:016d}", "type": "function", "function": function}]
    reason = "tool_calls" if call else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    base = {"id": f"chat{number}", "created": 1, "model": "mock"}
    if not stream:
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return json.dumps({**base, "object": "chat.completion", "choices": [choice], "usage": usage}).encode()
    parts = [{"index": 0, "delta": message, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": reason}]
    events = [{**base, "object": "chat.completion.chunk", "choices": [part], "usage": usage} for part in parts]
    return _events(events, end="[DONE]")


def gemini(call: Call | None, *, stream: bool) -> bytes:
    """Gemini."""
    part: dict[str, Any] = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": "done"}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    whole = {"candidates": [candidate], "usageMetadata": usage}
    return _events([whole]) if stream else json.dumps(whole).encode()


def messages(call: Call | None, number: int, *, stream: bool) -> bytes:
    """Anthropic's Messages."""
    block: dict[str, Any] = {"type": "text", "text": "done"}
    if call:
        block = {"type": "tool_use", "id": f"toolu_{number:04d}", "name": call[0], "input": call[1]}
    events = list(model.events([block], "mock"))
    whole = {**events[0]["message"], "content": [block], "stop_reason": "tool_use" if call else "end_turn"}
    return _events(events, named=True) if stream else json.dumps(whole).encode()


def _handler(script: Script) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Silent."""

        def _body(self) -> dict[str, Any]:
            if self.headers.get("transfer-encoding") == "chunked":
                raw = b""
                while size := int(self.rfile.readline(), 16):
                    raw += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
            else:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            raw = gzip.decompress(raw) if self.headers.get("content-encoding") == "gzip" else raw
            try:
                found = json.loads(raw or b"{}")
            except ValueError:
                return {}
            return found if isinstance(found, dict) else {}

        def _reply(self, body: bytes, kind: str = "application/json") -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            models = {"object": "list", "data": [{"id": "mock", "object": "model"}], "models": []}
            self._reply(json.dumps(models if "models" in self.path else {}).encode())

        def do_POST(self) -> None:
            request, path = self._body(), self.path.partition("?")[0]
            stream = bool(request.get("stream"))
            number = len(script.heard)
            if path.endswith("/responses"):
                self._reply(responses(script.next(request), number), "text/event-stream")
            elif path.endswith("/chat/completions"):
                kind = "text/event-stream" if stream else "application/json"
                self._reply(chat(script.next(request), number, stream=stream), kind)
            elif path.endswith("/messages"):
                kind = "text/event-stream" if stream else "application/json"
                self._reply(messages(script.next(request), number, stream=stream), kind)
            elif "countTokens" in path or path.endswith("/count_tokens"):
                self._reply(b'{"totalTokens":1,"input_tokens":1}')
            elif "enerateContent" in path:
                streamed = "stream" in path
                kind = "text/event-stream" if streamed else "application/json"
                self._reply(gemini(script.next(request), stream=streamed), kind)
            else:
                self._reply(b"{}")

    return Handler


@contextmanager
def served(calls: list[Call]) -> Iterator[tuple[Script, int]]:
    """The model at work, and its port."""
    script = Script(calls)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(script))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield script, int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
