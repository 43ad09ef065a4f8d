"""Takes secrets out of texts before anything shows or stores them.

Three kinds are known: tokens that carry a provider's prefix (``knowledge/secrets.toml``), values named by their key
(``password=…``, ``--token …``, ``"api_key": "…"``, ``Authorization: …``) and the password of a URL. Each pattern
starts with a literal and continues with bounded character classes, so that a scan takes linear time.
"""

import functools
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

REDACTED = "[redacted]"

_WORD = (
    r"(?:password|passwd|passphrase|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key|secret[_-]?key"
    r"|auth[_-]?key|credentials?|session[_-]?id|bearer)"
)
_KEYED = re.compile(
    rf"(?i)(?P<key>{_WORD}[\"']?[ \t]{{0,3}}(?:=|:(?!//)|=>)[ \t]{{0,3}}|(?<![a-z0-9-])--?[a-z0-9-]{{0,40}}{_WORD}(?:=|[ \t]{{1,3}}))"
    r"(?P<quote>[\"']?)(?P<value>(?![$<{\[%(-])[^\s\"'&;|,)}]{3,4096})"
)
_HEADER = re.compile(
    r"(?i)(?P<key>(?:proxy-)?authorization[\"']?[ \t]{0,3}[:=][ \t]{0,3}+[\"']?+(?:(?:bearer|basic|token|digest|apikey)[ \t]{1,3})?+"
    r"|x-[a-z0-9-]{0,40}(?:key|token|auth)[\"']?[ \t]{0,3}:[ \t]{0,3}[\"']?|(?:set-)?cookie:[ \t]{0,3})"
    r"(?P<value>(?![$<{%])[^\r\n\"']{3,8192})"
)
_URL = re.compile(r"(?P<key>[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@\"']{0,256}:)(?P<value>(?!\$)[^\s/@\"']{1,512})(?=@)")
_USER = re.compile(
    r"(?P<key>(?<!\S)(?:-u|--user)(?:=|[ \t]{1,3})[\"']?[^\s:\"'$]{1,256}:)(?P<value>(?!\$)[^\s\"']{1,512})"
)
_BLOCK = re.compile(r"(?P<key>-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)(?P<value>[^-]{1,65536})")


class Token(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of prefixed token; see ``knowledge/secrets.toml``."""

    id: str
    prefix: str
    rest: str
    least: int
    example: tuple[str, ...]
    near: tuple[str, ...]
    most: int | None = None
    needles: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    def pattern(self) -> str:
        """The token as a regular expression that ends where its alphabet ends."""
        most = self.most if self.most is not None else 4096
        return rf"{self.prefix}[{self.rest}]{{{self.least},{most}}}" + (rf"(?![{self.rest}])" if self.most else "")


class Variable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Environment variables that hold a secret, and the domains it belongs to; see ``knowledge/secrets.toml``."""

    names: tuple[str, ...]
    hosts: tuple[str, ...]


class _Secrets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    token: tuple[Token, ...]
    variable: tuple[Variable, ...]


@functools.cache
def _secrets() -> _Secrets:
    path = Path(__file__).with_name("knowledge") / "secrets.toml"
    return msgspec.convert(tomllib.loads(path.read_text()), _Secrets)


def load_tokens() -> tuple[Token, ...]:
    """The token kinds of ``knowledge/secrets.toml``. Raises msgspec.ValidationError where the file is wrong."""
    return _secrets().token


@functools.cache
def _owners() -> dict[str, tuple[str, ...]]:
    return {name: row.hosts for row in _secrets().variable for name in row.names}


_SECRET_NAME = re.compile(
    r"(?i)(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|SECRET_KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS?)$|_PASS$"
)


def names_a_secret(variable: str) -> bool:
    """Whether an environment variable holds a secret, by its name."""
    return variable in _owners() or _SECRET_NAME.search(variable) is not None


def goes_astray(variable: str, host: str) -> bool:
    """Whether what a variable holds has nothing to do at a host; False where it is not known whose secret it is."""
    known = _owners().get(variable)
    return known is not None and not any(host == owner or host.endswith("." + owner) for owner in known)


@functools.cache
def token_pattern() -> re.Pattern[str]:
    """Any prefixed token, not in the middle of a longer word; an escape such as ``%3D`` or ``\\n`` is no part of a word."""
    start = r"(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f][0-9A-Fa-f])|(?<=\\[nrt]))"
    return re.compile(start + r"(?:" + "|".join(token.pattern() for token in load_tokens()) + ")")


@functools.cache
def _kinds() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    return tuple((re.compile(token.pattern()), token.hosts) for token in load_tokens())


def owners(secret: str) -> tuple[str, ...]:
    """The domains of a prefixed token's provider; empty where that may be anyone."""
    return next((owners for pattern, owners in _kinds() if pattern.match(secret)), ())


def belongs(secret: str, host: str) -> bool:
    """Whether a prefixed token may log in at a host: one of its provider's, or any where the provider may be anyone."""
    known = owners(secret)
    return not known or any(host == owner or host.endswith("." + owner) for owner in known)


_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:\\r|\\n|\s){0,4}(?:[A-Za-z0-9+/=]{20,80}(?:\\r|\\n|\s){1,4}){3,400}"
)


