"""The file gate: what deletes, writes, reads and mode changes deserve, by place, class and content."""

import struct
import time
from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.bands import band_of
from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost, Stat
from checkrail.gates.file import gives_rights, judge, opens
from checkrail.model import HOLE, SOME, Action, Axes, Band, Decision, Effect, Reversibility, Target, TargetKind
from checkrail.policy import Policy

ROOM = "/work/app"


class Machine(FrozenHost):
    """A frozen host on which files have an age and git an index (latin-1, so that it can be bytes)."""

    ages: dict[str, float] = msgspec.field(default_factory=dict)

    def lstat(self, path: str) -> Stat | None:
        """As the table says, with the time of change where one is given."""
        found = super().lstat(path)
        return msgspec.structs.replace(found, mtime=self.ages[path]) if found and path in self.ages else found

    def read(self, path: str, limit: int) -> bytes | None:
        """Bytes as written."""
        content = self.files.get(path)
        return content.encode("latin-1") if content is not None and len(content) <= limit else None


def index(entries: dict[str, tuple[int, int]]) -> str:
    """A version 2 index: path below the root -> size and time."""
    out = struct.pack(">4sII", b"DIRC", 2, len(entries))
    for name, (size, mtime) in sorted(entries.items()):
        raw = name.encode()
        entry = struct.pack(">10I20sH", 0, 0, mtime, 0, 0, 0, 0o100644, 0, 0, size, b"\1" * 20, len(raw)) + raw
        out += entry + b"\0" * (8 - len(entry) % 8)
    return out.decode("latin-1")


OLD = 1_600_000_000
NOW = time.time()


def machine(files: Mapping[str, tuple[int, float]], tracked: tuple[str, ...] = ()) -> Surroundings:
    """A workspace with files of a size and an age; ``tracked`` ones are as git knows them."""
    table: dict[str, str | None] = {f"{ROOM}/{name}": "x" * size for name, (size, _) in files.items()}
    table[f"{ROOM}/.git/index"] = index({name: (files[name][0], int(files[name][1])) for name in tracked})
    ages = {f"{ROOM}/{name}": float(int(age)) for name, (_, age) in files.items()}
    return Surroundings(host=Machine(files=table, ages=ages), home="/home/dev", workspace=ROOM, cwd=ROOM)


BARE = Surroundings(host=FrozenHost(), home="/home/dev", workspace=ROOM, cwd=ROOM)


def effect(action: Action, path: str, **more: object) -> Effect:
    """An effect on a path."""
    host = str(more.pop("host", ""))
    base = Effect(action=action, target=Target(TargetKind.PATH, path, host), rule="x")
    return msgspec.structs.replace(base, **more)


def band(*effects: Effect, around: Surroundings = BARE, policy: Policy = Policy()) -> Band:  # noqa: B008
    """The highest band of all findings."""
    return max(
        (band_of(found) for found in judge(effects, around, policy)), key=lambda held: held.rank, default=Band.AUTO
    )


def rules(*effects: Effect, around: Surroundings = BARE) -> set[str]:
    """The rules that speak."""
    return {found.rule for found in judge(effects, around, Policy())}


AUTO, NOTE, ASK = Band.AUTO, Band.SOFT_ACK, Band.ESCALATE
DELETE = Action.DELETE


@pytest.mark.parametrize(
    ("path", "recursive", "expected"),
    [
        ("node_modules", True, AUTO),
        ("dist", True, AUTO),
        ("src/build", True, AUTO),
        ("**/*.pyc", False, AUTO),
        ("src/*.o", False, AUTO),
        ("/tmp/x", True, AUTO),
        ("/private/tmp/s/w", True, AUTO),
        (f"/tmp/tmp.{SOME}", True, AUTO),
        ("/tmp/probe/.agents", True, AUTO),
        ("src/a.py", False, NOTE),
        ("*.log", False, NOTE),
        (HOLE, False, NOTE),
        ("~/other/node_modules", True, NOTE),
        ("src", True, ASK),
        ("tests", True, ASK),
        ("*.py", False, ASK),
        ("data/*", False, ASK),
        ("data/**/*_new.json", False, ASK),
        (".", True, ASK),
        ("src/..", True, ASK),
        ("*", True, ASK),
        ("..", True, ASK),
        (ROOM, True, ASK),
        (".git", True, ASK),
        (".github", True, ASK),
        ("../app-wt-2", True, ASK),
        ("~", True, ASK),
        ("~/Documents/old-reports", True, ASK),
        ("~/notes.txt", False, ASK),
        ("~/.cache/app/sessions", True, ASK),
        ("/etc/shadow", False, ASK),
        ("~/.ssh/authorized_keys", False, ASK),
        ("~/.gnupg/pubring.kbx", False, ASK),
        ("backup.sql", False, ASK),
        ("tmp/**/*.bak", False, ASK),
        ("data/app.sqlite3", False, ASK),
        ("slides.html", False, ASK),
        (".env", False, ASK),
        (HOLE, True, ASK),
        (f"{HOLE}/*", False, ASK),
        (f"/home/{HOLE}", True, ASK),
        (f"src/{HOLE}", True, ASK),
        ("/tmp", True, ASK),
        ("/tmp/*", True, ASK),
        ("./~", True, ASK),
        ("/opt/tool", True, ASK),
    ],
)
def test_deletions(path: str, recursive: bool, expected: Band) -> None:
    """The target decides what a deletion deserves."""
    target = path if path.startswith(("/", "~", HOLE)) else f"{ROOM}/{path}"
    assert band(effect(DELETE, target, recursive=recursive, command="rm")) is expected


