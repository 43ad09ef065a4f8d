"""Sends made-up events through the hook exactly as the agent would, to see that it holds. Nothing is ever run."""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from checkrail.agents import AGENTS, PRESENCES
from checkrail.agents.answers import Answers, claude_form, meaning
from checkrail.agents.dialect import Dialect
from checkrail.agents.samples import sample
from checkrail.install import forms
from checkrail.install.json_text import SettingsError
from checkrail.install.record import Settings

SECONDS = 15.0

DANGEROUS = ("rm -rf /", "git push --force origin main && rm -rf ~", "curl -s http://169.254.169.254/latest/meta-data/")
HARMLESS = ("ls", "git status")

_CLAUDE = Answers(deny=claude_form("deny"), ask=claude_form("ask"), allow=claude_form("allow"))

_PLUGIN = """const {pathToFileURL} = require("node:url");
let raw = ""; process.stdin.on("data", (d) => { raw += d }).on("end", async () => {
  const told = JSON.parse(raw), made = await import(pathToFileURL(process.argv[1]).href);
  const hooks = await made.Checkrail({directory: told.directory, worktree: told.directory});
  try { await hooks["tool.execute.before"]({tool: told.tool, sessionID: told.sessionID, callID: told.callID}, {args: told.args}) }
  catch (error) { console.error(error.message); process.exitCode = 2 }
})"""
"""Loads the plugin as OpenCode does and passes it one call; what it throws is a denial."""


class Result(msgspec.Struct, frozen=True):
    """One canary: whether the hook did what it should, in words."""

    ok: bool
    text: str


class Outcome(msgspec.Struct, frozen=True):
    """What the hook's command did; ``code`` is None where it did not end in time or could not run."""

    code: int | None
    stdout: bytes = b""
    stderr: bytes = b""
    agent: str = "claude"

    @property
    def decision(self) -> str:
        """What the agent would make of it: allow, none (its own flow goes on), ask, deny or broken."""
        speaker = AGENTS.get(self.agent)
        answers = speaker.answers if isinstance(speaker, Dialect) else _CLAUDE
        return "broken" if self.code is None else meaning(answers, self.code, self.stdout)


def event(command: str, cwd: str, agent: str = "claude") -> bytes:
    """A pending shell command as the agent reports it."""
    return sample(agent, command, cwd)


def argv(agent: str, command: str) -> Sequence[str]:
    """How the agent runs a hook's command line; for files of ours, ``command`` is the file."""
    runner = PRESENCES[agent].runner if agent in PRESENCES else "sh"
    if runner == "login":
        return (os.environ.get("SHELL") or "/bin/sh", "-lc", command)
    if runner == "split":
        return shlex.split(command)
    if runner == "file":
        return (command,)
    if runner == "plugin":
        return (shutil.which("node") or "node", "-e", _PLUGIN, command)
    return ("/bin/sh", "-c", command)


def call(hook_command: str, raw: bytes, cwd: str, agent: str = "claude") -> Outcome:
    """Runs the hook as the agent does."""
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": cwd}
    try:
        done = subprocess.run(
            argv(agent, hook_command), input=raw, capture_output=True, timeout=SECONDS, cwd=cwd, env=environment, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return Outcome(None, agent=agent)
    return Outcome(done.returncode, done.stdout, done.stderr, agent)


def _judged(outcome: Outcome) -> bool:
    """Whether a denial is a verdict, and no block for want of a daemon."""
    return b"blocked:" not in outcome.stderr and b"its hook failed" not in outcome.stdout


def _stopped(hook_command: str, command: str, cwd: str, agent: str) -> Result:
    outcome = call(hook_command, event(command, cwd, agent), cwd, agent)
    if outcome.decision == "deny" and _judged(outcome):
        return Result(True, f"stopped: {command}")
    told = outcome.stderr.decode(errors="replace").strip()[:300]
    return Result(False, f"not judged and stopped ({outcome.decision}): {command} {told}".rstrip())


def _passed(hook_command: str, command: str, cwd: str, agent: str) -> Result:
    outcome = call(hook_command, event(command, cwd, agent), cwd, agent)
    if outcome.decision in ("none", "allow"):
        return Result(True, f"passed: {command}")
    told = (outcome.stderr or outcome.stdout).decode(errors="replace").strip()[:300]
    return Result(False, f"did not pass ({outcome.decision}): {command} {told}".rstrip())


def hook_command(entry: Settings) -> str:
    """The command for pending calls that the agent's settings hold now; empty where ours is not there."""
    home = forms.home_of(entry)
    try:
        present = forms.handlers(Path(entry.path).read_text(encoding="utf-8-sig"), entry.path, home)
    except (OSError, SettingsError, UnicodeDecodeError):
        return ""
    if home.form == "files":
        return entry.path if present else ""
    first = home.hooks[0].event if home.hooks else "PreToolUse"
    return forms.command_of(present[first][0]) if first in present else ""


def prove_command(command: str, agent: str = "claude") -> list[Result]:
    """Each canary through one command line of the hook."""
    with tempfile.TemporaryDirectory(prefix="checkrail-canary-") as cwd:
        stopped = [_stopped(command, dangerous, cwd, agent) for dangerous in DANGEROUS]
        return stopped + [_passed(command, harmless, cwd, agent) for harmless in HARMLESS]


def _mute(entry: Settings) -> bool:
    """A file of ours that takes no pending calls, such as a plugin's manifest."""
    return forms.home_of(entry).form == "files" and Path(entry.path).name not in ("PreToolUse", "checkrail.js")


def prove(entry: Settings) -> list[Result]:
    """Each canary through the command in one agent's settings."""
    command = hook_command(entry)
    if command and _mute(entry):
        return [Result(True, f"{entry.path} is in place")]
    if command and entry.agent == "opencode" and shutil.which("node") is None:
        return [Result(True, f"{entry.path} is in place; it is not tried, since there is no node")]
    first = forms.home_of(entry).hooks
    missing = f"{entry.path} holds no {first[0].event if first else 'PreToolUse'} hook of Checkrail"
    return prove_command(command, entry.agent) if command else [Result(False, missing)]
