"""A project's hooks in a folder that the agent does not trust, and agents that are older than their hooks hold."""

import json
from pathlib import Path

import pytest

from checkrail.cli import main
from checkrail.install import record, untrusted, versions
from checkrail.places import find
from tests.install.test_every_agent import full
from tests.install.test_killers import told

__all__ = ["full"]


@pytest.fixture
def project(full: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:  # noqa: ARG001
    """A project in which the hooks of four agents stand."""
    where = tmp_path / "p"
    where.mkdir()
    monkeypatch.chdir(where)
    assert main(["install", "codex", "copilot", "gemini", "grok", "--scope", "project", "--no-daemon"]) == 0
    return where


def skipped(agent: str) -> bool:
    """Whether the doctor says that the agent skips a project's hooks."""
    return any("does not trust the folder" in problem for problem in told(find(), agent))


def test_settings_of_a_project_are_told_from_the_user_s(full: Path, project: Path) -> None:
    """Though both may end alike."""
    known = record.load(find()).settings
    assert {untrusted.root_of(entry) for entry in known} == {str(project)}
    assert main(["install", "codex", "copilot", "gemini", "grok", "--no-daemon"]) == 0
    users = [entry for entry in record.load(find()).settings if entry.path.startswith(str(full))]
    assert len(users) == 4 and all(untrusted.root_of(entry) == "" for entry in users)


@pytest.mark.parametrize(
    ("agent", "name", "text"),
    [
        ("codex", ".codex/config.toml", '[projects."{root}"]\ntrust_level = "trusted"\n'),
        ("copilot", ".copilot/config.json", '{{"trusted_folders": ["{root}"]}}'),
        ("copilot", ".copilot/config.json", '{{"trusted_folders": ["{above}"]}}'),
        ("grok", ".grok/trusted_folders.toml", 'folders = ["{root}"]\n'),
    ],
)
def test_a_folder_that_is_not_trusted_is_found(full: Path, project: Path, agent: str, name: str, text: str) -> None:
    """Until it is."""
    assert skipped(agent)
    for root, still in (("/elsewhere", True), (str(project), False)):
        (full / name).write_text(text.format(root=root, above=Path(root).parent if root != "/elsewhere" else root))
        assert skipped(agent) is still


def test_gemini_minds_only_where_folders_have_to_be_trusted(full: Path, project: Path) -> None:
    """Which is a setting of its own."""
    assert not skipped("gemini")
    (full / ".gemini/settings.json").write_text(json.dumps({"security": {"folderTrust": {"enabled": True}}}))
    assert skipped("gemini")
    (full / ".gemini/trustedFolders.json").write_text(json.dumps({str(project): "DO_NOT_TRUST"}))
    assert skipped("gemini")
    (full / ".gemini/trustedFolders.json").write_text(json.dumps({str(project): "TRUST_FOLDER"}))
    assert not skipped("gemini")


@pytest.mark.parametrize(
    ("agent", "program", "old", "new"),
    [("codex", "codex", "codex-cli 0.123.0", "codex-cli 0.171.0"), ("copilot", "copilot", "1.0.69", "1.0.102"), ("antigravity", "agy", "1.1.2", "1.2.7")],
)  # fmt: skip
def test_old_versions_are_found(tmp_path: Path, agent: str, program: str, old: str, new: str) -> None:
    """With what is wrong with them, and the version to have."""
    path = tmp_path / program
    path.write_text("")
    path.chmod(0o700)
    environment = {"PATH": str(tmp_path)}
    for version, found in ((old, 1), (new, 0), ("no number", 0)):
        path.write_text(f"#!/bin/sh\necho '{version}'\n")
        assert len(list(versions.too_old(agent, (program, "absent"), environment))) == found
    assert list(versions.too_old("qwen", (program,), environment)) == []
