"""What a path is: place, class, cover, pattern, and the many ways to spell the same one."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.facts.paths import Place, describe
from checkrail.model import HOLE, SOME


def around(files: dict[str, str | None] | None = None, **changes: object) -> Surroundings:
    """A frozen machine with the workspace /work/app."""
    host = FrozenHost(files=files or {}, environment={"TMPDIR": "/var/folders/a/b/T"})
    base = Surroundings(host=host, home="/home/dev", workspace="/work/app", cwd="/work/app")
    return msgspec.structs.replace(base, **changes)


AROUND = around()


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/", Place.ROOT),
        ("//", Place.ROOT),
        ("/proc/self/root", Place.ROOT),
        ("~", Place.HOME),
        ("/home/dev/", Place.HOME),
        ("/home/dev/x", Place.BELOW_HOME),
        ("/home/ann/x", Place.OTHER_HOME),
        ("/root/x", Place.OTHER_HOME),
        ("/home", Place.SYSTEM),
        ("/work/app", Place.ROOM),
        ("src/..", Place.ROOM),
        ("/proc/self/cwd", Place.ROOM),
        ("src/a.py", Place.WORKSPACE),
        ("/work/apple", Place.OUTSIDE),
        ("../other", Place.OUTSIDE),
        ("/tmp/x", Place.SCRATCH),
        ("/private/tmp/x", Place.SCRATCH),
        ("/var/folders/a/b/T/x", Place.SCRATCH),
        ("/dev/shm/x", Place.SCRATCH),
        ("/var/lib/apt/lists/x", Place.SCRATCH),
        ("/tmpfile", Place.OUTSIDE),
        ("/etc/hosts", Place.SYSTEM),
        ("/private/etc/hosts", Place.SYSTEM),
        ("/usr/local/bin/x", Place.SYSTEM),
        ("J:\\proj\\x", Place.OUTSIDE),
        ("/dev/null", Place.STREAM),
        ("/dev/fd/3", Place.STREAM),
        ("/dev/sda", Place.DEVICE),
        (f"{HOLE}/x", Place.UNKNOWN),
        (f"/tmp/{SOME}/x", Place.SCRATCH),
    ],
)
def test_place(path: str, place: Place) -> None:
    """Each path lies in one place."""
    assert describe(path, AROUND).place is place


@pytest.mark.parametrize(
    ("path", "covers"),
    [
        ("/", {"root", "home", "workspace", "scratch"}),
        ("/home", {"home"}),
        ("/work", {"workspace"}),
        ("..", {"workspace"}),
        ("/ho*", {"home"}),
        ("/home/*", {"home"}),
        ("/home/d?v/", {"home"}),
        ("~/.[!.]*", {"home"}),
        ("/work/app/src", set()),
        ("/home/ann", set()),
        ("/homes", set()),
    ],
)
def test_covers(path: str, covers: set[str]) -> None:
    """A directory holds what lies below it, by name or by glob."""
    assert describe(path, AROUND).covers == covers


@pytest.mark.parametrize("glob", ["*", ".*", ".[!.]*", "..?*", "**", "*/*", "?*", ".??*"])
def test_globs_for_everything(glob: str) -> None:
    """A glob that takes all of a directory speaks of its contents."""
    facts = describe(f"/home/dev/{glob}", AROUND)
    assert (facts.path, facts.contents, facts.place) == ("/home/dev", True, Place.HOME)


@pytest.mark.parametrize("glob", ["*.py", "a*", "[ab]*x", "x/*.o"])
def test_globs_for_some(glob: str) -> None:
    """A narrower glob is a pattern and not the whole directory."""
    facts = describe(f"/home/dev/{glob}", AROUND)
    assert facts.pattern
    assert not facts.contents


def test_links_count_on_both_ends() -> None:
    """A link in the workspace that leads to a credential is that credential; the dearer place counts."""
    seen = around({"/work/app/notes": "@/home/dev/.ssh", "/home/dev/.ssh/id_rsa": "k"})
    facts = describe("notes/id_rsa", seen)
    assert facts.real == "/home/dev/.ssh/id_rsa"
    assert facts.place is Place.BELOW_HOME
    assert "credentials" in facts.classes


def test_link_itself_is_not_what_it_points_to() -> None:
    """Removing a link to home removes the link; with a slash or a glob it is home."""
    seen = around({"/work/app/h": "@/home/dev", "/home/dev/x": "x"})
    assert describe("h", seen, follow=False).place is Place.WORKSPACE
    assert describe("h", seen).place is Place.HOME
    assert describe("h/*", seen, follow=False).place is Place.HOME
    assert describe("h/", seen, follow=False).place is Place.HOME


def test_dots_after_a_link_go_where_the_link_leads() -> None:
    """``link/..`` is the parent of the link's target for the kernel, and the workspace as text: both count."""
    seen = around({"/work/app/l": "@/home/dev/x/y", "/home/dev/x/y/z": "z"})
    assert describe("/work/app/l/../../.bashrc", seen).classes == ("shell-start-up",)


