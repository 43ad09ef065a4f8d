"""Commands inside written files: shell scripts, scripts of package.json, recipes of makefiles, steps of workflows.

They are payloads marked ``("written", path)``, since they run later; of an edit only what it adds. Files in other languages
are not read on writing: nearly every source file calls something, and running it is judged when it runs.
"""

import posixpath
import re
from collections.abc import Callable, Iterator

import msgspec

from checkrail.context import Surroundings
from checkrail.model import HOLE, Action, Effect, Payload

_SHEBANG = re.compile(r"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-S[ \t]+)?)?(?:\S*/)?(?:ba|da|z|k|a)?sh\b")
_SCRIPT_NAMES = (".sh", ".bash", ".zsh", ".ksh", ".command", "/.envrc")
_HOOK_FOLDERS = ("/.git/hooks/", "/.husky/", "/.githooks/")
_MAKEFILES = ("makefile", "gnumakefile")
_VARIABLE = re.compile(r"\$\$|\$\([^()]*\)|\$\{[^{}]*\}|\$[@<^*?%+]")
_EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
_RUN = re.compile(r"(?P<indent>\s*)(?:-\s+)?run:\s*(?P<text>.*)")
_LARGEST = 262_144
_MOST = 50


def is_script(path: str, content: str) -> bool:
    """Whether a file is a shell script by name, place or first line."""
    if _SHEBANG.match(content):
        return True
    if any(folder in path for folder in _HOOK_FOLDERS):
        return not content.startswith("#!") and "." not in posixpath.basename(path)
    return path.endswith(_SCRIPT_NAMES)


def _logical_lines(content: str) -> list[str]:
    """Lines with their continuations, so that half a command is never looked at by itself."""
    lines: list[str] = []
    for line in content.splitlines(keepends=True):
        if lines and lines[-1].rstrip("\r\n").endswith("\\"):
            lines[-1] += line
        else:
            lines.append(line)
    return lines


def added(content: str, previous: str) -> str:
    """What ``content`` has that ``previous`` has not, by whole logical lines."""
    before = set(_logical_lines(previous + "\n"))
    return "".join(line for line in _logical_lines(content + "\n") if line not in before)


def _earlier(path: str, around: Surroundings) -> str:
    """What a file holds now; empty where it is not there, too large or no text."""
    found = around.host.read(path, _LARGEST)
    return found.decode("utf-8", "replace") if found else ""


def _shell(effect: Effect, earlier: str) -> Iterator[str]:
    """What a shell script gains."""
    content = effect.content or ""
    if is_script(effect.target.value, content if effect.previous is None else earlier or content):
        yield added(content, effect.previous if effect.previous is not None else earlier)


def _scripts(text: str) -> dict[str, str]:
    """The scripts of a package.json; none where it does not parse."""
    try:
        found = msgspec.json.decode(text.encode()).get("scripts")
    except (msgspec.DecodeError, AttributeError, RecursionError, UnicodeError):
        return {}
    return {name: line for name, line in found.items() if isinstance(line, str)} if isinstance(found, dict) else {}


def _package(effect: Effect, earlier: str) -> Iterator[str]:
    """Scripts that a package.json gains or changes."""
    content, old = effect.content or "", effect.previous
    before = _scripts(earlier)
    after = _scripts(content if old is None else earlier.replace(old, content, 1) if old else content)
    yield from (line for name, line in after.items() if before.get(name) != line)


def _recipes(effect: Effect, earlier: str) -> Iterator[str]:
    """Recipe lines that a makefile gains, its variables unknown."""
    gained = added(effect.content or "", effect.previous if effect.previous is not None else earlier)
    lines = [line.lstrip("\t@+-") for line in _logical_lines(gained) if line.startswith("\t")]
    yield _VARIABLE.sub(lambda match: "$" if match[0] == "$$" else HOLE, "".join(lines))


def _steps(effect: Effect, earlier: str) -> Iterator[str]:
    """Commands of workflow steps that are new, their expressions unknown."""
    before = set(_run_texts(effect.previous if effect.previous is not None else earlier))
    for text in _run_texts(effect.content or ""):
        if text not in before:
            yield _EXPRESSION.sub(HOLE, text)


def _run_texts(content: str) -> Iterator[str]:
    lines = content.splitlines()
    for at, line in enumerate(lines):
        match = _RUN.fullmatch(line)
        if not match:
            continue
        if match["text"][:1] not in ("|", ">"):
            yield match["text"].strip("'\"") + "\n"
            continue
        body = []
        for following in lines[at + 1 :]:
            if following.strip() and len(following) - len(following.lstrip()) <= len(match["indent"]):
                break
            body.append(following.strip())
        yield "\n".join(body) + "\n"


def _kind(path: str) -> Callable[[Effect, str], Iterator[str]]:
    name = posixpath.basename(path).lower()
    if name == "package.json":
        return _package
    if name in _MAKEFILES or name.endswith(".mk"):
        return _recipes
    if "/.github/workflows/" in path or "/.gitea/workflows/" in path or "/.forgejo/workflows/" in path:
        return _steps
    return _shell


def written(effects: tuple[Effect, ...], around: Surroundings) -> tuple[Payload, ...]:
    """The commands among written files, as payloads of what they gain."""
    payloads = []
    for effect in effects:
        path = effect.target.value
        if effect.action is not Action.WRITE or not effect.content or effect.target.host:
            continue
        for gained in _kind(path)(effect, _earlier(path, around)):
            if gained.strip():
                options = (("written", path),)
                payloads.append(
                    Payload(language="shell", text=gained, cwd=None, options=options, via=("written file",))
                )
    return tuple(payloads[:_MOST])
