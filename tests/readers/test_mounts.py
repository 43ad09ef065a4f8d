"""Effects inside a container that reach this machine through a mount."""

import pytest

from checkrail.model import Action, Effect, Target, TargetKind
from checkrail.readers.mounts import here, place

HOST = place("container:alpine", (("/w", "/work/app"), ("/w/cache", "/home/dev/.cache")))


def seen(
    path: str, *, action: Action = Action.DELETE, recursive: bool = True, host: str = HOST
) -> list[tuple[str, str]]:
    """(path, host) as this machine sees an effect."""
    effect = Effect(action=action, target=Target(TargetKind.PATH, path, host), rule="x", recursive=recursive)
    return [(inner.target.value, inner.target.host) for inner in here(effect)]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/w", [("/home/dev/.cache", ""), ("/work/app", "")]),
        ("/w/src", [("/work/app/src", "")]),
        ("/w/*", [("/home/dev/.cache", ""), ("/work/app/*", "")]),
        ("/w/cache/x", [("/home/dev/.cache/x", "")]),
        ("/", [("/home/dev/.cache", ""), ("/work/app", "")]),
        ("/*", [("/home/dev/.cache", ""), ("/work/app", "")]),
        ("/wide", [("/wide", "container:alpine")]),
        ("/tmp/x", [("/tmp/x", "container:alpine")]),
    ],
)
def test_paths_below_and_above_a_mount(path: str, expected: list[tuple[str, str]]) -> None:
    """The innermost mount counts; deleting what holds a mount deletes what is mounted."""
    assert seen(path) == expected


def test_looking_at_a_folder_above_reaches_no_mount() -> None:
    """Only changes go down."""
    assert seen("/", action=Action.READ) == [("/", "container:alpine")]
    assert seen("/", recursive=False) == [("/", "container:alpine")]


def test_without_mounts_nothing_changes() -> None:
    """A plain host is left alone."""
    assert seen("/w", host="container:alpine") == [("/w", "container:alpine")]


def test_names_that_would_break_the_list_are_left_out() -> None:
    """A path with a line break cannot forge a mount."""
    assert place("container:x", (("/a\n/b\t/", "/c"),)) == "container:x"
