"""Pure functions and methods of scripts that are computed on known values."""

import base64
import posixpath
import re
import urllib.parse
from collections.abc import Callable
from typing import Any

from checkrail.model import HOLE, SOME
from checkrail.readers.code_words import some
from checkrail.readers.script.state import State, known


def text_of(value: Any) -> str:
    """A value as text."""
    return value if isinstance(value, str) else " ".join(text_of(item) for item in value)


def _decode(text: Any) -> str:
    return base64.b64decode(str(text) + "==").decode("utf-8", "replace")


TEXT_METHODS: dict[str, Callable[..., Any]] = {
    "join": lambda value, glue=",": glue.join(text_of(item) for item in value),
    "reverse": lambda value: value[::-1],
    "toString": lambda value, *_: text_of(value),
    "to_s": text_of,
    "trim": lambda value: value.strip(),
    "strip": lambda value: value.strip(),
    "chomp": lambda value: value.rstrip("\n"),
    "concat": lambda value, *more: value + "".join(more),
    "toLowerCase": lambda value: value.lower(),
    "downcase": lambda value: value.lower(),
    "split": lambda value, by=" ": tuple(value.split(by) if by else value),
    "freeze": lambda value: value,
    "dup": lambda value: value,
    "unpack1": lambda value, *_: _decode(value),
}


def _join_paths(_state: State, given: list[Any]) -> str:
    return posixpath.join(*(text_of(value) for value in given)) if given else HOLE


def _expand(state: State, given: list[Any]) -> str:
    text = (
        text_of(given[-1])
        if len(given) == 1
        else posixpath.join(*(text_of(v) for v in reversed(given)))
        if given
        else HOLE
    )
    home = state.around.home
    return home + text[1:] if text == "~" or text.startswith("~/") else text


def _resolve(state: State, given: list[Any]) -> str:
    return posixpath.join(state.payload.cwd or HOLE, *(text_of(value) for value in given))


def _glob(_state: State, given: list[Any]) -> tuple[str, ...]:
    return tuple(some(text) for value in given for text in (value if isinstance(value, tuple) else (value,)))


def _environment(state: State, given: list[Any]) -> str:
    return (state.variable(text_of(given[0])) if given else None) or HOLE


def _base64(_state: State, given: list[Any]) -> str:
    return _decode(text_of(given[0])) if given and known(text_of(given[0])) else HOLE


def _buffer(_state: State, given: list[Any]) -> str:
    text, encoding = (text_of(given[0]), text_of(given[1])) if len(given) > 1 else ("", "")
    try:
        data = (
            bytes.fromhex(text)
            if encoding == "hex"
            else base64.b64decode(text + "==")
            if encoding.startswith("base64")
            else text.encode()
        )
    except ValueError:
        return HOLE
    return data.decode("utf-8", "replace")


def _joined_list(_state: State, given: list[Any]) -> str:
    glue, items = text_of(given[0]), given[1:]
    flat = [item for value in items for item in (value if isinstance(value, tuple) else (value,))]
    return glue.join(text_of(item) for item in flat)


def _chr(_state: State, given: list[Any]) -> str:
    codes = [text_of(value) for value in given]
    return (
        "".join(chr(int(code, 0)) for code in codes)
        if all(re.fullmatch(r"0x[0-9a-f]{1,4}|\d{1,5}", code) for code in codes)
        else HOLE
    )


def _first(_state: State, given: list[Any]) -> Any:
    return given[0] if given else HOLE


def _reversed(_state: State, given: list[Any]) -> str:
    return text_of(given[0])[::-1] if given and known(text_of(given[0])) else HOLE


def _constant(text: str) -> Callable[[State, list[Any]], str]:
    return lambda _state, _given: text


FUNCTIONS: dict[tuple[str, str], Callable[[State, list[Any]], Any]] = {
    ("node", "path.join"): _join_paths,
    ("node", "path.resolve"): _resolve,
    ("node", "os.homedir"): lambda state, _given: state.around.home,
    ("node", "os.tmpdir"): _constant("/tmp"),
    ("node", "process.cwd"): lambda state, _given: state.payload.cwd or HOLE,
    ("node", "process.env.HOME"): lambda state, _given: state.around.home,
    ("node", "Buffer.from"): _buffer,
    ("node", "atob"): _base64,
    ("node", "decodeURIComponent"): lambda _state, given: urllib.parse.unquote(text_of(given[0])) if given else HOLE,
    ("node", "String.fromCharCode"): _chr,
    ("node", "String"): _first,
    ("node", "fs.mkdtempSync"): lambda _state, given: (text_of(given[0]) if given else "/tmp/") + SOME,
    ("ruby", "File.join"): lambda _state, given: "/".join(text_of(value) for value in given),
    ("ruby", "File.expand_path"): _expand,
    ("ruby", "Dir.home"): lambda state, _given: state.around.home,
    ("ruby", "Dir.pwd"): lambda state, _given: state.payload.cwd or HOLE,
    ("ruby", "Dir.tmpdir"): _constant("/tmp"),
    ("ruby", "Dir.mktmpdir"): _constant("/tmp/" + SOME),
    ("ruby", "Dir.glob"): _glob,
    ("ruby", "Dir"): _glob,
    ("ruby", "ENV.fetch"): _environment,
    ("ruby", "Base64.decode64"): _base64,
    ("ruby", "URI"): _first,
    ("ruby", "URI.parse"): _first,
    ("ruby", "Pathname.new"): _first,
    ("ruby", "Pathname"): _first,
    ("ruby", "Shellwords.escape"): _first,
    ("perl", "glob"): _glob,
    ("perl", "decode_base64"): _base64,
    ("perl", "MIME::Base64::decode_base64"): _base64,
    ("perl", "join"): _joined_list,
    ("perl", "chr"): _chr,
    ("perl", "reverse"): _reversed,
    ("perl", "my"): _first,
    ("php", "getenv"): _environment,
    ("php", "glob"): _glob,
    ("php", "base64_decode"): _base64,
    ("php", "implode"): _joined_list,
    ("php", "join"): _joined_list,
    ("php", "chr"): _chr,
    ("php", "strrev"): _reversed,
    ("php", "getcwd"): lambda state, _given: state.payload.cwd or HOLE,
    ("php", "sys_get_temp_dir"): _constant("/tmp"),
    ("php", "escapeshellarg"): _first,
}
