"""MCP tools and tools of unknown name: judged by the shape of their arguments first, then by verb and object of the name.

The call itself becomes one effect on ``server/tool`` whose rule names the class of its verb; ``mcp.carried`` where the
arguments alone say what the call does (a shell command, a statement, a path, a URL).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from checkrail.context import Surroundings
from checkrail.knowledge import network
from checkrail.model import (
    Action,
    Axes,
    Decision,
    Effect,
    Event,
    Operation,
    Payload,
    Reversibility,
    Scope,
    Target,
    TargetKind,
    Unread,
)
from checkrail.operations.files import absolute
from checkrail.operations.names import ORDER, UNKNOWN, judge_words, split, words
from checkrail.operations.paths import edits, is_path, path_effects
from checkrail.operations.scripts import written
from checkrail.operations.shapes import NAME, OPTION, Leaf, TooMuch, beside, leaves, lists, plain
from checkrail.operations.texts import (
    Tool,
    bare_command,
    code,
    command,
    command_list,
    git_line,
    guessed,
    query,
    sql,
    urls,
)

_SHELL_CARRIES = frozenset(
    {
        "publish",
        "merge",
        "execute",
        "unknown",
        "update",
        "create",
        "browse",
        "read",
        "compute",
        "local",
        "stop",
        "delete",
    }
)
_SQL_CARRIES = _SHELL_CARRIES - {"delete", "stop", "publish", "merge"}
_URL_CARRIES = frozenset({"browse", "execute", "read", "compute", "unknown"})
_PATH_CARRIES = frozenset({"create", "update", "local", "delete", "browse"})
_MOST_CONTENT = 65_536
_QUIET = frozenset({"read", "compute", "local", "browse"})
"""Classes whose names promise that nothing is destroyed."""


class Catalogue(Protocol):
    """What is known about configured tools."""

    def annotations(self, server: str, tool: str) -> Mapping[str, Any] | None:
        """The tool's own claims (``destructiveHint`` and so on), or None where it is not known."""


class _Found:
    """What the arguments of a call turn out to be."""

    def __init__(self) -> None:
        self.effects: list[Effect] = []
        self.payloads: list[Payload] = []
        self.opaque: list[str] = []
        self.carries: set[str] = set()

    def add(self, kind: str, payload: Payload) -> None:
        """A text that does something itself."""
        self.payloads.append(payload)
        self.carries.add(kind)


def _group(own: tuple[str, ...], given: Mapping[str, Any]) -> str:
    """The class of a call by the tool's name, and by an ``action`` argument where the name leaves it open."""
    group = judge_words(own)
    action = beside(given, network.tools().arguments.action)
    said = words(action) if NAME.fullmatch(action) else ()
    verb = judge_words(said) if 0 < len(said) <= 5 else UNKNOWN
    if verb == UNKNOWN:
        return group
    full = judge_words(said + own)
    open_name = group == UNKNOWN or not network.tools().weak.words.isdisjoint(own)
    return full if open_name else max(group, verb, key=ORDER.index)


def _option(tool: Tool, leaf: Leaf) -> Effect | None:
    """A value that a program behind the tool would take for an option."""
    known = network.tools().arguments
    if (
        leaf.key in known.prose | known.argv | known.command
        or leaf.within in known.argv
        or not OPTION.fullmatch(leaf.value)
    ):
        return None
    name = leaf.value.partition("=")[0]
    if not leaf.value.startswith("--") and name not in network.tools().options.dangerous:
        return None
    reason = f"argument {leaf.key} is an option of the program behind the tool: {name}"
    return _tool_effect(tool, Action.CONFIGURE, "mcp.option", reason=reason, decision=Decision.ASK)


def _tool_effect(
    tool: Tool,
    action: Action,
    rule: str,
    *,
    reason: str = "",
    decision: Decision | None = None,
    axes: Axes | None = None,
    content: str | None = None,
) -> Effect:
    target = Target(TargetKind.TOOL, f"{tool.server}/{tool.name}" if tool.server else tool.name)
    return Effect(action=action, target=target, rule=rule, reason=reason, decision=decision, axes=axes, content=content)


