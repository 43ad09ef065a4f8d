"""check, explain and their shared way of judging."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from checkrail import answering
from checkrail.cli import check, judging, main
from checkrail.cli.explain import excerpt
from checkrail.model import (
    Action,
    Axes,
    Band,
    Decision,
    Effect,
    Event,
    Finding,
    Operation,
    Reading,
    Reversibility,
    Span,
    Target,
    TargetKind,
    Unread,
    Verdict,
)
from checkrail.places import Places

pytestmark = pytest.mark.usefixtures("home")


def decide(event: Event, **_known: Any) -> Verdict:
    """A stand-in for the pipeline: allow ls, deny wipe, ask otherwise."""
    command = str(event.input.get("command", ""))
    if command == "ls" and not event.fault:
        return Verdict(decision=Decision.ALLOW, band=Band.AUTO, understood=True, reads_only=True)
    start = max(command.find("wipe"), 0)
    finding = Finding(
        rule="t.wipe", reason=event.fault or f"would wipe in {event.cwd}", gate="command", axes=Axes(Reversibility.HARD),
        safer="do not", span=Span(start, start + 4),
    )  # fmt: skip
    effect = Effect(
        action=Action.DELETE, target=Target(TargetKind.PATH, "/x"), rule="t.delete", recursive=True, via=("sh -c",)
    )
    return Verdict(
        decision=Decision.DENY if "wipe" in command else Decision.ASK,
        band=Band.ESCALATE,
        findings=(finding,),
        operation=Operation(kind="command", summary=command, text=command),
        reading=Reading(effects=(effect,), unread=(Unread(what="a moon phase"),), opaque=("frobnicate",)),
    )


@pytest.fixture(autouse=True)
def pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in in the pipeline's place."""
    monkeypatch.setattr(answering, "_usual_decide", decide)
    usual = answering.Server.__init__.__kwdefaults__ or {}
    monkeypatch.setattr(answering.Server.__init__, "__kwdefaults__", {**usual, "decide": decide})


def feed(monkeypatch: pytest.MonkeyPatch, raw: bytes) -> None:
    """Puts bytes on stdin."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))


def event(command: str, **fields: Any) -> bytes:
    """A line of a batch."""
    return json.dumps({"tool_name": "Bash", "tool_input": {"command": command}, "cwd": "/w", **fields}).encode() + b"\n"


@pytest.mark.parametrize(("words", "code"), [(["ls"], 0), (["frob"], 10), (["wipe", "it"], 20), (["wipe it"], 20)])
def test_the_exit_code_is_the_decision(words: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """0, 10, 20; the word comes first."""
    assert main(["check", "--", *words]) == code
    assert capsys.readouterr().out.split()[0] == {0: "allow", 10: "ask", 20: "deny"}[code]


def test_several_words_are_arguments_and_one_is_a_line() -> None:
    """Quoting keeps them apart."""
    assert judging.command_line(["rm", "my file"]) == "rm 'my file'"
    assert judging.command_line(["rm my file; ls"]) == "rm my file; ls"


def test_options_of_the_command_are_its_own() -> None:
    """After the two dashes nothing is ours."""
    assert main(["check", "--", "wipe", "--json", "-x"]) == 20


def test_an_event_on_stdin_is_judged(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """As the agent sent it; one that is none asks."""
    feed(monkeypatch, event("wipe"))
    assert main(["check", "--json"]) == 20
    told = json.loads(capsys.readouterr().out)
    assert told["rules"] == ["t.wipe"]
    assert "/w" in told["reason"]
    feed(monkeypatch, b"nonsense")
    assert main(["check"]) == 10


def test_nothing_to_judge_is_wrong_usage(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal nobody waits for an event."""
    feed(monkeypatch, b"")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    for name in ("check", "explain"):
        assert main([name]) == 2
        assert "after --" in capsys.readouterr().err


def test_the_directory_can_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    """For commands, which carry none."""
    main(["check", "--cwd", "/somewhere", "--", "wipe"])
    assert "/somewhere" in capsys.readouterr().out


def test_a_batch_gives_one_verdict_a_line_in_order(monkeypatch: pytest.MonkeyPatch, capfdbinary: Any) -> None:
    """A bad line gives a verdict too, an empty one none."""
    feed(monkeypatch, event("ls") + b"nonsense\n\n" + event("wipe") + b"\xff\n" + event("ls", cwd="/v").rstrip())
    assert main(["check", "--batch"]) == 0
    sys.stdout.flush()
    lines = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert [line["decision"] for line in lines] == ["allow", "ask", "deny", "ask", "allow"]
    assert all({"decision", "band", "rules", "reason"} <= line.keys() for line in lines)


