"""Files of ``NAME=value`` lines (``.env``) of which a command shows only the names, a number, or values that are no secret.

``cut -d= -f1 .env`` prints no value, ``grep -c . .env`` a number, ``grep '^PORT=' .env`` a port. The forms are few and plain on purpose:
whatever is not one of them reads the file as any other command does.
"""

import posixpath
import re
from typing import TYPE_CHECKING

from checkrail.model import HOLE, SOME
from checkrail.readers.shell import words
from checkrail.readers.shell.grammar import tree

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator

CAP = 65_536
"""Bytes of a file that is looked through for lines of another kind."""

_FILE = re.compile(r"\.env(?:\.[\w.-]+)?|\.envrc|[\w-]+\.env")
_LINE = re.compile(r"\s*(?:#.*|(?:export\s+)?[A-Za-z_][\w.-]*\s*=.*)?")

_NAME = r"(?:export )?[A-Za-z_][A-Za-z0-9_]*"
_NAMES = re.compile(rf"(\^?)\(?((?:\^?{_NAME}=?)(?:\\?\|\^?{_NAME}=?)*)\)?(=?)(?:\.|\.\+|\.\*)?")
_ANY = frozenset(("", ".", "=", "^#", "^$", "^[^#]"))
_SPELLED = re.compile(r"[A-Z]+(?:_[A-Z]+)+")
"""A name that needs no anchor: a value is hardly ever written so, which a search would tell piece by piece."""
_ONLY_NAMES = re.compile(r"\^(?:\[\^=\]|\[[A-Za-z0-9_-]+\]|\\w)(?:\*|\\?\+)=?")
"""What ``grep -o`` may print: the beginning of a line up to the equals sign."""
_HARMLESS = frozenset(
    ("port", "host", "hostname", "env", "environment", "mode", "debug", "level", "region", "zone", "timeout", "locale", "lang", "tz", "timezone", "version", "enabled", "workers", "threads", "concurrency", "retries", "verbose")
)  # fmt: skip
"""Last words of names whose values are no secret."""

_AWK = re.compile(r"(?:(?:!?/\^?[#\w$. \[\]-]*/|NF|NF>1|!/\^#/ ?&& ?NF)\s*)?\{\s*print \$1\s*;?\s*\}")
_SED = re.compile(r"(?:/[^/]*/d;? ?)*s(?P<mark>[/|#,])=\.\*(?P=mark)[^&\\;]*(?P=mark)[gp]*")

_SEARCHERS = frozenset(("grep", "egrep", "fgrep", "ggrep", "rg"))
_FEEDERS = frozenset(("cat", "grep", "egrep", "rg", "head", "tail"))
"""Commands that may stand before such a filter: all that they print goes into it."""
_FED = re.compile(rf"-[vEhisn]+|-?\d+|[^-{HOLE}{SOME}][^{HOLE}{SOME}]*")
"""What they may be given: plain words, and options that only choose lines. Nothing that could fail with a value in its message."""


def spared(path: str, run: "Evaluator") -> bool:
    """Whether a file is one of names and values, as far as it can be seen: no value goes over several lines."""
    if not _FILE.fullmatch(posixpath.basename(path)):
        return False
    host = run.around.host
    held = host.read(path, CAP)
    if held is None:
        return host.lstat(path) is None
    return all(_LINE.fullmatch(line) for line in held.decode("utf-8", "replace").splitlines())


def shows_names(name: str, texts: list[str]) -> bool:
    """Whether a command line prints nothing of a line but its name, a number, or a harmless value."""
    if any(HOLE in text or SOME in text for text in texts):
        return False
    if name == "wc":
        return not any(text.startswith("--files0") for text in texts)
    if name == "cut":
        return _cut(texts)
    if name in ("awk", "gawk", "mawk"):
        return _after(texts, ("-F=", "-F:=", "-F"), _AWK)
    if name in ("sed", "gsed"):
        return _sed(texts)
    return name in _SEARCHERS and _grep(texts)


