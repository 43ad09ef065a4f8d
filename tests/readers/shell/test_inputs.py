"""``read`` and ``mapfile``: what their variables hold."""

import pytest

from tests.readers.shell.evaluation import effects

HELD = (
    ('read a b c <<< "rm -r /a"; $a $b $c', "/a"),
    ('read -r a rest <<< "rm -r /a"; $a $rest', "/a"),
    ('IFS=, read -ra p <<< "rm,-r,/a"; "${p[@]}"', "/a"),
    ("IFS=:; read a b <<< 'x:/a'; rm $b", "/a"),
    ("read c <<< 'r\\m /a'; $c", "/a"),
    ('mapfile -t l < <(echo rm; echo /a); "${l[@]}"', "/a"),
    ("readarray l <<< 'rm /a'; ${l[@]}", "/a"),
    ("while read -r f; do rm $f; done <<E\n/b\n/a\nE", "/a"),
    ("while read -r f g; do rm $g; done <<E\nx /b\ny /a\nE", "/a"),
    ('echo "rm /a" > s; eval "$(< s)"', "/a"),
)


@pytest.mark.parametrize(("program", "path"), HELD)
def test_follows_what_is_read(program: str, path: str) -> None:
    found = effects(program)
    assert (
        any(f"delete {path}" in effect for effect in found)
        or any("rm /a" in effect for effect in found)
        or _inner(program)
    )


def _inner(program: str) -> bool:
    from tests.readers.shell.evaluation import payloads

    return any("rm /a" in payload for payload in payloads(program))


@pytest.mark.parametrize(
    "program",
    ["read -u 3 f; rm $f", "read -n 3 f <<< /a; rm $f", "mapfile -t l < list; rm ${l[3]}", "read -n 1 f <<< /a; rm $f"],
)
def test_what_is_not_known_stays_unknown(program: str) -> None:
    assert "delete ?" in effects(program)


@pytest.mark.parametrize(
    "program", ["mapfile -C 'rm /a #' x <<< y", "read 'a[$(rm /a)]' <<< x", "wait -p 'a[$(rm /a)]'"]
)
def test_what_runs_on_the_way(program: str) -> None:
    assert _inner(program)


def test_quoted_star_joins_with_the_separator() -> None:
    assert "delete /a" in effects('f() { local IFS=; rm $*; rm "$*"; }; f / a')