@pytest.mark.parametrize(
    ("name", "tracked", "expected"),
    [
        ("new.py", False, NOTE),
        ("old.py", False, ASK),
        ("old.py", True, NOTE),
        ("empty.py", False, NOTE),
        ("gone.py", False, AUTO),
    ],
)
def test_single_files_by_age_and_git(name: str, tracked: bool, expected: Band) -> None:
    """An old file that git does not have is worth a question; a fresh or tracked one is not, a missing one is nothing."""
    files = {"new.py": (10, NOW), "old.py": (10, OLD), "empty.py": (0, OLD)}
    around = machine(files, (name,) if tracked else ())
    assert band(effect(DELETE, f"{ROOM}/{name}", command="rm"), around=around) is expected


def test_tree_that_git_can_bring_back() -> None:
    """A folder of tracked, unchanged files is a note; one changed or unknown file makes it a question."""
    files = {"src/a.py": (10, OLD), "src/b.py": (10, OLD)}
    tree = effect(DELETE, f"{ROOM}/src", recursive=True, command="rm")
    assert band(tree, around=machine(files, ("src/a.py", "src/b.py"))) is NOTE
    assert band(tree, around=machine(files, ("src/a.py",))) is ASK
    changed = machine(files, ("src/a.py", "src/b.py"))
    changed.host.ages[f"{ROOM}/src/b.py"] = NOW  # type: ignore[attr-defined]
    assert band(tree, around=changed) is ASK


def test_tracked_build_folder_holds_sources() -> None:
    """A folder that is called build and changed under git is not rebuilt by anything."""
    files = {"build/rules.py": (10, OLD), "build/new.py": (10, OLD)}
    tree = effect(DELETE, f"{ROOM}/build", recursive=True)
    assert band(tree, around=machine(files, ("build/rules.py",))) is ASK
    assert band(tree, around=machine(files)) is AUTO


def test_missing_folder_is_nothing_unless_filled_in_the_same_line() -> None:
    """What is not there cannot be lost; but a move, a link or a mount of the same call may put something there."""
    around = machine({"a.py": (1, OLD)})
    gone = effect(DELETE, f"{ROOM}/pad", recursive=True, command="rm")
    assert band(gone, around=around) is AUTO
    made = effect(Action.CREATE, f"{ROOM}/pad", command="mkdir")
    assert band(made, gone, around=around) is AUTO
    for command in ("mv", "ln", "python"):
        assert band(effect(Action.WRITE, f"{ROOM}/pad", command=command), gone, around=around) is ASK


def test_what_was_moved_there_goes_too() -> None:
    """Removing a temporary folder is free, unless the same call has just moved the sources into it."""
    for folder in ("/tmp/x", f"{ROOM}/build"):
        gone = effect(DELETE, folder, recursive=True, command="rm")
        assert band(effect(Action.WRITE, f"{folder}/src", command="cp"), gone) is AUTO
        assert band(effect(Action.WRITE, f"{folder}/src", command="mv"), gone) is ASK
        assert band(effect(Action.WRITE, f"{folder}2/src", command="mv"), gone) is AUTO


def test_many_single_deletions() -> None:
    """Globs that a shell expanded into many files are one big deletion."""
    files = {f"data/{number}.csv": (10, NOW) for number in range(20)}
    effects = [effect(DELETE, f"{ROOM}/{name}", command="rm") for name in files]
    assert "file.delete-many" in rules(*effects, around=machine(files))
    assert "file.delete-many" not in rules(*effects, around=machine(files, tuple(files)))
    assert "file.delete-many" not in rules(*effects[:3], around=machine(files))


