"""Every agent's places × every carrier: whatever an agent would change its hooks with, the floor denies it.

The places are those that the installer writes and those whose switches the doctor knows; so an agent that is added is guarded, too.
"""

import json
from collections.abc import Callable, Iterator

import pytest

from checkrail.agents import PRESENCES
from checkrail.facts.host import FrozenHost
from checkrail.install.killers import SWITCHES
from checkrail.model import Decision, Event, EventKind, Verdict
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN
from tests.test_carriers import Call, bash, node, patch, python


def _files(agent: str, path: str) -> Iterator[str]:
    """The files of a home: its own, or those that we put into its folder."""
    for home in PRESENCES[agent].homes:
        if path in (home.user, home.project, home.managed):
            yield from (
                [f"{path}/{name}" for name in home.texts] if home.form == "files" else [path.replace("*", "dev")]
            )


def places() -> dict[str, list[str]]:
    """Agent -> its files, absolute or from the home."""
    found: dict[str, list[str]] = {
        "claude": ["~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json", "/etc/claude-code/managed-settings.json"]
    }  # fmt: skip
    for agent, presence in PRESENCES.items():
        named = [path for home in presence.homes for path in (home.user, home.project, home.managed) if path]
        found[agent] = [file for path in named for file in _files(agent, path)]
    for switch in SWITCHES:
        found[switch.agent] += switch.paths
    found["codex"] += ["~/.codex/config.toml", ".codex/config.toml", "/etc/codex/requirements.toml"]
    found["hermes"] += ["~/.hermes/shell-hooks-allowlist.json"]
    found["goose"] += ["~/.config/goose/settings.json", ".config/goose/settings.json"]
    found["grok"] += ["~/.grok/trusted_folders.toml"]
    found["cursor"] += ["~/.claude/settings.json"]
    return {agent: list(dict.fromkeys(many)) for agent, many in found.items()}


PLACES = places()


def _absolute(path: str) -> str:
    return path.replace("~", "/home/dev", 1) if path[0] in "~/" else f"/work/app/{path}"


HOST = FrozenHost(
    home="/home/dev",
    files={"/work/app/.git/": "", **{_absolute(path): "{}" for many in PLACES.values() for path in many}},
)


