"""What keeps an agent from running hooks that stand in its settings, without a word: each with its mend."""

import hashlib
import json
import os
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from checkrail.agents import PRESENCES
from checkrail.install import forms, untrusted, versions
from checkrail.install.entries import is_ours
from checkrail.install.json_text import SettingsError, parse
from checkrail.install.record import Record, Settings
from checkrail.install.targets import expanded

Found = Iterator[tuple[str, str]]
"""Problem and mend."""


class Around(msgspec.Struct, frozen=True):
    """Where to look."""

    environment: Mapping[str, str]
    project: str

    def path(self, path: str, variable: tuple[str, str] = ("", "")) -> Path:
        """A path of the user's or, where it is relative, of the project."""
        return expanded(path, self.environment, variable) if path.startswith(("~", "/")) else Path(self.project) / path


def _json(path: Path) -> dict[str, Any]:
    try:
        return parse(path.read_text(encoding="utf-8-sig"), str(path), comments=True)
    except (OSError, SettingsError, UnicodeDecodeError):
        return {}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return {}


class Switch(msgspec.Struct, frozen=True):
    """A key that turns hooks off where it is true."""

    agent: str
    paths: tuple[str, ...]
    key: str
    variable: tuple[str, str] = ("", "")


SWITCHES = (
    Switch("qwen", ("~/.qwen/settings.json", ".qwen/settings.json"), "disableAllHooks"),
    Switch("copilot", ("~/.copilot/settings.json", "~/.copilot/config.json", ".github/copilot/settings.json"), "disableAllHooks", ("COPILOT_HOME", "~/.copilot")),
    Switch("vscode", (".claude/settings.json", ".claude/settings.local.json"), "disableAllHooks"),
    Switch("droid", ("~/.factory/hooks.json", "~/.factory/settings.json", ".factory/hooks.json", ".factory/settings.json"), "hooksDisabled"),
    Switch("droid", ("~/.factory/settings.json",), "allowManagedHooksOnly"),
)  # fmt: skip


def _switched(entry: Settings, around: Around) -> Found:
    for switch in SWITCHES:
        for path in switch.paths if switch.agent == entry.agent else ():
            where = around.path(path, switch.variable)
            if _json(where).get(switch.key) not in (None, False):
                yield (
                    f"{entry.agent}: {where}: {switch.key} keeps hooks from running",
                    f"take {switch.key} out of {where}",
                )


def codex_hash(event: str, group: Mapping[str, Any], handler: Mapping[str, Any]) -> str:
    """What Codex keeps of a hook that the person trusts: a digest of event, matcher and handler."""
    shown = {"async": False, "command": handler.get("command"), "timeout": handler.get("timeout"), "type": "command"}
    told: dict[str, Any] = {"event_name": event, "hooks": [shown]}
    if group.get("matcher") is not None:
        told["matcher"] = group["matcher"]
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


_SNAKE = {"PreToolUse": "pre_tool_use", "PostToolUse": "post_tool_use", "SessionStart": "session_start"}


def _snake(event: str) -> str:
    return _SNAKE.get(event, event)


def _codex(entry: Settings, around: Around) -> Found:
    config = _toml(around.path("~/.codex/config.toml", ("CODEX_HOME", "~/.codex")))
    if config.get("features", {}).get("hooks") is False:
        yield "codex: features.hooks is false in its config.toml", "set it to true, or take it out"
    if any(
        _toml(around.path(path)).get("allow_managed_hooks_only")
        for path in ("/etc/codex/requirements.toml", "~/.codex/requirements.toml")
    ):
        yield "codex: allow_managed_hooks_only keeps your own hooks from running", "ask your administrator"
    state = config.get("hooks", {}).get("state", {})
    hooks = _json(Path(entry.path)).get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            many = group.get("hooks") if isinstance(group, dict) else None
            for place, handler in enumerate(many if isinstance(many, list) else ()):
                key = f"{entry.path}:{_snake(event)}:{number}:{place}"
                trusted = state.get(key, {}).get("trusted_hash") if isinstance(state.get(key, {}), dict) else None
                if is_ours(handler) and trusted != codex_hash(_snake(event), group, handler):
                    told = "changed since you trusted it" if trusted else "is not trusted yet"
                    problem = f"codex: its {event} hook {told}, so it is skipped without a word"
                    yield problem, "start codex, run /hooks and trust it"


def _hermes(entry: Settings, around: Around) -> Found:
    home = ("HERMES_HOME", "~/.hermes")
    if around.environment.get("HERMES_SAFE_MODE") == "1":
        yield "hermes: HERMES_SAFE_MODE turns hooks off", "unset it"
    try:
        text = Path(entry.path).read_text()
        ours = forms.handlers(text, entry.path, forms.home_of(entry))
    except (OSError, SettingsError, UnicodeDecodeError):
        return
    approvals = _json(around.path("~/.hermes/shell-hooks-allowlist.json", home)).get("approvals")
    agreed = {(one.get("event"), one.get("command")) for one in approvals or () if isinstance(one, dict)}
    accepted = around.environment.get("HERMES_ACCEPT_HOOKS") == "1" or "hooks_auto_accept: true" in text
    for event, many in ours.items():
        if not accepted and any((event, one.get("command")) not in agreed for one in many):
            yield (
                f"hermes: you have not consented to its {event} hook, so it may be skipped without a word",
                "start hermes and say yes to the hook",
            )


def _goose(_entry: Settings, around: Around) -> Found:
    for path in ("~/.config/goose/settings.json", ".config/goose/settings.json"):
        off = _json(around.path(path, ("XDG_CONFIG_HOME", "~/.config"))).get("disabledPlugins")
        if isinstance(off, list) and "checkrail" in off:
            yield f"goose: {around.path(path)} switches our plugin off", "take checkrail out of disabledPlugins"


