"""Archives as data: names and contents, judged before anything is written. Whatever is odd refuses the whole archive."""

import gzip
import io
import os
import re
import tarfile
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

MOST_FILES = 10_000
MOST_BYTES = 64 * 1024 * 1024
LARGEST = 16 * 1024 * 1024
COMPRESSED = 32 * 1024 * 1024
"""Files, bytes of all and of one of them, and bytes of an archive as it is downloaded."""
LONGEST, DEEPEST = 400, 32

_BAD = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|]')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


class Refused(Exception):
    """An archive or a tree that is not taken; the text says why."""


class File(msgspec.Struct, frozen=True):
    """The content of a regular file."""

    content: bytes
    executable: bool = False


Tree = Mapping[str, File]


def tarball(raw: bytes) -> dict[str, File]:
    """The files of a gzipped tar archive, below the one folder that holds them all. Raises :class:`Refused`."""
    if len(raw) > COMPRESSED:
        raise Refused(f"the archive is larger than {COMPRESSED} bytes")
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as packed:
            plain = packed.read(MOST_BYTES + MOST_FILES * 1536)  # headers and padding besides
            if packed.read(1):
                raise Refused("the archive unpacks to more than is taken")
    except (OSError, EOFError, zlib.error) as error:
        raise Refused(f"the archive is not gzip ({type(error).__name__})") from None
    try:
        with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as archive:
            found = list(_members(archive))
    except Refused:
        raise
    except Exception as error:  # the library's errors on hostile input are of many kinds
        raise Refused(f"the archive is not tar ({type(error).__name__})") from None
    return checked(_without_top(found))


def _members(archive: tarfile.TarFile) -> Iterator[tuple[str, File | None]]:
    count = total = 0
    for member in archive:
        count += 1
        if count > MOST_FILES:
            raise Refused(f"the archive holds more than {MOST_FILES} entries")
        if member.isdir():
            yield member.name, None
            continue
        if not member.isreg() or member.issparse():
            kinds = "a link, device, pipe or sparse file"
            raise Refused(f"the archive holds {kinds}: {member.name[:120]!r}")
        total += member.size
        if not 0 <= member.size <= LARGEST or total > MOST_BYTES:
            raise Refused(f"the archive holds more bytes than are taken: {member.name[:120]!r}")
        source = archive.extractfile(member)
        content = source.read(member.size + 1) if source else b""
        if len(content) != member.size:
            raise Refused(f"the archive ends within {member.name[:120]!r}")
        yield member.name, File(content, bool(member.mode & 0o111))


def _without_top(found: Iterable[tuple[str, File | None]]) -> Iterator[tuple[str, File]]:
    tops: set[str] = set()
    for name, file in found:
        top, _, rest = name.rstrip("/").partition("/") if file is None else name.partition("/")
        tops.add(top)
        if len(tops) > 1:
            raise Refused("the archive holds more than one folder at its top")
        if rest:
            fault = name_fault(rest)
            if fault:
                raise Refused(f"{rest[:120]!r} {fault}")
        elif file is not None:
            raise Refused(f"{name[:120]!r} lies beside the archive's folder")
        if top in ("", ".", "..") or _BAD.search(top):
            raise Refused(f"{name[:120]!r} is no path inside the archive")
        if file is not None:
            yield rest, file


def checked(found: Iterable[tuple[str, File]]) -> dict[str, File]:
    """Files by their paths, if no name leaves, hides or collides. Raises :class:`Refused`."""
    files: dict[str, File] = {}
    spelled: dict[str, str] = {}
    total = 0
    for name, file in found:
        fault = name_fault(name)
        if fault:
            raise Refused(f"{name[:120]!r} {fault}")
        total += len(file.content)
        if len(files) >= MOST_FILES or len(file.content) > LARGEST or total > MOST_BYTES:
            raise Refused("there are more files or bytes than are taken")
        if name in files:
            raise Refused(f"{name!r} stands twice")
        files[name] = file
        for path in _prefixes(name):
            other = spelled.setdefault(fold(path), path)
            if other != path:
                raise Refused(f"{path!r} and {other!r} are one file where case does not count")
    for name in files:
        if any(path in files for path in _prefixes(name) if path != name):
            raise Refused(f"{name!r} lies below a file")
    return files


def name_fault(name: str) -> str:
    """Why a path is not taken; empty for a good one."""
    parts = name.split("/")
    try:
        length = len(name.encode("utf-8"))
    except UnicodeEncodeError:
        return "is not UTF-8"
    if not name or length > LONGEST or len(parts) > DEEPEST or any(len(part.encode()) > 200 for part in parts):
        return "is empty, too long or too deep"
    if any(part in ("", ".", "..") for part in parts):
        return "leaves its folder or is absolute"
    if _BAD.search(name):
        return "holds letters that are separators or forbidden somewhere"
    if any(part.endswith((".", " ")) or _DEVICE.fullmatch(part) for part in parts):
        return "is another name on some systems"
    if any(fold(part) == ".git" for part in parts):
        return "is a repository of its own"
    return ""


def fold(path: str) -> str:
    """A path as a file system sees it that folds case and composes letters."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", path).casefold())


def _prefixes(name: str) -> Iterator[str]:
    parts = name.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts) + 1))


def write(tree: Tree, directory: Path) -> None:
    """Writes files into a directory that is not there yet. Nothing is executable, nothing that exists is touched."""
    directory.mkdir(mode=0o700, parents=True)
    for name, file in tree.items():
        path = directory / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as out:
            out.write(file.content)
