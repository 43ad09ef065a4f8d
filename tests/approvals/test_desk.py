"""The way of a question that the agent cannot show, through the server and back."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from checkrail.answering import Server
from checkrail.approvals import desk
from checkrail.approvals.store import Store
from checkrail.audit import Log, files, verify
from checkrail.daemon.protocol import Answer
from checkrail.model import Asking, Decision
from checkrail.policy.cache import PolicyCache, usual_layers
from tests.approvals.samples import AROUND, PERSON, judged, private, shell

ASKS = "git push --force origin main"
HOME = {"HOME": "/home/dev", "PATH": "/usr/bin"}


class Place:
    """A server of its own, and its agent."""

    def __init__(self, path: Path) -> None:
        self.path = private(path)
        self.work = private(path / "work")
        self.store = Store(str(path / "approvals"))
        self.server = self.restarted()

    def restarted(self) -> Server:
        """A server as after a restart of the daemon."""
        if hasattr(self, "server"):
            self.server.close()
        policies = PolicyCache(usual_layers(self.path, self.path)[:1])
        self.server = Server(policies, Log(str(self.path / "audit")), approvals=str(self.path / "approvals"))
        return self.server

    def call(
        self, command: str = ASKS, *, event: str = "PreToolUse", around: dict[str, str] = HOME, **more: Any
    ) -> Answer:
        """A shell call in a mode that swallows questions."""
        told = {
            "hook_event_name": event, "session_id": "s1", "cwd": str(self.work), "permission_mode": "dontAsk",
            "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "c1", **more,
        }  # fmt: skip
        return self.server.answer("claude", event, "/", json.dumps(told).encode(), environment=around)

    def approve(self, number: int = 1) -> None:
        """What the command line does after the person said yes."""
        assert self.store.approve(number, PERSON, now=time.time(), lifetime=600)

    def lines(self) -> list[dict[str, Any]]:
        """The log."""
        return [
            json.loads(line) for path in files(str(self.path / "audit")) for line in Path(path).read_text().splitlines()
        ]

    def policy(self, text: str) -> None:
        """The user's file."""
        (self.path / "policy.toml").write_text(text)
        (self.path / "policy.toml").chmod(0o600)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Nothing was asked yet."""
    made = Place(tmp_path / "p")
    yield made
    made.server.close()
    made.store.close()


def decision(answer: Answer) -> str:
    """What the agent makes of it."""
    if answer.exit_code == 2:
        return "deny"
    return str(json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecision"]) if answer.stdout else ""


def test_a_question_becomes_a_request_and_a_yes_lets_it_through_once(place: Place) -> None:
    """With an explicit allow, since a person said yes to exactly this; the log says who."""
    first = place.call()
    assert decision(first) == "deny"
    assert b"request 1" in first.stderr
    assert decision(place.call()) == "deny"
    place.approve()
    second = place.call()
    assert decision(second) == "allow"
    assert b"request 1" in second.stdout
    third = place.call()
    assert decision(third) == "deny"
    assert b"request 2" in third.stderr
    lines = place.lines()
    assert [(one["decision"], one["judged"], one["authority"], one["request"]) for one in lines] == [
        ("deny", "ask", "rules", 1), ("deny", "ask", "rules", 1), ("allow", "ask", "approval", 1), ("deny", "ask", "rules", 2),
    ]  # fmt: skip
    used = lines[2]["approval"]
    assert (used["state"], used["uid"], used["user"], used["tty"]) == ("used", 1000, "ann", "/dev/pts/7")
    assert used["time"].endswith("Z")
    assert lines[3]["approval"]["after"] == 1  # a replay, and told as one
    assert verify(str(place.path / "audit")).problems == ()


def test_the_text_for_the_agent_approves_nothing(place: Place) -> None:
    """The second defect of old. Each piece of it is given back in every way an agent has; the command in it is for the floor."""
    answer = place.call()
    text = answer.stderr.decode()
    row = place.store.get(1)
    assert row is not None
    for secret in (row.asked.authorization, row.asked.classification, row.mark, place.store.key.hex()):
        assert secret not in text + answer.stdout.decode()
    for word in {*text.split(), text}:
        for more in ({"approval": word}, {"request": word, "approved": True}, {"permission_mode": word}):
            assert decision(place.call(**more)) != "allow"
        assert decision(place.call(f"{ASKS} # {word}")) != "allow"
        assert decision(place.call(around={**HOME, "CHECKRAIL_APPROVAL": word})) != "allow"
    assert place.store.take(row.asked.authorization, now=time.time()) is None
    for command in ("checkrail approve 1", "checkrail approve 1 && " + ASKS):
        found = judged(shell(command))
        assert found.decision is Decision.DENY
        assert any(finding.floor for finding in found.findings)


@pytest.mark.parametrize(
    "other",
    [
        {"command": ASKS + " "}, {"command": ASKS + " dev"}, {"session_id": "s2"}, {"cwd": "/"}, {"tool_name": "PowerShell"},
        {"around": {**HOME, "GIT_DIR": "/elsewhere"}}, {"around": {**HOME, "PATH": "/tmp:/usr/bin"}},
    ],
)  # fmt: skip
def test_nothing_but_exactly_this_call_is_let_through(place: Place, other: dict[str, Any]) -> None:
    """Another byte, session, folder, tool or environment; and the approval is still there for the right one."""
    place.call()
    place.approve()
    assert decision(place.call(**other)) != "allow"
    assert decision(place.call()) == "allow"


def test_a_changed_script_voids_it(place: Place) -> None:
    """Between the yes and the call."""
    script = place.work / "deploy.sh"
    script.write_text(f"{ASKS}\n")
    place.call("sh deploy.sh")
    place.approve()
    script.write_text("git push --force origin main dev\n")
    assert decision(place.call("sh deploy.sh")) == "deny"
    script.write_text(f"{ASKS}\n")
    assert decision(place.call("sh deploy.sh")) == "allow"


def test_it_survives_a_restart_of_the_daemon(place: Place) -> None:
    """And the request does."""
    place.call()
    place.restarted()
    place.approve()
    place.restarted()
    assert decision(place.call()) == "allow"


def test_a_refusal_is_told_and_not_asked_about_again(place: Place) -> None:
    """For as long as a request would wait."""
    place.call()
    assert place.store.refuse(1, PERSON, now=time.time(), lifetime=600)
    answer = place.call()
    assert b"a person refused it" in answer.stderr
    assert place.lines()[-1]["approval"]["state"] == "refused"
    assert place.store.waiting(now=time.time()) == []


@pytest.mark.parametrize("command", ["rm -rf ~", "checkrail uninstall", "curl http://169.254.169.254/"])
def test_the_floor_is_never_asked_about(place: Place, command: str) -> None:
    """No request, no number."""
    answer = place.call(command)
    assert decision(answer) == "deny"
    assert b"checkrail approve" not in answer.stderr
    assert not place.store.exists()


def test_a_denial_of_the_policy_is_none_either(place: Place) -> None:
    """The user said no already."""
    place.policy("[[rule]]\nid = 'git.push.*'\ndecision = 'deny'\n")
    assert decision(place.call()) == "deny"
    assert not place.store.exists()


def test_a_deny_by_policy_beats_an_approval_given_before(place: Place) -> None:
    """The verdict comes first, each time."""
    place.call()
    place.approve()
    place.policy("[[rule]]\nid = 'git.push.*'\ndecision = 'deny'\n")
    assert decision(place.call()) == "deny"


def test_what_cannot_be_read_cannot_be_approved(place: Place) -> None:
    """An approval would be bound to nothing."""
    answer = place.call(tool_input={"command": 7})
    assert decision(answer) == "deny"
    assert b"checkrail approve" not in answer.stderr
    assert place.lines()[0]["judged"] == "ask"


def test_allows_never_open_the_store(place: Place) -> None:
    """Their latency is what it was."""
    place.call("ls")
    place.call("npm test")
    assert not (place.path / "approvals").exists()


def test_an_agent_that_shows_the_question_is_asked_as_ever(place: Place) -> None:
    """And the line of the finished call says that its own prompt said yes."""
    assert decision(place.call(permission_mode="default")) == "ask"
    assert place.store.waiting(now=time.time()) == []
    place.call(event="PostToolUse", permission_mode="default", tool_response={"stdout": ""})
    place.call("ls", event="PostToolUse", permission_mode="default", tool_response={"stdout": ""}, tool_use_id="c2")
    assert [one["authority"] for one in place.lines()] == ["rules", "host-prompt", ""]


def test_an_approval_counts_for_an_agent_that_could_ask(place: Place) -> None:
    """The mode may have changed since."""
    place.call()
    place.approve()
    assert decision(place.call(permission_mode="default")) == "allow"


@pytest.mark.parametrize(
    ("event", "mode", "around", "expected"),
    [
        ("PreToolUse", "default", {}, "ask"),
        ("PreToolUse", "acceptEdits", {"CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_CODE_SESSION_ATTENDED": "1"}, "ask"),
        ("PreToolUse", "default", {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}, "deny"),
        ("PreToolUse", "default", {"CLAUDE_CODE_SESSION_ATTENDED": "0"}, "deny"),
        ("PreToolUse", "bypassPermissions", {}, "deny"),
        ("PreToolUse", "dontAsk", {}, "deny"),
        ("PreSkillShellCommand", "default", {}, "deny"),
        ("EventOfNextYear", "default", {}, "deny"),
        ("PermissionRequest", "default", {}, ""),
    ],
)
def test_where_claude_code_shows_a_question(
    place: Place, event: str, mode: str, around: dict[str, str], expected: str
) -> None:
    """Only before a call, where somebody attends, in a mode that does not answer by itself."""
    assert decision(place.call(event=event, permission_mode=mode, around={**HOME, **around})) == expected


def test_other_callers_say_whether_they_can_ask(place: Place) -> None:
    """In the generic dialect; the number stands beside the reason."""
    for asks, expected in ((True, "ask"), (False, "deny")):
        raw = json.dumps({"tool": "Bash", "input": {"command": ASKS}, "cwd": "/", "asks": asks}).encode()
        answer = place.server.answer("generic", "", "/", raw, environment=HOME)
        told = json.loads(answer.stdout)
        assert (told["decision"], answer.exit_code, "request" in told) == (expected, 2, expected == "deny")


@pytest.mark.parametrize("mode", ["default", "dontAsk"])
def test_a_store_that_fails_lets_nothing_through_and_is_counted(
    place: Place, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """A full disk, a broken file: the question is shown where it can be, else the call is stopped."""
    place.call()
    place.approve()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for method in ("take", "ask", "shown"):
        monkeypatch.setattr(Store, method, full)
    answer = place.call(permission_mode=mode)
    assert decision(answer) == {"default": "ask", "dontAsk": "deny"}[mode]
    assert desk.failures(place.store.directory) == 1
    assert "No space left" in place.lines()[-1]["errors"][0]


def test_a_file_that_is_no_store_lets_nothing_through(place: Place) -> None:
    """Whoever wrote it."""
    private(place.path / "approvals")
    Path(place.store.path).write_bytes(b"not a database" * 100)
    Path(place.store.path).chmod(0o600)
    assert decision(place.call()) == "deny"
    assert desk.failures(place.store.directory) == 1


def test_an_edited_row_is_told_and_asked_about_anew(place: Place) -> None:
    """In the answer's log line too."""
    import sqlite3

    place.call()
    with sqlite3.connect(place.store.path) as db:
        db.execute("UPDATE requests SET state='approved', seal=mark, uid=0, decided=1")
    db.close()
    answer = place.call()
    assert decision(answer) == "deny"
    assert b"request 2" in answer.stderr
    assert "outside of Checkrail" in place.lines()[-1]["errors"][0]


