"""zip, 7z, gzip, cpio."""

import pytest

from tests.readers.shell.evaluation import effects, payloads, rules


@pytest.mark.parametrize(
    ("program", "effect"),
    [
        ("zip -r a.zip src", "write /work/app/a.zip"),
        ("zip -r a.zip src", "read /work/app/src"),
        ("zip -rm a.zip src", "delete /work/app/src"),
        ("zip --move a.zip src", "delete /work/app/src"),
        ("unzip a.zip -d /etc", "write /etc/#"),
        ("unzip -d/etc a.zip", "write /etc/#"),
        ("7z x a.7z -o/etc", "write /etc/#"),
        ("7z a a.7z src", "read /work/app/src"),
        ("7z a -sdel a.7z src", "delete /work/app/src"),
        ("gzip a", "delete /work/app/a"),
        ("gzip a", "write /work/app/a.gz"),
        ("gunzip a.gz", "write /work/app/a"),
        ("xz -d a.xz", "write /work/app/a"),
        ("zstd --rm a", "delete /work/app/a"),
        ("cpio -i -D /etc < a", "write /etc/#"),
        ("cpio -pd /etc < list", "write /etc/#"),
    ],
)
def test_places_are_found(program: str, effect: str) -> None:
    """What is packed, unpacked, removed."""
    assert effect in effects(program)


@pytest.mark.parametrize(
    "program",
    ["unzip -l a.zip", "unzip -p a.zip x", "7z l a.7z", "gzip -c a", "gzip -k -c a", "zstd -t a", "cpio -t < a"],
)
def test_looking_writes_nothing(program: str) -> None:
    """Lists, tests, and output to the terminal."""
    assert {one.split()[0] for one in effects(program)} <= {"read"}


def test_a_file_that_is_kept_is_not_removed() -> None:
    """-k, and zstd by itself."""
    assert "delete /work/app/a" not in effects("gzip -k a")
    assert "delete /work/app/a" not in effects("zstd a")


def test_zip_runs_its_test_program() -> None:
    """-TT names one."""
    assert "shell: rm x" in payloads("zip -T -TT 'rm x' a.zip src")
    assert "zip.runs" in rules("zip -T -TT 'rm x' a.zip src")
