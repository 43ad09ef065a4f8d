"""Talking to a daemon from inside the package (the shim has its own, smaller way)."""

import socket
from pathlib import Path

import msgspec

from checkrail.daemon.protocol import (
    ANSWER_LIMIT,
    STATUS,
    Answer,
    ProtocolError,
    Request,
    decode_answer,
    encode_request,
)

PROBE_S = 2.6
"""A daemon that has not said a word for so long is not alive: longer than its workers may be stuck."""


def ask(path: Path, request: Request, *, seconds: float) -> Answer:
    """Sends one request. Raises OSError where nobody answers, :class:`ProtocolError` for nonsense."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.settimeout(seconds)
        peer.connect(str(path))
        peer.sendall(encode_request(request))
        data = bytearray()
        while len(data) <= ANSWER_LIMIT and (part := peer.recv(1 << 18)):
            data += part
    return decode_answer(bytes(data))


def alive(path: Path, *, seconds: float = PROBE_S) -> bool:
    """Does a daemon at ``path`` answer?"""
    try:
        answer = ask(path, Request(verb=STATUS), seconds=seconds)
        return bool(msgspec.json.decode(answer.stdout, type=dict[str, object])["running"])
    except (OSError, ProtocolError, msgspec.MsgspecError, KeyError):
        return False