def _read_leaf(tool: Tool, leaf: Leaf, found: _Found) -> None:
    """Sort one text argument into what it is; what fits nothing is data."""
    option = _option(tool, leaf)
    if option:
        found.effects.append(option)
        return
    for kind, reader in (("query", query), ("sql", sql), ("shell", command)):
        payload = reader(tool, leaf)
        if payload:
            found.add(kind, payload)
            return
    program, opaque = code(tool, leaf)
    if program:
        found.add("code", program)
    elif opaque:
        found.opaque.append(opaque)
    addresses = urls(tool, leaf)
    for payload in addresses:
        found.add("url", payload)
    if addresses or program:
        return
    guess = guessed(tool, leaf)
    if guess:
        found.payloads.append(guess)
    _place(tool, leaf, found)


def _place(tool: Tool, leaf: Leaf, found: _Found) -> None:
    known = network.tools().arguments
    if leaf.key in known.host and ("." in leaf.value or ":" in leaf.value) and " " not in leaf.value:
        target = Target(TargetKind.HOST, leaf.value.partition("/")[0].rpartition("@")[2])
        found.effects.append(Effect(action=Action.RECEIVE, target=target, rule="mcp.host"))
    elif not (tool.runner and leaf.key in known.cwd) and is_path(leaf, tool.said, tool.around):
        found.effects += path_effects(leaf, tool.group, tool.own, tool.event, tool.around)
        found.carries.add("path")


def _repository(tool: Tool, given: Mapping[str, Any]) -> Effect | None:
    """A change in a repository outside the workspace."""
    path = beside(given, network.tools().arguments.repository)
    if tool.group in ("read", "compute") or "git" not in tool.said or path[:1] not in ("/", "~"):
        return None
    where = absolute(path, tool.event.cwd, tool.around.home)
    if (where + "/").startswith(tool.around.workspace.rstrip("/") + "/"):
        return None
    return Effect(
        action=Action.CHANGE,
        target=Target(TargetKind.REPOSITORY, where),
        rule="mcp.repository",
        decision=Decision.ASK,
        reason=f"{tool.name} changes a repository outside the workspace: {where}",
    )


def _forced(tool: Tool, given: Mapping[str, Any]) -> str:
    """An argument that takes the brakes off; empty where there is none."""
    known = network.tools().arguments.force
    brakes = (
        known & {"delete", "remove", "destroy", "drop", "purge"}
        if tool.group in ("read", "compute", "browse")
        else known
    )
    for name, value in given.items():
        if plain(str(name)) in brakes and value in (True, "true", "hard", 1):
            return str(name)
    return ""


def _carried(tool: Tool, kinds: set[str]) -> bool:
    """Whether the arguments alone say what the call does."""
    names = network.tools().names
    by_text = ("shell" in kinds or "code" in kinds) and tool.group in _SHELL_CARRIES
    by_statement = bool(kinds & {"sql", "query"}) and tool.group in _SQL_CARRIES
    by_address = "url" in kinds and (
        tool.group in _URL_CARRIES or not {"request", "http", "fetch"}.isdisjoint(tool.said)
    )
    by_path = (
        "path" in kinds
        and tool.group in _PATH_CARRIES
        and (
            not names.filish.isdisjoint(tool.own)
            or tool.own
            in (("write",), ("edit",), ("delete",), ("create",), ("replace",), ("patch",), ("move",), ("rename",))
        )
    )
    return by_text or by_statement or by_address or by_path


def _method_group(given: Mapping[str, Any]) -> str:
    """The class of an HTTP method where the call names no whole URL."""
    method = beside(given, network.tools().arguments.method).upper()
    return {"DELETE": "delete", "PUT": "update", "PATCH": "update", "POST": "send"}.get(method, "")


def _declared(tool: Tool, catalogue: Catalogue | None) -> Axes | None:
    """Axes from the tool's own claims, which can only make it stricter: one that contradicts another frees nothing."""
    claims = catalogue.annotations(tool.server, tool.name) if catalogue else None
    destructive = bool(claims) and claims.get("destructiveHint") is True  # type: ignore[union-attr]
    return Axes(Reversibility.HARD, Scope.SHARED) if destructive else None


