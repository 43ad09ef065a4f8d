"""The queue reads texts inside texts, within caps, and turns every failure into unread."""

import pytest

from checkrail import reading
from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.model import Payload, Reading
from checkrail.readers.shell import nested

AROUND = Surroundings(host=FrozenHost(), home="/home/dev", workspace="/work/app", cwd="/work/app")


def read(text: str, language: str = "shell") -> Reading:
    """All that a text would do."""
    return reading.read_all([Payload(language=language, text=text, cwd="/work/app")], AROUND)


@pytest.mark.parametrize(
    "text",
    [
        "rm -rf /srv/x",
        "sh -c 'rm -rf /srv/x'",
        "sh -c \"bash -c 'rm -rf /srv/x'\"",
        "python3 -c \"import os; os.system('rm -rf /srv/x')\"",
        "python3 -c \"import subprocess; subprocess.run(['sh', '-c', 'rm -rf /srv/x'])\"",
        "node -e \"require('child_process').execSync('rm -rf /srv/x')\"",
        "perl -e 'system(\"rm -rf /srv/x\")'",
        "ruby -e 'system(\"rm -rf /srv/x\")'",
        "php -r 'shell_exec(\"rm -rf /srv/x\");'",
        "awk 'BEGIN{system(\"rm -rf /srv/x\")}'",
        "sqlite3 a.db '.shell rm -rf /srv/x'",
        "env A=1 nice timeout 5 rm -rf /srv/x",
        "echo /srv/x | xargs rm -rf",
        "find /srv/x -delete",
        'eval "$(echo rm -rf /srv/x)"',
        "python3 <<'E'\nimport shutil\nshutil.rmtree('/srv/x')\nE",
    ],
)
def test_one_effect_in_any_language_and_depth(text: str) -> None:
    """Deleting a tree is that effect, however it is spelled."""
    found = read(text)
    assert any(
        effect.action.value == "delete" and effect.target.value == "/srv/x" and effect.recursive
        for effect in found.effects
    ), found


def test_depth_is_capped() -> None:
    """Nesting without end is unread, not a crash."""
    text = "true"
    for _ in range(9):
        text = "eval " + "'" + text.replace("'", "'\\''") + "'"
        if len(text) > 100_000:
            break
    assert read(text) is not None
    deep = reading.read_all([Payload(language="shell", text="true", cwd="/", depth=reading.DEPTH_CAP + 1)], AROUND)
    assert deep.unread


def test_the_number_of_texts_is_capped() -> None:
    """Thousands of nested texts are unread."""
    assert read("\n".join(f"sqlite3 a.db 'select {number}'" for number in range(reading.PAYLOAD_CAP + 5))).unread
    assert read("\n".join(f"sh -c 'echo {number}'" for number in range(nested.COUNT_CAP + 5))).unread


def test_a_language_without_a_reader_is_opaque() -> None:
    """No opinion about what nobody can read."""
    assert read("whatever", "cobol").opaque


def test_a_reader_that_raises_leaves_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never silence."""

    def broken(_language: str) -> object:
        raise ValueError("boom")

    monkeypatch.setattr(reading, "reader", broken)
    assert "boom" in read("true").unread[0].what
