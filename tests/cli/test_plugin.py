"""``checkrail plugin``, from checking to enabling and updating."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from checkrail import places
from checkrail.approvals.rows import Who
from checkrail.cli import main, person
from checkrail.cli.judging import make_server
from checkrail.plugins import standing, store
from tests.plugins.make import STDIO, package
from tests.plugins.test_sources import Repository

WIPE = {"skills/notes/scripts/a.sh": "rm -rf ~\n"}
ASKS = [{"id": "mcp:db/drop", "reversibility": "irreversible", "scope": "external"}]


@pytest.fixture
def says(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:  # noqa: ARG001
    """A person at a terminal, with the answers that a test puts here; yes where there is none."""
    answers: list[bool] = []
    monkeypatch.setattr(person, "present", lambda: Who(uid=1000, user="ann", tty="/dev/pts/1"))
    monkeypatch.setattr(person, "agrees", lambda _question: answers.pop(0) if answers else True)
    places.secure_directory(places.find().state)
    yield answers


def _index() -> standing.Index:
    raw = (places.find().data / "plugins" / "index.json").read_bytes()
    return msgspec.json.decode(raw, type=standing.Index)


@pytest.mark.parametrize(
    "files,manifest,code", [({}, {}, 0), ({"AGENTS.md": "x"}, {}, 10), (WIPE, {}, 20), ({}, {"name": "-"}, 20)]
)
def test_check_codes(home: Path, files: dict[str, str], manifest: dict[str, str], code: int) -> None:
    """For CI."""
    root = package(home / "p", files=files, manifest=manifest)
    assert main(["plugin", "check", str(root)]) == code
    assert main(["plugin", "check", str(root), "--format", "sarif"]) == code
    assert main(["plugin", "show", str(root)]) == 0


def test_drafts_have_a_switch(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the command line and in the operator's file."""
    root = package(home / "p", manifest={"$schema": "https://agent-plugins.org/schemas/1.1.0/plugin.schema.json"})
    assert main(["plugin", "check", str(root)]) == 0
    assert "working draft" in capsys.readouterr().out
    assert main(["plugin", "check", str(root), "--no-drafts"]) == 20
    config = places.secure_directory(places.find().config)
    (config / "plugins.toml").write_text("drafts = false\n")
    assert main(["plugin", "check", str(root)]) == 20
    (config / "plugins.toml").write_text("draft = false\n")
    assert main(["plugin", "check", str(root)]) == 1


