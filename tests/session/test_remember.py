"""A session's calls one after the other, as the pipeline and the server tell of them."""

from pathlib import Path
from typing import Any

import pytest

from checkrail.facts.host import FrozenHost
from checkrail.model import Event, EventKind, Verdict
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN, Policy
from checkrail.session import facts, identity
from checkrail.session.capabilities import Deed
from checkrail.session.memory import Store
from checkrail.session.remember import Recollection

PAGE = ("WebFetch", {"url": "https://forum.example.org/t/9", "prompt": "read"})
KEY = ("Bash", {"command": "cat ~/.ssh/id_ed25519"})
PUSH = ("Bash", {"command": "git push origin main"})
HOST = FrozenHost("/home/dev")


class Story:
    """Calls of one machine; what is asked about is let through by the person."""

    def __init__(self, folder: Path, policy: Policy = BUILT_IN) -> None:
        self.store = Store(folder / "session")
        self.policy = policy
        self.count = 0

    def event(self, kind: EventKind, what: tuple[str, dict[str, Any]], **more: Any) -> Event:
        """The call as an event."""
        where = {"cwd": "/work/app", "project": "/work/app", "session": "one", **more}
        return Event(agent="claude", kind=kind, tool=what[0], input=what[1], **where)

    def announce(self, call: tuple[str, dict[str, Any]], *, counts: bool = True, **more: Any) -> Verdict:
        """A pending call."""
        self.count += 1
        event = self.event(EventKind.PRE, call, **{"call": str(self.count), **more})
        return decide(event, host=HOST, policy=self.policy, memory=Recollection(self.store, counts=counts))

    def finish(
        self, what: tuple[str, dict[str, Any]], result: Any = "done", name: str = "PostToolUse", **more: Any
    ) -> str:
        """The end of the last call."""
        event = self.event(EventKind.POST, what, **{"call": str(self.count), "result": result, "name": name, **more})
        return Recollection(self.store).heard(event)

    def run(self, call: tuple[str, dict[str, Any]], result: Any = "done", **more: Any) -> Verdict:
        """Both."""
        verdict = self.announce(call, **more)
        assert self.finish(call, result, **more) == ""
        return verdict


@pytest.fixture
def story(tmp_path: Path) -> Story:
    """A machine on which nothing has happened."""
    return Story(tmp_path)


def rules(verdict: Verdict) -> set[str]:
    """The rules of the session behind a verdict."""
    return {finding.rule.removeprefix("session.") for finding in verdict.findings if finding.gate == "session"}


def test_the_reason_names_the_three_calls(story: Story) -> None:
    """With time, tool and target."""
    story.run(PAGE)
    story.run(KEY)
    verdict = story.announce(PUSH)
    reason = next(f.reason for f in verdict.findings if f.rule == "session.suspicious-disclosure-chain")
    assert "WebFetch forum.example.org" in reason
    assert "Bash /home/dev/.ssh/id_ed25519" in reason
    assert "now Bash git push origin main" in reason


def test_sub_agents_share_the_session(story: Story) -> None:
    """By the number of the session, or by that of who started them, to any depth."""
    story.run(PAGE, subagent="explore/1")
    story.run(KEY, session="child", parent="one")
    assert "suspicious-disclosure-chain" in rules(story.announce(PUSH, session="grandchild", parent="child"))
    assert "suspicious-disclosure-chain" in rules(story.announce(PUSH))


def test_other_sessions_are_other_sessions(story: Story) -> None:
    """The same calls, spread."""
    story.run(PAGE, session="two")
    story.run(KEY, session="three")
    assert rules(story.announce(PUSH)) == set()


def test_without_a_session_nothing_is_opened(story: Story) -> None:
    """Nor remembered."""
    for call in (PAGE, KEY):
        story.announce(call, session="")
    assert rules(story.announce(PUSH, session="")) == set()
    assert not story.store.directory.exists()


def test_harmless_calls_open_nothing(story: Story) -> None:
    """No file for ordinary work."""
    for command in ("ls", "git status", "pytest -q", "git push"):
        story.run(("Bash", {"command": command}))
    assert not story.store.directory.exists()


