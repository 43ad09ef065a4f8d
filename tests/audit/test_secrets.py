"""No secret that is known reaches the log, in whatever field it stands."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from checkrail.audit import Log, files
from checkrail.audit.chain import TAIL
from checkrail.audit.entries import MAX_TEXT, outcome_entry, verdict_entry
from checkrail.model import Band, Decision, Event, EventKind, Finding, Operation, Verdict
from checkrail.redaction import load_tokens

TOKENS = [(token.id, example.replace("~", "")) for token in load_tokens() for example in token.example]
NAMED = {
    "header": "Authorization: Bearer {}",
    "cookie": "Cookie: session={}",
    "key": "X-Api-Key: {}",
    "variable": "DB_PASSWORD={}",
    "option": "--token {}",
    "json": '"api_key": "{}"',
    "url": "https://dev:{}@host.example/x",
    "user": "curl -u dev:{} https://host.example",
    "block": "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----",
}
AROUND = (
    "{}",
    "TOKEN={}",
    "a {} b",
    "/srv/{}/x",
    "https://host.example/?k={}&x=1",
    "q%3D{}",
    r"printf 'x\n{}'",
    "'{}'",
    "x\x00{}",
)


def inputs(text: str) -> Iterator[dict[str, Any]]:
    """The text in every place where an input can hold one."""
    yield {"command": text}
    yield {"file_path": f"/work/{text}", "content": text}
    yield {"url": text, "headers": {"X-Thing": text}, "prompt": text}
    yield {"args": ["-H", text], "deep": {"list": [{"value": text}, [text]]}}
    yield {text: "key"}


def line(text: str, given: dict[str, Any], folder: str) -> str:
    """What the log holds of a call that carries the text everywhere."""
    event = Event(
        agent=text, kind=EventKind.PRE, name=text, tool=text, input=given, cwd=f"/{text}", project=f"/{text}",
        session=text, subagent=text, call=text, mode=text, plugin=text, fault=text,
    )  # fmt: skip
    finding = Finding(rule="t.x", reason=text, gate="t", decision=Decision.ASK, target=text, safer=text)
    verdict = Verdict(
        decision=Decision.ASK, band=Band.ESCALATE, findings=(finding,), errors=(text,),
        operation=Operation(kind="command", summary=text),
    )  # fmt: skip
    log = Log(folder)
    assert log.append(verdict_entry(event, verdict, signature="s", policy="p", latency_ms=1.0)) == ""
    done = msgspec.structs.replace(event, kind=EventKind.POST, result={"stdout": text})
    assert log.append(outcome_entry(done)) == ""
    log.close()
    return Path(files(folder)[0]).read_text()


@pytest.mark.parametrize(("kind", "secret"), TOKENS)
def test_a_token_is_in_no_field(kind: str, secret: str, tmp_path: Path) -> None:
    """Every kind that is known, with what stands around it in commands, paths and addresses."""
    for around in AROUND:
        for given in inputs(around.format(secret)):
            found = line(around.format(secret), given, str(tmp_path / "audit"))
    assert found.count("\n") == 2 * 5 * len(AROUND)
    assert secret not in found, kind
    assert secret[-12:] not in found, kind


@pytest.mark.parametrize("name", NAMED)
def test_a_value_that_is_named_a_secret_is_in_no_field(name: str, tmp_path: Path) -> None:
    """By its key, its header, its option, its place in an address."""
    secret = "Zx81vQ77swordfishPlum"
    for given in inputs(NAMED[name].format(secret)):
        assert secret not in line(NAMED[name].format(secret), given, str(tmp_path / "audit"))


@pytest.mark.parametrize(
    "given",
    [
        {"password": "hunter2hunter2"},
        {"env": {"GITHUB_TOKEN": "hunter2hunter2"}},
        {"command": ["deploy", "--password", "hunter2hunter2"]},
        {"argv": ["x", "--api-key", "hunter2hunter2", "y"]},
    ],
)
def test_a_value_under_a_name_is_not_kept(given: dict[str, Any], tmp_path: Path) -> None:
    """A key of an object, or the option before it in a list."""
    assert "hunter2" not in line("x", given, str(tmp_path / "a"))


def test_what_follows_an_ordinary_word_is_kept(tmp_path: Path) -> None:
    """A near miss."""
    found = line("x", {"argv": ["ls", "--sort", "size", "token", "ring"]}, str(tmp_path / "a"))
    assert all(word in found for word in ("size", "ring"))


@pytest.mark.parametrize("at", range(2 * MAX_TEXT - 60, 2 * MAX_TEXT + 5, 7))
def test_secrets_before_a_cut_do_not_pull_half_a_secret_into_view(at: int, tmp_path: Path) -> None:
    """Redaction makes a text shorter; what it could not see whole stays out."""
    many = "https://u:" + "p" * 300 + "@h " + "password=" + "q" * 1500 + " "
    text = (many + "x" * at)[:at] + " https://dev:Zx81vQ77swordfish@host/ AKIAIOSFODNN7EXAMPLE" + "y" * 5000
    found = line("x", {"command": text}, str(tmp_path / "a"))
    assert "Zx81" not in found
    assert "AKIA" not in found


def test_no_line_is_longer_than_what_is_read_to_find_it() -> None:
    """Also where every field is as long as can be."""
    text = "\U0001f600" * 100_000
    event = Event(
        agent=text, kind=EventKind.PRE, name=text, tool=text, input={"a": text}, cwd=text, project=text, session=text,
        subagent=text, call=text, mode=text, plugin=text, fault=text,
    )  # fmt: skip
    finding = Finding(rule="r" * 60, reason=text, gate="t", decision=Decision.ASK, target=text, safer=text)
    verdict = Verdict(
        decision=Decision.ASK, band=Band.ESCALATE, findings=(finding,) * 100, errors=(text,) * 100,
        operation=Operation(kind="command", summary=text),
    )  # fmt: skip
    entry = verdict_entry(event, verdict, signature="s", policy="p", latency_ms=1.0)
    assert len(json.dumps(entry)) < TAIL - 1000
    assert (entry["cut"], len(entry["findings"]), entry["left_out"]) == (True, 20, 80)


def test_a_text_that_is_no_unicode_is_logged(tmp_path: Path) -> None:
    """A lone surrogate, as JSON may carry it."""
    assert r"\ud800" in line("x", {"command": "echo \ud800"}, str(tmp_path / "a"))
