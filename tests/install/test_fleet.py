"""The managed hook and the script that puts it on a machine."""

import os
import pwd
import subprocess
from pathlib import Path

import pytest

from checkrail.cli import main
from checkrail.install import hook, targets

FLEET = Path(__file__).parents[2] / "contrib/fleet"


def test_the_script_puts_everything_in_its_place(tmp_path: Path) -> None:
    """Twice is as good as once."""
    for _ in range(2):
        done = subprocess.run(
            [str(FLEET / "install")], env={"PATH": os.environ["PATH"], "DESTDIR": str(tmp_path)}, capture_output=True, text=True, check=False
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    put = tmp_path / hook.MANAGED.lstrip("/")
    assert os.access(put, os.X_OK)
    assert (tmp_path / "etc/systemd/user/default.target.wants/checkrail-install.service").exists()


@pytest.mark.parametrize("there", [("",), ("native",), ("", "native"), ()])
def test_the_managed_hook_runs_the_user_s_own_or_blocks(tmp_path: Path, there: tuple[str, ...]) -> None:
    """The home is the system's word, not the environment's; the compiled hook comes first, as an installation has it."""
    user = pwd.getpwuid(os.getuid())
    home = tmp_path / "home"
    for kind in there:
        own = home / ".local/share/checkrail/hooks" / kind / "checkrail-hook"
        own.parent.mkdir(parents=True, exist_ok=True)
        own.write_text(f'#!/bin/sh\necho "own {kind} $*"\ncat\nexit 2\n')
        own.chmod(0o700)
    tools = tmp_path / "bin"
    tools.mkdir()
    line = f"{user.pw_name}:x:{user.pw_uid}:{user.pw_gid}::{home}:/bin/sh"
    (tools / "getent").write_text(f"#!/bin/sh\necho '{line}'\n")
    (tools / "getent").chmod(0o700)
    environment = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": "/evil"}
    done = subprocess.run(
        [str(FLEET / "checkrail-hook"), "--agent", "cursor"], env=environment, input="{}", capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 2
    if there:
        assert done.stdout == f"own {there[-1]} --agent cursor\n{{}}"
    else:
        assert done.stderr.startswith("checkrail: blocked: no hook is installed for you")


def test_who_has_managed_settings_gets_no_second_hook(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would use up an approval twice."""
    managed = tmp_path / "managed-settings.json"
    managed.write_text(f'{{"hooks": {{"PreToolUse": [{{"hooks": [{{"command": "{hook.MANAGED}"}}]}}]}}}}')
    monkeypatch.setitem(targets.MANAGED, "claude", managed)
    assert main(["install", "claude", "--no-daemon"]) == 0
    assert "for all users" in capsys.readouterr().out
    assert not (home / ".claude/settings.json").exists()