def test_who_only_asks_is_not_remembered(story: Story) -> None:
    """A check."""
    story.announce(PAGE, counts=False)
    assert not story.store.directory.exists()


def test_a_failed_read_is_withdrawn(story: Story) -> None:
    """Nothing came of it."""
    story.run(PAGE)
    story.announce(KEY)
    story.finish(KEY, "No such file", "PostToolUseFailure")
    assert rules(story.announce(PUSH)) == set()


def test_what_was_denied_by_a_person_does_not_count_where_ends_are_told(story: Story) -> None:
    """A call that was asked about and has no end did not run, as far as an agent tells of ends."""
    story.run(PAGE)
    assert story.announce(KEY).decision == "ask"
    assert rules(story.announce(PUSH)) == set()


def test_where_no_ends_are_told_it_is_assumed(story: Story) -> None:
    """And the reason says so."""
    story.announce(PAGE)
    story.announce(KEY)
    verdict = story.announce(PUSH)
    assert any("(assumed)" in f.reason and "(asked)" in f.reason for f in verdict.findings)


def test_one_call_alone_is_no_chain(story: Story) -> None:
    """Reads a page and a key at once, then pushes."""
    both = ("Bash", {"command": "curl -s https://forum.example.org/t/9; cat ~/.ssh/id_ed25519"})
    story.run(both)
    assert "suspicious-disclosure-chain" not in rules(story.announce(PUSH))


def test_a_broken_store_counts_as_tainted_and_says_so(story: Story) -> None:
    """For what goes out; other work goes on."""
    story.run(PAGE)
    for place in story.store.directory.glob("memory.sqlite*"):
        place.unlink()
    story.store.path.write_bytes(b"broken" * 999)
    story.store = Store(story.store.directory)
    verdict = story.announce(PUSH)
    assert verdict.decision == "ask"
    assert "cannot be told" in " ".join(f.reason for f in verdict.findings)
    assert story.announce(("Bash", {"command": "ls"})).decision == "allow"


def test_nothing_raw_is_stored(story: Story) -> None:
    """Neither text nor secret nor arguments."""
    story.run(PAGE, "The wombat sleeps in its burrow during the heat of the day. Write to keeper@zoo.example")
    story.run(("Bash", {"command": "cat .env"}), "BACKEND_TOKEN=Qm83kPz01LxVw72R")
    raw = b"".join(place.read_bytes() for place in story.store.directory.iterdir())
    for text in (b"wombat", b"burrow", b"zoo.example", b"Qm83", b"BACKEND", b'"one"'):
        assert text not in raw


def test_facts_do_not_grow_with_the_calls(story: Story) -> None:
    """A thousand pages of hundreds of hosts."""
    with story.store.change(identity.who(story.event(EventKind.PRE, PAGE))) as change:
        for number in range(1000):
            deed = Deed("external-ingestion", f"host{number}.example", "x")
            seen = facts.Occurrence(number, 1, "WebFetch", "x", str(number), "seen")
            facts.happened(change.state, (deed,), seen)
    held = story.store.load(identity.who(story.event(EventKind.PRE, PAGE)))
    assert held is not None
    assert len(held.state.facts) == facts.MOST_FACTS + 1
    first = facts.ingested(held.state)
    assert first is not None and first.seq == 0


@pytest.mark.parametrize(
    "result",
    [
        None,
        "",
        7,
        [],
        {"a": [{"b": "x" * 100_000}] * 50},
        "\ud800\x00\uffff",
        ["x"] * 30_000,
        {"content": [{"type": "text", "text": "hi"}]},
    ],
)
def test_results_of_any_shape(story: Story, result: Any) -> None:
    """Nothing is raised."""
    story.announce(PAGE)
    assert story.finish(PAGE, result) == ""
    assert rules(story.announce(("Bash", {"command": "ls"}))) == set()


def test_an_end_without_a_beginning(story: Story) -> None:
    """Told twice, or of a call that nobody announced."""
    story.run(PAGE)
    assert story.finish(PAGE) == ""
    assert story.finish(KEY, call="never") == ""
    assert rules(story.announce(PUSH)) == set()
