"""The frames between shim and daemon: one request and one answer per connection.

Request: ``CKR1``, length of head and of event (4 bytes each, big-endian), head, event. The
head is NUL-separated: verb, installation of the caller, agent, event kind, working
directory, then ``NAME=VALUE`` for each variable passed on (``CHECKRAIL_WAIT`` is the shim's own word). Answer: ``CKA1``, exit code (1
byte), length of stdout and of stderr (4 bytes each), stdout, stderr, end of stream.
"""

import os
import socket
import time

import msgspec

EVENT_LIMIT = 8 << 20
"""Bytes of one event. The shim stops reading one chunk (1 MiB) above it, so that the daemon can say so."""
HEAD_LIMIT = 1 << 18
ANSWER_LIMIT = 8 << 20
MOST_PATIENCE = 540
PATIENCE = "CHECKRAIL_WAIT"
_REQUEST, _ANSWER = b"CKR1", b"CKA1"
CALL, STATUS, STOP = "call", "status", "stop"


class ProtocolError(Exception):
    """What came is no frame; the text says what is wrong with it."""


class Answer(msgspec.Struct, frozen=True):
    """What the shim gives back, unchanged.

    ``wait`` and ``request`` stay in the daemon: so many seconds may pass until a person has answered that request.
    """

    exit_code: int
    stdout: bytes = b""
    stderr: bytes = b""
    wait: float = 0.0
    request: int = 0


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a shim asks. ``patience`` is how many seconds more than usual its host grants, for a person to answer.

    ``deadline`` is set by the worker: the ``time.monotonic()`` at which the answer is due.
    """

    verb: str = CALL
    installation: str = ""
    agent: str = ""
    event: str = ""
    cwd: str = ""
    environment: dict[str, str] = {}
    raw: bytes = b""
    patience: int = 0
    deadline: float = 0.0


def encode_request(request: Request) -> bytes:
    """The frame of a request."""
    words = (request.verb, request.installation, request.agent, request.event, request.cwd)
    pairs = [f"{name}={value}" for name, value in request.environment.items()]
    pairs += [f"{PATIENCE}={request.patience}"] if request.patience else []
    head = b"\0".join(os.fsencode(word) for word in (*words, *pairs))
    return b"".join((_REQUEST, _length(head), _length(request.raw), head, request.raw))


def encode_answer(answer: Answer) -> bytes:
    """The frame of an answer. Raises ValueError for an exit code outside 0 to 255."""
    code = answer.exit_code.to_bytes(1, "big") if 0 <= answer.exit_code < 256 else None
    if code is None:
        raise ValueError(f"exit code {answer.exit_code} is outside 0 to 255")
    return b"".join((_ANSWER, code, _length(answer.stdout), _length(answer.stderr), answer.stdout, answer.stderr))


def decode_answer(frame: bytes) -> Answer:
    """The answer in a frame. Raises :class:`ProtocolError` unless it is whole and nothing follows."""
    end = 13 + int.from_bytes(frame[5:9], "big")
    if frame[:4] != _ANSWER or len(frame) != end + int.from_bytes(frame[9:13], "big"):
        raise ProtocolError("no whole answer came")
    return Answer(frame[4], frame[13:end], frame[end:])


def _length(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big")


def receive_request(peer: socket.socket, *, seconds: float) -> Request | None:
    """Reads one request within ``seconds`` in all; None if the peer left without a word.

    Raises :class:`ProtocolError` for anything that is no frame or above the limits, and
    TimeoutError for a peer that does not go on.
    """
    until = time.monotonic() + seconds
    lengths = _receive(peer, 12, until)
    if not lengths:
        return None
    if lengths[:4] != _REQUEST or len(lengths) < 12:
        raise ProtocolError("the request does not start like one")
    head_size, raw_size = int.from_bytes(lengths[4:8], "big"), int.from_bytes(lengths[8:12], "big")
    if head_size > HEAD_LIMIT or raw_size > EVENT_LIMIT + (1 << 20):
        raise ProtocolError(f"the request is larger than {EVENT_LIMIT >> 20} MiB")
    body = _receive(peer, head_size + raw_size, until)
    if len(body) < head_size + raw_size:
        raise ProtocolError("the request ends too early")
    return _request(body[:head_size], body[head_size:])


def _request(head: bytes, raw: bytes) -> Request:
    words = [os.fsdecode(word) for word in head.split(b"\0")]
    if len(words) < 5 or words[0] not in (CALL, STATUS, STOP):
        raise ProtocolError("the head of the request is not understood")
    verb, installation, agent, event, cwd, *pairs = words
    environment = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    patience = environment.pop(PATIENCE, "0")
    seconds = (
        min(int(patience), MOST_PATIENCE) if patience.isascii() and patience.isdecimal() and len(patience) < 9 else 0
    )
    return Request(
        verb=verb, installation=installation, agent=agent, event=event, cwd=cwd, environment=environment, raw=raw,
        patience=seconds,
    )  # fmt: skip


def _receive(peer: socket.socket, size: int, until: float) -> bytes:
    """``size`` bytes, fewer where the stream ends before."""
    parts = bytearray()
    while len(parts) < size:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request did not come in time")
        peer.settimeout(left)
        part = peer.recv(min(size - len(parts), 1 << 18))
        if not part:
            break
        parts += part
    return bytes(parts)
