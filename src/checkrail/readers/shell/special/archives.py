"""Archives: what is packed (read), what is unpacked (written, by place), and options that run programs."""

import posixpath
from typing import TYPE_CHECKING

import msgspec

from checkrail.model import SOME
from checkrail.readers.shell import effects
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

SHORT_VALUES = frozenset("fCTXbIFgLKNVH")
"""Letters of tar that take a value."""

LONG_VALUES = frozenset(
    (
        *("file", "directory", "files-from", "exclude-from", "blocking-factor", "use-compress-program", "info-script"),
        *(
            "new-volume-script",
            "listed-incremental",
            "tape-length",
            "starting-file",
            "newer",
            "after-date",
            "label",
            "format",
        ),
        *(
            "to-command",
            "checkpoint-action",
            "rsh-command",
            "rmt-command",
            "index-file",
            "transform",
            "xform",
            "exclude",
        ),
        *(
            "strip-components",
            "owner",
            "group",
            "mode",
            "mtime",
            "sort",
            "add-file",
            "level",
            "volno-file",
            "record-size",
        ),
        *(
            "exclude-tag",
            "exclude-ignore",
            "owner-map",
            "group-map",
            "pax-option",
            "suffix",
            "quoting-style",
            "warning",
        ),
        *("newer-mtime", "occurrence-of", "hole-detection", "xattrs-include", "xattrs-exclude"),
    )
)
RUNS = frozenset(
    ("to-command", "use-compress-program", "info-script", "new-volume-script", "rsh-command", "rmt-command")
)
LONG_FLAGS = frozenset(
    (
        *(
            "create",
            "extract",
            "get",
            "list",
            "append",
            "update",
            "delete",
            "diff",
            "compare",
            "catenate",
            "concatenate",
        ),
        *(
            "remove-files",
            "to-stdout",
            "absolute-names",
            "verbose",
            "gzip",
            "gunzip",
            "bzip2",
            "xz",
            "zstd",
            "lzma",
            "lzip",
        ),
        *("keep-old-files", "overwrite", "unlink-first", "recursive-unlink", "overwrite-dir", "same-owner", "null"),
        *(
            "preserve-permissions",
            "no-same-owner",
            "no-recursion",
            "checkpoint",
            "auto-compress",
            "dereference",
            "totals",
        ),
        *(
            "exclude-vcs",
            "exclude-caches",
            "one-file-system",
            "one-top-level",
            "test-label",
            "numeric-owner",
            "wildcards",
        ),
    )
)
LONGS = tuple(sorted(LONG_VALUES | LONG_FLAGS))
MODES = {"c": "create", "x": "extract", "t": "list", "r": "append", "u": "append", "A": "append", "d": "list"}
LONG_MODES = {
    "create": "create",
    "extract": "extract",
    "get": "extract",
    "list": "list",
    "append": "append",
    "update": "append",
    "concatenate": "append",
    "catenate": "append",
    "delete": "append",
    "diff": "list",
    "compare": "list",
}


class _Tar(msgspec.Struct):
    """A tar command line, taken apart."""

    mode: str = ""
    flags: set[str] = set()
    values: list[tuple[str, Field]] = []
    operands: list[Field] = []

    def value(self, *names: str) -> Field | None:
        return next((field for name, field in reversed(self.values) if name in names), None)


def _parse(arguments: tuple[Field, ...]) -> _Tar:
    """Options as tar reads them: a first word without a dash, bundles, long options and their prefixes."""
    found = _Tar()
    pending: list[Field] = list(arguments)
    if pending and pending[0].text and not pending[0].text.startswith("-"):
        letters = pending.pop(0)
        for letter in letters.text:
            if letter in SHORT_VALUES and pending:
                found.values.append((letter, pending.pop(0)))
            _letter(letter, found)
    while pending:
        field = pending.pop(0)
        text = field.text
        if text == "--":
            found.operands.extend(pending)
            break
        if text.startswith("--"):
            _long(field, pending, found)
        elif text.startswith("-") and len(text) > 1:
            _bundle(field, pending, found)
        else:
            found.operands.append(field)
    return found


def _letter(letter: str, found: _Tar) -> None:
    found.flags.add(letter)
    if letter in MODES:
        found.mode = MODES[letter]


def _bundle(field: Field, pending: list[Field], found: _Tar) -> None:
    text = field.text
    for index in range(1, len(text)):
        letter = text[index]
        _letter(letter, found)
        if letter in SHORT_VALUES:
            if index + 1 < len(text):
                found.values.append((letter, field.tail(index + 1)))
            elif pending:
                found.values.append((letter, pending.pop(0)))
            return


