"""What ordinary commands print, where that can be known without running them.

A table from command name to a function of the call; None means that the entry's ``output`` word decides.
"""

import base64
import binascii
import posixpath
from collections.abc import Callable, Mapping

from checkrail.model import HOLE, SOME
from checkrail.readers.shell import redirects, tool_places
from checkrail.readers.shell.call import Call
from checkrail.readers.shell.state import DECODED, ENDLESS, EVERY_PROCESS, FILE, NO_TAGS, Value

TEXT_CAP = 100_000


def known(call: Call) -> Value | None:
    """What a call prints, or None."""
    named = tool_places.printed(call) if call.name in tool_places.PRINTERS else None
    if named is not None or call.output is not None:
        return named  # else a special has said it
    if any(field.text in ("completion", "completions") for field in call.arguments[:2]):
        return Value(":\n")  # a program's own completion script, meant to be sourced
    printer = PRINTERS.get(call.name)
    return printer(call) if printer is not None else None


def _word(_call: Call) -> Value:
    return Value(SOME)


def _listed(call: Call) -> Value | None:
    """``ls /proc`` names every process there is."""
    operands = [call.path(field) for field in call.parsed.operands]
    return Value(HOLE, frozenset((EVERY_PROCESS,))) if operands == ["/proc"] else None


def _yes(_call: Call) -> Value:
    return Value(HOLE, frozenset((ENDLESS,)))


def _mktemp(call: Call) -> Value:
    parsed = call.parsed
    folder = parsed.value("-p", "--tmpdir")
    held = call.run.state.variables.get("TMPDIR")
    base = folder.text if folder else held[0].text if held and len(held) == 1 else "/tmp"
    template = parsed.operands[0].text if parsed.operands else f"tmp.{SOME}"
    name = template.rstrip("X")
    if name != template:
        name += SOME
    if "/" in template:
        path = name
    elif parsed.operands and not folder and not parsed.has(("-t", "--tmpdir", "-p")):
        path = redirects.resolve(name, call.run)
    else:
        path = f"{base.rstrip('/')}/{name}"
    call.run.state.made[path] = None
    return Value(path + "\n")


def _dirname(call: Call) -> Value | None:
    if len(call.parsed.operands) != 1 or HOLE in call.parsed.operands[0].text:
        return None
    path = call.parsed.operands[0]
    return Value(
        (posixpath.dirname(path.text.rstrip("/")) or ("/" if path.text.startswith("/") else ".")) + "\n", path.tags
    )


def _basename(call: Call) -> Value:
    operands = call.parsed.operands
    if not operands or HOLE in operands[0].text:
        return Value(SOME)
    name = posixpath.basename(operands[0].text.rstrip("/"))
    if len(operands) > 1 and name != operands[1].text:
        name = name.removesuffix(operands[1].text)
    return Value(name + "\n", operands[0].tags)


def _path(call: Call) -> Value | None:
    operands = call.parsed.operands
    if len(operands) != 1:
        return None
    return Value(redirects.resolve(operands[0].text, call.run) + "\n", operands[0].tags)


def _git(call: Call) -> Value | None:
    texts = [field.text for field in call.arguments]
    if texts[:2] == ["rev-parse", "--show-toplevel"]:
        return Value(call.run.around.workspace + "\n")
    if texts[:1] == ["rev-parse"] or texts == ["branch", "--show-current"] or texts[:1] == ["describe"]:
        return Value(SOME)
    return None


def _containers(call: Call) -> Value | None:
    """``docker ps -aq``: the names of all there are, which a filter would narrow."""
    texts = [field.text for field in call.arguments]
    listed = texts[:1] == ["ps"] or texts[:2] in (["container", "ls"], ["container", "ps"])
    letters = "".join(text[1:] for text in texts if text[:1] == "-" and text[:2] != "--")
    quiet = "q" in letters or "--quiet" in texts
    narrowed = "f" in letters or any(text.startswith("--filter") for text in texts)
    return Value(f"{SOME}every-container\n") if listed and quiet and not narrowed else None


def _which(call: Call) -> Value | None:
    operands = [field.text for field in call.arguments if not field.text.startswith("-")]
    return Value(operands[0] + "\n") if len(operands) == 1 else None


def _base64(call: Call) -> Value | None:
    texts = {field.text for field in call.arguments}
    if not texts & {"-d", "-D", "--decode", "-di", "-id"}:
        return None
    return _decoded(call, lambda text: base64.b64decode("".join(text.split()), validate=False))


def _xxd(call: Call) -> Value | None:
    texts = {field.text for field in call.arguments}
    if not texts & {"-r", "-rp", "-pr"}:
        return None
    return _decoded(call, lambda text: bytes.fromhex("".join(text.split())))


