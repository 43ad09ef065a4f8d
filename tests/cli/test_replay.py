"""replay on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from checkrail import answering, places, replay
from checkrail.audit import Log
from checkrail.cli import main
from checkrail.model import Band, Decision, Event, Finding, Verdict
from tests.audit.lines import verdict

pytestmark = pytest.mark.usefixtures("home")

CORPUS = '[[case]]\nname = "push"\ncommand = "push"\nexpect = "ask"\n[[case]]\nname = "ls"\ncommand = "ls"\nexpect = "{}"\nwhy = "reads"\n'


def decide(event: Event, **_known: Any) -> Verdict:
    """A stand-in for the pipeline."""
    asks = "push" in str(event.input)
    finding = Finding(rule="t.x", reason="would push", gate="command")
    return Verdict(
        decision=Decision.ASK if asks else Decision.ALLOW, band=Band.AUTO, findings=(finding,) if asks else ()
    )


@pytest.fixture(autouse=True)
def pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in in the pipeline's place."""
    monkeypatch.setattr(replay.run, "__defaults__", (decide,))
    monkeypatch.setattr(
        answering.Server.__init__,
        "__kwdefaults__",
        {**(answering.Server.__init__.__kwdefaults__ or {}), "decide": decide},
    )


def test_a_corpus_that_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0 and a summary."""
    (tmp_path / "a.toml").write_text(CORPUS.format("allow"))
    assert main(["replay", str(tmp_path)]) == 0
    assert "2 cases, 2 as expected, 0 not" in capsys.readouterr().out


def test_a_corpus_that_does_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 3 and the difference; --update rewrites, and then it holds."""
    path = tmp_path / "a.toml"
    path.write_text(CORPUS.format("deny"))
    assert main(["replay", str(path)]) == 3
    told = capsys.readouterr().out
    assert "expected deny, got allow" in told
    assert "expected because: reads" in told
    assert main(["replay", str(path), "--update"]) == 3
    assert path.read_text() == CORPUS.format("allow")
    assert main(["replay", str(path)]) == 0


def test_an_unusable_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 and why."""
    (tmp_path / "a.toml").write_text("[[case]]\n")
    assert main(["replay", str(tmp_path)]) == 2
    assert main(["replay", str(tmp_path / "none")]) == 2
    told = capsys.readouterr().err
    assert "a.toml: line 1" in told
    assert "no such file" in told


def test_a_past_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What would be decided otherwise today."""
    usual = {
        "kind": "verdict",
        "agent": "claude",
        "tool": "Bash",
        "cwd": "/w",
        "cut": False,
        "time": "t",
        "summary": "s",
    }
    lines = [{**usual, "input": {"command": word}, "decision": "allow"} for word in ("ls", "push")]
    path = tmp_path / "audit.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main(["replay", "--log", str(path)]) == 3
    told = capsys.readouterr().out
    assert "allow -> ask" in told
    assert "2 calls judged again, 1 would be decided otherwise, 0 of them looser" in told
    path.write_text("nonsense\n")
    assert main(["replay", "--log", str(path)]) == 2
    assert "audit.jsonl:1: not a line of a log" in capsys.readouterr().err


def test_the_users_own_log_by_another_policy(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Without a file; what cannot be judged again is counted."""
    log = Log(str(places.find().state / "audit"))
    log.append({**verdict(decision="ask", input={"command": "push"})})
    log.append({**verdict(input={"command": "curl -H [redacted]"})})
    log.append({**verdict(cut=True)})
    policy = tmp_path / "new.toml"
    policy.write_text('profile = "permissive"')
    policy.chmod(0o600)
    assert main(["replay", "--policy", str(policy), "--log"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told == [
        "2 calls could not be judged again: 1 cut, 1 redacted, 0 unreadable",
        "1 calls judged again, 0 would be decided otherwise, 0 of them looser",
    ]
