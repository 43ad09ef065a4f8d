"""OpenCode, through a small plugin (``hooks/opencode.js``) that runs the hook and throws where it does not pass."""

from checkrail.agents.answers import Answers, flat
from checkrail.agents.dialect import POST, PRE, SESSION, Dialect, renaming
from checkrail.agents.homes import Home, Presence
from checkrail.agents.tools import own

DIALECT = Dialect(
    NAME="opencode",
    kinds={"pre": PRE, "post": POST, "session": SESSION},
    usual="pre",
    unpack=renaming(
        hook_event_name="event", tool_name="tool", tool_input="args", session_id="sessionID", cwd="directory",
        project="worktree", tool_use_id="callID", tool_response="output", parent_session_id="parentID",
    ),
    tools={"bash": "Bash", "write": "Write", "edit": "Edit", "read": "Read", "webfetch": "WebFetch", "glob": "Glob", "grep": "Grep",
        "list": "LS", "multiedit": "MultiEdit", "patch": "apply_patch", "apply_patch": "apply_patch", "websearch": "WebSearch",
        **own(
            Agent="task", Skill="skill", TodoWrite="todowrite", TodoRead="todoread", AskUserQuestion="question invalid",
            EnterPlanMode="plan_enter", ExitPlanMode="plan_exit", ToolSearch="codesearch",
        ),
    },
    answers=Answers(deny=flat("deny")),
)  # fmt: skip

PRESENCE = Presence(
    title="OpenCode",
    activity=("~/.local/share/opencode/storage",),
    runner="plugin",
    folders=("~/.config/opencode", "~/.opencode"),
    programs=("opencode",),
    homes=(
        Home(
            form="files",
            user="~/.config/opencode/plugin",
            project=".opencode/plugin",
            variable=("XDG_CONFIG_HOME", "~/.config"),
            texts={"checkrail.js": "opencode.js"},
            unit="",
        ),
    ),
    closed_by="the plugin itself: whatever fails in it throws",
    lacks=(
        "it cannot ask (permission.ask is never called)",
        "a plugin that does not load is left out in silence",
        "an MCP tool's server cannot be told from its name",
    ),
)
