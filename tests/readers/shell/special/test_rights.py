"""Commands with another user's rights: looking is free, anything more is a question."""

import pytest

from checkrail.facts.host import FrozenHost
from checkrail.model import Decision, Event, EventKind, Verdict
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN


def judged(command: str) -> Verdict:
    """The verdict in an ordinary project."""
    event = Event(agent="test", kind=EventKind.PRE, tool="Bash", input={"command": command}, cwd="/work/app")
    return decide(event, host=FrozenHost(home="/home/dev"), policy=BUILT_IN)


@pytest.mark.parametrize(
    "command",
    [
        "sudo ls /var/log",
        "sudo -u postgres psql -c 'SELECT 1'",
        "sudo sh -c 'ls /root | head'",
        "su - dev -c 'git log --oneline | head'",
        "sudo -V",
        "sudo rm -rf /tmp/x build",
        "sudo chown -R dev node_modules",
        "sudo systemctl restart nginx",
        "sudo docker compose up -d",
    ],
)
def test_looking_needs_no_question(command: str) -> None:
    """Directly, or in a text of any language."""
    verdict = judged(command)
    assert verdict.decision is Decision.ALLOW


def test_looking_is_no_explicit_allow() -> None:
    """The agent's own permission flow goes on."""
    assert not judged("sudo ls /var/log").understood


@pytest.mark.parametrize(
    "command",
    [
        "sudo touch /var/x",
        "sudo sh -c 'sh -c \"touch /var/x\"'",
        "su - dev -c 'python3 -c \"open(1, chr(119))\"; frobnicate'",
        "sudo -u postgres psql -c 'UPDATE t SET a = 1 WHERE b = 2'",
        "make; sudo make",
        "sudo",
        "sudo -n true",
        "sudo /usr/bin/id",
        "sudo rm -rf /var/tmp-x /opt/y",
        "sudo cp a /tmp/b",
        "sudo systemctl stop nginx",
        "sudo docker run -v /:/host x",
        'sudo sh -c "$X"',
        "sudo -C 3 ls",
        "kdesu -c 'rm x' ls",
    ],
)
def test_more_than_looking_asks(command: str) -> None:
    """Also where the same program was already met without rights, where nothing tells what runs, and where only the rights are tried."""
    assert judged(command).decision is Decision.ASK


def test_an_assignment_may_not_change_what_runs() -> None:
    """Only variables that no program takes code from."""
    assert judged("sudo PYTHONPATH=/tmp/x ls").decision is Decision.ASK
    assert judged("sudo LANG=C ls").decision is Decision.ALLOW
