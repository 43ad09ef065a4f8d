"""Policy files are read strictly, and every problem is told with file, line and key."""

from decimal import Decimal
from pathlib import Path

import pytest

from checkrail.model import Decision
from checkrail.policy import Rule
from checkrail.policy.files import MAX_BYTES, PolicyError, decoded, parse, parse_project, read

WHOLE = """
profile = "strict"
explicit-allow = "off"
scratch = ["~/tmp", "/var/tmp/build"]
forbid = ["mcp__ads__*"]

[hosts]
allow = ["*.internal"]
block = ["paste.example"]

[[rule]]
id = "git.push-*"
decision = "allow"
branch = "dev/*"
why = "our own branches"

[[agent]]
name = "reviewer"
tier = "T3"
allowed = ["Read"]

[[tool]]
glob = "mcp__docs__*"
risk = "low"

[audit]
keep-days = 30
"""

LINE = '[[spend]]\ncurrency = "EUR"\nper-call = 20\nper-day = 50\nlifetime = 500.25\n'


def test_amounts_are_exact() -> None:
    """Whole numbers, decimals and texts alike; no float comes near them."""
    (line,) = parse(LINE.replace("20", '"19.99"').replace("50\n", "0.1\n"), "p.toml").spend
    assert (line.per_call, line.per_day, line.lifetime) == (Decimal("19.99"), Decimal("0.1"), Decimal("500.25"))
    assert parse_project(LINE, "p.toml").spend == parse(LINE, "p.toml").spend


def test_a_whole_file_is_read() -> None:
    """Every table."""
    file = parse(WHOLE, "p.toml")
    assert file.profile == "strict"
    assert file.rule == (Rule(id="git.push-*", decision=Decision.ALLOW, branch="dev/*", why="our own branches"),)
    assert file.audit is not None
    assert file.audit.keep_days == 30


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("profil = 'strict'", "p.toml:1: Object contains unknown field `profil`"),
        ("\nprofile = 'lax'", "p.toml:2: Invalid enum value 'lax' - at `$.profile`"),
        ("profil = 'strict'", "; known keys: profile, explicit-allow, rule, "),
        ("\nprofile = 'lax'", "; write one of permissive, balanced, strict"),
        (
            "[[agent]]\nname = 'a'\ntier = 'T4'",
            "p.toml:3: Invalid enum value 'T4' - at `$.agent[0].tier`; write one of T1, T2, T3",
        ),
        (
            "[[agent]]\nname = 'a'\nallow = []",
            "p.toml:3: Object contains unknown field `allow` - at `$.agent[0]`; known keys: name, tier, ",
        ),
        ("[[agent]]\ntier = 'T1'", "missing required field `name` - at `$.agent[0]`; known keys: name, "),
        (
            "[[tool]]\nglob = 'a'\nrisk = 'hihg'",
            "p.toml:3: Invalid enum value 'hihg' - at `$.tool[0].risk`; write one of low, medium, high",
        ),
        ("[[rule]]\nid = 'a'\ndecision = 'no'", "; write one of allow, ask, deny"),
        ("[audit]\nkeep-days = 'x'", "p.toml:2: Expected `int`, got `str` - at `$.audit.keep-days`"),
        (
            "[[agent]]\nname = 'a'\nallowed = ['x']\nforbidden = ['x']",
            "p.toml:1: 'x' is both allowed and forbidden; take it out",
        ),
        (
            "[[tool]]\nglob = 'a'\nrisk = 'low'\n[[tool]]\nglob = 'a'\nrisk = 'high'",
            "p.toml:4: contradicts an earlier row",
        ),
        ("a = ", "p.toml:1: "),
        ("x = 1\nx = 2", "p.toml:2: "),
        ("[[rule]]\nid = 'a'\ndecision = 'ask'\n\n[[rule]]\nid = 'b'\ndecision = 'perhaps'", "p.toml:7: Invalid enum"),
        ("[[rule]]\nid = 'a'\ndecision = 'ask'\nwhen = 1", "p.toml:4: Object contains unknown field `when`"),
        ("[audit]\nkeep-days = 'x'", "p.toml:2: Expected `int`"),
        ("[audit]\nkeep-days = 0", "p.toml:2: 0 lies outside"),
        ("[[rule]]\ndecision = 'ask'", "p.toml:1: a row needs at least one of"),
        ("[[rule]]\npath = '/x'\ndecision = 'allow'", "p.toml:1: a row that allows needs the id"),
        ("[[rule]]\nid = 'a'\ncommand = 'x'\ndecision = 'ask'", "p.toml:1: id and command exclude"),
        ("[[rule]]\nbranch = 'x'\ndecision = 'ask'", "p.toml:1: branch needs the id"),
        (
            "[[rule]]\nid = 'a'\ndecision = 'ask'\n[[rule]]\nid = 'a'\ndecision = 'deny'",
            "p.toml:4: contradicts an earlier row",
        ),
        ("[[agent]]\nname = 'a'\nallowed = ['X']\nforbidden = ['X']", "p.toml:1: 'X' is both allowed and forbidden"),
        ("[[tool]]\nglob='x'\nrisk='low'\n[[tool]]\nglob='x'\nrisk='high'", "p.toml:4: contradicts"),
        ("[hosts]\nallow = ['x']\nblock = ['x']", "p.toml:1: 'x' is both allowed and blocked"),
        ("[spend]\nper-call = 1", "p.toml:1: Expected `array`, got `object` - at `$.spend`; write [[spend]]"),
        (LINE.replace("20", "-1"), "p.toml:3: -1 is no amount; write one from 0"),
        (LINE.replace("20", "nan"), "p.toml:3: NaN is no amount"),
        (LINE.replace("20", "0.0000001"), "p.toml:3: 1E-7 is no amount"),
        (LINE.replace("20", "'x'"), "p.toml:3: "),
        (LINE.replace("EUR", "euro"), "p.toml:2: 'euro' is no currency; write its code in capitals"),
        (LINE + LINE, "p.toml:6: a second line for EUR; keep one"),
        (
            LINE.replace("lifetime", "life-time"),
            "p.toml:5: Object contains unknown field `life-time` - at `$.spend[0]`; known",
        ),
        (
            LINE.replace("per-day = 50\n", ""),
            "missing required field `per-day` - at `$.spend[0]`; known keys: currency, per-call",
        ),
        ("scratch = ['/']", "p.toml:1: '/' is not a directory below"),
        ("scratch = ['~/']", "p.toml:1: '~/' is not"),
        ("scratch = ['/tmp/../etc']", "p.toml:1: '/tmp/../etc' is not"),
        ("scratch = ['tmp']", "p.toml:1: 'tmp' is not"),
        ("allow-everything = true", "unknown field"),
    ],
)
def test_a_problem_names_file_line_and_key(text: str, told: str) -> None:
    """So that it can be mended at once."""
    with pytest.raises(PolicyError) as caught:
        parse(text, "p.toml")
    assert told in str(caught.value)


