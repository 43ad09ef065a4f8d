"""The one server of the process: its places are the process's own."""

from pathlib import Path

import pytest

from checkrail import places, serve
from checkrail.audit import files


def test_the_module_serves_from_the_places_of_its_own_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller's environment moves neither policy nor log."""
    for name in ("CONFIG", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    (tmp_path / "CONFIG/checkrail").mkdir(parents=True, mode=0o700)
    (tmp_path / "STATE/checkrail").mkdir(parents=True, mode=0o700)
    policy = tmp_path / "CONFIG/checkrail/policy.toml"
    policy.write_text("profile = 'strict'")
    policy.chmod(0o600)
    serve.reload()
    before = serve.digest()
    serve.answer(
        "claude", "PostToolUse", "/w", b'{"tool_name":"x","tool_input":{}}', environment={"XDG_CONFIG_HOME": "/evil"}
    )
    assert serve.server().policies.current().policy.profile == "strict"
    assert files(str(tmp_path / "STATE/checkrail/audit"))
    policy.write_text("profile = 'balanced'")
    assert serve.digest() != before
    monkeypatch.undo()
    monkeypatch.setattr(serve, "_server", None)


def test_its_own_places_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Configuration, state, data, socket and code, for the floor to protect."""
    for name in ("CONFIG", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    own = serve.own_places(places.find())
    for name in ("CONFIG", "STATE", "DATA"):
        assert str(tmp_path / name / "checkrail") in own
    assert str(Path(serve.__file__).parent) in own
