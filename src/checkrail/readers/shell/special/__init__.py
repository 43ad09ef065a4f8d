"""Commands with a little language of their own. One small module each, capped; the table is the registry.

A special is a function ``(entry, call, path) -> None``: ``call.parsed`` holds the options and operands as the entry
describes them, ``path`` is the rule prefix (``git.push``). It notes effects and payloads through the call and may leave
the ordinary part to :func:`checkrail.readers.shell.effects.apply`. It must read data, never run anything.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

Special = Callable[["Entry", "Call", str], None]

SPECIALS: Mapping[str, str] = {
    name: f"checkrail.readers.shell.special.{module}"
    for name, module in (
        ("awk", "awk"),
        ("chmod", "files"),
        ("container", "containers"),
        ("copy", "files"),
        ("crontab", "system"),
        ("curl", "curl"),
        ("database", "databases"),
        ("socat", "streams"),
        ("dd", "files"),
        ("find", "find"),
        ("git", "git"),
        ("git_checkout", "git_checkout"),
        ("git_config", "git"),
        ("git_foreach", "git"),
        ("git_loss", "git_loss"),
        ("git_push", "git_push"),
        ("interpreter", "interpreters"),
        ("kill", "system"),
        ("pgrep", "system"),
        ("ps", "system"),
        ("kubectl", "containers"),
        ("make", "builds"),
        ("rsync", "transfer"),
        ("scp", "transfer"),
        ("serve", "serving"),
        ("manifest", "containers"),
        ("sed", "sed"),
        ("shell", "shells"),
        ("ssh", "transfer"),
        ("systemd", "units"),
        ("services", "units"),
        ("tar", "archives"),
        ("terminal", "terminals"),
        ("wget", "wget"),
        ("xargs", "xargs"),
        ("httpie", "wget"),
        ("dns", "dns"),
        ("gh_api", "github"),
        ("upload_tree", "transfer"),
        ("git_fetch", "git"),
        ("git_show", "git"),
        ("nc", "transfer"),
        ("package_install", "packages"),
        ("cmake", "builds"),
        ("rustup_run", "packages"),
        ("confirmed", "databases"),
        ("shell_of", "databases"),
        ("after_command", "wrappers"),
        ("with_console", "databases"),
        ("gh_token", "github"),
        ("yarn_workspace", "packages"),
        ("rimraf", "packages"),
        ("just", "builds"),
        ("package_script", "packages"),
        ("npx", "packages"),
        ("npm_pkg", "packages"),
        ("maven", "builds"),
        ("own_shell", "packages"),
        ("serve_files", "serving"),
        ("patch", "archives"),
        ("git_add", "git_remote"),
        ("git_remote", "git_remote"),
        ("git_clone", "git_remote"),
        ("runner", "packages"),
        ("wsl", "windows"),
        ("cmd", "windows"),
        ("powershell", "windows"),
        ("redis_cli", "databases"),
        ("forward", "containers"),
        ("chown", "files"),
        ("chattr", "files"),
        ("acl", "files"),
        ("at", "system"),
        ("macos_tool", "macos"),
        ("truncate", "files"),
        ("tee", "files"),
        ("rename", "files"),
        ("fd", "find"),
        ("parallel", "xargs"),
        ("zip", "compressors"),
        ("unzip", "compressors"),
        ("sevenzip", "compressors"),
        ("compressor", "compressors"),
        ("cpio", "compressors"),
        ("date", "system"),
        ("encoder", "encoders"),
        ("lines", "lines"),
        ("screen", "terminals"),
        ("window", "terminals"),
        ("expect", "terminals"),
        ("vim", "editors"),
        ("ed", "editors"),
        ("tracer", "debuggers"),
        ("debugger", "debuggers"),
        ("jq", "queries"),
        ("calculator", "queries"),
        ("macros", "queries"),
        ("vaulted", "vaults"),
        ("osascript", "macos"),
        ("own", "own"),
        ("env", "wrappers"),
        ("printenv", "wrappers"),
        ("prefix", "wrappers"),
        ("enclosure", "wrappers"),
        ("flock", "wrappers"),
        ("script", "wrappers"),
        ("watch", "wrappers"),
        ("entr", "wrappers"),
        ("applet", "wrappers"),
        ("ftp", "ftp"),
        ("sudo", "rights"),
        ("su", "rights"),
        ("systemd_run", "wrappers"),
        ("agent", "wrappers"),
        ("initializer", "wrappers"),
        ("direnv_exec", "wrappers"),
        ("as_compose", "containers"),
        ("compose", "containers"),
    )
}
"""Special name -> module; the function there has the special's name, with an underscore where that is a keyword."""


def run(entry: "Entry", call: "Call", path: str) -> None:
    """Let the special of an entry judge a call."""
    _special(entry.special)(entry, call, path)


@cache
def _special(name: str) -> Special:
    function: Special = getattr(import_module(SPECIALS[name]), name)
    return function