def _of_call(tool: Tool, group: str, found: _Found, catalogue: Catalogue | None, said: str) -> Effect:
    """The effect on the tool itself."""
    actions = {entry.name: entry.action for entry in network.tools().classes}
    action = actions.get(group, Action.READ if group == "secret" else Action.CHANGE)
    carried = _carried(tool, found.carries)
    rule, action = ("mcp.carried", Action.READ) if carried else (f"mcp.{group}", action)
    # Where name or arguments say what is changed, that is judged; many authors set the hint on whatever writes.
    claimed = _declared(tool, catalogue) if group in _QUIET and not carried else None
    return _tool_effect(tool, action, rule, axes=claimed, content=said[:_MOST_CONTENT])


def _persons(given: Mapping[str, Any]) -> bool:
    return any(plain(str(name)) in network.tools().arguments.person and value for name, value in given.items())


def _collect(tool: Tool, given: Mapping[str, Any]) -> tuple[_Found, str]:
    found = _Found()
    whole = set()
    line = git_line(tool, given)
    if line:
        found.add("shell", line)
    known = network.tools().arguments
    plainly = list(leaves(given, known.content))
    texts = [leaf.value for leaf in plainly]
    # What a file will hold is data, even where it is JSON that looks like arguments.
    files = tool.group in ("create", "update", "local") and any(leaf.key in known.path for leaf in plainly)
    for key, value, within in lists(given):
        payload = command_list(tool, key, value, within)
        if payload:
            found.add("shell", payload)
            whole.add((key, id(within)))
        elif (alone := bare_command(tool, key, value)) is not None:
            found.payloads.append(alone)
    for leaf in plainly if files else leaves(given):
        if (leaf.key, id(leaf.beside)) not in whole:
            _read_leaf(tool, leaf, found)
    _pipeline(tool, given, found)
    return found, "\n".join(texts)


def _pipeline(tool: Tool, given: Any, found: _Found, depth: int = 0) -> None:
    """Stages of a document database's pipeline that write or run code."""
    children = given.values() if isinstance(given, Mapping) else given if isinstance(given, list) else ()
    if isinstance(given, Mapping):
        for name in ("$out", "$merge", "$where", "$function", "$accumulator"):
            if name in given:
                reason = f"{name} writes a collection or runs code in the database"
                found.effects.append(
                    _tool_effect(tool, Action.CHANGE, "mcp.pipeline", reason=reason, decision=Decision.ASK)
                )
    if depth < 64:
        for child in children:
            _pipeline(tool, child, found, depth + 1)


def _doubtful(event: Event, split_as: tuple[str, str], others: Sequence[str]) -> str:
    """The class of the call as servers that others may have named would have it; it counts only where it is stricter."""
    other = split(event.tool, others)
    return _group(words(other[1]), event.input) if others and other != split_as else ""


def tool_operation(
    event: Event,
    around: Surroundings,
    servers: Sequence[str],
    catalogue: Catalogue | None,
    doubtful: Sequence[str] = (),
) -> Operation:
    """What a call of an MCP tool, or of any tool without a meaning of its own, would do."""
    server, name = split(event.tool, servers)
    kind = "mcp" if server else "unknown"
    own = words(name)
    group = _group(own, event.input)
    group = max(group, _doubtful(event, (server, name), doubtful) or group, key=ORDER.index)
    tool = Tool(event=event, around=around, server=server, name=name, said=words(server) + own, own=own, group=group)
    try:
        found, said = _collect(tool, event.input)
    except TooMuch:
        what = f"{event.tool}: the arguments are too many or too deep"
        return Operation(kind=kind, summary=event.tool, unread=(Unread(what=what),))
    if "path" in found.carries and edits(group, own):
        group = "update"
    if "url" not in found.carries:
        group = max(group, _method_group(event.input) or group, key=ORDER.index)
    if group in ("create", "update") and _persons(event.input):
        group = "send"
    call = _of_call(tool, group, found, catalogue, said)
    forced, outside = _forced(tool, event.input), _repository(tool, event.input)
    if forced:
        found.effects.append(
            _tool_effect(
                tool, Action.CHANGE, "mcp.force", reason=f"{forced} takes the brakes off", decision=Decision.ASK
            )
        )
    effects = (call, *found.effects, *((outside,) if outside else ()))
    return Operation(
        kind=kind,
        summary=f"{server}/{name}".strip("/"),
        effects=effects,
        payloads=(*found.payloads, *written(effects, around)),
        opaque=(*found.opaque, *(() if server else (f"tool {name}",))),
    )
