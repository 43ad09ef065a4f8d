"""What the variables of a script are given, and what it imports: found once, whatever the order of running."""

from collections.abc import Sequence

from checkrail.model import HOLE
from checkrail.readers.script.lexer import Token
from checkrail.readers.script.state import State
from checkrail.readers.script.tokens import CLOSE, OPEN, canonical, chain, closing, split

BUILT_IN = {
    "node": frozenset(
        [
            "assert",
            "async_hooks",
            "buffer",
            "child_process",
            "cluster",
            "console",
            "constants",
            "crypto",
            "dgram",
            "diagnostics_channel",
            "dns",
            "domain",
            "events",
            "fs",
            "fs/promises",
            "http",
            "http2",
            "https",
            "inspector",
            "module",
            "net",
            "os",
            "path",
            "perf_hooks",
            "process",
            "punycode",
            "querystring",
            "readline",
            "repl",
            "stream",
            "stream/promises",
            "string_decoder",
            "timers",
            "timers/promises",
            "tls",
            "tty",
            "url",
            "util",
            "v8",
            "vm",
            "wasi",
            "worker_threads",
            "zlib",
            "test",
        ]
    ),
    "ruby": frozenset(
        [
            "json",
            "yaml",
            "set",
            "time",
            "date",
            "fileutils",
            "pathname",
            "tempfile",
            "tmpdir",
            "open-uri",
            "net/http",
            "uri",
            "socket",
            "csv",
            "erb",
            "digest",
            "digest/md5",
            "digest/sha2",
            "base64",
            "securerandom",
            "ostruct",
            "optparse",
            "open3",
            "pp",
            "logger",
            "stringio",
            "bigdecimal",
            "benchmark",
            "timeout",
            "shellwords",
            "zlib",
            "etc",
            "English",
            "find",
            "forwardable",
        ]
    ),
    "perl": frozenset(
        [
            "strict",
            "warnings",
            "utf8",
            "feature",
            "lib",
            "vars",
            "constant",
            "File::Path",
            "File::Find",
            "File::Copy",
            "File::Temp",
            "File::Basename",
            "File::Spec",
            "File::Slurp",
            "Cwd",
            "Data::Dumper",
            "List::Util",
            "Scalar::Util",
            "POSIX",
            "Time::HiRes",
            "Time::Local",
            "Getopt::Long",
            "IO::File",
            "IO::Handle",
            "IO::Socket",
            "IO::Socket::INET",
            "Socket",
            "JSON::PP",
            "Encode",
            "MIME::Base64",
            "Digest::MD5",
            "Digest::SHA",
            "LWP::Simple",
            "LWP::UserAgent",
            "HTTP::Tiny",
            "Storable",
            "Carp",
            "Text::Wrap",
            "Term::ANSIColor",
            "parent",
            "base",
            "integer",
            "bytes",
            "locale",
            "open",
            "overload",
            "sort",
            "threads",
            "version",
            "autodie",
            "English",
            "Fcntl",
            "Errno",
            "Config",
        ]
    ),
    "php": frozenset(),
}


def collect(state: State, tokens: Sequence[Token]) -> None:
    """Find what every variable is given, and what names are imported."""
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if following is None or token.kind not in ("name", "variable", "sign"):
            continue
        if following.kind == "sign" and following.text in ("=", "||=", "??=") and token.kind != "sign":
            _assignment(state, tokens, index)
        elif following.kind == "sign" and following.text in ("+=", ".=", "<<=") and token.kind != "sign":
            _appended(state, tokens, index)
        elif token.text in ("of", "in", "as") and token.kind == "name" and index:
            _loop(state, tokens, index)
        elif token.text == "import" and state.language == "node":
            _import(state, tokens, index)
        elif token.text in EACH and index and tokens[index - 1].text == ".":
            _each(state, tokens, index)
        elif (
            token.text in ("glob", "[")
            and index > 1
            and tokens[index - 1].text in (".", "Dir")
            and state.language == "ruby"
        ):
            _globbed(state, tokens, index)
        elif token.text in ("for", "foreach") and state.language == "perl":
            _perl_loop(state, tokens, index)
        elif token.text == "}" and following.text == "=" and state.language == "node":
            _destructured(state, tokens, index)


def expression_end(tokens: Sequence[Token], at: int) -> int:
    """Where an expression ends: at a comma, a closing bracket or the end of the statement."""
    depth = 0
    for index in range(at, min(len(tokens), at + 420)):
        token = tokens[index]
        if token.kind == "sign":
            depth += (token.text in OPEN) - (token.text in CLOSE)
            if depth < 0 or (depth == 0 and token.text == ","):
                return index
        if token.kind == "end" and depth == 0 and index > at:
            return index
    return min(len(tokens), at + 420)


