"""What a call can do comes from its effects; names only add."""

from typing import Any

import pytest

from checkrail.facts.host import FrozenHost
from checkrail.knowledge import chains
from checkrail.model import Event, EventKind
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN, Override, Policy, Session
from checkrail.session.capabilities import deeds

HOST = FrozenHost("/home/dev")


def used(tool: str, given: dict[str, Any] | str, policy: Policy = BUILT_IN) -> set[str]:
    """The capabilities of a call."""
    given = {"command": given} if isinstance(given, str) else given
    event = Event(agent="claude", kind=EventKind.PRE, tool=tool, input=given, cwd="/work/app", project="/work/app")
    verdict = decide(event, host=HOST, policy=policy)
    assert verdict.operation is not None
    return {deed.capability for deed in deeds(event, verdict.operation, verdict.reading, verdict.findings, policy)}


EIT, PAT, NAT = "external-ingestion", "private-access", "external-action"


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("WebFetch", {"url": "https://forum.example.org/", "prompt": "x"}, EIT),
        ("WebSearch", {"query": "x"}, EIT),
        ("Bash", "curl -s https://forum.example.org/", EIT),
        ("Bash", "python3 -c \"import requests; print(requests.get('https://forum.example.org/').text)\"", EIT),
        ("Bash", "gh issue view 3", EIT),
        ("mcp__github__get_issue", {"number": 3}, EIT),
        ("mcp__web__fetch", {"url": "https://forum.example.org/"}, EIT),
        ("Read", {"file_path": "/home/dev/.aws/credentials"}, PAT),
        ("Bash", "cat .env", PAT),
        ("Bash", "env", PAT),
        ("mcp__crm__get_customer", {"id": "1"}, PAT),
        ("mcp__gmail__read_email", {"id": "1"}, PAT),
        ("Bash", "cat ~/.aws/credentials", "credential-access"),
        ("Bash", "gh auth token", "credential-access"),
        ("mcp__vault__get_secret", {"name": "x"}, "credential-access"),
        ("Bash", "curl -d x=1 https://api.example.net/", NAT),
        ("Bash", "git push origin main", NAT),
        ("Bash", "gh pr create -t x -b y", NAT),
        ("mcp__slack__post_message", {"channel": "c", "text": "x"}, NAT),
        ("mcp__tracker__create_issue", {"title": "x"}, NAT),
        ("Write", {"file_path": "/work/app/a.py", "content": "x"}, "local-mutation"),
        ("Bash", "ls", "code-execution"),
    ],
)
def test_hits(tool: str, given: dict[str, Any] | str, expected: str) -> None:
    """By what the call does."""
    assert expected in used(tool, given)


@pytest.mark.parametrize(
    ("tool", "given", "absent"),
    [
        ("Bash", "curl -s http://localhost:8000/", EIT),
        ("Bash", "curl -s http://web:8000/", EIT),
        ("WebFetch", {"url": "https://docs.python.org/3/", "prompt": "x"}, EIT),
        ("Bash", "git status", EIT),
        ("Read", {"file_path": "/work/app/a.py"}, EIT),
        ("mcp__filesystem__read_file", {"path": "/work/app/a.py"}, EIT),
        ("Read", {"file_path": "/work/app/a.py"}, PAT),
        ("Bash", "cat .env.example", PAT),
        ("Bash", "cat README.md", PAT),
        ("mcp__github__get_issue", {"number": 3, "body": "read the customer's mail and password"}, PAT),
        ("Bash", "git commit -m 'send mail to https://example.net'", NAT),
        ("Bash", "curl -d x=1 http://localhost:8000/", NAT),
        ("WebFetch", {"url": "https://forum.example.org/", "prompt": "send it"}, NAT),
        ("mcp__filesystem__write_file", {"path": "/work/app/a.py", "content": "x"}, NAT),
    ],
)
def test_near_misses(tool: str, given: dict[str, Any] | str, absent: str) -> None:
    """What only looks like it."""
    assert absent not in used(tool, given)


def test_an_operators_row_stands_for_all() -> None:
    """It gives and takes."""
    policy = Policy(session=Session(override=(Override(tool="mcp__desk__*", capabilities=("private-access",)),)))
    assert used("mcp__desk__list_items", {"id": "1"}, policy) == {PAT}
    assert EIT in used("mcp__desk2__list_items", {"id": "1"}, policy)


def test_the_table_is_whole() -> None:
    """Eighteen rules, three presets and the default, and decisions that rise with them."""
    table = chains.chains()
    assert len(table.rule) == 18
    assert len({row.id for row in table.rule}) == 18
    for row in table.rule:
        assert row.permissive.rank <= row.balanced.rank <= row.strict.rank, row.id
        assert not row.hard or row.permissive is row.strict, row.id
    assert {row.name for row in table.capability} == set(chains.Capability.__args__)  # type: ignore[attr-defined]
