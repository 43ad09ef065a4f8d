"""What running random Python snippets would do, held against what the reader says of them.

    python -m tests.differential.python_compared [--seed 1] [--count 2000]

Targets lie in a temporary folder, the only command is ``true``, and an audit hook refuses every effect before it happens. An
effect that the hook records and the reading neither shows nor calls unread is a miss.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.model import HOLE, SOME, Action, Payload, Reading, TargetKind
from checkrail.readers.python import read
from tests.differential.python_snippets import snippets


def recorded(texts: list[str], folder: Path) -> list[list[tuple[str, str]]]:
    """The effects that each snippet would have had."""
    (folder / "d").mkdir(exist_ok=True)
    for name in ("a", "d/b"):
        (folder / name).write_text("x")
    program = Path(__file__).with_name("python_audit.py")
    done = subprocess.run(
        [sys.executable, "-I", str(program)],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        cwd=folder,
        check=True,
    )
    return [[(kind, value) for kind, value in effects] for effects in json.loads(done.stdout)]


SHOWN = {
    "delete": (Action.DELETE,), "write": (Action.WRITE, Action.APPEND, Action.CREATE), "create": (Action.CREATE, Action.WRITE, Action.APPEND),
    "mode": (Action.MODE, Action.WRITE, Action.APPEND), "read": (Action.READ, Action.WRITE, Action.APPEND, Action.DELETE, Action.CREATE), "stop": (Action.STOP,),
}  # fmt: skip


def missed(effects: list[tuple[str, str]], reading: Reading) -> list[tuple[str, str]]:
    """The effects that a reading neither shows nor calls unread."""
    return [] if reading.unread else [effect for effect in effects if not shown(*effect, reading)]


def shown(kind: str, value: str, reading: Reading) -> bool:
    """Whether a reading shows an effect."""
    if kind == "run":
        return any(
            payload.language == "shell" and ("true" in payload.text or HOLE in payload.text)
            for payload in reading.payloads
        )
    if kind == "send":
        hosts = any(effect.target.kind is TargetKind.HOST for effect in reading.effects)
        return hosts or any(payload.language == "url" for payload in reading.payloads)
    if kind == "native":
        return False
    return any(
        effect.action in SHOWN[kind] and _names(effect.target.value, value, wide=effect.recursive or kind == "read")
        for effect in reading.effects
    )


def _names(target: str, value: str, *, wide: bool) -> bool:
    if target.startswith(HOLE):
        return True  # nothing of the path is known
    pattern = "".join(".*" if character in (HOLE, SOME) else re.escape(character) for character in target)
    return re.fullmatch(pattern + ("(/.*)?" if wide else ""), value) is not None


def main() -> None:
    """Print the misses."""
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=2000)
    given = options.parse_args()
    texts = list(snippets(given.seed, given.count))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        results = recorded(texts, folder)
        around = Surroundings(host=FrozenHost(), home="/home/dev", workspace=str(folder), cwd=str(folder))
        counts = {"ran": 0, "unread": 0, "misses": 0}
        for text, effects in zip(texts, results, strict=True):
            reading = read(Payload(language="python", text=text, cwd=str(folder)), around)
            counts["ran"] += bool(effects)
            counts["unread"] += bool(reading.unread)
            lost = missed(effects, reading)
            if lost:
                counts["misses"] += 1
                print(
                    "=" * 60, text, f"--> {lost}", [(e.action.value, e.target.value) for e in reading.effects], sep="\n"
                )
    print(counts)


if __name__ == "__main__":
    main()
