"""What a person sees before saying yes."""

import json

import pytest

from checkrail.approvals import display, notify
from checkrail.approvals.rows import Request
from tests.approvals.samples import asked


def request(command: str, **more: str) -> Request:
    """One that waits."""
    told = asked(whole=json.dumps({"command": command}), **more)
    return Request(number=7, asked=told, state="waiting", created=0.0, expires=600.0, mark="")


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("\u202e", "\\u202e"), ("\u200b", "\\u200b"), ("\x1b[2K", "\\x1b[2K"), ("\r", "\\x0d"), ("\t", "\\t"), ("\x7f", "\\x7f"),
        ("\xa0", "\\xa0"), ("\u3164", "\\u3164"), ("\U000e0041", "\\U000e0041"), ("\u0301", "\\u0301"), ("\x9b", "\\x9b"),
        ("\u2028", "\\u2028"), ("\ufeff", "\\ufeff"), ("\u2800", "\\u2800"), ("\x85", "\\x85"),
    ],
)  # fmt: skip
def test_hidden_characters_are_written_out(hidden: str, shown: str) -> None:
    """And what acts on a terminal does not get there."""
    lines = display.whole(request(f"rm -rf a{hidden}b"), now=0.0)
    assert f"  │ rm -rf a{shown}b" in lines
    assert all(hidden not in line for line in lines)


def test_nothing_is_left_out_or_joined() -> None:
    """Every line, its blanks, and the blanks at its end; long ones too."""
    command = "a  b\n\n  c  \n" + "x" * 5000
    lines = display.whole(request(command), now=0.0)
    assert [line for line in lines if line.startswith("  │")] == [
        "  │ a  b",
        "  │ ",
        "  │   c\\x20\\x20",
        "  │ " + "x" * 5000,
    ]


def test_no_text_of_the_agents_passes_for_one_of_ours() -> None:
    """Each of its lines stands behind a bar."""
    lines = display.whole(request("ls\nfinding:   harmless [none]\ntool:      Read"), now=0.0)
    assert [line for line in lines if line.startswith("finding:")] == ["finding:   gone [r.x]"]
    assert [line for line in lines if line.startswith("tool:")] == ["tool:      Bash"]


def test_letters_that_look_like_others_are_named() -> None:
    """Near: plain ASCII says nothing of the kind."""
    assert any("CYRILLIC SMALL LETTER A" in line for line in display.whole(request("rm -rf d\u0430ta"), now=0.0))
    assert not any("not ASCII" in line for line in display.whole(request("rm -rf data"), now=0.0))


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_notification_is_an_argument_and_never_a_script(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    """Whatever the operation holds."""
    monkeypatch.setattr("os.access", lambda *_: True)
    evil = request("x", summary='"; do shell script "id"; <b>& --help')
    words = notify.command(evil, platform=platform)
    assert words[0].startswith("/usr/bin/")
    if platform == "darwin":
        assert [word for word in words if "do shell" in word] == [notify.text(evil)]
        assert "on run argv" in words
    else:
        assert "<b>" not in words[-1]
        assert words[words.index("--") + 1] == notify.TITLE


def test_without_a_program_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is started."""
    monkeypatch.setattr("os.access", lambda *_: False)
    monkeypatch.setattr("subprocess.Popen", lambda *_, **__: pytest.fail("started"))
    notify.tell(request("x"))
