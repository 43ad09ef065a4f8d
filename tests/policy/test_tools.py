"""Tools, tiers, risks and rows on commands and targets."""

import pytest

from checkrail.facts.host import FrozenHost
from checkrail.model import Action, Decision, Effect, Event, EventKind, Reading, Target, TargetKind
from checkrail.policy import AgentRow, Policy, Rule, ToolRow
from checkrail.policy.tools import declared, on_reading, on_tool


def event(tool: str, *, subagent: str = "") -> Event:
    """A call of a tool."""
    return Event(agent="claude", kind=EventKind.PRE, tool=tool, subagent=subagent)


def decisions(policy: Policy, tool: str, *, subagent: str = "") -> dict[str, Decision | None]:
    """Rule -> decision of what the policy says about a call."""
    return {finding.rule: finding.decision for finding in on_tool(event(tool, subagent=subagent), policy)}


def test_an_empty_policy_says_nothing() -> None:
    """About any tool."""
    assert decisions(Policy(), "Bash") == {}


def test_forbid_always_wins() -> None:
    """Over a list that allows and over a low risk."""
    policy = Policy(
        forbid=("mcp__ads__*",), agent=(AgentRow(name="*", allowed=("*",)),), tool=(ToolRow(glob="*", risk="low"),)
    )
    assert decisions(policy, "mcp__ads__spend") == {"policy.forbid": Decision.DENY}
    assert decisions(policy, "mcp__docs__read") == {}


def test_high_risk_is_asked_about_each_time() -> None:
    """Of several rows the highest risk counts."""
    policy = Policy(tool=(ToolRow(glob="mcp__ads__*", risk="high"), ToolRow(glob="*", risk="low")))
    assert decisions(policy, "mcp__ads__spend") == {"policy.high-risk": Decision.ASK}
    assert decisions(policy, "Read") == {}


def test_an_agent_with_a_list_may_use_nothing_else() -> None:
    """The list is for that agent or kind of sub-agent alone."""
    policy = Policy(agent=(AgentRow(name="reviewer", allowed=("Read", "Gr*"), forbidden=("Grue",)),))
    assert decisions(policy, "Bash", subagent="reviewer/a1") == {"policy.tool-not-listed": Decision.DENY}
    assert decisions(policy, "Grue", subagent="reviewer/a1") == {"policy.tool-forbidden": Decision.DENY}
    assert decisions(policy, "Grep", subagent="reviewer/a1") == {}
    assert decisions(policy, "Bash") == {}


def test_the_lowest_tier_asks_before_medium_risk() -> None:
    """Higher tiers do not."""
    tool = (ToolRow(glob="mcp__crm__*", risk="medium"),)
    low = Policy(tool=tool, agent=(AgentRow(name="claude", tier="T3"),))
    high = Policy(tool=tool, agent=(AgentRow(name="claude", tier="T2"),))
    assert decisions(low, "mcp__crm__update") == {"policy.tier": Decision.ASK}
    assert decisions(low, "Read") == {}
    assert decisions(high, "mcp__crm__update") == {}


def effect(command: str = "", *, kind: TargetKind = TargetKind.PATH, value: str = "/x", host: str = "") -> Effect:
    """One effect of a command."""
    return Effect(action=Action.WRITE, target=Target(kind, value, host), rule="r", command=command)


@pytest.mark.parametrize(
    ("row", "found", "hits"),
    [
        (Rule(command="yarn", decision=Decision.DENY), effect("yarn install"), True),
        (Rule(command="yarn", decision=Decision.DENY), effect("/usr/bin/yarn install"), True),
        (Rule(command="yarn", decision=Decision.DENY), effect("yarnish install"), False),
        (Rule(command="npm run *", decision=Decision.ASK), effect("npm run build"), True),
        (Rule(command="npm run *", decision=Decision.ASK), effect("npm test"), False),
        (Rule(path="/etc/**", decision=Decision.DENY), effect(value="/etc/hosts"), True),
        (Rule(path="/etc/**", decision=Decision.DENY), effect(value="/etc/hosts", host="other"), False),
        (Rule(path="/etc/**", decision=Decision.DENY), effect(value="/etcetera"), False),
        (
            Rule(host="*.example", decision=Decision.DENY),
            effect(kind=TargetKind.URL, value="https://a.example/x"),
            True,
        ),
        (Rule(host="*.example", decision=Decision.DENY), effect(kind=TargetKind.PATH, value="a.example"), False),
        (Rule(command="cp", path="/etc/**", decision=Decision.DENY), effect("cp a b", value="/home/x"), False),
        (Rule(id="x.y", decision=Decision.DENY), effect("x"), False),
    ],
)
def test_a_row_without_id_judges_what_a_call_does(row: Rule, found: Effect, hits: bool) -> None:
    """All its conditions must hold; the project's rows count the same."""
    for policy in (Policy(rule=(row,)), Policy(project_rules=(row,))):
        found_rows = on_reading(Reading(effects=(found,)), policy)
        assert [finding.decision for finding in found_rows] == ([row.decision] if hits else [])


