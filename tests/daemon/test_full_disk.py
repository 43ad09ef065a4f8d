"""The real daemon where nothing can be written any more: what it decides does not depend on its log."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from checkrail.daemon import client, lifecycle
from checkrail.daemon.protocol import Request
from tests.daemon.home import until


@pytest.fixture
def socket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Of a daemon whose every write to a file fails, as on a full disk."""
    base = tmp_path_factory.mktemp("d")
    run = base / "run"
    run.mkdir(mode=0o700)
    around = {
        **os.environ, "HOME": str(base), "XDG_STATE_HOME": str(base / "s"), "XDG_CONFIG_HOME": str(base / "c"),
        "XDG_DATA_HOME": str(base / "d"), "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    line = 'ulimit -f 0; exec "$@"'
    command = ("/bin/sh", "-c", line, "sh", sys.executable, "-m", "checkrail.daemon", "--socket", str(run / "s"))
    with subprocess.Popen(command, env=around, stdin=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            until(lambda: client.alive(run / "s", seconds=1), seconds=30)
            yield run / "s"
        finally:
            lifecycle.stop(run / "s")
            process.terminate()


def decision(socket: Path, command: str) -> tuple[int, str, str]:
    """Exit code, decision and reason of a pending command."""
    call = {
        "session_id": "s",
        "cwd": "/tmp",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "permission_mode": "default",
    }
    raw = json.dumps({**call, "tool_input": {"command": command}}).encode()
    answer = client.ask(socket, Request(agent="claude", event="PreToolUse", cwd="/tmp", raw=raw), seconds=9)
    told = json.loads(answer.stdout or b"{}").get("hookSpecificOutput", {})
    reason = str(told.get("permissionDecisionReason", "")) + answer.stderr.decode()
    return answer.exit_code, str(told.get("permissionDecision", "")), reason


def test_verdicts_stand_where_the_log_cannot_be_written(socket: Path) -> None:
    """What is dangerous is still denied and what is harmless still passes, each in time."""
    for _ in range(3):
        started = time.monotonic()
        code, said, _reason = decision(socket, "rm -rf /")
        assert code == 2 or said == "deny"
        code, said, _reason = decision(socket, "git status --short")
        assert code == 0 and said in ("", "allow")
        assert time.monotonic() - started < 5
    written = [path for path in socket.parent.parent.rglob("audit*.jsonl") if path.stat().st_size]
    assert written == []
