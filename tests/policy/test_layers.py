"""Layers: built-in, user, managed, project; a broken file keeps its last good text."""

import os
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.facts.host import FrozenHost, RealHost
from checkrail.model import Decision
from checkrail.policy import BUILT_IN, Policy, SpendLine
from checkrail.policy.cache import PolicyCache, usual_layers
from checkrail.policy.files import BlockedHosts, File, ProjectFile
from checkrail.policy.layers import Layer, Loaded, digest_of, expanded, for_project, load, over, tightened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory of our own."""
    place = tmp_path / "c"
    place.mkdir(mode=0o700)
    return place


def write(path: Path, text: str) -> None:
    """A file that only we can write."""
    path.write_text(text)
    path.chmod(0o600)


def layer(folder: Path, name: str, *, kept: bool = True) -> Layer:
    """A layer in the directory."""
    return Layer(str(folder / f"{name}.toml"), (os.geteuid(),), str(folder / f"{name}.kept") if kept else "")


def test_without_files_the_built_in_policy_holds(folder: Path) -> None:
    """And nothing is wrong."""
    assert load((layer(folder, "user"),)) == Loaded(BUILT_IN, digest_of(BUILT_IN), ())


def test_a_later_layer_wins_and_lists_are_joined(folder: Path) -> None:
    """Managed over user."""
    write(folder / "user.toml", "profile = 'permissive'\nforbid = ['A']\n[[rule]]\nid='x'\ndecision='allow'\n")
    write(folder / "managed.toml", "profile = 'strict'\nforbid = ['B']\n[[rule]]\nid='x'\ndecision='deny'\n")
    policy = load((layer(folder, "user"), layer(folder, "managed"))).policy
    assert policy.profile == "strict"
    assert policy.forbid == ("A", "B")
    assert [row.decision for row in policy.rule] == [Decision.ALLOW, Decision.DENY]


def test_a_broken_file_keeps_its_last_good_text(folder: Path) -> None:
    """Also for a process that never saw the good one; the fault is told with file and line."""
    user = layer(folder, "user")
    write(folder / "user.toml", "forbid = ['A']\n")
    good = load((user,))
    write(folder / "user.toml", "forbid = ['A'\n")
    broken = load((user,))
    assert broken.policy == good.policy
    assert broken.digest == good.digest
    assert "user.toml:" in broken.faults[0]
    assert "last good policy" in broken.faults[0]


def test_a_broken_file_that_was_never_good_counts_as_empty(folder: Path) -> None:
    """Harmless work goes on, the other layers stand."""
    write(folder / "user.toml", "nonsense")
    write(folder / "managed.toml", "forbid = ['B']\n")
    loaded = load((layer(folder, "user"), layer(folder, "managed")))
    assert loaded.policy.forbid == ("B",)
    assert len(loaded.faults) == 1


def test_a_removed_file_is_really_gone(folder: Path) -> None:
    """Its last good text does not come back with a later broken one."""
    user = layer(folder, "user")
    write(folder / "user.toml", "forbid = ['A']\n")
    load((user,))
    (folder / "user.toml").unlink()
    assert load((user,)).policy.forbid == ()
    write(folder / "user.toml", "forbid = [")
    assert load((user,)).policy.forbid == ()


def test_a_project_file_tightens(folder: Path) -> None:
    """And a broken or loosening one changes nothing but is told."""
    base = load((layer(folder, "user"),))
    tight = for_project(base, "/p/.checkrail.toml", b"forbid = ['A']")
    assert tight.policy.forbid == ("A",)
    assert tight.digest != base.digest
    for raw in (b"forbid = [", b"\xff", b"[[rule]]\nid='*'\ndecision='allow'"):
        broken = for_project(base, "/p/.checkrail.toml", raw)
        assert broken.policy == base.policy
        assert "/p/.checkrail.toml" in broken.faults[0]


PROFILES = st.sampled_from(["permissive", "balanced", "strict"])
EXPLICIT = st.sampled_from(["off", "reads", "auto"])


@given(PROFILES, EXPLICIT, st.none() | PROFILES, st.none() | EXPLICIT)
def test_no_project_loosens_profile_or_explicit_allow(
    profile: str, explicit: str, project_profile: str | None, project_explicit: str | None
) -> None:
    """The stricter of both stands."""
    base = Policy(profile=profile, explicit_allow=explicit)  # type: ignore[arg-type]
    project = ProjectFile(profile=project_profile, explicit_allow=project_explicit)  # type: ignore[arg-type]
    result = tightened(base, project)
    order = ("permissive", "balanced", "strict")
    assert order.index(result.profile) >= order.index(base.profile)
    assert ("off", "reads", "auto").index(result.explicit_allow) <= ("off", "reads", "auto").index(base.explicit_allow)


def test_a_project_only_adds() -> None:
    """Hosts to block, tools to forbid."""
    result = tightened(BUILT_IN, ProjectFile(forbid=("x",), hosts=BlockedHosts(block=("h",))))
    assert result.forbid == (*BUILT_IN.forbid, "x")
    assert result.hosts.block == ("h",)


def test_home_is_spelled_out() -> None:
    """In scratch directories and in the paths of rows."""
    file = File(scratch=("~/tmp/", "/var/x"))
    assert expanded(file, "/home/dev").scratch == ("/home/dev/tmp", "/var/x")
    assert over(BUILT_IN, expanded(file, "/h")).scratch == ("/h/tmp", "/var/x")


def test_the_digest_changes_with_the_policy() -> None:
    """And is the same for the same one."""
    assert digest_of(BUILT_IN) == digest_of(Policy())
    assert digest_of(BUILT_IN) != digest_of(Policy(profile="strict"))


def test_the_cache_follows_the_files(folder: Path, tmp_path: Path) -> None:
    """User's and project's, by a look at each call."""
    cache = PolicyCache(usual_layers(folder, None)[:1])
    host = RealHost(str(tmp_path))
    project = tmp_path / "p"
    project.mkdir()
    assert cache.for_project(str(project), host).policy.forbid == ()
    write(folder / "policy.toml", "forbid = ['A']")
    assert cache.for_project(str(project), host).policy.forbid == ("A",)
    (project / ".checkrail.toml").write_text("forbid = ['B']")
    assert cache.for_project(str(project), host).policy.forbid == ("A", "B")
    (project / ".checkrail.toml").unlink()
    assert cache.for_project(str(project), host).policy.forbid == ("A",)
    (folder / "policy.toml").chmod(0o666)
    assert "refused" in cache.current().faults[0]


def test_a_project_file_that_cannot_be_read_is_told(folder: Path, tmp_path: Path) -> None:
    """A directory in its place changes nothing."""
    (tmp_path / ".checkrail.toml").mkdir()
    loaded = PolicyCache(usual_layers(folder, None)[:1]).for_project(str(tmp_path), FrozenHost())
    assert loaded.policy == BUILT_IN
    assert "not a readable file" in loaded.faults[0]


def _line(currency: str, *amounts: int) -> SpendLine:
    """A line of three amounts."""
    call, day, ever = map(Decimal, amounts)
    return SpendLine(currency=currency, per_call=call, per_day=day, lifetime=ever)


def test_a_later_layers_spend_line_stands_for_its_currency() -> None:
    """Of other currencies the earlier lines stay."""
    base = over(BUILT_IN, File(spend=(_line("EUR", 1, 2, 3), _line("USD", 4, 5, 6))))
    assert over(base, File(spend=(_line("EUR", 9, 9, 9),))).spend == (_line("EUR", 9, 9, 9), _line("USD", 4, 5, 6))


@pytest.mark.parametrize(
    ("wish", "found"),
    [
        (_line("EUR", 1, 100, 100), _line("EUR", 1, 50, 100)),
        (_line("EUR", 999, 999, 999), _line("EUR", 20, 50, 500)),
        (_line("EUR", 0, 0, 0), _line("EUR", 0, 0, 0)),
        (_line("USD", 1, 1, 1), _line("EUR", 20, 50, 500)),
    ],
)
def test_a_project_lowers_spend_lines_and_adds_none(wish: SpendLine, found: SpendLine) -> None:
    """Each amount on its own."""
    base = over(BUILT_IN, File(spend=(_line("EUR", 20, 50, 500),)))
    assert tightened(base, ProjectFile(spend=(wish,))).spend == (found,)
    assert tightened(BUILT_IN, ProjectFile(spend=(wish,))).spend == ()