def test_show_answers_a_policys_question(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How many operations escalate, and where to."""
    root = package(home / "p", operations=[{"id": f"mcp:db/{name}", "scope": "external"} for name in "abc"])
    assert main(["plugin", "show", str(root), "--json"]) == 0
    declared = json.loads(capsys.readouterr().out)["declared"]
    assert declared["bands"]["escalate"] == 3
    assert declared["escalate_scopes"] == {"external": 3}


def test_a_terminal_is_needed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For everything that changes what may run."""
    root = str(package(home / "p"))
    for words in (
        ["add", root],
        ["remove", "demo"],
        ["enable", "demo", "db"],
        ["disable", "demo", "db"],
        ["update", "demo"],
    ):
        assert main(["plugin", *words]) == 2
    assert "terminal" in capsys.readouterr().err
    assert not (places.find().data / "plugins").exists()


def test_from_adding_to_removing(home: Path, says: list[bool], capsys: pytest.CaptureFixture[str]) -> None:
    """A commit: kept as data, enabled for exactly its command, disabled again by whatever changes."""
    files = {"server.js": "console.log(1)\n"}
    repository = Repository(home / "repository")
    package(repository.path, servers={"db": STDIO}, operations=ASKS, files=files)
    first = repository.commit({})
    assert main(["plugin", "add", f"{repository.path}#{first}"]) == 0
    assert _index().disabled == {"plugin_demo_db": "demo"}
    assert _index().operations["db"]["drop"].band == "escalate"
    kept = store.Store(places.find().data).get("demo")
    assert (kept.source.pin, kept.signed.user) == (first, "ann")
    tree = Path(kept.tree)
    assert stat.S_IMODE(tree.stat().st_mode) == 0o700

    says.append(False)
    assert main(["plugin", "enable", "demo", "db"]) == 1
    assert main(["plugin", "enable", "demo", "web"]) == 1
    assert main(["plugin", "enable", "demo", "db"]) == 0
    assert _index().disabled == {}
    assert main(["plugin", "list", "--json"]) == 0

    package(repository.path, servers={"db": STDIO}, operations=[], files={**files, "extra.md": "x"})
    second = repository.commit({})
    assert main(["plugin", "update", "demo", "--to", second, "--check"]) == 20
    told = capsys.readouterr().out
    assert "declared band lowered: mcp:db/drop: escalate -> undeclared" in told
    assert "added extra.md" in told
    assert store.Store(places.find().data).get("demo") == store.Store(places.find().data).get("demo")
    assert _index().disabled == {}
    assert main(["plugin", "update", "demo", "--to", second]) == 0
    assert _index().disabled == {"plugin_demo_db": "demo"}
    assert not tree.exists()
    assert main(["plugin", "enable", "demo", "db"]) == 0
    assert main(["plugin", "disable", "demo", "db"]) == 0
    assert _index().disabled == {"plugin_demo_db": "demo"}

    assert main(["plugin", "remove", "demo"]) == 0
    assert list((places.find().data / "plugins" / "trees").iterdir()) == []
    assert _index() == standing.Index()


def _rules(tool: str) -> set[str]:
    """What the whole pipeline finds about a call, from the places that the daemon would use."""
    told = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": {"name": "x"}}
    _, verdict = make_server(None).judge("claude", "", "/work/app", json.dumps(told).encode(), environment={})
    return {finding.rule for finding in verdict.findings}


@pytest.mark.usefixtures("says")
def test_calls_meet_what_is_kept(home: Path) -> None:
    """Through the whole pipeline, by the names that clients give a plugin's tools."""
    root = package(home / "p", servers={"db": STDIO}, operations=ASKS, files={"server.js": "console.log(1)\n"})
    assert "mcp.declared-band" not in _rules("mcp__plugin_demo_db__drop")
    assert main(["plugin", "add", str(root)]) == 0
    assert _rules("mcp__plugin_demo_db__drop") >= {"mcp.declared-band", "mcp.plugin-disabled"}
    assert "mcp.declared-band" in _rules("mcp__db__drop")
    assert "mcp.declared-band" not in _rules("mcp__plugin_demo_db__list")
    assert main(["plugin", "enable", "demo", "db"]) == 0
    assert "mcp.plugin-disabled" not in _rules("mcp__plugin_demo_db__list")
    assert "mcp.declared-band" in _rules("mcp__plugin_demo_db__drop")


@pytest.mark.usefixtures("says")
def test_what_changed_since_is_told_and_not_enabled(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A directory that is used in place may change under everybody's hands."""
    root = package(home / "p", servers={"db": STDIO}, files={"server.js": "console.log(1)\n"})
    assert main(["plugin", "add", str(root)]) == 0
    assert main(["plugin", "add", str(root)]) == 1
    assert main(["plugin", "check", "demo"]) == 0
    capsys.readouterr()
    assert main(["plugin", "check", "demo", "--format", "lock"]) == 0
    assert json.loads(capsys.readouterr().out)["demo"]["signed"]["user"] == "ann"
    (root / "server.js").write_text("console.log(2)\n")
    assert main(["plugin", "check", "demo"]) == 20
    assert main(["plugin", "list"]) == 10
    assert main(["plugin", "enable", "demo", "db"]) == 1
    assert main(["plugin", "update", "demo", "--check"]) == 10
    assert main(["plugin", "update", "demo"]) == 0
    assert main(["plugin", "enable", "demo", "db"]) == 0
    assert main(["plugin", "remove", "demo"]) == 0
    assert root.exists()


def test_a_no_leaves_nothing(home: Path, says: list[bool]) -> None:
    """Neither an entry nor files; what is no plugin is not even asked about."""
    repository = Repository(home / "repository")
    package(repository.path)
    commit = repository.commit({})
    says.append(False)
    assert main(["plugin", "add", f"{repository.path}#{commit}"]) == 1
    repository.git("rm", "--quiet", "plugin.json")
    assert main(["plugin", "add", f"{repository.path}#{repository.commit({})}"]) == 1
    assert list((places.find().data / "plugins" / "trees").iterdir()) == []
    assert main(["plugin", "list"]) == 0


@pytest.mark.usefixtures("says")
def test_one_change_at_a_time(home: Path) -> None:
    """While a person looks at one, no other comes in between."""
    with store.Store(places.find().data).locked():
        assert main(["plugin", "add", str(package(home / "p"))]) == 1
    assert main(["plugin", "add", str(home / "p")]) == 0


@pytest.mark.usefixtures("says")
def test_sources_that_the_operator_excludes(home: Path) -> None:
    """Whatever the person says."""
    config = places.secure_directory(places.find().config)
    (config / "plugins.toml").write_text('sources = ["https://git.example/acme"]\n')
    assert main(["plugin", "add", str(package(home / "p"))]) == 1


def test_a_store_that_cannot_be_read(home: Path) -> None:  # noqa: ARG001
    """Is an error, not an empty one."""
    folder = places.find().data / "plugins"
    folder.mkdir(parents=True)
    (folder / "installed.json").write_text("{")
    assert main(["plugin", "list"]) == 1


def test_export_and_conformance(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A package is written once; the table holds."""
    (home / "d.toml").write_text('[plugin]\nname = "demo"\n')
    assert main(["plugin", "export", "d.toml", "out"]) == 0
    assert main(["plugin", "export", "d.toml", "out"]) == 2
    assert main(["plugin", "check", "out"]) == 0
    (home / "d.toml").write_text('[plugin]\nname = "-"\n')
    assert main(["plugin", "export", "d.toml", "other"]) == 1
    assert not os.path.exists("other")
    capsys.readouterr()
    assert main(["plugin", "conformance", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["releases"] == ["1.0.0"]
    assert len(told["requirements"]) == 82
    assert main(["plugin", "conformance"]) == 0
    assert "82 of 82" in capsys.readouterr().out
