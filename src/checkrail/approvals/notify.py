"""A desktop notification that a request waits: off unless asked for, without secrets, and nothing waits for it."""

import os
import subprocess
import sys
from collections.abc import Mapping

from checkrail.agents.reasons import visible
from checkrail.approvals.rows import Request

TITLE = "Checkrail: a coding agent waits for your answer"
MAX_TEXT = 200
NOTIFY_SEND = ("/usr/bin/notify-send", "/usr/local/bin/notify-send", "/run/current-system/sw/bin/notify-send")
OSASCRIPT = ("/usr/bin/osascript",)
"""By their absolute paths: the search path comes from whoever started the daemon."""


def text(request: Request) -> str:
    """What the notification says."""
    asked = request.asked
    return f"Request {request.number} of {visible(asked.agent)}: {visible(asked.summary)[:MAX_TEXT]}"


def command(request: Request, *, platform: str = sys.platform) -> tuple[str, ...]:
    """The argument vector; empty where this machine has no such program. The text is an argument, never a script."""
    candidates = OSASCRIPT if platform == "darwin" else NOTIFY_SEND
    program = next((path for path in candidates if os.access(path, os.X_OK)), "")
    if not program:
        return ()
    if platform == "darwin":
        script = ("on run argv", "display notification (item 1 of argv) with title (item 2 of argv)", "end run")
        return (program, *(word for line in script for word in ("-e", line)), text(request), TITLE)
    plain = text(request).replace("&", "&amp;").replace("<", "&lt;")  # the body may hold markup
    return (program, "--app-name=Checkrail", "--", TITLE, plain)


def _environment(known: Mapping[str, str]) -> dict[str, str]:
    """Where the desktop is: a daemon that a hook started may not have been told."""
    runtime = known.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}"
    return {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={runtime}/bus", **known}


def tell(request: Request) -> None:
    """Shows it, where that is possible; starts the program detached and does not wait."""
    words = command(request)
    if not words:
        return
    try:
        subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=True,
            start_new_session=True, env=_environment(os.environ), cwd="/",
        )  # fmt: skip
    except OSError:
        return