def test_linked_workspace_is_the_workspace() -> None:
    """A workspace reached through a link stays one by its real path."""
    seen = around({"/work/app": "@/data/app", "/data/app/x": "x"})
    assert describe("x", seen).place is Place.WORKSPACE
    assert describe("/data/app/x", seen).place is Place.WORKSPACE


def test_case_counts_where_the_host_folds() -> None:
    """Places follow the file system's case; protected classes never depend on it."""
    folding = Surroundings(host=FrozenHost(folds_case=True), home="/Users/dev", workspace="/work/app", cwd="/work/app")
    assert describe("/users/DEV", folding).place is Place.HOME
    assert describe("/WORK/app/x", AROUND).place is Place.OUTSIDE
    assert "credentials" in describe("/work/app/.ENV", AROUND).classes


def test_unknown_parts_collapse() -> None:
    """An unset variable leaves the rest of the path."""
    facts = describe(f"{HOLE}/*", AROUND)
    assert facts.unknown
    assert facts.collapsed is not None
    assert facts.collapsed.place is Place.ROOT
    assert describe(f"/home/{HOLE}", AROUND).collapsed.covers == {"home"}  # type: ignore[union-attr]
    assert describe(HOLE, AROUND).collapsed is None


def test_unknown_part_is_only_maybe_the_floor() -> None:
    """What an unknown part may name is not certain; what stands behind it is."""
    facts = describe(f"{HOLE}/.claude/settings.json", AROUND)
    assert "hook-settings" in facts.floor
    assert describe(f"/work/app/.claude/{HOLE}", AROUND).floor == ()
    assert "hook-settings" in describe(f"/work/app/.claude/{HOLE}", AROUND).maybe


@pytest.mark.parametrize(
    "path", ["node_modules/x", "dist", "packages/a/build", ".venv/lib", "src/x.pyc", "**/__pycache__", "a.egg-info"]
)
def test_build_names(path: str) -> None:
    """What a build makes again is known by name."""
    assert describe(path, AROUND).build


@pytest.mark.parametrize("path", ["src", "builder", "distance", "src/node_modules.ts", "outline"])
def test_no_build_names(path: str) -> None:
    """Names that only resemble build names are not."""
    assert not describe(path, AROUND).build


def test_workspace_below_a_build_name_is_not_build() -> None:
    """Only what lies below the workspace counts."""
    seen = around(workspace="/home/dev/build/app", cwd="/home/dev/build/app")
    assert not describe("src", seen).build


@pytest.mark.parametrize(
    ("variable", "path", "place"),
    [
        ("/", "/etc", Place.SYSTEM),
        ("/home/dev", "/home/dev/x", Place.BELOW_HOME),
        ("/home/dev/src", "/home/dev/src/x", Place.BELOW_HOME),
        ("/home/dev/tmp", "/home/dev/tmp/x", Place.SCRATCH),
        ("/work", "/work/x", Place.OUTSIDE),
    ],
)
def test_tmpdir_is_believed_only_where_it_is_temporary(variable: str, path: str, place: Place) -> None:
    """No variable makes a dear place free."""
    seen = around(host=FrozenHost(environment={"TMPDIR": variable}))
    assert describe(path, seen).place is place


def test_policy_scratch() -> None:
    """A policy names further temporary directories."""
    assert describe("/data/scratch/x", AROUND, scratch=("/data/scratch",)).place is Place.SCRATCH
    assert describe("/data/other", AROUND, scratch=("/data/scratch",)).place is Place.OUTSIDE


def test_home_as_workspace_is_still_home() -> None:
    """An agent that works in its home does not make the home free."""
    assert describe("~", around(workspace="/home/dev", cwd="/home/dev")).covers >= {"home"}
    assert describe("/etc", around(workspace="/", cwd="/")).place is Place.SYSTEM
    assert describe("/home/dev/x", around(workspace="/home", cwd="/home")).place is Place.BELOW_HOME


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("a\0b", "control"),
        ("a\u200bb", "invisible"),
        ("p\u0430ypal", "alphabets"),
        ("ａ.py", "look-alike"),
        ("x/" * 80, "long"),
    ],
)
def test_odd_names(path: str, part: str) -> None:
    """Names that deceive are called odd."""
    assert part in describe(path, AROUND).odd


@pytest.mark.parametrize("path", ["naïve.py", "日本語.txt", "Screenshot at 3.00\u202fPM.png", "приказ.md", "src/a.py"])
def test_ordinary_names(path: str) -> None:
    """Other languages are not odd."""
    assert describe(path, AROUND).odd == ""


@given(st.text(alphabet=st.sampled_from([*"/.~*?[]!a-z\0\\ ", HOLE, SOME, "é", "\u200b"]), max_size=60))
def test_never_raises(path: str) -> None:
    """Any text at all is described."""
    assert describe(path, AROUND).place in Place


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (f"{HOLE}/{HOLE}", False),
        (f"{HOLE}/{SOME}", False),
        (f"{HOLE}/*", False),
        (f"{HOLE}/.env", True),
        (f"/home/dev/.ssh/{HOLE}", True),
    ],
)
def test_a_path_of_which_nothing_is_told_has_no_class(path: str, told: bool) -> None:
    """That it may be anything is said by its place; one known part brings the class back."""
    assert ("credentials" in describe(path, AROUND).classes) is told
