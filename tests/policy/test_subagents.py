"""A sub-agent's own file as a list of tools, through a frozen machine."""

import time

import pytest

from checkrail.facts.host import FrozenHost
from checkrail.model import Decision, Event, EventKind
from checkrail.policy import BUILT_IN, AgentRow, Policy
from checkrail.policy.subagents import LIMIT, MOST_LINES, OWN, listing, listings
from checkrail.policy.tools import on_tool

PROJECT = "/work/app/.claude/agents/reviewer.md"
USER = "/home/dev/.claude/agents/reviewer.md"


def file(*lines: str, body: str = "You review code.\n") -> str:
    """A sub-agent's file with these lines of front matter."""
    return "\n".join(("---", "name: reviewer", "description: Reviews code", *lines, "---", body))


def told(tool: str, files: dict[str, str], *, subagent: str = "reviewer/a1", policy: Policy = BUILT_IN) -> list[str]:
    """The rules that stop a tool; everything found here denies."""
    call = Event(agent="claude", kind=EventKind.PRE, tool=tool, subagent=subagent, cwd="/work/app", project="/work/app")
    found = on_tool(call, policy, FrozenHost(files=dict(files)))
    assert all(finding.decision is Decision.DENY and finding.hard for finding in found)
    return [finding.rule for finding in found]


NOT_LISTED, FORBIDDEN = ["policy.tool-not-listed"], ["policy.tool-forbidden"]


@pytest.mark.parametrize(
    "lines",
    [
        ("tools: Read, Grep, mcp__docs",),
        ("tools: Read,Grep,mcp__docs__*",),
        ('tools: "Read, Grep, mcp__docs"',),
        ("tools: [\"Read\", 'Grep', mcp__docs]",),
        ("tools: [Read,", "  Grep,", "  mcp__docs]"),
        ("tools:", "  - Read", "  - Grep", "  - mcp__docs"),
        ("tools:", '- "Read"', "- 'Grep'", "# a remark", "- mcp__docs # all of it"),
        ("tools: >-", "  Read, Grep,", "  mcp__docs"),
        ('"tools": Read, Grep, mcp__docs', "model: haiku"),
        ("tools: Read, Grep, mcp__docs # not Bash",),
        ("tools: Read, Grep(src/**), mcp__docs", "color: blue"),
        ("tools: Read, Grep, mcp__docs", "tools: '*'"),
        ("tools: Read, Grep, mcp__docs", "description: more\u2028tools: '*'"),
        ("tools: Read, Grep, mcp__docs\r", "model: opus\r"),
    ],
)
def test_a_list_in_any_spelling_forbids_what_it_does_not_name(lines: tuple[str, ...]) -> None:
    """Commas, quotes, flow and block lists, comments, conditions; the name of an MCP server means all its tools."""
    files = {PROJECT: file(*lines)}
    for tool in ("Read", "Grep", "mcp__docs__search", *OWN):
        assert told(tool, files) == [], tool
    for tool in ("Bash", "Write", "Gre", "mcp__docs2__search", "mcp__other__docs"):
        assert told(tool, files) == NOT_LISTED, tool


@pytest.mark.parametrize(
    "lines",
    [
        (),
        ("model: haiku",),
        ("tools:",),
        ("tools:   # all of them",),
        ("tools: '*'",),
        ('tools: ["*"]',),
        ("description: |", "  tools: Read", "  - Grep"),
        ("toolset: Read",),
    ],
)
def test_a_file_without_a_list_forbids_nothing(lines: tuple[str, ...]) -> None:
    """Nor does one that lists everything, or that only speaks of tools in its description."""
    assert told("Bash", {PROJECT: file(*lines)}) == []


def test_an_empty_list_leaves_only_what_comes_with_any() -> None:
    """``[]`` is a list."""
    assert told("Read", {PROJECT: file("tools: []")}) == NOT_LISTED
    assert told("TodoWrite", {PROJECT: file("tools: []")}) == []


@pytest.mark.parametrize(
    ("line", "stopped", "free"),
    [
        ("disallowedTools: Write, Edit", ("Write", "Edit"), ("Read", "Bash", "MultiEdit")),
        ("disallowedTools: [mcp__ads]", ("mcp__ads__spend",), ("mcp__ads2__spend", "Bash")),
        ("disallowedTools: mcp__ads__act*", ("mcp__ads__activate",), ("mcp__ads__list",)),
        ("disallowedTools: Task", ("Agent", "Task"), ("TaskList",)),
        ("disallowedTools: Bash(rm *)", (), ("Bash",)),
        ("disallowedTools: '*'", ("Bash", "Read"), ()),
    ],
)
def test_what_is_disallowed_is_stopped(line: str, stopped: tuple[str, ...], free: tuple[str, ...]) -> None:
    """A condition on the input is Claude Code's own business."""
    assert [tool for tool in stopped if told(tool, {PROJECT: file(line)}) != FORBIDDEN] == []
    assert [tool for tool in free if told(tool, {PROJECT: file(line)})] == []


