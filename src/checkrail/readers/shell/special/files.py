"""Copies, moves, links, permissions, ``dd``, ``tee``: judged by the paths that they reach."""

import re
from typing import TYPE_CHECKING

import msgspec

from checkrail.model import HOLE
from checkrail.readers.shell import effects, filling, redirects
from checkrail.readers.shell.state import ENDLESS, Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

RAW_DEVICE = re.compile(r"/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|r?disk|dm-|md|mapper/|loop|mem\b|kmem\b|port\b|kcore)")
"""Devices whose bytes are everything on a disk or in memory."""

FOLDERS = frozenset(
    ("/", "/etc", "/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/tmp", "/var/tmp", "/root", "/home")
)
"""Folders that are there on any machine, also where nothing can be looked up."""

MODE_WORD = re.compile(r"[-+=]?[0-7]+|[ugoa]*[-+=][ugorwxXst,a=+-]*")
SET_ID = re.compile(r"(?:^|,)[ugoa]*[+=][rwxXt]*s")
CLOSES = re.compile(r"0?[4-7]00|(?:[go]{1,2}(?:-[rwx]+|=),?)+")
"""Modes that only take rights from others."""


def copy(entry: "Entry", call: "Call", path: str) -> None:
    """``cp``, ``mv``, ``ln``, ``install``, ``ditto``: sources, and where they go."""
    parsed = call.parsed
    recursive = parsed.has(entry.recursive)
    if call.name in ("install", "ginstall"):
        _install_mode(call, path)
        _strip_program(call, path)
        if parsed.has(("-d", "--directory")):
            for field in parsed.operands:
                effects.path("create", field, call, path)
            return
    folder = parsed.value("-t", "--target-directory")
    sources = parsed.operands if folder is not None else parsed.operands[:-1]
    if folder is None and len(parsed.operands) == 1 and call.name in ("ln", "gln"):
        sources, folder = parsed.operands, Field(".", call.span)
    goal = folder or (parsed.operands[-1] if parsed.operands else None)
    if goal is None or not sources:
        return
    role = {"mv": "source", "gmv": "source"}.get(call.name, "read")
    if role == "source" and redirects.resolve(goal.text, call.run) in redirects.INERT:
        effects.named("destroys", call, rule=f"{path}.nothing", reason="moves files to a device that keeps nothing")
    links = call.name in ("ln", "gln", "link")
    for field in sources:
        if not links or redirects.secret_path(call.path(field), call.run):
            effects.path(role, field, call, path, recursive=recursive or role == "source")
    kept = parsed.has(("-n", "--no-clobber", "-b", "--backup"))
    linked = links and not parsed.has(("-f", "--force"))
    kind = "create" if kept or linked else "write"
    whole = parsed.has(("-T", "--no-target-directory"))
    for field, source in _goals(goal, sources, call, folder is not None, whole, recursive):
        nothing = links and source.text in redirects.INERT  # what is there is gone, and nothing is kept from now on
        effects.path(kind, field, call, path, recursive=recursive, content="" if nothing else None)
        if links or call.parsed.has(("-s", "--symbolic-link", "-l", "--link")):
            _link(source, field, call)
        else:
            _carry(source, field, call)


def _link(source: Field, goal: Field, call: "Call") -> None:
    """What goes through the link from now on goes to its source, which a symbolic link counts from its own folder."""
    where = call.path(goal)
    symbolic = call.parsed.has(("-s", "--symbolic", "--symbolic-link"))
    relative = not source.text.startswith("/") and symbolic and not call.parsed.has(("-r", "--relative"))
    folder = where.rpartition("/")[0] or "/"
    to = redirects.resolve(f"{folder}/{source.text}" if relative else source.text, call.run)
    if to != where and not to.startswith(f"{where}/"):
        call.run.state.links[where] = to


