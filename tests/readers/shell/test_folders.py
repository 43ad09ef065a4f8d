"""``cd``, ``pushd``, ``popd`` and the tildes that name folders of the stack."""

import pytest

from tests.readers.shell.evaluation import effects

WHERE = (
    ("cd /a; cd /b; rm ~-/x", "/a/x"),
    ("cd /tmp/z; cd /a; cd -; cd -; rm x", "/a/x"),
    ("pushd /a; pushd /b; rm ~1/x", "/a/x"),
    ("pushd /a; pushd /b; rm ~+1/x", "/a/x"),
    ("pushd /a; pushd /b; pushd /c; popd; popd; rm x", "/a/x"),
    ("pushd /a; pushd /b; pushd; rm x", "/a/x"),
    ('pushd /a; pushd /b; rm "${DIRSTACK[1]}/x"', "/a/x"),
    ("CDPATH=/a; cd b; rm x", "/a/b/x"),
    ("CDPATH=/a; cd ./b; rm x", "/work/app/b/x"),
    ("pushd build; popd; rm x", "/work/app/x"),
    ("rm '~-'", "/work/app/~-"),
    ("rm a~1", "/work/app/a~1"),
)


@pytest.mark.parametrize(("program", "path"), WHERE)
def test_follows_the_folder(program: str, path: str) -> None:
    assert f"delete {path}" in effects(program)


@pytest.mark.parametrize("program", ["rm ~1/x", "pushd +3; rm x"])
def test_a_stack_that_is_not_known_stays_unknown(program: str) -> None:
    assert "delete ?/x" in effects(program)