def _openhands(entry: Settings, around: Around) -> Found:
    own = Path(around.project) / ".openhands/hooks.json"
    if own.exists() and str(own) != entry.path and not is_ours(_json(own)):
        yield (
            f"openhands: {own} hides your own hooks",
            "in that project run: checkrail install openhands --scope project",
        )


def _vibe(entry: Settings, around: Around) -> Found:
    names = {str(one.get("name")) for one in _toml(Path(entry.path)).get("hooks", ()) if is_ours(one)}
    own = Path(around.project) / ".vibe/hooks.toml"
    for one in _toml(own).get("hooks", ()) if str(own) != entry.path else ():
        if isinstance(one, dict) and one.get("name") in names and not is_ours(one):
            yield f"vibe: {own} shadows our hook by its name", f"take {one.get('name')} out of {own}"


def _gemini(_entry: Settings, around: Around) -> Found:
    for path in ("~/.gemini/settings.json", ".gemini/settings.json"):
        where = around.path(path)
        rules = _json(where).get("hooksConfig")
        if not isinstance(rules, dict):
            continue
        if rules.get("enabled") is False:
            yield f"gemini: {where}: hooksConfig.enabled is false", f"set it to true in {where}, or take it out"
        off = rules.get("disabled")
        if isinstance(off, list) and any(one == "checkrail" or is_ours(one) for one in off):
            yield f"gemini: {where}: hooksConfig.disabled names our hook", f"take it out of the list in {where}"


def _opencode(_entry: Settings, around: Around) -> Found:
    if around.environment.get("OPENCODE_PURE") not in (None, "", "0", "false"):
        yield "opencode: OPENCODE_PURE keeps plugins from loading", "unset it"


def _grok(entry: Settings, _around: Around) -> Found:
    try:
        marked = Path(entry.path).read_bytes().startswith(b"\xef\xbb\xbf")
    except OSError:
        return
    if marked:
        yield f"grok: {entry.path} starts with a byte order mark, which it does not read", "save it without one"


def _sandboxed(entry: Settings, around: Around) -> Found:
    """A sandbox in which the hook cannot reach the daemon."""
    for path in ("~/.factory/settings.json", ".factory/settings.json"):
        where = around.path(path, ("FACTORY_HOME_OVERRIDE", "~"))
        box = _json(where).get("sandbox")
        network = box.get("network") if isinstance(box, dict) else None
        reachable = isinstance(network, dict) and network.get("allowUnixSockets")
        if isinstance(box, dict) and box.get("enabled") and not reachable:
            yield (
                f"{entry.agent}: {where}: its sandbox keeps the hook from the daemon's socket, so each call is blocked",
                "set sandbox.network.allowUnixSockets there",
            )


def _claude(_entry: Settings, around: Around) -> Found:
    if around.environment.get("CLAUDE_CODE_SIMPLE") not in (None, "", "0", "false"):
        yield "claude: CLAUDE_CODE_SIMPLE keeps hooks from running", "unset it"


def _droid(entry: Settings, around: Around) -> Found:
    yield from _sandboxed(entry, around)
    if entry.path.endswith("hooks.json") and "hooks" in _json(Path(entry.path)):
        yield (
            f"droid: {entry.path} holds a key 'hooks', and then nothing in it loads",
            "move what is in it to the top level",
        )


def _kiro(entry: Settings, _around: Around) -> Found:
    folder = Path(entry.path).parent
    if folder.name != "agents":
        return
    for path in sorted(folder.glob("*.json")):
        if not is_ours(_json(path)):
            yield f"kiro: {path} has no hook of ours", "run: checkrail install kiro"


def _interpreter(entry: Settings, _around: Around) -> Found:
    """A command line that the agent cannot even start, as after wrong quoting."""
    from checkrail.install import canary

    command = canary.hook_command(entry)
    if not command or forms.home_of(entry).form == "files":
        return
    try:
        program = shlex.split(command)[0]
    except (ValueError, IndexError):
        yield (
            f"{entry.agent}: the hook's command line is not quoted as a shell needs it: {command[:80]}",
            "run: checkrail install",
        )
        return
    if os.path.isabs(program) and not os.access(program, os.X_OK):
        yield f"{entry.agent}: {program} cannot be run, so each call is blocked or unseen", "run: checkrail install"


def _untrusted(entry: Settings, around: Around) -> Found:
    def read(path: str) -> dict[str, Any]:
        presence = PRESENCES[entry.agent]
        where = around.path(path, presence.homes[0].variable)
        return _toml(where) if path.endswith(".toml") else _json(where)

    yield from untrusted.found(entry, read)


def _old(entry: Settings, around: Around) -> Found:
    presence = PRESENCES.get(entry.agent)
    yield from versions.too_old(entry.agent, presence.programs if presence else (), around.environment)


KILLERS: dict[str, Callable[[Settings, Around], Found]] = {
    "codex": _codex, "hermes": _hermes, "goose": _goose, "openhands": _openhands, "vibe": _vibe, "droid": _droid, "kiro": _kiro, "gemini": _gemini, "opencode": _opencode, "grok": _grok, "claude": _claude,
}  # fmt: skip


def found(known: Record, environment: Mapping[str, str], project: str) -> Found:
    """Everything that keeps installed hooks from running, each once."""
    around, seen = Around(environment, project), set()
    for entry in known.settings:
        for look in (_switched, _interpreter, _untrusted, _old, *filter(None, (KILLERS.get(entry.agent),))):
            for problem in look(entry, around):
                if problem not in seen:
                    seen.add(problem)
                    yield problem