def _cut(texts: list[str]) -> bool:
    given = " ".join(text for text in texts[:4] if text.startswith("-") or text in ("=", "1"))
    return re.match(r"(?:-d ?= -f ?1|-f ?1 -d ?=)(?: |$)", given) is not None and given.count("-") == 2


def _after(texts: list[str], options: tuple[str, ...], script: re.Pattern[str]) -> bool:
    if not texts or texts[0] not in options:
        return False
    rest = texts[1:]
    if texts[0] == "-F":
        if rest[:1] != ["="]:
            return False
        rest = rest[1:]
    return bool(rest) and script.fullmatch(rest[0]) is not None and not any(text.startswith("-") for text in rest)


def _sed(texts: list[str]) -> bool:
    rest = [text for text in texts if text not in ("-E", "-r", "-n", "-e")]
    return bool(rest) and _SED.fullmatch(rest[0]) is not None and not any(text.startswith("-") for text in rest)


def _grep(texts: list[str]) -> bool:
    flags = "".join(text[1:] for text in texts if text[:1] == "-" and text[:2] != "--")
    long = {text for text in texts if text.startswith("--")} - {"--color=never", "--no-messages"}
    rest = [text for text in texts if not text.startswith("-")]
    counts = {"--count", "--quiet", "--silent", "--only-matching"}
    if not rest or long - counts or not set(flags) <= set("cqoniEhHswPSFx"):
        return False
    if "o" in flags or "--only-matching" in long:
        return _ONLY_NAMES.fullmatch(rest[0]) is not None
    if set(flags) & {"c", "q"} or long:
        return _counted(rest[0])
    return _harmless(rest[0], whole="w" in flags)


def _names(pattern: str, *, whole: bool = False) -> list[tuple[str, bool]]:
    """The names that a pattern looks for, each with whether nothing else can be meant; empty where it looks for something else."""
    found = _NAMES.fullmatch(re.sub(r"\(export(?: |\\s\+)\)\?", "", pattern))
    if found is None:
        return []
    anchored = whole or bool(found[1] or found[3])
    parts = re.split(r"\\?\|", found[2])
    return [(part.strip("^=").removeprefix("export "), anchored or part[0] == "^" or part[-1] == "=") for part in parts]


def _counted(pattern: str) -> bool:
    """Whether a search tells only which names there are, or how many lines."""
    if pattern in _ANY:
        return True
    names = _names(pattern)
    return bool(names) and all(exact or _SPELLED.fullmatch(name) for name, exact in names)


def _harmless(pattern: str, *, whole: bool) -> bool:
    """Whether only lines are printed whose names end in a harmless word: ``^PORT=``, ``BACKEND_PORT``, ``(HOST|PORT)=``."""
    names = _names(pattern, whole=whole)
    return bool(names) and all(
        name.lower().rpartition("_")[2] in _HARMLESS and (exact or "_" in name) for name, exact in names
    )


def feeds(command: tree.AnyCommand, following: tree.AnyCommand, run: "Evaluator") -> bool:
    """Whether all that a command of a pipeline prints goes into one that shows only names."""
    for node in (command, following):
        if type(node) is not tree.Simple or node.assignments or not node.words:
            return False
    if not all(_discards(redirect) for redirect in command.redirects):
        return False
    name, *rest = _plain(command)
    if name not in _FEEDERS or following.redirects or not all(_FED.fullmatch(text) for text in rest):
        return False
    filter_name, *filter_texts = _plain(following)
    named = (name, filter_name)
    return not any(word in run.state.functions or word in run.state.aliases for word in named) and shows_names(
        filter_name, filter_texts
    )


def _discards(redirect: tree.Redirect) -> bool:
    return redirect.op in (">", "&>") and redirect.target is not None and words.literal(redirect.target) == "/dev/null"


def _plain(node: tree.AnyCommand) -> list[str]:
    """The words of a simple command, HOLE for each that is no plain text."""
    return [text if (text := words.literal(word)) is not None else HOLE for word in getattr(node, "words", ())]
