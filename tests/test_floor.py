"""The floor denies what nobody gets back and spares everything else."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.floor import floor
from checkrail.model import HOLE, SOME, Action, Axes, Decision, Effect, Target, TargetKind

HOST = FrozenHost(
    files={
        "/work/app/link": "@/home/dev",
        "/work/app/settings-link": "@/home/dev/.claude/settings.json",
        "/home/dev/.claude/settings.json": "{}",
        "/proc/4242/cmdline": "/usr/bin/python3\0-m\0checkrail\0daemon\0run",
        "/proc/4243/cmdline": "vim\0README.md",
        "/data/deep/x": "x",
        "/work/app/deep": "@/data/deep",
    }
)
AROUND = Surroundings(
    host=HOST,
    home="/home/dev",
    workspace="/work/app",
    cwd="/work/app",
    own=("/opt/checkrail", "/home/dev/.config/checkrail"),
)


def effect(
    action: Action,
    path: str,
    *,
    recursive: bool = False,
    host: str = "",
    command: str = "rm",
    rule: str = "rm",
    kind: TargetKind = TargetKind.PATH,
) -> Effect:
    """An effect on a path."""
    return Effect(action=action, target=Target(kind, path, host), rule=rule, command=command, recursive=recursive)


def rules(*effects: Effect, around: Surroundings = AROUND) -> set[str]:
    """The floor's rules that speak."""
    return {found.rule.removeprefix("floor.") for found in floor(effects, around)}


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("/", "root"),
        ("/*", "root"),
        ("//", "root"),
        ("/.", "root"),
        ("/work/../", "root"),
        ("/proc/self/root", "root"),
        ("/proc/1/root/*", "root"),
        ("~", "home"),
        ("~/*", "home"),
        ("~/.[!.]*", "home"),
        ("/home", "home"),
        ("/home/*", "home"),
        ("/home/ann", "home"),
        ("/ho*", "home"),
        ("/home/dev/src/..", "home"),
        ("/work/app/link/*", "home"),
        ("/work/app/link/", "home"),
        ("/work/app/link/.", "home"),
        ("/root", "home"),
        ("/etc", "system"),
        ("/usr/*", "system"),
        ("/u[s]r", "system"),
        ("/var/lib", "system"),
        ("/System/Library", "system"),
        ("/private/etc", "system"),
        ("/boot", "boot"),
        ("/boot/efi/EFI", "boot"),
        ("/mnt/data", "volume"),
        ("/Volumes/Backup/*", "volume"),
        ("/media/dev/STICK", "volume"),
        ("/opt/checkrail", "checkrail"),
        ("/opt/checkrail/../checkrail/lib", "checkrail"),
        ("~/.config", "checkrail"),
        ("~/.claude", "hook-settings"),
        ("/work/app/.codex", "hook-settings"),
    ],
)
def test_wiping(path: str, rule: str) -> None:
    """Removing all of a dear place is denied, however it is spelled."""
    assert rule in rules(effect(Action.DELETE, path, recursive=True))


@pytest.mark.parametrize(
    "path",
    [
        "/tmp/x",
        "/tmp",
        "/home/dev/project/build",
        "/home/dev/Documents",
        "/work/app",
        "/work/app/.git",
        "/work/app/*",
        "/work/app/src",
        "/work/app/link",
        "/work/app/deep/*",
        "/work/app/etc",
        "/work/app/home/dev",
        "/usr/local/lib/node_modules/x",
        "/var/lib/apt/lists",
        "/opt/app",
        "/mnt/data/cache/x",
        "/work/app/.github",
        "/tmp/probe/.agents",
        "/tmp/probe/.claude",
        "/work/app/.vscode",
        f"{HOLE}/*",
        f"/home/{HOLE}",
        f"/{HOLE}",
        f"/home/dev/{HOLE}",
        f"/tmp/{SOME}",
        "/home/dev/**/*.pyc",
        "/**/core",
    ],
)
def test_near_misses_of_wiping(path: str) -> None:
    """What is recoverable, temporary or not certain is a question for the file gate, not for the floor."""
    assert rules(effect(Action.DELETE, path, recursive=True)) == set()