def _openssl(call: Call) -> Value | None:
    texts = {field.text for field in call.arguments}
    if not ({"-d", "base64"} <= texts or {"-d", "-base64"} <= texts or {"-d", "-a"} <= texts):
        return None
    return _decoded(call, lambda text: base64.b64decode("".join(text.split()), validate=False))


def _decoded(call: Call, decode: Callable[[str], bytes]) -> Value:
    source = call.taken_in()
    tags = source.tags | {DECODED}
    if not source.known or len(source.text) > TEXT_CAP:
        return Value(HOLE, tags)
    try:
        return Value(decode(source.text).decode("utf-8", "replace"), tags)
    except (ValueError, binascii.Error):
        return Value(HOLE, tags)


def _rev(call: Call) -> Value | None:
    source = call.taken_in()
    if not source.known:
        return None
    return Value("\n".join(line[::-1] for line in source.text[:TEXT_CAP].split("\n")), source.tags | {DECODED})


def _tr(call: Call) -> Value | None:
    source, operands = call.run.stdin, call.parsed.operands
    if not source.known or call.parsed.options or len(operands) != 2:
        return None
    before, after = (_set(operand.text) for operand in operands)
    if before is None or after is None or not after:
        return None
    table = {ord(one): (after[index] if index < len(after) else after[-1]) for index, one in enumerate(before)}
    return Value(source.text[:TEXT_CAP].translate(table), source.tags | {DECODED})


def _set(text: str) -> str | None:
    """The characters of a tr set: plain ones and ranges."""
    if "[" in text or "\\" in text or len(text) > 256:
        return None
    out, position = "", 0
    while position < len(text):
        if text[position + 1 : position + 2] == "-" and position + 2 < len(text):
            first, last = ord(text[position]), ord(text[position + 2])
            if not 0 <= last - first < 256:
                return None
            out += "".join(map(chr, range(first, last + 1)))
            position += 3
        else:
            out += text[position]
            position += 1
    return out


def _seq(call: Call) -> Value:
    numbers = [field.text for field in call.parsed.operands]
    if numbers and all(number.isdigit() and len(number) < 5 for number in numbers) and len(numbers) <= 2:
        first, last = (1, int(numbers[0])) if len(numbers) == 1 else (int(numbers[0]), int(numbers[1]))
        if 0 <= last - first < 16:
            return Value("\n".join(str(number) for number in range(first, last + 1)) + "\n")
    return Value(SOME)


def _nothing_new(call: Call) -> Value | None:
    source = call.taken_in()
    return Value(source.text, source.tags or NO_TAGS) if source.known else None


def archived(call: Call, printed: Value) -> Value:
    """An archive or a dump on standard output holds files, whichever they are."""
    packs = call.name in _PACKERS or (
        call.name == "git" and any(field.text in _GIT_PACKERS for field in call.arguments[:4])
    )
    if not packs or printed.known or any(tag.startswith(FILE) for tag in printed.tags):
        return printed
    return Value(printed.text, printed.tags | {f"{FILE}(what {call.name} packed)", f"{FILE}(an archive)"})


_PACKERS = frozenset(
    (
        "tar",
        "gtar",
        "bsdtar",
        "zip",
        "7z",
        "7za",
        "cpio",
        "pax",
        "pg_dump",
        "pg_dumpall",
        "mysqldump",
        "mariadb-dump",
        "mongodump",
        "rsync",
    )
)
_GIT_PACKERS = frozenset(("archive", "bundle", "format-patch"))

PRINTERS: Mapping[str, Callable[[Call], Value | None]] = {
    **dict.fromkeys(
        ("date", "hostname", "id", "nproc", "uname", "uuidgen", "wc", "whoami", "logname", "arch", "getconf"), _word
    ),
    **dict.fromkeys(("sha256sum", "md5sum", "shasum", "cksum", "md5", "pgrep", "pidof", "lsof", "tput"), _word),
    **dict.fromkeys(("realpath", "readlink", "grealpath", "greadlink"), _path),
    **dict.fromkeys(("sort", "uniq", "tee"), _nothing_new),
    "base64": _base64,
    "basename": _basename,
    "dirname": _dirname,
    **dict.fromkeys(("docker", "podman", "nerdctl"), _containers),
    "git": _git,
    "mktemp": _mktemp,
    "openssl": _openssl,
    "rev": _rev,
    "seq": _seq,
    "tr": _tr,
    "which": _which,
    "yes": _yes,
    "ls": _listed,
    "xxd": _xxd,
}
