"""Frames: what goes in comes out, and what is no frame is named."""

import os
import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.daemon.protocol import (
    EVENT_LIMIT,
    HEAD_LIMIT,
    Answer,
    ProtocolError,
    Request,
    decode_answer,
    encode_answer,
    encode_request,
    receive_request,
)

WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=9)


def received(frame: bytes, *, seconds: float = 5.0) -> Request | None:
    """What a worker makes of bytes that end."""
    ours, theirs = socket.socketpair()

    def send() -> None:
        theirs.sendall(frame)
        theirs.shutdown(socket.SHUT_WR)

    with ours, theirs:
        sender = threading.Thread(target=send)
        sender.start()
        try:
            return receive_request(ours, seconds=seconds)
        finally:
            ours.close()
            sender.join()


@given(st.binary(max_size=99), WORDS, WORDS, st.dictionaries(WORDS.filter(lambda name: "=" not in name), WORDS))
def test_a_request_survives_the_way(raw: bytes, agent: str, cwd: str, environment: dict[str, str]) -> None:
    """Any event, any directory, any variable."""
    request = Request(agent=agent, event="pre", cwd=cwd, environment=environment, raw=raw)
    assert received(encode_request(request)) == request


def test_names_that_are_no_text_survive_the_way() -> None:
    """A directory or variable in no known encoding stays what it is."""
    odd = os.fsdecode(b"/\xff\xfe")
    request = received(encode_request(Request(agent="a", cwd=odd, environment={"CDPATH": odd})))
    assert request and (request.cwd, request.environment) == (odd, {"CDPATH": odd})


@given(st.integers(0, 255), st.binary(max_size=99), st.binary(max_size=99))
def test_an_answer_survives_the_way(code: int, out: bytes, err: bytes) -> None:
    """Byte for byte."""
    assert decode_answer(encode_answer(Answer(code, out, err))) == Answer(code, out, err)


@pytest.mark.parametrize("code", [-1, 256, 999])
def test_an_exit_code_that_no_process_has_is_refused(code: int) -> None:
    """It is found when encoding, where it can still become a block."""
    with pytest.raises(ValueError, match=str(code)):
        encode_answer(Answer(code))


@pytest.mark.parametrize("cut", range(0, 20, 3))
def test_an_answer_that_is_cut_off_is_none(cut: int) -> None:
    """Nor is one with something behind it."""
    frame = encode_answer(Answer(0, b"out", b"err!"))
    with pytest.raises(ProtocolError):
        decode_answer(frame[:cut])
    with pytest.raises(ProtocolError):
        decode_answer(frame + b"x")


def test_a_peer_that_leaves_without_a_word_is_no_error() -> None:
    """Somebody who only looked whether the socket is there."""
    assert received(b"") is None


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "does not start"),
        (b"CKR1", "does not start"),
        (b"CKR1" + b"\0\0\0\2" + b"\0\0\0\2" + b"abc", "too early"),
        (b"CKR1" + (HEAD_LIMIT + 1).to_bytes(4, "big") + b"\0\0\0\0", "larger"),
        (b"CKR1" + b"\0\0\0\1" + (EVENT_LIMIT * 2).to_bytes(4, "big"), "larger"),
        (b"CKR1" + b"\xff" * 8, "larger"),
        (b"CKR1" + b"\0\0\0\4" + b"\0\0\0\0" + b"call", "not understood"),
        (b"CKR1" + b"\0\0\0\x08" + b"\0\0\0\0" + b"what\0\0\0\0", "not understood"),
    ],
)
def test_what_is_no_request_is_named(frame: bytes, words: str) -> None:
    """Each fault is told before more is read."""
    with pytest.raises(ProtocolError, match=words):
        received(frame)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_or_an_error(data: bytes) -> None:
    """Nothing else comes out, however the bytes look."""
    for frame in (data, b"CKR1" + data):
        try:
            assert isinstance(received(frame), Request | None)
        except ProtocolError:
            pass


def test_a_peer_that_does_not_go_on_is_left() -> None:
    """The limit counts for the whole request, not for each piece."""
    ours, theirs = socket.socketpair()
    with ours, theirs, pytest.raises(TimeoutError):
        theirs.sendall(b"CKR1")
        receive_request(ours, seconds=0.05)