def test_one_file_is_not_a_wipe() -> None:
    """Without recursion nothing but a glob takes a directory."""
    assert rules(effect(Action.DELETE, "/home/dev")) == set()
    assert rules(effect(Action.DELETE, "/etc/hosts")) == set()
    assert rules(effect(Action.DELETE, "/home/dev/*")) == {"home", "checkrail", "hook-settings"}


def test_moving_away_is_wiping() -> None:
    """A directory that is moved elsewhere is gone from its place."""
    assert "home" in rules(effect(Action.DELETE, "/home/dev", command="mv", rule="mv.source"))
    assert "system" in rules(effect(Action.DELETE, "/etc", command="mv"))
    assert rules(effect(Action.DELETE, "/etc/hosts", command="mv")) == set()


@pytest.mark.parametrize(
    ("path", "denied"),
    [("/", True), ("~", True), ("/etc", True), ("/mnt/data", False), ("/work/app", False), ("/opt/app", False)],
)
def test_recursive_mode_changes(path: str, denied: bool) -> None:
    """Changing who may do what in a whole system or home is denied; handing over a volume is not."""
    assert bool(rules(effect(Action.MODE, path, recursive=True, command="chmod"))) is denied
    assert rules(effect(Action.MODE, path, command="chmod")) == set()


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("/dev/sda", "disk"),
        ("/dev/nvme0n1p2", "disk"),
        ("/dev/../dev/sda", "disk"),
        ("/dev/sd*", "disk"),
        ("/dev/mem", "disk"),
        ("/boot/grub/grub.cfg", "boot-loader"),
        ("/proc/sysrq-trigger", "boot-loader"),
        ("/work/app/.claude/settings.json", "hook-settings"),
        ("/work/app/.CLAUDE/Settings.json", "hook-settings"),
        ("/work/app/.c*/settings.json", "hook-settings"),
        (f"{HOLE}/.claude/settings.json", "hook-settings"),
        ("~/.codex/hooks.json", "hook-settings"),
        ("~/.config/checkrail/policy.toml", "checkrail"),
        ("/etc/checkrail/policy.toml", "checkrail"),
        ("/opt/checkrail/lib/floor.py", "checkrail"),
        ("/run/user/1000/checkrail/socket", "checkrail"),
        ("/work/app/.checkrail.toml", "checkrail"),
    ],
)
@pytest.mark.parametrize("action", [Action.WRITE, Action.APPEND, Action.CREATE, Action.DELETE])
def test_changing(path: str, rule: str, action: Action) -> None:
    """Some files are not changed at all: by writing, adding, making or removing."""
    assert rule in rules(effect(action, path, command="tee"))


def test_writing_through_a_link() -> None:
    """Writing through a link changes what it points to; removing the link does not."""
    assert rules(effect(Action.WRITE, "/work/app/settings-link", command="tee")) == {"hook-settings"}
    assert rules(effect(Action.DELETE, "/work/app/settings-link")) == set()


@pytest.mark.parametrize(
    "path",
    [
        "/dev/null",
        "/dev/stdout",
        "/dev/fd/2",
        "/dev/loop0",
        "/dev/shm/x",
        "/work/app/sda",
        "/work/app/.claude/commands/x.md",
        "/home/dev/.claude/hooks/guard.py",
        "/work/app/.vscode/settings.json",
        "/work/app/settings.json",
        "/work/app/*.json",
        "/work/app/checkrail.toml",
        "/opt/checkrails/x",
        "/tmp/x/.claude/settings.json",
        f"/work/app/.claude/{HOLE}",
        "/work/app/.github/workflows/ci.yml",
        "/etc/default/grub",
    ],
)
def test_near_misses_of_changing(path: str) -> None:
    """Neighbours of those files are not the floor's."""
    assert rules(effect(Action.WRITE, path, command="tee")) == set()