def _goals(
    goal: Field, sources: tuple[Field, ...], call: "Call", is_folder: bool, whole: bool, recursive: bool
) -> list[tuple[Field, Field]]:
    """(where it arrives, where it comes from) of each source."""
    found = call.run.around.host.lstat(call.path(goal))
    text = goal.text
    dots = text in (".", "..") or text.endswith(("/", "/.", "/.."))
    where = call.path(goal)
    usual = (
        where in FOLDERS or where in call.run.state.made or where in (call.run.around.home, call.run.around.workspace)
    )
    is_folder = is_folder or dots or usual or len(sources) > 1 or (found is not None and found.kind != "file")
    if whole or not is_folder:
        return [(goal, source) for source in sources]
    placed: list[tuple[Field, Field]] = []
    for source in sources:
        base = source.text.rstrip("/").rpartition("/")[2] or HOLE
        contents = recursive and (base in (".", "..") or source.text.endswith("/."))
        inner = (
            goal
            if contents
            else msgspec.structs.replace(goal, text=f"{text.rstrip('/') or ''}/{base}", pattern=source.pattern)
        )
        placed.append((inner, source))
    return placed


def _carry(source: Field, goal: Field, call: "Call") -> None:
    """What this program wrote into a source is now in the goal."""
    files = call.run.state.files
    held = files.get(call.path(source)) or redirects.held_by(call.path(source), call.run)
    where = call.path(goal)
    files[where] = held


def _install_mode(call: "Call", path: str) -> None:
    mode = call.parsed.value("-m", "--mode")
    if mode is not None and _sets_id(mode.text):
        _privileged(call, path, mode.text)


def _strip_program(call: "Call", path: str) -> None:
    program = call.parsed.value("--strip-program")
    if program is not None:
        effects.role("program", program, call, path)


def _sets_id(mode: str) -> bool:
    digits = mode.lstrip("+-=")
    if digits.isdigit() and digits:
        return (
            not mode.startswith("-")
            and len(digits) < 12
            and set(digits) <= set("01234567")
            and bool(int(digits, 8) & 0o6000)
        )
    return bool(SET_ID.search(mode))


def _privileged(call: "Call", path: str, mode: str) -> None:
    effects.named(
        "privilege",
        call,
        rule=f"{path}.set-id",
        reason=f"mode {mode[:20]}: the program would run with its owner's rights for everyone",
        safer="give the mode without the set-id bit",
    )


def chmod(entry: "Entry", call: "Call", path: str) -> None:
    """``chmod``: the mode may look like an option (``-x``); what it is given to is judged by place."""
    recursive = call.parsed.has(entry.recursive)
    mode = ""
    targets: list[Field] = []
    options = True
    for field in call.arguments:
        text = field.text
        if options and text == "--":
            options = False
        elif options and text.startswith("-") and len(text) > 1 and not (MODE_WORD.fullmatch(text) and not mode):
            continue
        elif not mode and not call.parsed.has(("--reference",)):
            mode = text
        else:
            targets.append(field)
    if _sets_id(mode):
        _privileged(call, path, mode)
    for field in targets:
        if not recursive and CLOSES.fullmatch(mode) and _private(call.path(field), call):
            continue  # takes rights from others on a credential: what its owner ought to do
        effects.path("mode", field, call, path, recursive=recursive, content=mode or None)


def _private(where: str, call: "Call") -> bool:
    return where.startswith(f"{call.run.around.home}/.ssh") or redirects.secret_path(where, call.run)


def chown(entry: "Entry", call: "Call", path: str) -> None:
    """``chown``, ``chgrp``: by what they are given to."""
    operands = call.parsed.operands
    for field in operands if call.parsed.has(("--reference",)) else operands[1:]:
        effects.path("mode", field, call, path, recursive=call.parsed.has(entry.recursive))


def acl(entry: "Entry", call: "Call", path: str) -> None:
    """``setfacl -m u:other:r file``: lets somebody else in, whom the line names."""
    parsed = call.parsed
    effects.apply(entry, msgspec.structs.replace(parsed, operands=()), call, path)
    opens = call.name == "setfacl" and parsed.has(("-m", "--modify", "--set", "-M", "--modify-file", "--set-file"))
    for field in parsed.operands:
        effects.path("mode", field, call, path, recursive=parsed.has(entry.recursive), content="o+r" if opens else None)


