"""Fuzz targets for the files and lines that Checkrail reads: archives, lock files, logs, stores, messages, paths."""

import base64
import functools
import io
import json
import sqlite3
import tarfile
import tempfile
from pathlib import Path

from checkrail import jsonc
from checkrail.admission import captured, pins
from checkrail.approvals.rows import Asked
from checkrail.approvals.store import Store, StoreProblem
from checkrail.audit import chain, records
from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.facts.paths import describe
from checkrail.install import json_text
from checkrail.plugins import front_matter, settings, strict_json, unpack
from checkrail.proxy import messages
from checkrail.redaction import redact
from tests.fuzz.target import Broken, Target, judged, seeds, stopped

KEY = b"k" * 32
ASKED = Asked(
    authorization="a" * 64, classification="c", agent="claude", subagent="", session="s", cwd="/work/app", tool="Bash", summary="rm -rf src", whole="rm -rf src",
    findings=("deletes src",),
)  # fmt: skip
NOW = 1_800_000_000.0


@functools.cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="checkrail-fuzz-"))


def _bytes(text: str) -> bytes:
    return text.encode("latin-1", errors="replace")


def archives(text: str) -> None:
    """An archive is refused, or gives plain files below its folder."""
    try:
        tree = unpack.tarball(_bytes(text))
    except unpack.Refused:
        return
    for name in tree:
        if name.startswith("/") or ".." in name.split("/"):
            raise Broken(f"a file outside of its archive: {name!r}")


def json_documents(text: str) -> None:
    """Strict, with comments, and as a plugin's settings: understood or refused by name; comments move no offset."""
    raw = text.encode(errors="surrogatepass")
    for read, refusals in (
        (lambda: strict_json.decode(raw), (strict_json.Malformed,)),
        (lambda: settings.parse(raw), (settings.SettingsError,)),
        (lambda: json_text.parse(text, "/p", comments=True), (json_text.SettingsError,)),
    ):
        try:
            read()
        except refusals:
            pass
    if len(jsonc.plain(text)) != len(text):
        raise Broken("an offset has moved")


def front_matters(text: str) -> None:
    """A skill's head is read or said to be unreadable."""
    try:
        head, _ = front_matter.split(text)
        front_matter.fields(head)
    except front_matter.Unreadable:
        pass


def locks(text: str) -> None:
    """A lock file is taken or refused; what is written is read again."""
    path = _folder() / "lock.json"
    path.write_bytes(text.encode(errors="surrogatepass"))
    try:
        lock = pins.load(path)
    except pins.LockError:
        return
    pins.save(path, lock)
    if pins.load(path) != lock:
        raise Broken("a lock that is read otherwise the second time")


def lists(text: str) -> None:
    """Each line of a list of tools is a definition or named as broken, and none is left out."""
    lines = [line for line in text.encode(errors="surrogatepass").split(b"\n") if line.strip()]
    found = list(captured.read(lines))
    if len(found) != len(lines):
        raise Broken(f"{len(lines)} lines, {len(found)} entries")


def mcp_messages(text: str) -> None:
    """A line between client and server is a message or refused."""
    try:
        messages.read(text.encode(errors="surrogatepass"))
    except (messages.Malformed, UnicodeError):
        pass


def audit_lines(text: str) -> None:
    """A line of the log is read or not; one that was changed is not the one that was sealed."""
    raw = text.encode(errors="surrogatepass")
    records.record(raw)
    records.whole(raw)
    opened = chain.opened(KEY, raw)
    if opened is not None and opened[1] and raw.strip() not in map(bytes.strip, _sealed()):
        raise Broken("a line that nobody sealed passes for one")


@functools.cache
def _sealed() -> tuple[bytes, ...]:
    link, lines = chain.Link(), []
    for number in range(3):
        line, link = chain.sealed(KEY, {"kind": "verdict", "tool": "Bash", "number": number, "text": "é \\n"}, link)
        lines.append(line)
    return tuple(lines)


def approvals(text: str) -> None:
    """A store that was changed gives no yes to what nobody approved; it is read, refused or void."""
    folder = _folder() / "approvals"
    folder.mkdir(mode=0o700, exist_ok=True)
    _store(folder)
    path = next(path for path in folder.iterdir() if path.suffix in (".db", ".sqlite", ".sqlite3"))
    path.write_bytes(_bytes(text))
    for left in (path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        left.unlink(missing_ok=True)
    store = Store(str(folder))
    try:
        if store.take("never approved", now=NOW) is not None:
            raise Broken("a yes to what nobody approved")
        store.waiting(now=NOW)
        store.get(1)
    except (StoreProblem, sqlite3.Error):
        pass
    finally:
        store.close()
        path.unlink(missing_ok=True)


def _store(folder: Path) -> bytes:
    store = Store(str(folder))
    store.ask(ASKED, now=NOW, lifetime=60)
    store.close()
    return next(path for path in folder.iterdir() if path.suffix in (".db", ".sqlite", ".sqlite3")).read_bytes()


def _stores() -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "a")
        place.mkdir(mode=0o700)
        return (_store(place).decode("latin-1"),)


