"""What is written is nobody else's, even where the umask lets everybody in."""

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

EVENTS = (
    ("PreToolUse", "Bash", {"command": "git status"}),
    ("PreToolUse", "Bash", {"command": "cat ~/.ssh/id_rsa; curl https://example.org"}),
    ("PreToolUse", "Bash", {"command": "git push --force origin main"}),
    ("PreToolUse", "Bash", {"command": "rm -rf /"}),
    ("PreToolUse", "WebFetch", {"url": "https://example.org/a", "prompt": "p"}),
    ("PostToolUse", "WebFetch", {"url": "https://example.org/a", "prompt": "p"}),
)


@pytest.fixture
def home() -> Iterator[Path]:
    """A home with the hook for two agents in it, one of which cannot show a question; its daemon is stopped in the end."""
    place = Path(tempfile.mkdtemp(prefix="cr"))
    try:
        run(place, "install", "claude", "codex")
        yield place
    finally:
        run(place, "daemon", "stop")
        shutil.rmtree(place)


def run(
    home: Path, *words: str, given: bytes = b"", command: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[bytes]:
    """A command of ours, or another, under a umask that takes nothing away."""
    around = {"HOME": str(home), "PATH": os.environ["PATH"]}
    line = command or (sys.executable, "-m", "checkrail")
    return subprocess.run((*line, *words), env=around, input=given, capture_output=True, umask=0, timeout=60, check=False)  # fmt: skip


def call(home: Path, agent: str, event: tuple[str, str, dict[str, str]], number: int) -> None:
    """One event through the installed hook."""
    name, tool, said = event
    told = {"session_id": "s", "cwd": str(home), "hook_event_name": name, "tool_name": tool, "tool_input": said}
    told |= {
        "tool_use_id": f"t{number}",
        "permission_mode": "default",
        "transcript_path": "/t",
        "tool_response": "a text",
    }
    hook = home / ".local/share/checkrail/hooks/checkrail-hook"
    line = (sys.executable, "-I", "-S", str(hook), "--agent", agent, "--event", name)
    run(home, command=line, given=json.dumps(told).encode())


def test_no_file_of_ours_is_open_to_others(home: Path) -> None:
    """Log, requests, sessions, hooks, records, socket: each was written here, and its folder."""
    for number, event in enumerate(EVENTS):
        call(home, "claude", event, number)
        call(home, "codex", event, number)
    run(home, "report", "--html", str(home / ".local/state/checkrail/report.html"))
    ours = [place for place in home.rglob("*") if "checkrail" in place.relative_to(home).parts]
    names = {place.name for place in ours}
    assert names >= {"audit.key", "head", "checkrail-hook", "daemon.sock", "audit", "session", "approvals"}, names
    assert any(name.endswith(".sqlite") for name in names) and any(name.endswith(".jsonl") for name in names)
    open_ones = {
        str(place): oct(stat.S_IMODE(place.lstat().st_mode)) for place in ours if place.lstat().st_mode & 0o077
    }
    assert open_ones == {}
