"""``zip``, ``7z``, ``gzip``, ``cpio``: what is packed, what is unpacked where, what is removed."""

from typing import TYPE_CHECKING

import msgspec

from checkrail.readers.shell import effects
from checkrail.readers.shell.special.archives import unpacks
from checkrail.readers.shell.state import REMOTE, Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call


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
    if operands[0].text != "-" and "T" not in flags:
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
    unpacks(call, path, folder, fetched=any(REMOTE in value.tags for value in call.reads))


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
        for folder in folders or [Field(".", archive.span)]:
            call.run.state.cwd = here
            call.enter(call.path(folder))
            unpacks(call, path, folder, fetched=any(REMOTE in value.tags for value in call.reads))
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


LIST_CAP = 200
"""Names on the standard input of cpio that are followed."""


def cpio(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``cpio``: ``-i`` unpacks here, ``-p`` copies into the operand, ``-o`` packs."""
    parsed = call.parsed
    for given in parsed.options:
        if given.value is not None and given.role not in ("text", "dir"):
            effects.role(given.role, given.value, call, path)
    effects.folder(parsed, call)
    if parsed.has(("-o", "--create", "-p", "--pass-through")):
        for name in call.run.stdin.text.split("\n")[:LIST_CAP] if call.run.stdin.known else ():
            if name:
                effects.path("read", Field(name, call.span, call.run.stdin.tags), call, path)
    if parsed.has(("-t", "--list", "-o", "--create", "--to-stdout")):
        return
    if parsed.has(("-p", "--pass-through")) and parsed.operands:
        call.enter(call.path(parsed.operands[-1]))
    unpacks(call, path, None)
