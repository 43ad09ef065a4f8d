"""Hostile archives: none writes outside, none is taken in part."""

import gzip
import io
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkrail.plugins import unpack
from checkrail.plugins.unpack import File, Refused


def tar(*entries: tuple[str, bytes] | tarfile.TarInfo, form: int = tarfile.PAX_FORMAT) -> bytes:
    """A gzipped tar archive with these names, as they are."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for entry in entries:
            if isinstance(entry, tarfile.TarInfo):
                archive.addfile(entry)
                continue
            info = tarfile.TarInfo(entry[0])
            info.size = len(entry[1])
            archive.addfile(info, io.BytesIO(entry[1]))
    return gzip.compress(out.getvalue(), 1)


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    """An entry that is no file."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


OK = ("package/a.txt", b"a")


def test_a_plain_archive() -> None:
    """Below its one folder; programs are marked."""
    folder = special("package", tarfile.DIRTYPE)
    assert unpack.tarball(tar(folder, OK, ("package/b/c.txt", b"c"))) == {"a.txt": File(b"a"), "b/c.txt": File(b"c")}


NAMES = [
    "package/../x", "package/../../etc/cron.d/x", "/etc/passwd", "../x", "package/./../x", "package//x", "package/./x", "package/",
    "package/a\\..\\..\\x", "package/C:/x", "C:/x", "package/x:y", "package/con", "package/aux.txt", "package/x.", "package/x ",
    "package/\x07", "package/a\nb", "package/.git/config", "package/.GIT/hooks/post-checkout", "package/" + "x" * 300,
    "package/" + "/".join("d" * 3 for _ in range(40)), "other/x", "x", "package/a.txt/b", "package/A.txt", "package/\u212a",
    "./x", "package/nul", "package/COM1.log", "..", ".", "package/..", "~/x/../../y", "package/a?b", "package/a|b", "package/ａ.txt",
]  # fmt: skip
BESIDE = {"package/\u212a": ("package/k", b"")}
KINDS = [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.CONTTYPE]
TARGETS = ["/etc/passwd", "../../x", "a.txt", "..", "/"]
HOSTILE = [
    tar(OK, *filter(None, [BESIDE.get(name)]), (name, b"x"), form=form)
    for name in NAMES
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT)
]
HOSTILE += [tar((name, b"x"), OK) for name in NAMES if name not in BESIDE]
HOSTILE += [tar(OK, special("package/l", kind, target)) for kind in KINDS[:2] for target in TARGETS]
HOSTILE += [tar(special("package/d", tarfile.SYMTYPE, target), ("package/d/x", b"x")) for target in TARGETS]
HOSTILE += [tar(OK, special(f"package/{kind.decode()}", kind)) for kind in KINDS[2:5]]
HOSTILE += [
    tar(OK, special("package/../d", tarfile.DIRTYPE), special("package/x", tarfile.SYMTYPE, "d")),
    tar(OK, OK),
    tar(OK, ("package/a.txt", b"b")),
]
HOSTILE += [
    b"",
    b"PK\x03\x04",
    gzip.compress(b"no tar" * 500),
    tar(OK)[:-20],
    gzip.compress(b"\0" * (unpack.MOST_BYTES + 40_000_000), 9),
]
HOSTILE += [tar(*((f"package/{number}", b"") for number in range(unpack.MOST_FILES + 1)))]
HOSTILE += [tar(("package/big", b"\0" * (unpack.LARGEST + 1)))]
HOSTILE += [tar(*((f"package/{'a' * depth}", b"x") for depth in (1, 250)))]
HOSTILE += [
    tar(OK, (f"package/{left}", b"1"), (f"package/{right}", b"2"))
    for left, right in (("X", "x"), ("é", "e\u0301"), ("ß", "SS"), ("d/x", "D/y"), ("ﬁ", "fi"), ("i", "I"))
]
HOSTILE += [
    tar(OK, (f"package/{'../' * depth}{name}", b"x"))
    for depth in range(1, 9)
    for name in ("x", ".bashrc", ".ssh/authorized_keys", "etc/passwd", "plugin.json")
]
HOSTILE += [tar((f"{'../' * depth}package/{name}", b"x")) for depth in range(1, 9) for name in ("x", "y/z")]


def test_there_are_many() -> None:
    """Two hundred at least."""
    assert len(HOSTILE) >= 200


@pytest.mark.parametrize("raw", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile(raw: bytes, tmp_path: Path) -> None:
    """Refused whole, and nothing appears anywhere."""
    with pytest.raises(Refused):
        unpack.write(unpack.tarball(raw), tmp_path / "deep" / "er" / "out")
    assert list(tmp_path.iterdir()) == []


def test_written_files_are_plain(tmp_path: Path) -> None:
    """Nobody else reads them, none is a program."""
    unpack.write({"bin/x": File(b"#!/bin/sh\n", True)}, tmp_path / "out")
    assert (tmp_path / "out/bin/x").stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        unpack.write({"y": File(b"")}, tmp_path / "out")


names = st.text(alphabet="aA./\\~:é\u0301\u202e \n", max_size=12).map(lambda name: f"package/{name}")


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(names, st.binary(max_size=4)), max_size=5))
def test_whatever_is_taken_lies_inside(
    tmp_path_factory: pytest.TempPathFactory, entries: list[tuple[str, bytes]]
) -> None:
    """Any archive: refused, or each file below the folder with the very content."""
    try:
        tree = unpack.tarball(tar(*entries))
    except Refused:
        return
    base = tmp_path_factory.mktemp("any")
    unpack.write(tree, base / "out")
    written = {str(path.relative_to(base / "out")): path.read_bytes() for path in base.rglob("*") if path.is_file()}
    assert written == {name: file.content for name, file in tree.items()}


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=3000), st.booleans())
def test_any_bytes(raw: bytes, packed: bool) -> None:
    """Garbage is refused and raises nothing else."""
    try:
        unpack.tarball(gzip.compress(raw, 1) if packed else raw)
    except Refused:
        return


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 1500), st.integers(0, 255))
def test_a_flipped_byte(place: int, value: int) -> None:
    """An archive with one byte changed is refused or read, with names that stay inside."""
    plain = bytearray(gzip.decompress(tar(OK, ("package/b/c", b"c" * 600))))
    plain[place % len(plain)] = value
    try:
        tree = unpack.tarball(gzip.compress(bytes(plain), 1))
    except Refused:
        return
    assert all(not unpack.name_fault(name) for name in tree)