def _long(field: Field, pending: list[Field], found: _Tar) -> None:
    given, equals, _ = field.text[2:].partition("=")
    name = given if given in LONGS else next((long for long in LONGS if long.startswith(given)), given)
    if equals:
        found.values.append((name, field.tail(len(given) + 3)))
    elif name in LONG_VALUES and pending:
        found.values.append((name, pending.pop(0)))
    found.flags.add(name)
    found.mode = LONG_MODES.get(name, found.mode)


def tar(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``tar``: see the module. Unpacking writes below the folder given with ``-C``, else here."""
    found = _parse(call.arguments)
    _tar_runs(found, call, path)
    for name, field in found.values:
        if name == "index-file":
            effects.path("write", field, call, path)
        elif name in ("T", "X", "files-from", "exclude-from"):
            effects.path("read", field, call, path)
    archive = found.value("f", "file")
    remote = archive is not None and ":" in archive.text.split("/", 1)[0] and "force-local" not in found.flags
    if remote and archive is not None:
        effects.role("host", msgspec.structs.replace(archive, text=archive.text.split(":")[0]), call, path)
    elif archive is not None:
        writes = found.mode in ("create", "append")
        effects.path("write" if found.mode == "create" else "edit" if writes else "read", archive, call, path)
    folder = found.value("C", "directory")
    if folder is not None:
        call.enter(call.path(folder))
    if found.mode in ("create", "append"):
        for field in found.operands:
            effects.path("read", field, call, path, recursive=True)
            if "remove-files" in found.flags:
                effects.path("delete", field, call, path, recursive=True)
    elif found.mode == "extract" and not found.flags & {"O", "to-stdout"}:
        _unpacks(call, path, folder)
        if found.flags & {"P", "absolute-names"}:
            effects.named(
                "loses",
                call,
                rule=f"{path}.absolute",
                reason="unpacks to wherever the archive says, outside this folder, too",
            )


def _tar_runs(found: _Tar, call: "Call", path: str) -> None:
    for name, field in found.values:
        if name in ("I", *RUNS) or (name == "F" and call.name != "bsdtar"):
            call.run.shell(field.text, field.span, f"tar {name}")
            if name not in ("I", "use-compress-program"):
                _runs(call, path, field.text)
        elif name == "checkpoint-action" and field.text.startswith("exec"):
            line = field.tail(field.text.find("=") + 1)
            call.run.shell(line.text, line.span, "tar --checkpoint-action")
            _runs(call, path, line.text)
        elif name in ("transform", "xform") and field.text.rstrip("0123456789gixrsSRhH").endswith("e"):
            call.run.opaque("a tar --transform with a flag that is not known")
    program = found.value("I", "use-compress-program")
    if program is not None and "/" in program.text.split(" ")[0] and not program.text.startswith(("/usr/", "/bin/")):
        _runs(call, path, program.text)


def _runs(call: "Call", path: str, what: str) -> None:
    effects.named(
        "runs", call, rule=f"{path}.runs", reason=f"tar starts another program: {what[:60]}", safer="run tar without it"
    )


def _unpacks(call: "Call", path: str, folder: Field | None) -> None:
    """Unknown names below a folder. Unpacking inside the workspace or a scratch directory is everyday work."""
    here = call.run.state.cwd[0]
    at = folder or Field(here, call.span)
    where = posixpath.normpath(here)
    around = call.run.around
    inside = where == around.workspace or where.startswith(around.workspace + "/")
    if inside and not call.run.state.host:
        effects.named("local", call, rule=f"{path}.unpacks", reason="")
        return
    effects.path("write", Field(f"{where.rstrip('/')}/{SOME}", at.span, at.tags), call, f"{path}.unpacks")


def zip(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``zip``: packs; ``-m`` removes what it packed, ``-TT`` runs a program."""
    flags, operands = set[str](), list[Field]()
    pending = list(call.arguments)
    while pending:
        field = pending.pop(0)
        text = field.text
        if text in ("-TT", "--unzip-command") and pending:
            command = pending.pop(0)
            call.run.shell(command.text, command.span, "zip -TT")
            effects.named("runs", call, rule=f"{path}.runs", reason=f"zip starts another program: {command.text[:60]}")
        elif text in ("-O", "--out", "--output-file", "-b", "--temp-path", "-lf", "--logfile-path") and pending:
            effects.path("write", pending.pop(0), call, path)
        elif (
            text in ("-P", "--password", "-n", "--suffixes", "-s", "--split-size", "-t", "-tt", "-Z", "-ws") and pending
        ):
            pending.pop(0)
        elif text in ("-x", "-i", "--exclude", "--include"):
            while pending and not pending[0].text.startswith("-"):
                pending.pop(0)
        elif text.startswith("-") and len(text) > 1:
            flags |= {text} if text.startswith("--") else set(text[1:]) | {text}
        else:
            operands.append(field)
    if not operands or "-sf" in flags or "--show-files" in flags or "-h" in flags:
        return
    if operands[0].text != "-" and "T" not in flags - {"-T"} | set():
        effects.path("edit" if "d" in flags else "write", operands[0], call, path)
    elif operands[0].text != "-":
        effects.path("write", operands[0], call, path)
    if "d" in flags:
        return
    for field in operands[1:]:
        effects.path("read", field, call, path, recursive="r" in flags)
        if flags & {"m", "--move"}:
            effects.path("delete", field, call, path, recursive="r" in flags)


def unzip(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``unzip``: writes below ``-d``, else here."""
    flags, operands, folder = set[str](), list[Field](), None
    pending = list(call.arguments)
    while pending:
        field = pending.pop(0)
        text = field.text
        if text == "-d" and pending:
            folder = pending.pop(0)
        elif text.startswith("-d") and len(text) > 2:
            folder = field.tail(2)
        elif text in ("-P", "-O", "-I") and pending:
            pending.pop(0)
        elif text in ("-x",):
            break
        elif text.startswith("-") and len(text) > 1:
            flags |= set(text[1:])
        else:
            operands.append(field)
    for field in operands[:1]:
        effects.path("read", field, call, path)
    if flags & set("lvZpctzh") or not operands:
        return
    if folder is not None:
        call.enter(call.path(folder))
    if ":" in flags:
        effects.named("loses", call, rule=f"{path}.outside", reason="lets the archive write outside the folder (../)")
    _unpacks(call, path, folder)


def sevenzip(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``7z``, ``rar``: a command letter, an archive, files; ``-o`` names the folder to unpack to."""
    words = [field for field in call.arguments if not field.text.startswith("-") or field.text == "-"]
    options = [field for field in call.arguments if field.text.startswith("-") and field.text != "-"]
    if len(words) < 2:
        return
    command, archive = words[0].text, words[1]
    if command in ("l", "t", "i", "h", "b", "lb", "lt", "v", "vb", "vt"):
        effects.path("read", archive, call, path)
    elif command in ("e", "x"):
        effects.path("read", archive, call, path)
        folders = [field.tail(2) for field in options if field.text.startswith("-o") and len(field.text) > 2]
        if not folders and call.name in ("rar", "unrar") and len(words) > 2 and words[-1].text.endswith("/"):
            folders = [words[-1]]
        here = call.run.state.cwd
        for folder in folders or [None]:
            call.run.state.cwd = here
            if folder is not None:
                call.enter(call.path(folder))
            _unpacks(call, path, folder)
    else:
        effects.path("write", archive, call, path)
        for field in words[2:]:
            effects.path("read", field, call, path, recursive=True)
            if command == "m" or any(option.text in ("-sdel", "-df", "-dw") for option in options):
                effects.path("delete", field, call, path, recursive=True)


SUFFIXES = {
    "gzip": ".gz",
    "pigz": ".gz",
    "ggzip": ".gz",
    "bzip2": ".bz2",
    "pbzip2": ".bz2",
    "xz": ".xz",
    "lzma": ".lzma",
    "lz4": ".lz4",
    "compress": ".Z",
    "lzip": ".lz",
    "lzop": ".lzo",
    "brotli": ".br",
    "zstd": ".zst",
    "pzstd": ".zst",
}
KEEPS = frozenset(("zstd", "pzstd", "unzstd", "lz4", "unlz4", "brotli", "lzop"))


def compressor(entry: "Entry", call: "Call", path: str) -> None:
    """``gzip`` and its like: a file becomes another, and the first is gone unless it is kept."""
    parsed = call.parsed
    operands = [field for field in parsed.operands if field.text != "-"]
    for field in operands:
        effects.path("read", field, call, path)
    output = parsed.value("-o", "--output")
    if output is not None:
        effects.path("write", output, call, path)
        return
    if parsed.has(("-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test")):
        return
    unpacks = call.name not in SUFFIXES or parsed.has(("-d", "--decompress", "--uncompress"))
    keeps = parsed.has(("-k", "--keep")) or (call.name in KEEPS and not parsed.has(("--rm",)))
    for field in operands:
        made = (field.text.rpartition(".")[0] or field.text) if unpacks else field.text + SUFFIXES[call.name]
        effects.path("write", msgspec.structs.replace(field, text=made), call, path)
        if not keeps:
            effects.path("source", field, call, path, recursive=parsed.has(entry.recursive))


def cpio(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``cpio``: ``-i`` unpacks here, ``-p`` copies into the operand, ``-o`` packs."""
    parsed = call.parsed
    for given in parsed.options:
        if given.value is not None and given.role not in ("text", "dir"):
            effects.role(given.role, given.value, call, path)
    effects.folder(parsed, call)
    if parsed.has(("-t", "--list", "-o", "--create", "--to-stdout")):
        return
    if parsed.has(("-p", "--pass-through")) and parsed.operands:
        call.enter(call.path(parsed.operands[-1]))
    _unpacks(call, path, None)
