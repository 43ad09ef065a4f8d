"""Computes what pure calls give on known arguments: text, bytes and encodings. Every result is bounded."""

import base64
import binascii
import codecs
import posixpath
import re
import shlex
import textwrap
import urllib.parse
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from checkrail.model import HOLE
from checkrail.readers.locate import known
from checkrail.readers.python.values import CONSTANTS, UNKNOWN

LIMIT = 200_000
"""Characters that a computed text may have."""

HOLE_SAFE = frozenset(
    {"replace", "strip", "lstrip", "rstrip", "lower", "upper", "format", "join", "encode", "removesuffix"}
)
"""Text methods whose result stays right where the text holds unknown parts."""

TEXT_METHODS = HOLE_SAFE | {
    "capitalize", "casefold", "swapcase", "title", "split", "rsplit", "splitlines", "partition", "rpartition", "removeprefix",
    "startswith", "endswith", "decode", "hex", "count", "find", "index", "isdigit", "translate",
}  # fmt: skip

ENCODINGS = frozenset(
    [
        "utf_8",
        "utf8",
        "ascii",
        "latin_1",
        "latin1",
        "iso_8859_1",
        "utf_16",
        "utf_16_le",
        "utf_16_be",
        "utf_32",
        "cp1252",
        "utf_8_sig",
        "hex",
        "hex_codec",
        "base64",
        "base64_codec",
        "rot13",
        "rot_13",
        "unicode_escape",
        "raw_unicode_escape",
        "uu",
        "quopri",
    ]
)
"""Encodings that take linear time."""

_WIDE = re.compile(r"\d{4,}|\*|\{[^{}]*\{")


def _inflate(data: bytes) -> bytes:
    return zlib.decompressobj(47).decompress(data, LIMIT)


def _decoded(data: Any, encoding: str = "utf-8", *_: Any) -> Any:
    name = encoding.replace("-", "_").lower()
    if name in {"zip", "zlib", "zlib_codec"}:
        return _inflate(data)
    return codecs.decode(data, name) if name in ENCODINGS else UNKNOWN


PURE: Mapping[str, Callable[..., Any]] = {
    "builtins.chr": chr,
    "builtins.ord": ord,
    "builtins.hex": hex,
    "builtins.int": int,
    "builtins.float": float,
    "builtins.repr": repr,
    "builtins.bytes": lambda *a: bytes(*a) if not (a and isinstance(a[0], int)) else UNKNOWN,
    "builtins.bytearray": lambda *a: bytes(*a) if not (a and isinstance(a[0], int)) else UNKNOWN,
    "builtins.abs": abs,
    "builtins.bool": bool,
    "builtins.str": str,
    "base64.b64decode": lambda data, *_: base64.b64decode(data),
    "base64.standard_b64decode": base64.b64decode,
    "base64.urlsafe_b64decode": base64.urlsafe_b64decode,
    "base64.b64encode": lambda data, *_: base64.b64encode(data),
    "base64.b32decode": base64.b32decode,
    "base64.b16decode": base64.b16decode,
    "base64.b85decode": base64.b85decode,
    "base64.a85decode": base64.a85decode,
    "base64.decodebytes": base64.decodebytes,
    "binascii.unhexlify": binascii.unhexlify,
    "binascii.a2b_hex": binascii.a2b_hex,
    "binascii.a2b_base64": binascii.a2b_base64,
    "binascii.hexlify": lambda data: binascii.hexlify(data),
    "codecs.decode": _decoded,
    "codecs.encode": lambda text, encoding="utf-8": codecs.encode(text, encoding),
    "zlib.decompress": lambda data, *_: _inflate(data),
    "gzip.decompress": _inflate,
    "builtins.bytes.fromhex": bytes.fromhex,
    "builtins.bytearray.fromhex": bytes.fromhex,
    "shlex.split": lambda text, *_: shlex.split(text),
    "shlex.quote": shlex.quote,
    "textwrap.dedent": textwrap.dedent,
    "urllib.parse.unquote": urllib.parse.unquote,
    "urllib.parse.quote": urllib.parse.quote,
    "urllib.parse.urljoin": urllib.parse.urljoin,
    "os.path.expandvars": lambda text: text if "$" not in text else HOLE,
    "os.fsencode": lambda text: text.encode(),
    "os.fsdecode": lambda data: data.decode() if isinstance(data, bytes) else data,
    "os.fspath": lambda text: text,
    "os.path.dirname": posixpath.dirname,
    "os.path.basename": posixpath.basename,
    "os.path.normpath": posixpath.normpath,
    "os.path.split": posixpath.split,
    "os.path.splitext": posixpath.splitext,
    "os.path.join": posixpath.join,
}  # fmt: skip

