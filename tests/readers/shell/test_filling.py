"""What fills a disk, and what only looks like it."""

import pytest

from checkrail.readers.shell.filling import size
from tests.readers.shell.evaluation import rules

FILLS = "shell.fills-disk"


@pytest.mark.parametrize(
    "program",
    [
        "yes > x",
        "cat /dev/zero >> x",
        "tr -d a < /dev/urandom | tee x",
        "dd if=/dev/zero of=x",
        "head -c 200G /dev/zero > x",
        "while true; do echo a >> x; done",
        "until false; do echo a >> x; done",
        "for ((;;)); do cp a b; done",
        "fallocate -l 1T x",
    ],
)
def test_without_an_end(program: str) -> None:
    """Streams, loops and sizes."""
    assert FILLS in rules(program)


@pytest.mark.parametrize(
    "program",
    [
        "yes | head -3 > x",
        "cat /dev/zero > /dev/null",
        "dd if=/dev/zero of=x bs=1M count=100",
        "yes | ./configure > x",
        "while true; do echo a >> x; sleep 1; done",
        "while read line; do echo a >> x; done < y",
        "while true; do echo a >> /dev/stderr; done",
        "for ((i = 0; i < 3; i++)); do echo a >> x; done",
        "fallocate -l 2G x",
    ],
)
def test_with_an_end(program: str) -> None:
    """A part that is taken, a wait, a count."""
    assert FILLS not in rules(program)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("10", 10), ("2k", 2048), ("1GiB", 1 << 30), ("1.5M", 1 << 20), ("+3K", 3072), ("x", 0), ("", 0)],
)
def test_sizes(text: str, expected: int) -> None:
    """As dd, head and fallocate take them; a fraction is dropped."""
    assert size(text) == expected