def test_deep_nesting_is_an_error_and_not_a_crash() -> None:
    """However deep."""
    with pytest.raises(PolicyError):
        parse("x = " + "[" * 50_000 + "]" * 50_000, "p.toml")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[rule]]\nid = '*'\ndecision = 'allow'", "a project can only tighten"),
        ("scratch = ['/tmp/x']", "unknown field `scratch`"),
        ("[hosts]\nallow = ['x']", "unknown field `allow`"),
        ("[audit]\nkeep-days = 1", "unknown field `audit`"),
    ],
)
def test_a_project_file_cannot_even_say_what_would_loosen(text: str, told: str) -> None:
    """Such a key is an error."""
    with pytest.raises(PolicyError, match=told):
        parse_project(text, ".checkrail.toml")


def test_a_project_file_that_tightens_is_read() -> None:
    """Rows, forbidden tools, blocked hosts."""
    file = parse_project("forbid = ['X']\n[[rule]]\ncommand = 'yarn'\ndecision = 'deny'\n[hosts]\nblock = ['h']", "p")
    assert (file.forbid, file.hosts.block, file.rule[0].command) == (("X",), ("h",), "yarn")


def test_only_a_file_that_nobody_else_can_write_is_used(tmp_path: Path) -> None:
    """Group or others writing the file or its directory, another owner, a pipe: refused, with the mend."""
    import os

    folder = tmp_path / "c"
    folder.mkdir(mode=0o700)
    path = folder / "policy.toml"
    me = (os.geteuid(),)
    assert read(str(path), me) is None
    path.write_text("profile = 'strict'\r\n")
    path.chmod(0o600)
    assert read(str(path), me) == "profile = 'strict'\n"
    with pytest.raises(PolicyError, match="belongs to uid"):
        read(str(path), (os.geteuid() + 1,))
    path.chmod(0o620)
    with pytest.raises(PolicyError, match="chmod go-w"):
        read(str(path), me)
    path.chmod(0o600)
    folder.chmod(0o770)
    with pytest.raises(PolicyError, match="can be written by others"):
        read(str(path), me)
    folder.chmod(0o700)
    path.unlink()
    os.mkfifo(path, 0o600)
    with pytest.raises(PolicyError, match="not a regular file"):
        read(str(path), me)


def test_a_file_too_large_or_not_utf8_is_refused() -> None:
    """By name."""
    with pytest.raises(PolicyError, match="larger"):
        decoded("p", b"#" * (MAX_BYTES + 1))
    with pytest.raises(PolicyError, match="UTF-8"):
        decoded("p", b"\xff")
    assert decoded("p", b"\xef\xbb\xbfx = 1") == "x = 1"


def test_the_sessions_table() -> None:
    """Presets, lists, and rows about tools."""
    text = """[session]
preset = "strict"
mode = "observe"
external = ["*.own.example"]
[[session.override]]
tool = "mcp__desk__*"
capabilities = ["external-ingestion"]
[[session.label]]
tool = "mcp__erp__*"
labels = ["FINANCIAL_DATA"]
"""
    session = parse(text, "p.toml").session
    assert session is not None
    assert (session.preset, session.mode, session.external) == ("strict", "observe", ("*.own.example",))
    assert session.override[0].capabilities == ("external-ingestion",)
    assert session.label[0].labels == ("FINANCIAL_DATA",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[session]\npreset = "loose"', "write one of default, permissive, balanced, strict"),
        ('[session]\nexternal = [""]', "empty, or longer than 512"),
        ("[session]\nexternal = [" + '"a.example",' * 257 + "]", "more than 256 entries"),
        ('[session]\n[[session.override]]\ntool = "x"\ncapabilities = ["fly"]', "Invalid enum value"),
        (
            '[[session.override]]\ntool = "x"\ncapabilities = []\n[[session.override]]\ntool = "x"\ncapabilities = ["private-access"]',
            "contradicts an earlier row",
        ),
    ],
)
def test_a_sessions_table_that_cannot_be_used(text: str, message: str) -> None:
    """Says what could stand there."""
    with pytest.raises(PolicyError, match=message):
        parse(text, "p.toml")


def test_a_project_has_no_say_about_sessions() -> None:
    """It could only loosen."""
    with pytest.raises(PolicyError):
        parse_project('[session]\nmode = "observe"', "p.toml")
