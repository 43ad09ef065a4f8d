"""Which version of an agent is installed, and those in which its hooks do not hold what they should."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping

Version = tuple[int, ...]

HOLDS_SINCE: dict[str, tuple[Version, str]] = {
    "codex": ((0, 124, 0), "hooks are off unless features.hooks is set"),
    "copilot": ((1, 0, 70), "exit code 2 of a hook does not stop a call"),
    "antigravity": ((1, 1, 7), "hooks do not run, or their denial is shown as a question"),
}
"""Agent -> the first version that is seen to hold, and what is wrong with those before it."""


def of(program: str, environment: Mapping[str, str]) -> Version | None:
    """The version that a program tells, None where it cannot be told."""
    found = shutil.which(program, path=environment.get("PATH"))
    if found is None:
        return None
    try:
        told = subprocess.run(
            [found, "--version"], capture_output=True, timeout=10, stdin=subprocess.DEVNULL, text=True, check=False
        ).stdout
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    numbers = re.search(r"(\d+)\.(\d+)\.(\d+)", told)
    return tuple(map(int, numbers.groups())) if numbers else None


def too_old(agent: str, programs: tuple[str, ...], environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Problem and mend where an agent is older than its hooks hold."""
    needed, why = HOLDS_SINCE.get(agent, ((), ""))
    for program in programs if needed else ():
        known = of(program, environment)
        if known is not None and known < needed:
            told, wanted = (".".join(map(str, one)) for one in (known, needed))
            yield f"{agent}: in version {told} {why}", f"update it to {wanted} or newer"