_PATHS = frozenset(name for name in PURE if name.startswith("os.path.") or name == "os.fspath")


def fold_call(name: str, arguments: tuple[Any, ...]) -> Any:
    """The result of a pure function on constants; UNKNOWN where it cannot be computed here."""
    function = PURE.get(name)
    if function is None or not all(_plain(argument) for argument in arguments):
        return UNKNOWN
    if name not in _PATHS and not all(_known(argument) for argument in arguments):
        return UNKNOWN
    return bounded(function, arguments)


def fold_method(receiver: Any, name: str, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """The result of a text or bytes method on constants."""
    if name not in TEXT_METHODS or not isinstance(receiver, (str, bytes)) or not hasattr(receiver, name):
        return UNKNOWN
    if not _known(receiver) and name not in HOLE_SAFE:
        return UNKNOWN
    if name == "format":
        return fold_format(receiver, arguments, keywords) if isinstance(receiver, str) else UNKNOWN
    if name == "encode" and not _known(receiver):
        return receiver
    if name == "decode":
        return bounded(_decoded, (receiver, *arguments))
    if name == "replace" and not _small_replacement(receiver, arguments):
        return UNKNOWN
    if not all(_plain(argument) for argument in (*arguments, *keywords.values())):
        return UNKNOWN
    return bounded(getattr(receiver, name), arguments, keywords)


def fold_format(template: str, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """``str.format``; unknown arguments leave HOLEs."""
    if _WIDE.search(template) or len(template) > LIMIT // 10:
        return HOLE
    values = [_shown(argument) for argument in arguments]
    named = {key: _shown(value) for key, value in keywords.items()}
    found = bounded(template.format, tuple(values), named)
    return HOLE if found is UNKNOWN else found


def fold_percent(template: Any, value: Any) -> Any:
    """The ``%`` operator on text; unknown arguments leave HOLEs."""
    if not isinstance(template, str) or _WIDE.search(template):
        return UNKNOWN
    if isinstance(value, dict):
        return bounded(lambda: template % {key: _shown(item) for key, item in value.items()}, (), fallback=HOLE)
    values = value if isinstance(value, tuple) else (value,)
    if any(not _known(item) or not _plain(item) for item in values):
        template = re.sub(r"%[-#0 +]*\d*(?:\.\d+)?[sdrifgxou]", "%s", template)
    return bounded(lambda: template % tuple(_shown(item) for item in values), (), fallback=HOLE)


def bounded(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any] | None = None,
    fallback: Any = UNKNOWN,
) -> Any:
    """Call a pure function on small arguments; the fallback where it fails or grows too large."""
    if sum(len(argument) for argument in arguments if isinstance(argument, (str, bytes))) > LIMIT // 4:
        return fallback
    if any(isinstance(argument, int) and abs(argument) > 1 << 40 for argument in arguments):
        return fallback
    try:
        result = function(*arguments, **(keywords or {}))
    except Exception:  # any fault of a pure call is the program's, and its result is then not known
        return fallback
    if isinstance(result, (str, bytes)) and len(result) > LIMIT:
        return fallback
    return result if isinstance(result, (*CONSTANTS, list, tuple)) else fallback


def _small_replacement(receiver: str | bytes, arguments: tuple[Any, ...]) -> bool:
    new = arguments[1] if len(arguments) > 1 else None
    return isinstance(new, (str, bytes)) and (len(receiver) + 1) * (len(new) + 1) < LIMIT * 10


def _plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(isinstance(item, (str, bytes, int)) for item in value)
    return isinstance(value, CONSTANTS)


def _known(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_known(item) for item in value)
    return not isinstance(value, str) or known(value)


def _shown(value: Any) -> Any:
    return value if isinstance(value, (str, int, float)) else HOLE
