"""The table [session]: its limits, own forms, and what a project may say."""

import pytest

from checkrail.policy import BUILT_IN
from checkrail.policy.files import PolicyError, parse, parse_project
from checkrail.policy.layers import tightened
from checkrail.policy.sessions import LIMITS, Keep

FORM = (
    '[[session.form]]\nname = "key"\nlabel = "SECRET"\nform = "ACME-[0-9A-F]{16}"\nexample = "ACME-0123456789ABCDEF"\n'
)


def test_the_usual_lies_within_its_limits() -> None:
    """Each of them has one."""
    usual = Keep()
    assert set(LIMITS) == set(usual.__struct_fields__)
    assert all(least <= getattr(usual, name) <= most for name, (least, most) in LIMITS.items())


@pytest.mark.parametrize("name", sorted(LIMITS))
def test_limits_are_held(name: str) -> None:
    """Both ends may be written, what lies beyond may not."""
    key, (least, most) = name.replace("_", "-"), LIMITS[name]
    for value in (least, most):
        session = parse(f"[session.keep]\n{key} = {value}\n", "p.toml").session
        assert session is not None and getattr(session.keep, name) == value
    for value in (least - 1, most + 1):
        with pytest.raises(PolicyError, match=rf"p.toml:2: .*{least} to {most}"):
            parse(f"[session.keep]\n{key} = {value}\n", "p.toml")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("{16}", "*", "no meaning here"),
        ("{16}", "{6}", "12 at least"),
        ('"ACME-0123456789ABCDEF"', '"ACME-1"', "is not of that form"),
        ('"SECRET"', '"UNTRUSTED_WEB"', "where text comes from"),
        ('"key"', '""', "empty"),
    ],
)
def test_a_form_that_cannot_be_used(old: str, new: str, told: str) -> None:
    """The message names line and remedy, in a user's file and a project's."""
    for read in (parse, parse_project):
        with pytest.raises(PolicyError, match=told):
            read(FORM.replace(old, new), "p.toml")
    with pytest.raises(PolicyError, match="more than 16"):
        parse("".join(FORM.replace('"key"', f'"k{number}"') for number in range(17)), "p.toml")


@pytest.mark.parametrize(
    "text", ['mode = "observe"', "keep = {days = 1}", 'override = [{tool = "*", capabilities = []}]']
)
def test_what_a_project_may_not_say(text: str) -> None:
    """What could make it looser is no key of its table."""
    with pytest.raises(PolicyError):
        parse_project(f"[session]\n{text}\n", "p.toml")


def test_a_project_adds_and_takes_nothing_away() -> None:
    """The operator's own table stays as it is."""
    project = parse_project(
        '[session]\npreset = "strict"\nmode = "enforce"\nexternal = ["a.example"]\n' + FORM, "p.toml"
    )
    merged = tightened(BUILT_IN, project)
    assert merged.session == BUILT_IN.session
    assert merged.project_session.preset == "strict"
    assert [row.name for row in merged.project_session.form] == ["key"]