def holds_secret(text: str) -> bool:
    """Whether a text holds a token of a known kind or a private key itself."""
    return token_pattern().search(text) is not None or ("-----BEGIN" in text and _KEY_BLOCK.search(text) is not None)


@functools.cache
def needles() -> tuple[str, ...]:
    """Texts of which one occurs in everything that :func:`token_pattern` finds; looking for them first is far cheaper."""
    return tuple(needle for token in load_tokens() for needle in token.needles or (token.prefix.replace("\\", ""),))


_NAMED: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (_BLOCK, ("-----begin",)),
    (_HEADER, ("authorization", "cookie", "x-")),
    (_KEYED, ("passw", "passphrase", "secret", "token", "key", "credential", "session", "bearer")),
    (_URL, ("@",)),
    (_USER, ("-u",)),
)
"""Patterns, each with lower-case texts of which one occurs in everything that it finds."""

Shown = Callable[[str], str]
"""What stands for a secret."""


def _replaced(text: str, shown: Shown) -> str:
    def named(match: re.Match[str]) -> str:
        groups = match.groupdict()
        return f"{groups['key']}{groups.get('quote') or ''}{shown(groups['value'])}"

    if any(needle in text for needle in needles()):
        text = token_pattern().sub(lambda match: shown(match[0]), text)
    lower = text.lower()
    for pattern, words in _NAMED:
        if any(word in lower for word in words):
            text = pattern.sub(named, text)
    return text


def named(text: str) -> list[str]:
    """The values in a text that stand under a name or in a place of secrets, as :func:`redact` would replace them."""
    lower = text.lower()
    searched = (pattern for pattern, words in _NAMED if any(word in lower for word in words))
    return [match["value"] for pattern in searched for match in pattern.finditer(text)]


def redact(text: str) -> str:
    """``text`` with each secret that is recognised replaced by ``[redacted]``."""
    return _short(text) if len(text) <= SHORT else _replaced(text, lambda _secret: REDACTED)


SHORT = 80
"""Characters up to which answers are kept: names of tools, folders and rules come with every call."""


@functools.lru_cache(4096)
def _short(text: str) -> str:
    return _replaced(text, lambda _secret: REDACTED)


def masked(text: str) -> str:
    """Like :func:`redact`, character for character, so that positions still hold."""
    return _replaced(text, lambda secret: "*" * len(secret))


_SECRET_KEY = re.compile(rf"(?i)(?:^|[._-]|[a-z]){_WORD}$|^(?:authorization|cookie|pwd)$")


def redact_value(value: Any, text: Callable[[str], str] = redact) -> Any:
    """A JSON value with its strings redacted by ``text``; a string under a key, or after an option, that names a secret
    goes whole."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict):
        return {text(key): _under(key, child, text) for key, child in value.items()}
    if isinstance(value, list | tuple):
        before = ("", *value)
        return [_under(before[at] if _option(before[at]) else "", child, text) for at, child in enumerate(value)]
    return value


def _option(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("-") and len(value) < 100


def _under(key: str, value: Any, text: Callable[[str], str]) -> Any:
    return REDACTED if isinstance(value, str) and value and _SECRET_KEY.search(key) else redact_value(value, text)