def test_a_line_that_takes_too_long_asks(monkeypatch: pytest.MonkeyPatch, capfdbinary: Any) -> None:
    """And the lines behind it are judged."""

    def slow(event: Event, **known: Any) -> Verdict:
        while "slow" in str(event.input):
            pass
        return decide(event, **known)

    monkeypatch.setattr(check, "LINE_S", 0.05)
    usual = answering.Server.__init__.__kwdefaults__ or {}
    monkeypatch.setattr(answering.Server.__init__, "__kwdefaults__", {**usual, "decide": slow})
    feed(monkeypatch, event("slow") + event("ls"))
    assert main(["check", "--batch"]) == 0
    lines = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert [line["rules"] for line in lines] == [["internal.late"], []]


def test_explain_shows_how_it_came_about(capsys: pytest.CaptureFixture[str]) -> None:
    """Reading, effects, what was not read, findings with carets, axes, merge."""
    assert main(["explain", "--", "now wipe it"]) == 20
    told = capsys.readouterr().out
    for part in (
        "delete recursively path /x  [t.delete]  through sh -c",
        "not read: a moon phase",
        "cannot be judged: frobnicate",
        "hard-to-reverse, local, trusted",
        "    now wipe it\n        ^^^^",
        "safer: do not",
        "deny  band escalate  because of t.wipe",
    ):
        assert part in told
    assert "\x1b" not in told


def test_explain_of_something_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    """Says so."""
    assert main(["explain", "--", "ls"]) == 0
    told = capsys.readouterr().out
    assert "no effects" in told
    assert "it only reads" in told


@pytest.mark.parametrize(
    ("text", "span", "shown"),
    [
        ("rm x", Span(0, 2), ["rm x", "^^"]),
        ("a\nrm x\nb", Span(2, 4), ["rm x", "^^"]),
        ("a\nrm x\nb", Span(2, 8), ["rm x", "^^^^"]),
        ("\x1b[1mrm", Span(4, 6), ["\\u001b[1mrm", "         ^^"]),
        ("rm x", Span(2, 2), []),
        ("rm x", Span(2, 9), []),
        ("", Span(0, 0), []),
    ],
)
def test_carets_stand_under_the_span(text: str, span: Span, shown: list[str]) -> None:
    """On its line, also where hidden characters are shown longer; an impossible span shows nothing."""
    assert excerpt(text, span) == shown


def test_a_long_line_is_shown_around_the_span() -> None:
    """And the carets still fit."""
    line, carets = excerpt("x" * 500 + "rm" + "y" * 500, Span(500, 502))
    assert len(line) <= 100
    assert line[carets.index("^") : carets.rindex("^") + 1] == "rm"


def test_a_question_is_logged_only_where_asked(where: Places, capsys: pytest.CaptureFixture[str]) -> None:
    """As a check, which is no call of an agent."""
    main(["check", "--", "ls"])
    assert not where.state.exists()
    main(["check", "--log", "--", "ls"])
    main(["log", "--json"])
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (told["kind"], told["decision"], told["input"]) == ("check", "allow", {"command": "ls"})


def test_explain_tells_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither in the summary nor above the carets."""
    main(["explain", "--", "wipe --token abcdefgh"])
    told = capsys.readouterr().out
    assert "abcdefgh" not in told
    assert "wipe --token ********" in told


def test_explain_shows_what_is_declared(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Risk, tier and lists, only where the policy says something about this tool or agent."""
    policy = tmp_path / "policy.toml"
    policy.write_text(
        "[[tool]]\nglob = 'Ba*'\nrisk = 'high'\n[[agent]]\nname = 'claude'\ntier = 'T3'\nallowed = ['Bash']\n"
    )
    policy.chmod(0o600)
    tmp_path.chmod(0o700)
    main(["explain", "--policy", str(policy), "--", "ls"])
    told = capsys.readouterr().out
    assert "declared\n  Bash is of high risk\n  agent claude: tier T3, allowed Bash\n" in told
    main(["explain", "--", "ls"])
    assert "declared" not in capsys.readouterr().out
