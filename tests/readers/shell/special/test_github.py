"""Requests to code hosts."""

import pytest

from tests.readers.shell.evaluation import effects, rules


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("gh api -X DELETE repos/a/b", "delete"),
        ("gh api repos/a/b --method=delete", "delete"),
        ("gh api repos/a/b/issues -f title=x", "change"),
        ("gh api -X PUT repos/a/b/pulls/1/merge", "change"),
        ("gh api -X PUT repos/a/b/branches/main/protection --input p", "rights"),
        ("gh api repos/a/b/keys -f key=x", "rights"),
        ("gh api -XPATCH repos/a/b -F private=false", "public"),
        ("gh api -X PATCH repos/a/b/git/refs/heads/main -F force=true -f sha=x", "force"),
        ("gh api graphql -f query='mutation { deleteRef(input:{}) { x } }'", "mutation"),
    ],
)
def test_changing_requests(line: str, rule: str) -> None:
    """By method, field and query."""
    assert f"gh.api.{rule}" in rules(line)


@pytest.mark.parametrize(
    "line",
    ["gh api repos/a/b", "gh api -X GET search/issues -f q=delete", "gh api graphql -f query='{ viewer { login } }'"],
)
def test_reading_requests(line: str) -> None:
    """Nothing beside the look."""
    assert rules(line) == {"gh.api"}


def test_fields_from_files_are_sent() -> None:
    """``-F name=@file`` uploads."""
    assert "read /work/app/x" in effects("gh api repos/a/b -F body=@x")
