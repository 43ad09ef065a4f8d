"""Every agent × a daemon that is dead or hangs: the real hook's answer, as each agent takes it, lets nothing pass.

The hook is the same for all; Cline and OpenCode have a file and a plugin of ours around it, which are run, too.
"""

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from checkrail.daemon import compiler
from checkrail.daemon.protocol import Answer
from checkrail.install import canary
from tests.agents.hosts import HOSTS
from tests.agents.test_table import outcome, shell
from tests.daemon.home import KINDS, Home, homes

FILES = Path(__file__).parents[2] / "hooks"
FAILURES = ("dead", "hanging")


def answer_of(home: Home, failure: str) -> Answer:
    """What the hook says where no daemon can be started, or where somebody takes the call and says nothing."""
    home.set_daemon("/bin/false")
    home.set_limits(deadline=1.0, silence=0.3)
    home.socket.parent.mkdir(mode=0o700, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        if failure == "hanging":
            listener.bind(str(home.socket))
            listener.listen()
        done = home.shim(b'{"tool_name": "Bash"}')
    return Answer(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module", params=[f"{failure}-{kind}" for failure in FAILURES for kind in KINDS])
def failed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answer]:
    """The answer of each hook in each failure."""
    failure, _, kind = request.param.partition("-")
    if kind == "c" and not compiler.candidates():
        pytest.skip("no C compiler: the hook in C is not tested")
    for home in homes(tmp_path_factory.mktemp("f"), kind=kind):
        yield answer_of(home, failure)


def stand_in(folder: Path, answer: Answer) -> Path:
    """A program that answers the same."""
    (folder / "out").write_bytes(answer.stdout)
    (folder / "err").write_bytes(answer.stderr)
    program = folder / "checkrail-hook"
    program.write_text(f"#!/bin/sh\ncat {folder}/out; cat {folder}/err >&2; exit {answer.exit_code}\n")
    program.chmod(0o700)
    return program


def through_file(folder: Path, answer: Answer) -> Answer:
    """What Cline gets: our file around the hook."""
    program = stand_in(folder, answer)
    environment = {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["/bin/sh", str(FILES / "cline/PreToolUse")], env=environment, input=b"{}", capture_output=True, check=False
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def through_plugin(folder: Path, answer: Answer) -> Answer:
    """What OpenCode gets, loaded by node as it would load it."""
    plugin = folder / "checkrail.js"
    text = (FILES / "opencode.js").read_text()
    plugin.write_text(text.replace('["checkrail-hook"]', json.dumps([str(stand_in(folder, answer))])))
    raw = canary.event("ls", str(folder), "opencode")
    done = subprocess.run(canary.argv("opencode", str(plugin)), input=raw, capture_output=True, timeout=60, check=False)
    return Answer(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("agent", sorted(HOSTS))
def test_nothing_passes_where_no_daemon_answers(agent: str, failed: Answer, tmp_path: Path) -> None:
    """With the switch that :mod:`tests.install.test_every_agent` finds in the settings."""
    answer = failed
    if agent == "cline":
        answer = through_file(tmp_path, failed)
    if agent == "opencode" and shutil.which("node"):
        answer = through_plugin(tmp_path, failed)
    assert outcome(agent, shell(agent), answer) == "stopped"