def test_disallowed_wins_over_the_list() -> None:
    """In one file."""
    files = {PROJECT: file("tools: Read, Write", "disallowedTools: Write")}
    assert told("Write", files) == FORBIDDEN
    assert told("Read", files) == []


def test_tools_that_come_with_other_keys() -> None:
    """``memory`` brings file tools, ``mcpServers`` servers of its own."""
    files = {PROJECT: file("tools: Grep", "memory: project", "mcpServers:", "  - docs")}
    assert told("Edit", files) == []
    assert told("mcp__docs__search", files) == []
    assert told("Bash", files) == NOT_LISTED


def test_a_file_written_in_between_frees_nobody() -> None:
    """The project's and the user's file both count, and so do the policy's rows."""
    strict, loose = file("tools: Read"), file("tools: '*'")
    assert told("Bash", {USER: strict}) == NOT_LISTED
    assert told("Bash", {USER: strict, PROJECT: loose}) == NOT_LISTED
    assert told("Bash", {PROJECT: strict, USER: loose}) == NOT_LISTED
    rows = Policy(agent=(AgentRow(name="reviewer", allowed=("Read",)),))
    assert told("Bash", {PROJECT: loose}, policy=rows) == NOT_LISTED


def test_only_the_sub_agent_itself_is_meant() -> None:
    """Not the main agent, another kind, another agent's dialect, or a file that calls itself something else."""
    files = {PROJECT: file("tools: Read")}
    assert told("Bash", files, subagent="") == []
    assert told("Bash", files, subagent="tester/a1") == []
    assert told("Bash", files, subagent="/a1") == []
    assert told("Bash", {PROJECT: file("tools: Read").replace("name: reviewer", "name: other")}) == []
    assert told("Bash", {PROJECT: file("tools: Read").replace("name: reviewer\n", "")}) == NOT_LISTED
    other = Event(agent="generic", kind=EventKind.PRE, tool="Bash", subagent="reviewer", project="/work/app")
    assert on_tool(other, BUILT_IN, FrozenHost(files=dict(files))) == ()


@pytest.mark.parametrize("name", ["../reviewer", "a/../../x", "..", ".hidden", "", "a b", "x\n", "x\0", "é", "n" * 129])
def test_a_name_that_is_no_file_name_reads_nothing(name: str) -> None:
    """The name comes from the event."""
    assert listings(f"{name}/a1", "/work/app", FrozenHost()) == () or "/" in name


def test_the_name_stays_below_the_folder() -> None:
    """Only its first part counts, and dots lead nowhere."""
    host = FrozenHost(files={"/work/app/.claude/secret.md": file("tools: Read").replace("reviewer", "secret")})
    assert listings("../secret", "/work/app", host) == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "tools: Read\n",
        "---\ntools: Read\n",
        "\n---\ntools: Read\n---\n",
        "--- x\ntools: Read\n---\n",
        "---\n" + "x: y\n" * MOST_LINES + "tools: Read\n---\n",
        "---\ntools: Read\n---\n" + "x" * LIMIT,
    ],
)
def test_a_file_without_proper_front_matter_says_nothing(text: str) -> None:
    """Claude Code does not take it for a sub-agent either, or it is larger than any honest one."""
    assert told("Bash", {PROJECT: text}) == []


def test_a_byte_order_mark_hides_nothing() -> None:
    """Editors write it."""
    assert told("Bash", {PROJECT: "\ufeff" + file("tools: Read")}) == NOT_LISTED


@pytest.mark.parametrize(
    "value",
    [
        "*" * 60_000,
        "*a" * 30_000,
        "(" * 60_000,
        "a(" * 30_000,
        "Read, " * 10_000,
        "[" * 60_000,
        " #" * 30_000,
        "mcp__" * 12_000,
        "*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*b",
    ],
)
def test_a_hostile_file_costs_no_time(value: str) -> None:
    """And never raises."""
    files = {PROJECT: file(f"tools: {value}", f"disallowedTools: Wr1te, {value}")}
    started = time.perf_counter()
    told("mcp__a__" + "a" * 200, files)
    assert time.perf_counter() - started < 1


def test_binary_is_no_list() -> None:
    """Bytes that are not UTF-8 are read as something else."""
    found = listing(
        "reviewer", PROJECT, b"---\nname: reviewer\ntools: Read\xff, \x00Grep\n---\n".decode("utf-8", "replace")
    )
    assert found is not None
    assert found.allowed is not None
    assert {"Read", "Grep"} <= set(found.allowed)