def test_reading_is_never_the_floor() -> None:
    """Reading takes nothing away, whatever is read."""
    for path in ("/", "/dev/sda", "/work/app/.claude/settings.json", "/opt/checkrail/x"):
        assert rules(effect(Action.READ, path, recursive=True, command="cat")) == set()


def test_mode_of_settings_but_not_of_devices() -> None:
    """Taking away the right to read the hooks unhooks; a device node's mode wipes nothing."""
    assert rules(effect(Action.MODE, "~/.claude/settings.json", command="chmod")) == {"hook-settings"}
    assert rules(effect(Action.MODE, "/dev/sda", command="chmod")) == set()


def test_empty_hook_folder() -> None:
    """An empty folder for hooks does nothing yet."""
    assert rules(effect(Action.CREATE, "/work/app/.cline/hooks", command="mkdir")) == set()


def test_a_project_on_its_own_volume() -> None:
    """The project root is a question even where it is a volume."""
    seen = msgspec.structs.replace(AROUND, workspace="/mnt/project", cwd="/mnt/project")
    assert rules(effect(Action.DELETE, "/mnt/project", recursive=True), around=seen) == set()
    assert rules(effect(Action.DELETE, "/mnt", recursive=True), around=seen) >= {"volume"}


def test_other_machines() -> None:
    """Root and homes count on a server too; a container is thrown away, and no hooks of ours are there."""
    assert "root" in rules(effect(Action.DELETE, "/", recursive=True, host="web1"))
    assert "home" in rules(effect(Action.DELETE, "~", recursive=True, host="web1"))
    assert rules(effect(Action.DELETE, "/srv/data/old", recursive=True, host="web1")) == set()
    assert rules(effect(Action.WRITE, "/root/.claude/settings.json", host="web1")) == set()
    assert rules(effect(Action.DELETE, "/", recursive=True, host="container:alpine")) == set()


@pytest.mark.parametrize("value", ["checkrail", "checkrail-daemon", "[c]heckrail", "heckrai", "4242", "-1"])
def test_processes_of_checkrail(value: str) -> None:
    """Checkrail is not stopped: by name, by a piece of it, by its id, or with everything else."""
    assert rules(effect(Action.STOP, value, kind=TargetKind.PROCESS, command="pkill")) == {"checkrail"}


@pytest.mark.parametrize("value", ["node", "4243", "99999", "check", "rail", "vite"])
def test_other_processes(value: str) -> None:
    """Other processes are none of the floor's business."""
    expected = {"checkrail"} if value == "check" else set()
    assert rules(effect(Action.STOP, value, kind=TargetKind.PROCESS, command="pkill")) == expected


def test_services_tools_and_commands_of_checkrail() -> None:
    """Its service, package, approvals and own commands are the person's."""
    assert rules(effect(Action.STOP, "checkrail.service", kind=TargetKind.SERVICE)) == {"checkrail"}
    assert rules(effect(Action.STOP, "check.service", kind=TargetKind.SERVICE)) == set()
    assert rules(effect(Action.DELETE, "checkrail", kind=TargetKind.PACKAGE)) == {"checkrail"}
    assert rules(effect(Action.CHANGE, "checkrail:approve", kind=TargetKind.TOOL)) == {"checkrail"}
    assert rules(effect(Action.EXECUTE, "x", kind=TargetKind.SYSTEM, rule="checkrail.self")) == {"checkrail"}
    assert rules(effect(Action.EXECUTE, "x", kind=TargetKind.SYSTEM, rule="shell.fork-bomb")) == {"fork-bomb"}