def chattr(entry: "Entry", call: "Call", path: str) -> None:
    """``chattr -i file``, ``chflags nouchg file``: the first word is the change."""
    words = [field for field in call.arguments if not re.fullmatch(r"[-+=][A-Za-z]+|-[pv]", field.text)]
    for field in words[1:] if call.name == "chflags" else words:
        effects.path("mode", field, call, path, recursive=call.parsed.has(entry.recursive))


def dd(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``dd if=… of=…``."""
    given = {}
    for field in call.arguments:
        name, equals, _ = field.text.partition("=")
        if equals:
            given[name] = field.tail(len(name) + 1)
    source = given.get("if")
    if source is not None:
        if RAW_DEVICE.match(call.path(source)):
            effects.named("secret", call, rule=f"{path}.raw", reason=f"reads all that is on {call.path(source)}")
        effects.path("read", source, call, path)
    taken = _bounded(call.taken_in(), given)
    call.reads = [taken]
    target = given.get("of")
    if target is None:
        call.output = taken
        return
    emptied = source is not None and call.path(source) == "/dev/null"
    effects.path("write", target, call, path, content="" if emptied else None)
    call.run.state.files[call.path(target)] = taken


def _bounded(taken: Value, given: dict[str, Field]) -> Value:
    """What ``dd`` passes on of something endless: ``count`` blocks of it."""
    count, block = given.get("count"), given.get("bs") or given.get("ibs")
    if count is None or ENDLESS not in taken.tags:
        return taken
    blocks = filling.size(count.text) or 1
    most = blocks * (filling.size(block.text) if block else 512)
    return taken if most > filling.LARGEST else Value(taken.text, taken.tags - {ENDLESS})


def truncate(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``truncate -s 0``: the same as writing nothing into the file."""
    size = call.parsed.value("-s", "--size", "-l", "--length")
    text = size.text.lstrip(" ") if size is not None else ""
    grows = text.startswith(("+", ">", "%")) or (text.strip("0KMGTPB") != "" and call.name != "truncate")
    for field in call.parsed.operands:
        if call.name == "fallocate" and filling.size(text) > filling.LARGEST:
            filling.fills(call.run, call.path(field), field.span, f"takes {text} of the disk")
        if grows:
            effects.path("append", field, call, path)
        else:
            effects.path("write", field, call, path, content="" if text.strip("0") == "" else None)


def tee(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``tee``, ``sponge``: standard input goes into the files, and on."""
    run = call.run
    held = run.stdin
    append = call.parsed.has(("-a", "--append"))
    for field in call.parsed.operands:
        content = held.text if held.known else None
        effects.path("append" if append else "write", field, call, path, content=content)
        where = call.path(field)
        if where not in redirects.INERT:
            before = run.state.files.get(where) if append else None
            run.state.files[where] = held if before is None else Value(before.text + held.text, before.tags | held.tags)
    call.output = held


_PERL_RENAME = re.compile(r"(?:s|y|tr)([^\w\s])")
_UTIL_LINUX = 2


def rename(entry: "Entry", call: "Call", path: str) -> None:
    """``rename``: the Perl version takes code, the other two words; the names of files change."""
    parsed = call.parsed
    operands = parsed.operands
    if not operands:
        return
    code = operands[0]
    perl = bool(_PERL_RENAME.match(code.text)) or any(character in code.text for character in "$;")
    if perl and not _plain_expression(code.text):
        call.run.hand_on("perl", code.text, code.span, call.name)
        if re.search(r"[^\w\s]\w*e\w*$|system|exec|`|qx|unlink|\(\?\??\{", code.text):
            effects.named("runs", call, rule=f"{path}.code", reason="the rename expression runs code for each file")
    if parsed.has(entry.dry):
        return
    for field in operands[1:] if perl else operands[_UTIL_LINUX:]:
        effects.path("mode", field, call, path)  # the file stays where it is and keeps what it holds


def _plain_expression(text: str) -> bool:
    """Whether an expression only replaces text: no flag ``e``, no code in the pattern."""
    return bool(re.fullmatch(r"(?:s|y|tr)([^\w\s])[^`$@;]*\1[gixmsrcd]*", text)) and "(?" not in text