def test_moves() -> None:
    """A move inside the workspace is free; out of the home, over the settings or of git's folder it is not."""

    def move(path: str) -> Effect:
        return effect(DELETE, path, command="mv", rule="mv.source")

    assert band(move(f"{ROOM}/src")) is AUTO
    assert band(move("/tmp/x.txt")) is AUTO
    assert band(move(f"{ROOM}/.git")) is ASK
    assert band(move("~/.ssh")) is ASK
    assert band(move("/etc/hosts")) is ASK
    assert band(move(f"{ROOM}/.env")) is ASK
    assert band(move(f"{ROOM}/.vscode/tasks.json")) is ASK


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


@pytest.mark.parametrize(
    ("path", "mode", "recursive", "expected"),
    [
        ("scripts/run.sh", "+x", False, AUTO),
        ("build", "u+w", True, AUTO),
        ("/tmp/x.sh", "755", False, AUTO),
        (".", "777", True, NOTE),
        ("~/.ssh/id_rsa", "600", False, NOTE),
        ("~/.ssh/id_rsa", "644", False, ASK),
        ("app", "u+s", False, ASK),
        ("app", "4755", False, ASK),
        ("/bin/bash", "u+s", False, ASK),
        ("/etc/passwd", "777", False, ASK),
        ("~/.claude/hooks/guard.py", "-x", False, ASK),
        ("~/x", "u+w", True, ASK),
        ("/opt/tool", "755", False, ASK),
    ],
)
def test_modes(path: str, mode: str, recursive: bool, expected: Band) -> None:
    """Making a script executable is free; opening keys, set-user bits and other places are not."""
    assert band(effect(Action.MODE, path, content=mode, recursive=recursive, command="chmod")) is expected


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("u+s", True),
        ("g=rxs", True),
        ("4755", True),
        ("02755", True),
        ("0755", False),
        ("1777", False),
        ("u+x", False),
        ("u-s", False),
    ],
)
def test_gives_rights(mode: str, expected: bool) -> None:
    """Set-user and set-group bits are seen in both spellings."""
    assert gives_rights(mode) is expected


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("644", True),
        ("600", False),
        ("0600", False),
        ("go+r", True),
        ("+r", True),
        ("u+rw", False),
        ("go-rwx", False),
        ("a=r", True),
    ],
)
def test_opens(mode: str, expected: bool) -> None:
    """A mode that lets others in is seen in both spellings."""
    assert opens(mode) is expected


@pytest.mark.parametrize(
    ("files", "path", "content", "tracked", "expected"),
    [
        ({"slides.html": (40_000, OLD)}, "slides.html", "", (), ASK),
        ({"big.py": (40_000, OLD)}, "big.py", "x = 1\n", (), ASK),
        ({"big.py": (40_000, OLD)}, "big.py", "x = 1\n", ("big.py",), ASK),
        ({"big.py": (8_000, OLD)}, "big.py", "x = 1\n", ("big.py",), AUTO),
        ({"big.py": (40_000, OLD)}, "big.py", "y" * 30_000, (), AUTO),
        ({"small.py": (100, OLD)}, "small.py", "", ("small.py",), NOTE),
        ({"out.log": (9_000, OLD)}, "out.log", "", (), AUTO),
        ({"build/x.txt": (9_000, OLD)}, "build/x.txt", "", (), AUTO),
        ({"empty.py": (0, OLD)}, "empty.py", "", (), AUTO),
        ({"a": (1, OLD)}, "new.py", "", (), AUTO),
        ({"a": (1, OLD)}, "data/app.sqlite3", "", (), AUTO),
        ({"data/app.sqlite3": (9_000, OLD)}, "data/app.sqlite3", "", (), ASK),
    ],
)
def test_emptying(
    files: dict[str, tuple[int, float]], path: str, content: str, tracked: tuple[str, ...], expected: Band
) -> None:
    """Losing what a file held is a question, unless there was little, git has it, or nobody misses it."""
    around = machine(files, tracked)
    assert band(effect(Action.WRITE, f"{ROOM}/{path}", content=content), around=around) is expected


def test_emptying_what_cannot_be_seen() -> None:
    """Without a view of the disk a database, a secret and a document still count."""
    for path in ("data/app.sqlite3", ".env", "slides.html"):
        assert band(effect(Action.WRITE, f"{ROOM}/{path}", content="")) is ASK
    assert band(effect(Action.WRITE, f"{ROOM}/src/__init__.py", content="")) is AUTO


def test_edits_do_not_empty() -> None:
    """The text that an edit puts in is not the whole file."""
    around = machine({"big.py": (40_000, OLD)})
    assert band(effect(Action.WRITE, f"{ROOM}/big.py", content="x", previous="y"), around=around) is AUTO