@pytest.mark.parametrize(
    ("command", "hits"), [("yarn install", True), ("/usr/bin/yarn", True), ("npx yarn", False), ("echo yarn", False)]
)
def test_a_row_about_a_command_needs_no_effect(command: str, hits: bool) -> None:
    """A program that nobody knows is still stopped."""
    policy = Policy(rule=(Rule(command="yarn", decision=Decision.DENY),))
    assert bool(on_reading(Reading(commands=("ls", command)), policy)) is hits


def test_a_row_gives_its_own_reason() -> None:
    """Or a plain one."""
    told = on_reading(
        Reading(commands=("yarn add x",)), Policy(rule=(Rule(command="yarn", decision=Decision.ASK, why="use npm"),))
    )
    plain = on_reading(Reading(commands=("yarn add x",)), Policy(rule=(Rule(command="yarn", decision=Decision.ASK),)))
    assert told[0].reason == "use npm"
    assert plain[0].reason == "the policy says ask for yarn"


TIERED = Policy(
    tool=(
        ToolRow(glob="mcp__crm__read_*", risk="low"),
        ToolRow(glob="mcp__crm__*", risk="medium"),
        ToolRow(glob="mcp__ads__*", risk="high"),
    ),
    agent=(
        AgentRow(name="lead", tier="T1"),
        AgentRow(name="worker", tier="T2"),
        AgentRow(name="intern", tier="T3", forbidden=("mcp__ads__activate",)),
        AgentRow(name="intern-*", tier="T3", allowed=("mcp__crm__*", "mcp__ads__spend"), forbidden=("mcp__crm__drop",)),
    ),
)


@pytest.mark.parametrize(
    ("who", "tool", "rules"),
    [
        ("lead", "mcp__crm__update", ()),
        ("worker", "mcp__crm__update", ()),
        ("intern", "mcp__crm__update", ("policy.tier",)),
        ("intern", "mcp__crm__read_task", ("policy.tier",)),  # of several rows the highest risk counts
        ("intern", "mcp__crmx__update", ()),
        ("intern", "Bash", ()),
        ("internal", "mcp__crm__update", ()),
        ("lead", "mcp__ads__spend", ("policy.high-risk",)),
        ("worker", "mcp__ads__spend", ("policy.high-risk",)),
        ("intern", "mcp__ads__spend", ("policy.high-risk",)),
        ("intern", "mcp__ads__activate", ("policy.high-risk", "policy.tool-forbidden")),
        ("worker", "mcp__ads__activate", ("policy.high-risk",)),
        ("intern-2", "mcp__crm__drop", ("policy.tool-forbidden",)),
        ("intern-2", "mcp__ads__spend", ("policy.high-risk",)),
        ("intern-2", "mcp__ads__activate", ("policy.high-risk", "policy.tool-not-listed")),
        ("intern-2", "Read", ("policy.tool-not-listed",)),
        ("", "Read", ()),
    ],
)
def test_tiers_risks_and_lists_together(who: str, tool: str, rules: tuple[str, ...]) -> None:
    """Each rule with its near misses; names are globs over the whole name."""
    assert tuple(sorted(decisions(TIERED, tool, subagent=f"{who}/a1" if who else ""))) == rules


def test_what_is_declared_is_told() -> None:
    """Only what speaks about this tool and this agent."""
    host = FrozenHost(files={"/home/dev/.claude/agents/intern.md": "---\nname: intern\ntools: Read\n---\n"})
    call = event("mcp__crm__update", subagent="intern/a1")
    lines = list(declared(call, TIERED, host))
    assert lines[0] == "mcp__crm__update is of medium risk"
    assert lines[1] == "agent intern: tier T3, forbidden mcp__ads__activate"
    assert lines[2].startswith("sub-agent file /home/dev/.claude/agents/intern.md: allowed Read ")
    assert len(lines) == 3
    assert list(declared(event("Read"), TIERED)) == []


def test_a_long_list_is_told_in_part() -> None:
    """The screen is not for five hundred names."""
    policy = Policy(agent=(AgentRow(name="claude", allowed=tuple(f"t{number}" for number in range(20))),))
    assert next(iter(declared(event("t1"), policy))).endswith("t11 and 8 more")