@pytest.mark.parametrize(
    ("kind", "value", "denied"),
    [
        (TargetKind.HOST, "169.254.169.254", True),
        (TargetKind.HOST, "root@169.254.169.254:80", True),
        (TargetKind.HOST, "[fd00:ec2::254]", True),
        (TargetKind.URL, "http://2852039166/latest/meta-data/", True),
        (TargetKind.URL, "http://metadata.google.internal/", True),
        (TargetKind.URL, "http://example.com/169.254.169.254", False),
        (TargetKind.HOST, "127.0.0.1:8080", False),
    ],
)
def test_metadata(kind: TargetKind, value: str, denied: bool) -> None:
    """Metadata services are denied by any spelling of the address."""
    assert (rules(effect(Action.RECEIVE, value, kind=kind, command="curl")) == {"metadata"}) is denied


def test_findings_deny_and_are_hard() -> None:
    """What the floor finds is marked so that nothing moves it."""
    found = floor([effect(Action.DELETE, "/", recursive=True)], AROUND)
    assert found
    assert all(entry.floor and entry.hard and entry.decision is Decision.DENY for entry in found)


def test_stated_axes_do_not_soften() -> None:
    """What knowledge says of an effect plays no part."""
    mild = msgspec.structs.replace(effect(Action.DELETE, "/", recursive=True), axes=Axes(), decision=Decision.ALLOW)
    assert "root" in rules(mild)


PATHS = st.sampled_from(
    [
        "/",
        "/home/dev",
        "/etc",
        "/usr/lib",
        "/mnt/data",
        "/dev/sda",
        "/work/app/.claude/settings.json",
        "/work/app/src",
        "/tmp/x",
        "/work/app",
        "x",
    ]
)
EFFECTS = st.builds(
    effect,
    st.sampled_from([Action.READ, Action.WRITE, Action.DELETE, Action.MODE, Action.CREATE]),
    PATHS,
    recursive=st.booleans(),
)


@given(st.lists(EFFECTS, max_size=4), st.lists(EFFECTS, max_size=4))
def test_adding_effects_never_removes_a_finding(some: list[Effect], more: list[Effect]) -> None:
    """More effects, in front or behind, never take a finding away."""
    before = set(floor(some, AROUND))
    assert before <= set(floor([*more, *some], AROUND))
    assert before <= set(floor([*some, *more], AROUND))


@st.composite
def respelled(draw: st.DrawFn) -> tuple[str, str]:
    """A path and another way to write it."""
    path = draw(
        st.sampled_from(
            ["/home/dev", "/etc", "/usr/lib", "/work/app/.claude/settings.json", "/dev/sda", "/opt/checkrail/x"]
        )
    )
    parts = path.split("/")[1:]
    out = draw(st.sampled_from(["", "/proc/self/root", "/tmp/..", "//"]))
    for part in parts:
        out += draw(st.sampled_from(["/", "//", "/./", "/x/../", "/./y/z/../../"])) + part
    return path, out + draw(st.sampled_from(["", "/.", "/q/.."]))


@given(respelled())
def test_respelling_changes_nothing(pair: tuple[str, str]) -> None:
    """Slashes, dots and aliases do not lead around the floor."""
    plain, other = pair
    for action in (Action.DELETE, Action.WRITE):
        wanted = rules(effect(action, plain, recursive=True))
        if action is Action.DELETE:
            assert wanted
        assert rules(effect(action, other, recursive=True)) >= wanted


@given(st.sampled_from(["/users/dev", "/etc", "/work/app/.claude/settings.json", "/work/.checkrail.toml"]), st.data())
def test_case_changes_nothing_where_the_host_folds(path: str, data: st.DataObject) -> None:
    """On a file system that folds case any case is the same place."""
    folding = Surroundings(host=FrozenHost(folds_case=True), home="/Users/dev", workspace="/work/app", cwd="/work/app")
    other = "".join(data.draw(st.sampled_from([char.lower(), char.upper()])) for char in path)
    assert rules(effect(Action.DELETE, other, recursive=True), around=folding)
