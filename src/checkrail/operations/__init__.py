"""What a pending call means, whatever its tool is called: an event becomes operations with effects and payloads."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from checkrail.context import Surroundings
from checkrail.model import Action, Effect, Event, Operation, Payload, Target, TargetKind, Unread
from checkrail.operations.files import FILE_TOOLS, BadInput, file_operation, text
from checkrail.operations.mcp import Catalogue, tool_operation

_SHELLS: Mapping[str, str] = {"Bash": "shell", "Monitor": "shell", "PowerShell": "powershell"}

# Tools that only talk to the agent itself, its user or its sub-agents, whose own calls come by as events.
_AGENT = frozenset(
    {
        "Task", "Agent", "Skill", "SlashCommand", "TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList",
        "TaskGet", "TaskOutput", "TaskStop", "ExitPlanMode", "EnterPlanMode", "AskUserQuestion", "BashOutput", "KillShell",
        "KillBash", "ToolSearch", "SendMessage", "TeamCreate", "TeamDelete", "EnterWorktree", "ExitWorktree", "LSP",
        "ListMcpResources", "ListMcpResourcesTool", "ReadMcpResource", "ReadMcpResourceTool", "StructuredOutput", "Brief",
        "Sleep", "PushNotification", "CronList", "CronDelete", "CronCreate",
    }
)  # fmt: skip


def _fault(event: Event, kind: str, what: str) -> Operation:
    return Operation(kind=kind, summary=event.tool, unread=(Unread(what=f"{event.tool}: {what}"),))


def _command(event: Event, around: Surroundings) -> Operation:  # noqa: ARG001  # one signature for the table
    language = _SHELLS[event.tool]
    command = text(event.input, "command", needed=event.tool != "Monitor")
    payload = Payload(language=language, text=command, cwd=event.cwd or None)
    if event.tool == "Monitor" and not command:
        return _monitored(event)
    return Operation(kind="command", summary=command, text=command, payloads=(payload,))


def _monitored(event: Event) -> Operation:
    """Monitor can watch a web socket instead of a command."""
    source = event.input.get("ws")
    address = source if isinstance(source, str) else source.get("url") if isinstance(source, dict) else None
    if not isinstance(address, str):
        raise BadInput("neither command nor ws is a text")
    payload = Payload(language="url", text=address, cwd=event.cwd or None)
    return Operation(kind="fetch", summary=f"Monitor {address}", text=address, payloads=(payload,))


def _fetch(event: Event, around: Surroundings) -> Operation:  # noqa: ARG001
    url = text(event.input, "url")
    payload = Payload(language="url", text=url, cwd=event.cwd or None, options=(("scheme", "https"),))
    return Operation(kind="fetch", summary=f"fetch {url}", text=url, payloads=(payload,))


def _search(event: Event, around: Surroundings) -> Operation:  # noqa: ARG001
    query = text(event.input, "query", "q")
    target = Target(TargetKind.SERVICE, "web search")
    found = Effect(action=Action.RECEIVE, target=target, rule="search.web")
    return Operation(kind="search", summary=f"search the web: {query}", text=query, effects=(found,))


def _agent(event: Event, around: Surroundings) -> Operation:  # noqa: ARG001
    return Operation(kind="agent", summary=event.tool, opaque=(f"{event.tool}: the agent's own tool",))


_Meaning = Callable[[Event, Surroundings], Operation]

TOOLS: Mapping[str, _Meaning] = {
    **dict.fromkeys(_SHELLS, _command),
    **dict.fromkeys(FILE_TOOLS, file_operation),
    **dict.fromkeys(_AGENT, _agent),
    "WebFetch": _fetch,
    "WebSearch": _search,
}
"""Tool name -> what its calls mean. Any other name is judged by the shape of its arguments."""


def operations(
    event: Event,
    around: Surroundings,
    *,
    servers: Sequence[str] = (),
    doubtful: Sequence[str] = (),
    catalogue: Catalogue | None = None,
) -> tuple[Operation, ...]:
    """What a pending call would do; always at least one operation, never raises for any input.

    ``servers`` are the names of the MCP servers that are configured, ``doubtful`` those that only a project's files name;
    ``catalogue`` knows what tools declare about themselves.
    """
    if event.fault:
        return (_fault(event, "unknown", event.fault),)
    meaning = TOOLS.get(event.tool)
    try:
        found = meaning(event, around) if meaning else tool_operation(event, around, servers, catalogue, doubtful)
    except BadInput as fault:
        return (_fault(event, "unknown", str(fault)),)
    if meaning is None or event.tool in FILE_TOOLS:
        return (found,)
    return (msgspec.structs.replace(found, unread=(*found.unread, *_odd_cwd(event))),)


def _odd_cwd(event: Event) -> tuple[Unread, ...]:
    """A working directory that is no absolute path would make every relative path a guess."""
    return () if not event.cwd or event.cwd.startswith("/") else (Unread(what="the working directory is not absolute"),)