def _assignment(state: State, tokens: Sequence[Token], index: int) -> None:
    end = expression_end(tokens, index + 2)
    value = list(tokens[index + 2 : end])
    name = tokens[index].text
    before = tokens[index - 1].text if index else ""
    if before in (".", "->", "::"):
        return
    state.assigned.setdefault(name, []).append(value)
    dotted, at = chain(value[1:] if value and value[0].text in ("await", "new") else value)
    if state.language == "node" and dotted and at >= len(value) - 1 and len(value) > 1:
        state.imported[name] = canonical(state, dotted)
    elif state.language == "node" and len(value) == 1 and value[0].kind == "name":
        state.imported[name] = canonical(state, value[0].text)


APPENDED_CAP = 200
"""Tokens of a value that is put together piece by piece."""


def _appended(state: State, tokens: Sequence[Token], index: int) -> None:
    """``x += y``: what it held with this behind it, or anything where the two meet in another order."""
    held = state.assigned.setdefault(tokens[index].text, [])
    added = list(tokens[index + 2 : expression_end(tokens, index + 2)])
    before = held[-1] if held else []
    joins = Token("sign", "." if state.language in ("perl", "php") else "+")
    held.append([Token("name", HOLE)])
    if before and len(before) + len(added) < APPENDED_CAP:
        held.append([*before, joins, *added])


def _loop(state: State, tokens: Sequence[Token], index: int) -> None:
    if tokens[index].text == "as":
        start = max((at for at in range(index) if tokens[at].text == "foreach"), default=0)
        value = list(tokens[start + 2 : index])
        target = tokens[index + 1].text
    else:
        target = tokens[index - 1].text
        value = list(tokens[index + 1 : expression_end(tokens, index + 1)])
    state.elements.setdefault(target, []).append(value)


EACH = frozenset({"each", "forEach", "map", "each_with_index", "flatMap"})


def _each(state: State, tokens: Sequence[Token], index: int) -> None:
    """``list.each { |x| … }`` and ``list.forEach(x => …)``."""
    at = index + 1
    while at < len(tokens) and at < index + 5 and tokens[at].text in ("(", "{", "|", "do", "async", "function"):
        at += 1
    if at >= len(tokens) or tokens[at].kind != "name":
        return
    start = index - 1
    while (
        start > 0
        and index - start < 200
        and tokens[start - 1].kind != "end"
        and tokens[start - 1].text not in ("=", "{", "=>")
    ):
        start -= 1
    state.elements.setdefault(tokens[at].text, []).append(list(tokens[start : index - 1]))


def _globbed(state: State, tokens: Sequence[Token], index: int) -> None:
    """``Dir.glob("x") { |f| … }``."""
    opening = index + 1 if tokens[index].text == "glob" else index
    if tokens[opening].text not in ("(", "["):
        return
    end = closing(tokens, opening)
    block = [token.text for token in tokens[end + 1 : end + 3]]
    if end + 3 < len(tokens) and block[0] in ("{", "do") and block[1] == "|":
        state.elements.setdefault(tokens[end + 3].text, []).append(list(tokens[index - 2 : end + 1]))


def _perl_loop(state: State, tokens: Sequence[Token], index: int) -> None:
    at = index + 1
    if at < len(tokens) and tokens[at].text == "my":
        at += 1
    name = "_"
    if at < len(tokens) and tokens[at].kind == "variable":
        name, at = tokens[at].text, at + 1
    if at < len(tokens) and tokens[at].text == "(":
        end = expression_end(tokens, at + 1)
        while end < len(tokens) and tokens[end].text == ",":
            end = expression_end(tokens, end + 1)
        state.elements.setdefault(name, []).append([tokens[at], *tokens[at + 1 : end], Token("sign", ")")])


def _import(state: State, tokens: Sequence[Token], index: int) -> None:
    """``import fs, {rm as r} from "fs"`` and its other forms."""
    source = next((at for at in range(index + 1, min(index + 60, len(tokens))) if tokens[at].kind == "string"), 0)
    if not source or tokens[index + 1].text == "(":
        return
    module = "".join(text for code, text in tokens[source].parts if not code).removeprefix("node:")
    foreign(state, module)
    names = tokens[index + 1 : source]
    inside = False
    for at, token in enumerate(names):
        inside = token.text == "{" or (inside and token.text != "}")
        if token.kind != "name" or token.text in ("from", "as", "type", "default"):
            continue
        renamed = at > 1 and names[at - 1].text == "as"
        original = names[at - 2].text if renamed else token.text
        state.imported[token.text] = f"{module}.{original}" if inside and original not in ("*", "default") else module


def _destructured(state: State, tokens: Sequence[Token], index: int) -> None:
    """``const {rmSync: r} = require("fs")``."""
    end = expression_end(tokens, index + 2)
    dotted, _ = chain([token for token in tokens[index + 2 : end] if token.text != "await"])
    start = max((at for at in range(max(0, index - 80), index) if tokens[at].text == "{"), default=index)
    module = canonical(state, dotted)
    for part in split(tokens[start + 1 : index]):
        names = [token.text for token in part if token.kind == "name"]
        if names and module:
            state.imported[names[-1]] = f"{module}.{names[0]}"


def foreign(state: State, module: str) -> None:
    """Note that a module runs which is not the language's own."""
    state.modules.add(module)
    if module not in BUILT_IN[state.language]:
        state.opaque[f"the module {module}"] = None
