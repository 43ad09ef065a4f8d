"""``osascript``: AppleScript that runs shell commands, types, asks for passwords or deletes."""

import fnmatch
import re
from typing import TYPE_CHECKING

from checkrail.model import HOLE
from checkrail.readers.shell import effects, flow
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

TEXT_CAP = 50_000
"""Characters of a script that are read."""

_SHELL = re.compile(
    r"do\s+shell\s+script\s+(?:\"((?:[^\"\\]|\\.)*)\"|(\S))|doShellScript\(\s*(?:([\"'])((?:(?!\3)[^\\]|\\.)*)\3|(\S))|\.system\(\s*\"((?:[^\"\\]|\\.)*)\""
)
_JUDGED = (
    (
        "privilege",
        "administrator",
        re.compile(r"administrator\s+privileges|administratorPrivileges"),
        "asks for the administrator's rights",
    ),
    (
        "runs",
        "types",
        re.compile(r"\bkeystroke\b|\bkey\s+code\b|\bdo\s+script\b|System\s+Events|doScript"),
        "types into or steers other programs",
    ),
    (
        "secret",
        "password",
        re.compile(r"hidden\s+answer|hiddenAnswer|the\s+clipboard|theClipboard"),
        "asks for a password or reads the clipboard",
    ),
    (
        "destroys",
        "deletes",
        re.compile(r"\bdelete\b|empty\s+(?:the\s+)?trash|\berase\b", re.IGNORECASE),
        "deletes files or other things",
    ),
    (
        "runs",
        "bridge",
        re.compile(r"ObjC\.import|use\s+framework|\$\.\w+\(|NSTask|load\s+script|run\s+script"),
        "calls into the system",
    ),
)


def osascript(entry: "Entry", call: "Call", path: str) -> None:
    """``osascript -e line …``, a file, or standard input."""
    lines = [given.value for given in call.parsed.options if given.name == "-e" and given.value is not None]
    output = call.parsed.value("-o")
    if output is not None:
        effects.path("write", output, call, path)
    if lines:
        script("\n".join(field.text for field in lines), lines[0], call, path)
    elif call.parsed.operands and call.parsed.operands[0].text != "-":
        field = call.parsed.operands[0]
        effects.path("read", field, call, path)
        held = call.run.state.files.get(call.path(field))
        if held is not None and held.known:
            script(held.text, field, call, path)
        else:
            call.run.opaque(f"runs local code {field.text[:60]}")
    elif call.run.stdin.known:
        script(call.run.stdin.text, Field("", call.span), call, path)
    else:
        flow.run_code("applescript", call.run.stdin, call, "standard input of osascript")
    del entry


def script(text: str, at: Field, call: "Call", path: str) -> None:
    """Judge a script by the words that reach outside it."""
    text = text[:TEXT_CAP]
    for match in _SHELL.finditer(text):
        line = next((group for group in (match.group(1), match.group(4), match.group(6)) if group is not None), None)
        if line is None:
            effects.named(
                "runs", call, rule=f"{path}.shell", reason="runs a shell command that is put together at run time"
            )
        else:
            more = text[match.end() : match.end() + 20].lstrip().startswith(("&", "+"))
            call.run.shell(re.sub(r"\\(.)", r"\1", line) + (HOLE if more else ""), at.span, "do shell script")
            if more:
                effects.named(
                    "runs", call, rule=f"{path}.shell", reason="runs a shell command that is put together at run time"
                )
    for kind, name, words, reason in _JUDGED:
        if words.search(text):
            effects.named(kind, call, rule=f"{path}.{name}", reason=f"the script {reason}")
    call.run.opaque("an AppleScript")


READS: dict[str, tuple[str, ...]] = {
    "networksetup": ("-get*", "-list*", "-show*", "-is*", "-print*", "-version", "-help"),
    "scutil": ("--dns", "--proxy", "--nwi", "--get", "-r", "-w", "--help"),
    "pmset": ("-g",),
    "systemsetup": ("-get*", "-list*", "-help", "-printCommands"),
    "csrutil": ("status", "authenticated-root"),
    "spctl": ("--status", "--assess", "-a", "--list", "-v", "--verbose"),
    "softwareupdate": ("-l", "--list", "--list-full-installers", "--history", "--dump-state"),
    "installer": ("-pkginfo", "-dominfo", "-volinfo", "-query", "-help", "-vers"),
    "tmutil": (
        "list*",
        "status",
        "latestbackup",
        "destinationinfo",
        "machinedirectory",
        "isexcluded",
        "version",
        "compare",
        "calculatedrift",
        "uniquesize",
    ),
    "profiles": ("list", "show", "status", "version", "help", "validate"),
    "fdesetup": ("status", "list", "isactive", "supportsauthrestart", "haspersonalrecoverykey", "version", "help"),
    "mdutil": ("-s", "-P"),
    "socketfilterfw": ("--get*", "--list*"),
    "xcode-select": ("-p", "--print-path", "-v", "--version", "-h", "--install"),
    "DevToolsSecurity": ("-status",),
    "pkgutil": (
        "--pkgs*",
        "--pkg-info*",
        "--files",
        "--lsbom",
        "--check-signature",
        "--file-info",
        "--groups",
        "--packages",
        "--volume",
        "--expand*",
    ),
    "sfltool": ("dumpbtm", "list"),
    "lsregister": ("-dump",),
    "sharing": ("-l",),
    "odutil": ("show",),
    "asr": ("imagescan", "info"),
}
"""Mac tool -> beginnings of a command line that only show."""

DSCL = (
    "-read",
    "-list",
    "-search",
    "-readall",
    "-readpl",
    "-readpli",
    "-diff",
    "read",
    "list",
    "ls",
    "cat",
    "search",
    "readall",
)


def macos_tool(entry: "Entry", call: "Call", path: str) -> None:
    """Tools that set how a Mac is run: free where the first word only shows."""
    texts = [field.text for field in call.arguments]
    if call.name == "dscl":
        words = [text for text in texts if text not in ("-q", "-raw", "-plist", "-url")]
        shows = len(words) > 1 and words[1] in DSCL
    elif call.name == "nvram":
        shows = all(text in ("-p", "-x", "-xp") or not ("=" in text or text.startswith("-")) for text in texts)
    else:
        shows = bool(texts) and any(fnmatch.fnmatchcase(texts[0], glob) for glob in READS.get(call.name, ()))
        shows = shows and not {"disable", "enable", "--add", "--remove", "--enable", "--disable"} & set(texts[1:])
    if not shows and texts:
        effects.named(entry.effect, call, rule=path, reason=entry.reason)
