"""The file gate: what writes, reads and opened places deserve, by place and class."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.gates.file import judge
from checkrail.model import HOLE, SOME, Action, Axes, Band, Decision, Effect, Reversibility, Target, TargetKind
from checkrail.policy import Policy
from tests.gates.files import ASK, AUTO, BARE, DELETE, NOTE, OLD, ROOM, band, effect, machine


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.py", AUTO),
        ("notebooks/eda.ipynb", AUTO),
        ("build/out.log", AUTO),
        ("build/locate.db", AUTO),
        ("/tmp/x", AUTO),
        ("/dev/null", AUTO),
        ("/dev/stderr", AUTO),
        ("/private/tmp/scratch/a.txt", AUTO),
        ("docs/security.md", AUTO),
        ("CLAUDE.md", NOTE),
        (".claude/commands/ship.md", NOTE),
        ("~/notes.txt", NOTE),
        (f"{HOLE}/x", NOTE),
        ("../other/x", ASK),
        ("/etc/nginx/conf.d/site.conf", ASK),
        ("/usr/local/bin/x", ASK),
        ("/home/ann/x", ASK),
        ("/dev/ttyUSB0", ASK),
        ("~/.bashrc", ASK),
        ("~/.ssh/authorized_keys", ASK),
        ("~/.config/autostart/x.desktop", ASK),
        (".git/hooks/pre-commit", ASK),
        (".husky/pre-push", ASK),
        (".git/config", ASK),
        (".vscode/tasks.json", ASK),
        (".VSCode/tasks.json", ASK),
        (".idea/workspace.xml", ASK),
        (".mcp.json", ASK),
        (".cUrSoR/mcp.json", ASK),
        (".claude/hooks/gate.py", ASK),
        (".gitlab-ci.yml", ASK),
        (".npmrc", ASK),
        ("../../etc/profile.d/x.sh", ASK),
        ("pre\u200bfix.py", ASK),
    ],
)
def test_writes(path: str, expected: Band) -> None:
    """Writing is free in the workspace and in temporary places, by class and place a note or a question elsewhere."""
    assert band(effect(Action.WRITE, path, content="x\n")) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/data/tool", NOTE),
        ("/opt/tool", ASK),
        ("~/projects/new", NOTE),
        ("build/a", AUTO),
        (".husky", AUTO),
        ("/etc/systemd/system/x.d", ASK),
    ],
)
def test_making_folders(path: str, expected: Band) -> None:
    """An empty folder is harmless outside the system's own."""
    assert band(effect(Action.CREATE, path, command="mkdir")) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.py", AUTO),
        (".env.example", AUTO),
        ("src/environment.ts", AUTO),
        ("/etc/os-release", AUTO),
        (".claude/settings.json", AUTO),
        ("~/.bashrc", NOTE),
        (HOLE, NOTE),
        (".env", ASK),
        (".ENV", ASK),
        (".envrc", ASK),
        ("~/.ssh/id_rsa", ASK),
        ("/work/app/../../home/dev/.aws/credentials", ASK),
        ("/etc/shadow", ASK),
        ("/proc/1/environ", ASK),
        ("/dev/sda", ASK),
        ("~/.bash_history", ASK),
    ],
)
def test_reads(path: str, expected: Band) -> None:
    """Reading is free but for what holds secrets; a note outside the workspace."""
    assert band(effect(Action.READ, path)) is expected


def test_recursive_reads() -> None:
    """Searching a project is free though it holds an .env; searching a folder of keys is not."""
    assert band(effect(Action.READ, ROOM, recursive=True)) is AUTO
    assert band(effect(Action.READ, "~/.aws", recursive=True)) is ASK
    assert band(effect(Action.READ, "~/.aws", command="rg")) is ASK
    assert band(effect(Action.READ, "/usr/include", recursive=True)) is AUTO
    assert band(effect(Action.READ, "~/.ssh/*")) is ASK


def test_credentials_may_be_added_to_and_made_anew() -> None:
    """A new .env loses nothing, adding a line neither; replacing one does."""
    around = machine({"a": (1, OLD)})
    there = machine({".env": (10, OLD)})
    assert band(effect(Action.WRITE, f"{ROOM}/.env", content="A=1"), around=around) is NOTE
    assert band(effect(Action.APPEND, f"{ROOM}/.env", content="A=1"), around=there) is NOTE
    assert band(effect(Action.WRITE, f"{ROOM}/.env", content="A=1"), around=there) is ASK


def test_stated_axes_and_decisions_are_kept() -> None:
    """What knowledge states is a finding of its own and does not take the gate's away."""
    stated = effect(Action.READ, f"{ROOM}/a", axes=Axes(Reversibility.IRREVERSIBLE), reason="because")
    assert band(stated) is ASK
    denied = judge([effect(Action.WRITE, f"{ROOM}/a", decision=Decision.DENY)], BARE, Policy())
    assert [found.decision for found in denied] == [Decision.DENY]
    assert band(effect(DELETE, "/etc/shadow", axes=Axes(), decision=Decision.ALLOW)) is ASK


def test_other_machines() -> None:
    """A server's files are nobody's workspace; a container's are thrown away."""
    assert band(effect(DELETE, "/srv/data", recursive=True, host="web1")) is ASK
    assert band(effect(DELETE, "/tmp/x", recursive=True, host="web1")) is AUTO
    assert band(effect(DELETE, "/srv/data", recursive=True, host="container:alpine")) is NOTE
    assert band(effect(Action.READ, "/root/.ssh/id_rsa", host="web1")) is ASK


def test_policy_scratch_is_free() -> None:
    """Directories that the policy calls temporary are."""
    tree = effect(DELETE, "/data/scratch/x", recursive=True)
    assert band(tree) is ASK
    assert band(tree, policy=Policy(scratch=("/data/scratch",))) is AUTO


def test_other_targets_are_not_ours() -> None:
    """The gate judges paths only."""
    assert judge([Effect(action=DELETE, target=Target(TargetKind.DATABASE, "/"), rule="x")], BARE, Policy()) == ()


def test_reasons_name_the_path() -> None:
    """A reason can be checked by a person."""
    found = judge([effect(DELETE, f"{ROOM}/src", recursive=True)], BARE, Policy())
    assert all("/work/app/src" in entry.reason and entry.target == "/work/app/src" for entry in found)


@given(
    st.sampled_from(list(Action)),
    st.text(alphabet=st.sampled_from([*"/.~*?[]a-z\0 ", HOLE, SOME, "é"]), max_size=40),
    st.booleans(),
    st.none() | st.text(max_size=20),
)
def test_never_raises(action: Action, path: str, recursive: bool, content: str | None) -> None:
    """Any effect on any text is judged."""
    for command in ("", "rm", "mv", "chmod"):
        judge([effect(action, path, recursive=recursive, content=content, command=command)], BARE, Policy())


def test_variables_for_tests_that_git_tracks() -> None:
    """Whoever has the project has them; what git does not track as it is, and every other such file, asks."""
    around = machine({".env.test": (10, OLD), ".env": (10, OLD)}, (".env.test", ".env"))
    assert band(effect(Action.READ, f"{ROOM}/.env.test"), around=around) is NOTE
    assert band(effect(Action.READ, f"{ROOM}/.env"), around=around) is ASK
    assert band(effect(Action.READ, f"{ROOM}/.env.test"), around=machine({".env.test": (10, OLD)})) is ASK