TOKEN = "ghp_" + "a1B2" * 9


def test_secrets_in_files_that_git_keeps() -> None:
    """A token in source code is a question; in an .env, a test, a temporary file, or where it stood before, it is not."""
    assert "file.secret-written" in rules(effect(Action.WRITE, f"{ROOM}/src/a.py", content=f"T = '{TOKEN}'"))
    for path in (".env", "tests/test_a.py", "/tmp/a.py", "build/a.js"):
        assert "file.secret-written" not in rules(effect(Action.WRITE, path, content=f"T = '{TOKEN}'"))
    kept = effect(Action.WRITE, f"{ROOM}/a.py", content=f"T = '{TOKEN}'\nx = 2", previous=f"T = '{TOKEN}'\nx = 1")
    assert rules(kept) == set()


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("a.py", "if x:\u202e # hidden", True),
        ("a.py", "user\u200bname = 1", True),
        ("a.md", "text \U000e0069\U000e0067", True),
        ("a.py", "x\u3164 = 1", True),
        ("a.py", "s = '👩\u200d💻'", False),
        ("a.md", "می\u200cخواهم \u2067עברית\u2069", False),
        ("a.py", "# naïve café 日本", False),
        ("a.md", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", False),
    ],
)
def test_hidden_characters(path: str, content: str, expected: bool) -> None:
    """Characters that only programs see are a question; emoji and other scripts are not."""
    assert ("file.hidden-characters" in rules(effect(Action.WRITE, f"{ROOM}/{path}", content=content))) is expected


def test_ordinary_edits_of_workflows() -> None:
    """An edit that touches no credentials is a note; a new trigger, a secret or a whole new file is a question."""
    path = f"{ROOM}/.github/workflows/ci.yml"
    assert band(effect(Action.WRITE, path, previous="node: 20", content="node: 22")) is NOTE
    assert band(effect(Action.WRITE, path, previous="on: push", content="on: pull_request_target")) is ASK
    assert band(effect(Action.WRITE, path, previous="a", content="- run: echo ${{ secrets.TOKEN }}")) is ASK
    assert band(effect(Action.WRITE, path, content="on: push")) is ASK


def test_hooks_in_agent_notes() -> None:
    """A skill that brings hooks is more than a note."""
    path = f"{ROOM}/.claude/skills/x/SKILL.md"
    assert band(effect(Action.WRITE, path, content="---\nname: x\n---\ntext")) is NOTE
    assert band(effect(Action.WRITE, path, content="---\nhooks:\n  PreToolUse: []\n---\n")) is ASK


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


PEM = (
    "-----BEGIN PRIVATE KEY-----\n"
    + ("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n" * 6)
    + "-----END PRIVATE KEY-----\n"
)


@pytest.mark.parametrize(
    ("path", "content", "rule"),
    [
        ("src/a.py", f'KEY = """{PEM}"""\n', "file.secret-written"),
        ("src/a.json", '{"key": "' + PEM.replace("\n", "\\n") + '"}', "file.secret-written"),
        ("CLAUDE.md", "token ghp_" + "A1b2C3d4E5f6" * 3 + "\n", "file.secret-written"),
        ("src/a.py", "x = 'a\ufe01\ufe02\ufe03'\n", "file.hidden-characters"),
        ("README.md", "a\U000e0101\U000e0102b\n", "file.hidden-characters"),
        ("src/a.py", "na\ufeffme = 1\n", "file.hidden-characters"),
        ("src/a.py", "na\u2062me = 1\n", "file.hidden-characters"),
        ("src/a.py", "-----BEGIN PRIVATE KEY-----\n<your key here>\n-----END PRIVATE KEY-----\n", ""),
        ("tests/fixtures/key.txt", PEM, ""),
        ("docs/emoji.md", "one \u2764\ufe0f and 1\ufe0f\u20e3\n", ""),
        ("src/a.py", "\ufeffx = '\u2764\ufe0f'\n", ""),
    ],
)
def test_secrets_and_characters_that_nobody_sees(path: str, content: str, rule: str) -> None:
    """Keys themselves, in any file that git keeps; runs of selectors and marks inside words."""
    from checkrail.model import Event, EventKind
    from checkrail.pipeline import decide
    from checkrail.policy import BUILT_IN

    given = {"file_path": f"/work/app/{path}", "content": content}
    event = Event(agent="claude", kind=EventKind.PRE, tool="Write", input=given, cwd="/work/app", project="/work/app")
    found = {finding.rule for finding in decide(event, host=FrozenHost(), policy=BUILT_IN).findings}
    assert found & {"file.secret-written", "file.hidden-characters"} == ({rule} if rule else set())