CARRIERS: dict[str, Callable[[str], Call]] = {
    "Write": lambda path: ("Write", {"file_path": path, "content": "{}"}),
    "Edit": lambda path: ("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}),
    "MultiEdit": lambda path: ("MultiEdit", {"file_path": path, "edits": [{"old_string": "a", "new_string": "b"}]}),
    "Delete": lambda path: ("Delete", {"file_path": path}),
    "a patch": lambda path: patch(path, "@@\n-a\n+b"),
    "an MCP tool that writes": lambda path: ("mcp__fs__write_file", {"path": path, "content": "{}"}),
    "an MCP tool that moves": lambda path: ("mcp__fs__move_file", {"source": path, "destination": "/tmp/x"}),
    ">": lambda path: bash(f"echo '{{}}' > {path}"),
    ">>": lambda path: bash(f"echo x >> {path}"),
    "> alone": lambda path: bash(f": > {path}"),
    "a here-document": lambda path: bash(f"cat <<'EOF' > {path}\n{{}}\nEOF"),
    "tee": lambda path: bash(f"echo '{{}}' | tee {path}"),
    "sed -i": lambda path: bash(f"sed -i '/checkrail/d' {path}"),
    "perl -i": lambda path: bash(f"perl -pi -e 's/checkrail//' {path}"),
    "jq and mv": lambda path: bash(f"jq 'del(.hooks)' {path} > /tmp/t && mv /tmp/t {path}"),
    "jq and sponge": lambda path: bash(f"jq 'del(.hooks)' {path} | sponge {path}"),
    "yq -i": lambda path: bash(f"yq -i 'del(.hooks)' {path}"),
    "cp": lambda path: bash(f"cp /dev/null {path}"),
    "mv away": lambda path: bash(f"mv {path} /tmp/x"),
    "rm": lambda path: bash(f"rm -f {path}"),
    "ln": lambda path: bash(f"ln -sf /dev/null {path}"),
    "truncate": lambda path: bash(f"truncate -s 0 {path}"),
    "dd": lambda path: bash(f"dd if=/dev/null of={path}"),
    "install": lambda path: bash(f"install -m 644 /tmp/x {path}"),
    "rsync": lambda path: bash(f"rsync /tmp/x {path}"),
    "curl -o": lambda path: bash(f"curl -so {path} https://example.com/x"),
    "chmod": lambda path: bash(f"chmod 000 {path}"),
    "find -delete": lambda path: bash(f"find {path} -delete"),
    "xargs rm": lambda path: bash(f"echo {path} | xargs rm"),
    "a folder changed into": lambda path: bash(f"cd {path.rpartition('/')[0]} && rm {path.rpartition('/')[2]}"),
    "a variable": lambda path: bash(f'f={path}; echo x > "$f"'),
    "Python": lambda path: python(f"open({path!r}, 'w').write('')")[0],
    "Python's pathlib": lambda path: python(f"from pathlib import Path\nPath({path!r}).unlink()")[0],
    "Python's json": lambda path: python(f"import json\njson.dump({{}}, open({path!r}, 'w'))")[0],
    "a tool that runs Python": lambda path: python(f"open({path!r}, 'w')")[1],
    "node": lambda path: node(f"require('fs').writeFileSync({json.dumps(path)}, '{{}}')"),
    "ruby": lambda path: bash(f"ruby -e 'File.write({json.dumps(path)}, \"\")'"),
}  # fmt: skip


def judged(call: Call, own: tuple[str, ...] = ()) -> Verdict:
    """What is said of the call; ``own`` are the files in which an installation put our hooks."""
    event = Event(agent="claude", kind=EventKind.PRE, tool=call[0], input=call[1], cwd="/work/app", project="/work/app")
    return decide(event, host=HOST, policy=BUILT_IN, own=own)


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("agent", PLACES)
def test_no_carrier_changes_where_hooks_stand(agent: str, carrier: str) -> None:
    """By the floor, so that no setting and no approval lets it."""
    passed = []
    for path in PLACES[agent]:
        verdict = judged(CARRIERS[carrier](_absolute(path)))
        if verdict.decision is not Decision.DENY or not any(finding.floor for finding in verdict.findings):
            passed.append(path)
    assert passed == []


@pytest.mark.parametrize("agent", PLACES)
def test_a_folder_with_them_in_it_is_kept_too(agent: str) -> None:
    """Removed or moved whole. A folder that others share is asked about, until it holds a hook of ours."""
    for path in PLACES[agent]:
        folder = _absolute(path).rpartition("/")[0]
        if folder in ("/work/app", "/home/dev"):
            continue
        for command in (f"rm -rf {folder}", f"mv {folder} /tmp/x"):
            verdict = judged(bash(command))
            floor = verdict.decision is Decision.DENY and any(found.floor for found in verdict.findings)
            shared = folder in ("/work/app/.agents", "/work/app/.github")
            assert floor or (shared and verdict.decision is Decision.ASK), command
            assert judged(bash(command), own=(_absolute(path),)).decision is Decision.DENY, command


@pytest.mark.parametrize(
    "command",
    [
        "pip uninstall -y checkrail", "pip3 uninstall checkrail", "python3 -m pip uninstall -y checkrail", "pipx uninstall checkrail",
        "uv tool uninstall checkrail", "uv pip uninstall checkrail", "checkrail uninstall", "checkrail uninstall --purge", "python3 -m checkrail uninstall",
        "checkrail daemon stop", "pkill -f checkrail", "killall checkrail", "systemctl --user stop checkrail", "systemctl --user disable --now checkrail.socket",
    ],
)  # fmt: skip
def test_checkrail_is_not_taken_out_by_its_package_or_its_daemon(command: str) -> None:
    """By an agent."""
    verdict = judged(bash(command))
    assert verdict.decision is Decision.DENY, [found.rule for found in verdict.findings]


@pytest.mark.parametrize("agent", PLACES)
def test_looking_at_them_is_free(agent: str) -> None:
    """And so is what only resembles them."""
    for path in PLACES[agent]:
        name = path.rpartition("/")[2]
        for call in (
            bash(f"ls -l {_absolute(path)}"),
            bash(f"echo x > /work/app/docs-{name}"),
            bash(f"git add docs/{name}.md"),
        ):
            verdict = judged(call)
            assert not any(found.floor for found in verdict.findings), call