def test_identical_calls_are_one_request(place: Place) -> None:
    """Ten tries, one thing to answer; another session is another question."""
    for _ in range(10):
        place.call()
    place.call(session_id="s2")
    assert [request.asked.session for request in place.store.waiting(now=time.time())] == ["s1", "s2"]


def test_a_late_call_is_stopped_where_nobody_would_see_the_question(place: Place) -> None:
    """And asks elsewhere."""
    for mode, expected in (("dontAsk", "deny"), ("default", "ask")):
        raw = json.dumps({"tool_name": "Bash", "tool_input": {"command": "ls"}, "permission_mode": mode}).encode()
        assert decision(place.server.late("claude", "PreToolUse", raw)) == expected


def test_settling_never_turns_a_denial_around(place: Place) -> None:
    """Whatever stands in the store."""
    event = shell("rm -rf ~")
    verdict = judged(event)
    assert (
        desk.Desk(place.store).settle(event, verdict, AROUND, place.server.policies.current().policy.approvals)
        is verdict
    )
    asked = judged(shell(ASKS))
    floored = msgspec.structs.replace(asked, findings=verdict.findings)
    rules = place.server.policies.current().policy.approvals
    assert desk.Desk(place.store).settle(shell(ASKS), floored, AROUND, rules).decision is Decision.DENY
    assert not place.store.exists()
    shown = shell(ASKS, asking=Asking.ASKING)
    assert desk.Desk(place.store).settle(shown, asked, AROUND, rules) is asked


def test_notifications_are_off_unless_asked_for(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """One for each new request, none for a repeated one."""
    told: list[int] = []
    monkeypatch.setattr("checkrail.approvals.notify.tell", lambda request: told.append(request.number))
    place.call()
    assert told == []
    place.policy("[approvals]\nnotify = true\n")
    place.call("git push --force origin dev")
    place.call("git push --force origin dev")
    assert told == [2]


def test_secrets_are_out_of_what_is_listed_and_logged(place: Place) -> None:
    """The operation itself stays whole in the private store while it waits, and goes when it is done."""
    command = "git push --force https://x:hunter22secret@example.com/r main"
    answer = place.call(command)
    assert b"hunter22secret" not in answer.stderr + answer.stdout
    request = place.store.waiting(now=time.time())[0]
    assert "hunter22secret" not in request.asked.summary + "".join(request.asked.findings)
    assert "hunter22secret" in request.asked.whole
    assert place.store.refuse(1, PERSON, now=time.time(), lifetime=600)
    place.store.close()
    place.server.close()
    left = b"".join((place.path / "approvals" / name).read_bytes() for name in os.listdir(place.path / "approvals"))
    assert b"hunter22secret" not in left