def paths(text: str) -> None:
    """Any path is described; a file behind a system folder stays one; no spelling of a deletion of everything passes."""
    around = Surroundings(host=FrozenHost(), home="/home/dev", workspace="/work/app", cwd="/work/app")
    describe(text, around)
    plain = text.replace("/", "").replace("..", "").replace("\0", "").strip(".") or "x"
    judged("Read", {"file_path": text})
    if "\n" not in plain:
        stopped(judged("Write", {"file_path": f"/etc/{plain}", "content": "x"}), "a write to a system folder")
    quoted = "'" + text.replace("'", "'\\''") + "'"
    if "\0" not in text:
        stopped(judged("Bash", {"command": f"rm -rf -- / {quoted}"}), "a deletion with one more path")


def redactions(text: str) -> None:
    """A token is taken out whatever stands around it, and a second look changes nothing."""
    token = "ghp_" + "a1B2" * 9
    shown = redact(f"{text}\n{token}\n{text}")
    if token in shown:
        raise Broken("a token is shown")


def _archive(names: dict[str, bytes]) -> str:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as archive:
        for name, content in names.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return out.getvalue().decode("latin-1")


def _archives() -> tuple[str, ...]:
    return (
        _archive({"p/plugin.json": b"{}", "p/skills/a/SKILL.md": b"---\nname: a\n---\n"}),
        _archive({"p/../x": b"x"}),
    )


JSON = ("{", "}", "[", "]", '"', ":", ",", "null", "1e999", "//", "/*", "*/", "\n", '"a"', '"\\ud800"', "-0", "1" * 5000, "\ufeff", "NaN", '{"a":' * 60)  # fmt: skip
TOOL = {
    "server": "s",
    "tool": {"name": "read", "description": "Reads a file.", "inputSchema": {"type": "object", "properties": {}}},
}
LOCK = {"version": pins.VERSION, "servers": {"s": {}}, "quarantined": []}

TARGETS = (
    Target("archives", archives, _archives, ("\0", "\x1f\x8b", "ustar", "../", "\xff\xff", "0000644", "L", "x", "\0" * 512)),
    Target("json", json_documents, seeds('{"a": [1, "b", null]} // c\n', '{"sources": [], "x": {"y": 1e3,}}', '/* a */ {"b": "/* no */"}'), JSON),
    Target("front-matter", front_matters, seeds("---\nname: a\ndescription: b\n---\ntext", "---\na: [1, {b: c}]\nd: &x 1\ne: *x\n---\n"), ("---\n", ": ", "- ", "&a ", "*a", "!!python/object", "{", "}", "[", "|", ">", "\t", "<<: ", "? ", "\n ")),
    Target("lock", locks, seeds(json.dumps(LOCK), '{"version": 9}'), (*JSON, '"version"', '"servers"', "9")),
    Target("lists", lists, seeds(json.dumps(TOOL) + "\n" + json.dumps({"tool": {}}), '{"tool": {"name": 1}}\nnot json\n'), (*JSON, '"tool"', '"server"', "\n")),
    Target("mcp-messages", mcp_messages, seeds('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{}}}', '{"jsonrpc":"2.0","id":"x","result":{"tools":[]}}', '{"jsonrpc":"2.0","method":"n"}'), (*JSON, '"id"', '"method"', '"result"', '"error"', '"jsonrpc":"2.0"')),
    Target("audit-lines", audit_lines, lambda: tuple(line.decode() for line in _sealed()), (*JSON, '"mac"', '"number"', "0", "a")),
    Target("approvals", approvals, _stores, ("SQLite format 3\0", "\0", "\xff", "approved", "x", "CREATE TABLE", "\0\0\0\1", base64.b64encode(KEY).decode())),
    Target("paths", paths, seeds("/etc/passwd", "~/.ssh/id_rsa", "../../../etc", "./a/./b//c/..", "/proc/self/root/etc", "C:\\Windows", "/dev/sda", "*/[a-z]?"), ("/", "..", ".", "~", "*", "?", "[", "]", "{a,b}", "//", "/proc/self/cwd", "$HOME", "\\", "/etc", "/dev/fd/3", "%2f", "~root")),
    Target("redaction", redactions, seeds("export TOKEN=abc", "https://u:p@h/x", "-----BEGIN PRIVATE KEY-----", "AKIAIOSFODNN7EXAMPLE"), ("=", ":", " ", '"', "'", "token", "password", "://", "@", "\n", "ghp_", "sk-", "Bearer ", "eyJ", "-----BEGIN")),
)  # fmt: skip
